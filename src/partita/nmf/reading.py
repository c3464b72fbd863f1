"""Interpretation of factors: the components on one scale, memberships, and the partition.

W H is W D D^-1 H for any positive D, and an argmax over the rows of H depends on D. Balanced, each component has the
same largest entry in W as in H: H_k sqrt(max W_k / max H_k), which no D changes. V is symmetric, W and H^T need not be
equal: read is the mean of the two balanced factors, which says the same of V and of its transpose. Against true
posteriors that is as good as H alone for three methods and better for the nonsmooth one (`benchmarks/nmf.py soft`).
The paper's plain H [bayes-nmf eq. (20), (21)] is kept as a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.nmf.base import Factors

__all__ = ["FactorReading", "Scaling", "balanced", "check_scaling", "partition_of", "read"]

Scaling = Literal["balanced", "plain"]

# A component whose largest entry of W times that of H is below this share of the largest such product is dead: it adds
# nothing to W H that rounding would not.
DEAD = 1e-9
# An item whose row sums to no more than this share of the mean row is unassigned: updates only come near zero.
ZERO_ROW = 1e-8


@dataclass(frozen=True, eq=False)
class FactorReading:
    """A membership and its partition.

    Attributes
    ----------
    membership : array, N x K'
        Rows on the simplex; columns by falling size, those that are nobody's largest last.
    labels : array of N
        Its argmax, 0..n_clusters-1; none is empty.
    order : array of K'
        The component that each column is.
    n_unassigned : int
        Items that no component has; their membership is uniform.
    """

    membership: Array
    labels: NDArray[np.int64]
    order: NDArray[np.intp]
    n_unassigned: int

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition, which may be fewer than columns."""
        return int(self.labels.max()) + 1


def check_scaling(scaling: Scaling) -> None:
    """Raise `InputError` for a scaling that is not known."""
    if scaling not in get_args(Scaling):
        raise InputError(f"scaling={scaling!r}: expected 'balanced' or 'plain'")


def balanced(factors: Factors) -> tuple[Array, Array]:
    """Return W and H^T with the same largest entry in each component.

    >>> W, Ht = balanced(Factors(np.array([[4.0], [2.0]]), np.array([[1.0], [0.5]])))
    >>> W[:, 0].tolist(), Ht[:, 0].tolist()
    ([2.0, 1.0], [2.0, 1.0])
    """
    ratio = np.sqrt(factors.W.max(axis=0) / factors.Ht.max(axis=0))
    return factors.W / ratio, factors.Ht * ratio


def _rows(factors: Factors, scaling: Scaling) -> Array:
    """The N x K array whose argmax is taken."""
    if scaling == "plain":
        return factors.Ht
    W, Ht = balanced(factors)
    return np.asarray(0.5 * (W + Ht))


def partition_of(factors: Factors, scaling: Scaling) -> NDArray[np.int64]:
    """Return the argmax, numbered in order of appearance: equal partitions are equal arrays."""
    largest = _rows(factors, scaling).argmax(axis=1)
    _, first, codes = np.unique(largest, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[codes.reshape(-1)], dtype=np.int64)


def read(factors: Factors, scaling: Scaling) -> FactorReading:
    """Return the membership and the partition."""
    strength = factors.W.max(axis=0) * factors.Ht.max(axis=0)
    alive = np.flatnonzero(strength > DEAD * strength.max())
    rows = _rows(factors, scaling)[:, alive]
    sums = rows.sum(axis=1)
    nobody = sums <= ZERO_ROW * sums.mean()
    rows, sums = np.where(nobody[:, None], 1.0, rows), np.where(nobody, len(alive), sums)
    W = rows / sums[:, None]
    largest = W.argmax(axis=1)
    assigned = np.flatnonzero(~nobody)
    sizes = np.bincount(largest[assigned], minlength=len(alive))
    first = np.full(len(alive), len(W))
    np.minimum.at(first, largest[assigned], assigned)
    # By falling size, then by the first item; empty ones by what they have in all.
    order = np.lexsort((-W.sum(axis=0), first, -sizes))
    place = np.argsort(order)
    labels = np.where(nobody, 0, place[largest])  # a tie of all columns: the largest cluster
    return FactorReading(W[:, order], labels, alive[order], int(nobody.sum()))
