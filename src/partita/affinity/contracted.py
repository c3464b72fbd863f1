"""Items that must have the same membership, as one: what a must-link means, exactly.

If w_i is the same for all items i of a group g, with weights d_i and e_g their sum, then

    sum_ij d_i d_j (P_ij - M_ij)^2 = sum_gh e_g e_h (Q_gh - M_gh)^2 + const
    Q_gh = sum_{i in g, j in h} d_i d_j P_ij / (e_g e_h)

so the objective over memberships that agree within groups is the same objective on the groups, with item weights e and
the mean affinity Q. It is applied as Q = E^-1 S^T D P D S E^-1, S the N x G indicators: one product with P.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.base import Affinity, PairWeights, Unobserved
from partita.affinity.wrapped import WrappedAffinity
from partita.arrays import Array

__all__ = ["ContractedAffinity"]

# Rows of groups made dense at a time.
ROWS = 256
# A weight of a pair of groups below this is zero: sums of a few weights of the order of one.
ROUNDING = 1e-12


class ContractedAffinity(WrappedAffinity):
    """The mean affinity between groups of items.

    Parameters
    ----------
    base : Affinity
        Affinity of the items; pair weights become those of the groups, their sum over the pairs of items.
    groups : array of N
        The group of each item, 0..G-1, none empty.
    weights : array of N, optional
        Item weights; 1 by default.

    Examples
    --------
    >>> from partita.affinity.dense import DenseAffinity
    >>> P = DenseAffinity(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]]))
    >>> ContractedAffinity(P, np.array([0, 0, 1])).to_dense().round(12).tolist()
    [[0.75, 0.1], [0.1, 1.0]]
    """

    name = "contracted"
    on_host = True

    def __init__(self, base: Affinity, groups: NDArray[np.intp], weights: Array | None = None) -> None:
        super().__init__(base)
        d = np.ones(base.n_items) if weights is None else np.asarray(weights, dtype=np.float64)
        self.group_weights: Array = np.bincount(groups, d).astype(np.float64)
        shares = np.divide(d, self.group_weights[groups], out=np.zeros_like(d), where=d > 0)
        self._groups = groups
        self._spread = sp.csr_array(
            (shares, groups, np.arange(base.n_items + 1)), (base.n_items, len(self.group_weights))
        )
        self._gather = sp.csr_array(self._spread.T)

    @property
    def n_items(self) -> int:
        return len(self.group_weights)

    @property
    def multiplications(self) -> int:
        return self._base.multiplications + 2 * self._base.n_items

    def __matmul__(self, W: Array) -> Array:
        return np.asarray(self._gather @ (self._base @ (self._spread @ W)))

    @cached_property
    def _sparse(self) -> sp.csr_array | None:
        matrix = self._base.as_sparse()
        return None if matrix is None else sp.csr_array(self._gather @ matrix @ self._spread)

    def as_sparse(self) -> sp.csr_array | None:
        return self._sparse

    @cached_property
    def _several(self) -> NDArray[np.intp]:
        """The groups of more than one item."""
        return np.flatnonzero(np.diff(self._gather.indptr) > 1)

    @cached_property
    def _pairs(self) -> PairWeights | None:
        base = self._base.pair_weights
        if base is None:
            return None
        excess = sp.csr_array((base.weight - base.rest, (base.first, base.second)), self._base.shape)
        found = sp.coo_array(self._gather @ excess @ self._spread)
        weight = np.maximum(base.rest + found.data, 0.0)  # below zero by rounding only
        weight[weight < ROUNDING] = 0.0
        first, second = (np.asarray(index, dtype=np.intp) for index in found.coords)
        held = self.entries(first, second)
        value = np.divide(held, weight, out=np.zeros_like(held), where=weight > 0)
        return PairWeights(first, second, weight, value, base.rest)

    @property
    def pair_weights(self) -> PairWeights | None:
        return self._pairs

    @property
    def unobserved(self) -> Unobserved | None:
        pairs = self._pairs
        if pairs is None or pairs.weight.all():
            return None
        return Unobserved(pairs.first[pairs.weight == 0], pairs.second[pairs.weight == 0])

    def diagonal(self) -> Array:
        if self._sparse is not None:
            return np.asarray(self._sparse.diagonal())
        out = np.asarray(self._gather.power(2) @ self._base.diagonal())
        for low in range(0, len(self._several), ROWS):
            several = self._several[low : low + ROWS]
            out[several] = self.rows(several)[np.arange(len(several)), several]
        return out

    def squared_norm(self, weights: Array | None = None) -> float:
        """Return sum_gh w_g w_h Q_gh^2: by the norm of the base for groups of one item, and by rows for the others."""
        e = np.ones(self.n_items) if weights is None else weights
        if self._sparse is not None:
            return float(e @ (self._sparse.power(2) @ e))
        alone = np.ones(self.n_items, dtype=bool)
        alone[self._several] = False
        total = self._base.squared_norm((e * alone)[self._groups])
        for low in range(0, len(self._several), ROWS):
            several = self._several[low : low + ROWS]
            total += float(e[several] @ (self.rows(several) ** 2 @ (e * (1.0 + alone))))
        return total

    def scaled(self, factors: Array) -> Affinity:
        from partita.affinity.scaled import ScaledAffinity

        return ScaledAffinity(self, factors)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        from partita.affinity.diffused import DiffusedAffinity

        base, matrix = DiffusedAffinity.example(rng, n_items + 4)
        groups = np.r_[np.arange(n_items), [0, 0, 5, 7]]
        weights = rng.random(n_items + 4) + 0.5
        S = np.eye(n_items)[groups] * weights[:, None]
        S /= S.sum(axis=0)
        return cls(base, groups, weights), S.T @ matrix @ S
