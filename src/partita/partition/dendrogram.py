"""Agglomerative trees on 1 - PSM, and the expected loss of all their cuts together.

Average and complete linkage of the dissimilarities 1 - p_ij are the search space of [fritsch2009] and [wade2018]: N
partitions each. Losses that the similarity matrix determines are found for all cuts in O(N^2), since each pair of items
is joined by one merge; the others from the draws in O(M N log N), since an item changes to a larger cluster at most
log2 N times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import require_pairs
from partita.partition.draws import PartitionDraws
from partita.partition.expected import pairs_in_all
from partita.partition.losses import PartitionLoss
from partita.partition.losses.base import dyadic

__all__ = ["Dendrogram", "Linkage"]

Codes = NDArray[np.int64]
Linkage = Literal["average", "complete"]

# Draws in a chunk of work.
DRAWS = 64


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """N - 1 merges of N items.

    Attributes
    ----------
    order : array of N
        Items in the order of the leaves.
    start, middle, stop : arrays of N - 1
        Merge t joins the leaves start..middle and middle..stop.
    parent : array of 2 N - 1
        The merge that a node takes part in, N - 1 for the root; nodes are the items, then the merges.
    height : array of N - 1
        Dissimilarity of what a merge joins.

    Examples
    --------
    >>> tree = Dendrogram.of(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), "average")
    >>> tree.cut(1).tolist(), tree.height.round(2).tolist()
    ([0, 0, 1], [0.1, 0.85])
    """

    order: NDArray[np.int64]
    start: NDArray[np.int64]
    middle: NDArray[np.int64]
    stop: NDArray[np.int64]
    parent: NDArray[np.int64]
    height: Array

    @classmethod
    def of(cls, similarity: Array, linkage: Linkage) -> Self:
        """Make the dendrogram of a similarity matrix by SciPy.

        Raises
        ------
        InputError
            For an unknown linkage.
        MemoryLimitError
            Where the dissimilarities would not fit.
        """
        from scipy.cluster.hierarchy import leaves_list
        from scipy.cluster.hierarchy import linkage as agglomerate

        if linkage not in get_args(Linkage):
            raise InputError(f"linkage={linkage!r}: expected 'average' or 'complete'")
        N = len(similarity)
        require_pairs(N, "the dissimilarities", "search without dendrogram starts", copies=1.0)
        if N == 1:
            none = np.zeros(0, dtype=np.int64)
            return cls(np.zeros(1, dtype=np.int64), none, none, none, np.zeros(1, dtype=np.int64), np.zeros(0))
        apart = np.concatenate([1.0 - similarity[i, i + 1 :] for i in range(N - 1)])
        merges = agglomerate(np.maximum(apart, 0.0), linkage)
        children = merges[:, :2].astype(np.int64)
        order = np.asarray(leaves_list(merges), dtype=np.int64)
        begin, size = np.empty(2 * N - 1, dtype=np.int64), np.ones(2 * N - 1, dtype=np.int64)
        begin[order] = np.arange(N)
        parent = np.full(2 * N - 1, N - 1, dtype=np.int64)
        start, middle, stop = (np.empty(N - 1, dtype=np.int64) for _ in range(3))
        for t, pair in enumerate(children):
            left, right = sorted(pair, key=lambda node: begin[node])
            parent[left] = parent[right] = t
            begin[N + t], size[N + t] = begin[left], size[left] + size[right]
            start[t], middle[t], stop[t] = begin[left], begin[right], begin[left] + size[N + t]
        return cls(order, start, middle, stop, parent, np.asarray(merges[:, 2]))

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.order)

    def cut(self, n_merges: int) -> Codes:
        """Return labels after so many merges, numbered in order of appearance."""
        N = self.n_items
        node = np.arange(N)
        while True:  # climb to the last node that was made
            above = self.parent[node]
            climbs = above < min(n_merges, N - 1)
            if not climbs.any():
                break
            node = np.where(climbs, above + N, node)
        return numbered(node)

    def cut_at(self, height: float) -> Codes:
        """Return labels after all merges up to this dissimilarity."""
        return self.cut(int(np.searchsorted(self.height, height, side="right")))

    def values_from_similarity(self, similarity: Array, loss: PartitionLoss) -> Array:
        """Return values of the loss to minimise, for the cuts after 0..N-1 merges. O(N^2)."""
        from partita.kernels.partition_cuts import pair_cuts

        N = self.n_items
        sums = np.empty((N, 4))
        P = np.ascontiguousarray(similarity[np.ix_(self.order, self.order)])
        pair_cuts(P, self.start, self.middle, self.stop, loss.with_itself, not loss.by_draws, sums)
        K = np.arange(N, 0, -1.0)
        if loss.by_draws:
            v, t = pairs_in_all(P, loss.with_itself), float(loss.counts(N)[N])
            return np.asarray(loss.formula.evaluate(sums[:, 0], v, sums[:, 1], t, float(N), K))
        v = np.log(P.sum(axis=1)).sum()
        return np.asarray(loss.formula.evaluate(sums[:, 2], v, sums[:, 3], 0.0, float(N), K))

    def values_from_draws(self, draws: PartitionDraws, loss: PartitionLoss) -> Array:
        """Return values of the loss to minimise, for the cuts after 0..N-1 merges. O(M N log N), N K_b numbers a
        thread.
        """
        from partita.kernels.partition_cuts import draw_cuts
        from partita.kernels.partition_formula import for_kernels

        N, M = self.n_items, draws.n_draws
        f = dyadic(loss.counts(N))  # so that w of one cluster is t, however many merges it was added up from
        n, m = self.middle - self.start, self.stop - self.middle
        u = np.append(0.0, np.cumsum(f[n + m] - f[n] - f[m])) + N * f[1]
        formula, weights = for_kernels(loss.formula), draws.weights
        bounds = row_bounds(M, DRAWS)
        parts = np.zeros((len(bounds), N))

        def work(low: int, high: int) -> None:
            tree = (self.order, self.start, self.middle, self.stop)
            given = (draws.labels, draws.n_clusters, weights, f)
            draw_cuts(formula, loss.per_draw, *given, *tree, u, low, high, parts[low // DRAWS])

        run_chunks(work, bounds)
        total = parts.sum(axis=0)
        if loss.per_draw:
            return np.asarray(total)
        sizes = np.concatenate([np.bincount(row) for row in draws.labels])
        v = float(np.add.reduceat(f[sizes], draws.first_cell[:-1]) @ weights)
        return np.asarray(loss.formula.evaluate(u, v, total, f[N], float(N), np.arange(N, 0, -1.0)))


def numbered(labels: NDArray[np.integer]) -> Codes:
    """Return labels as 0..K-1 in order of appearance.

    >>> numbered(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[codes.ravel()])
