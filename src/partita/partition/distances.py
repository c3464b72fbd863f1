"""Distances between an estimate and every draw, in whole numbers, so that equal ones are equal.

The variation of information of two partitions is a sum of n log n over counts. In floating point its last digits depend
on the order of that sum, and so on how clusters are numbered: draws equally far from the estimate would not compare as
equal, and a credible ball would lose some of its ties. Here f(n) = n log2 n is rounded once, to a multiple of a power
of two that leaves the sums exact in 64 bits; Binder's n^2 is a whole number as it is.

What is left of rounding has a bound. A term is off by at most 1.5 units: half of one by rounding to whole numbers, less
than one by the floating-point product before (f(N) is below 2^51 units). n = 1 and n = 2 are exact. So two distances
that are equal in exact arithmetic differ by at most 3 units for each cluster of a draw and 6 for each cell of its
table, both of three or more items: `Distances.tolerance`, 1e-12 bits for 82 items and 3 clusters. Distances that are
nearer than that count as equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.metrics.central_distance import whole_entropies
from partita.metrics.checks import codes_of
from partita.partition.draws import PartitionDraws, label_blocks
from partita.partition.losses import Binder, PartitionLoss, Unit, VariationOfInformation, loss_of
from partita.partition.similarity import checked_weights

__all__ = ["Distances", "Scale", "distances_to", "given_draws", "measured", "metric_of", "scale_of"]

Whole = NDArray[np.int64]

# Labels in a chunk of work.
LABELS = 1 << 18


@dataclass(frozen=True, eq=False)
class Scale:
    """f(0), ..., f(N) in whole numbers, and what one unit is worth in a distance."""

    f: Whole
    unit: float
    exact: bool

    def tolerance(self, n_items: int, n_clusters: int, most: int) -> int:
        """Return units by which equal distances may differ, of a partition of `n_clusters` to ones of at most
        `most`.
        """
        if self.exact:
            return 0
        rounded = n_items // 3  # clusters, or cells, of three items or more
        return 3 * min(most, rounded) + 6 * min(n_clusters * most, rounded)


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances from one partition to each draw.

    Attributes
    ----------
    units : array of M
        Whole numbers.
    unit : float
        Value of one of them in the loss.
    tolerance : int
        Distances that differ by no more are equal.
    n_clusters : array of M
        Clusters of each draw that are not empty.
    """

    units: Whole
    unit: float
    tolerance: int
    n_clusters: Whole

    @property
    def values(self) -> Array:
        """The distances."""
        return np.asarray(self.units * self.unit)


def distances_to(
    labels: ArrayLike,
    draws: Any,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    normalize: Literal["n2", "pairs"] | None = None,
) -> Array:
    """Return the distance of a partition from every draw.

    Parameters
    ----------
    labels : array-like of N
        The partition: any whole numbers or strings.
    draws : array-like, M x N
        Rows are draws; memory-mapped arrays and stores are read a few draws at a time.
    loss : {"vi", "binder"}
        Both are metrics: the variation of information, and the share of pairs that one partition joins and the other
        parts.
    unit : {"bits", "nats"}, optional
        Unit of "vi"; bits by default.
    normalize : {"n2", "pairs"}, optional
        Normalisation of "binder": divide by N^2 (the default), or by the number of ordered pairs of different items.

    Returns
    -------
    array of M
        Equal to the bit for any numbering of clusters and order of items; within 1e-12 of the exact value for 100
        items, and 1e-9 for a million in 50 clusters.

    Raises
    ------
    InputError
        For labels and draws that do not fit together, a similarity matrix in the place of draws, another loss, or an
        option of the other one.

    Notes
    -----
    Time O(M N); memory for one block of draws.

    References
    ----------
    [wade2018] section 2.

    Examples
    --------
    >>> distances_to([0, 0, 1, 1], [["a", "a", "b", "b"], ["a", "a", "a", "a"], ["a", "b", "a", "b"]]).tolist()
    [0.0, 1.0, 2.0]
    >>> distances_to([0, 0, 1], [[0, 1, 1]], loss="binder", normalize="pairs").round(4).tolist()
    [0.6667]
    """
    blocks, _ = given_draws(draws, None)
    return measured(labels, blocks, metric_of(loss, unit, normalize)).values


def metric_of(loss: str | PartitionLoss, unit: Unit | None, normalize: str | None) -> PartitionLoss:
    """Return the loss, if it is a metric that is a sum over counts.

    Raises
    ------
    InputError
        Naming what does not fit.
    """
    chosen = loss_of(loss, unit)
    if not isinstance(chosen, Binder | VariationOfInformation):
        raise InputError(f"loss={loss!r}: distances, balls and modes are those of 'vi' or 'binder'")
    if chosen.a != 1.0:
        raise InputError(f"loss={loss!r} weighs the two errors differently and is no metric; pass a=1")
    if normalize is None:
        return chosen
    if not isinstance(chosen, Binder) or loss != "binder":
        raise InputError(f"normalize={normalize!r} belongs to loss='binder', and the loss is {loss!r}; leave it out")
    return Binder(normalize=normalize)  # type: ignore[arg-type]  # it checks


def given_draws(draws: Any, weights: ArrayLike | None) -> tuple[LabelBlocks, Array]:
    """Return draws as blocks of labels, and how much each counts: its weight, its copies, or one."""
    if isinstance(draws, PartitionDraws):
        if weights is not None:
            raise InputError("weights were given for draws that have theirs; give them where the draws are made")
        return LabelBlocks(draws.labels), draws.counts
    blocks = draws if isinstance(draws, LabelBlocks) else label_blocks(draws)
    v = checked_weights(weights, blocks.n_draws)
    return blocks, np.ones(blocks.n_draws) if v is None else v


def scale_of(loss: PartitionLoss, n_items: int) -> Scale:
    """Return the table f, in whole numbers, of a loss of N items."""
    n = np.arange(n_items + 1, dtype=np.int64)
    if isinstance(loss, Binder):
        pairs = n_items * (n_items - 1 if loss.normalize == "pairs" else n_items)
        return Scale(n**2, 1.0 / max(pairs, 1), exact=True)
    f, bits = whole_entropies(n_items)
    nats_per_bit = float(np.log(2)) if loss.unit == "nats" else 1.0
    return Scale(f, nats_per_bit * bits, exact=False)


def measured(labels: ArrayLike, blocks: LabelBlocks, loss: PartitionLoss) -> Distances:
    """Return distances of a partition from every draw, with what tells ties."""
    from partita.kernels.partition_distances import by_cluster, distances_from

    codes = codes_of(labels, "labels")
    N, M = blocks.n_items, blocks.n_draws
    if len(codes) != N:
        raise InputError(
            f"labels have {len(codes)} items and the draws {N}: rows are draws, columns items; are the draws "
            "transposed?"
        )
    K, scale = int(codes.max()) + 1, scale_of(loss, N)
    order, starts = np.empty(N, dtype=np.int64), np.empty(K + 1, dtype=np.int64)
    by_cluster(codes, K, order, starts)
    u = int(scale.f[np.diff(starts)].sum())
    units, n_clusters = np.empty(M, dtype=np.int64), np.empty(M, dtype=np.int64)
    most = int(blocks.n_clusters.max())
    for first, block in blocks:
        own = slice(first, first + len(block))

        def work(low: int, high: int, block: Any = block, own: slice = own) -> None:
            distances_from(block, most, order, starts, scale.f, u, low, high, units[own], n_clusters[own])

        run_chunks(work, row_bounds(len(block), max(1, LABELS // N)))
    return Distances(units, scale.unit, scale.tolerance(N, K, int(n_clusters.max())), n_clusters)
