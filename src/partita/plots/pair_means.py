"""Means over pairs of items of the draws' similarities and a membership's, in the order and size of a picture.

Items stand by cluster, and within one in the order of the leaves of its own average linkage dendrogram, the end that is
more similar to the cluster first: groups inside a cluster show as blocks, items that hardly belong to it as a pale end.
Many items are means over groups of neighbours in that order, of pairs of different items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.affinity import DrawsAffinity
from partita.arrays import Array, Index
from partita.memory import fits
from partita.plots.comembership import affinity_of_groups
from partita.plots.order import blocks, columns_of

__all__ = ["PairMeans", "mean_co_membership", "mean_similarity", "order_by_similarity"]


# Items up to which leaves are turned so that neighbours are most similar, which may cost their cube.
TURNED_UP_TO = 300
# N x N doubles that must fit for the similarity matrix to be used; as many as a search asks for that makes it.
COPIES = 3


@dataclass(frozen=True, eq=False)
class PairMeans:
    """Similarity and co-membership of all pairs shown.

    Attributes
    ----------
    order : array of N
        Items from top to bottom.
    columns : array of m + 1
        Where each row shown begins in that order, and N.
    edges : array of K + 1
        The rows at which clusters begin, and m.
    similarity, explained : m x m arrays
        P and W W^T; means over pairs of different items, and 1 for an item with itself.
    """

    order: Index
    columns: Index
    edges: Index
    similarity: Array
    explained: Array

    @classmethod
    def of(cls, estimator: Any, *, max_rows: int = 400) -> Self:
        """Make the means of a fitted `BayesianPartition`.

        Cost: O(N^2) where the similarity matrix fits, which the search has made then; else as many products with the
        draws as there are rows.
        """
        labels, K = np.asarray(estimator.labels_), int(estimator.n_clusters_)
        edges, W = blocks(labels, K), np.asarray(estimator.membership_)
        columns = columns_of(edges, max_rows)
        if estimator.draws_ is None or fits(8 * COPIES * len(labels) ** 2):
            P = estimator.psm()
            order = order_by_similarity(labels, P)
            similarity = mean_similarity(P, order, columns)
        else:
            affinity = DrawsAffinity(estimator.draws_.labels, estimator.draws_.counts)
            order = np.argsort(labels, kind="stable")
            group = np.empty(len(labels), dtype=np.intp)
            group[order] = np.repeat(np.arange(len(columns) - 1), np.diff(columns))
            means = affinity_of_groups(affinity, np.arange(len(labels)), group)
            n = np.diff(columns)
            similarity = _of_different_items(means * np.outer(n, n), n.astype(np.float64), columns)
        explained = mean_co_membership(W, order, columns)
        return cls(order, columns, np.searchsorted(columns, edges), similarity, explained)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.order)

    @property
    def items_a_row(self) -> int:
        """Items that a row is the mean of, at most; 1 where every item has its own."""
        return int(np.diff(self.columns).max())


def order_by_similarity(labels: NDArray[np.int64], similarity: Array) -> Index:
    """Return items by cluster, similar ones side by side.

    >>> P = np.array([[1.0, 0.2, 0.9], [0.2, 1.0, 0.3], [0.9, 0.3, 1.0]])
    >>> order_by_similarity(np.array([0, 0, 0]), P).tolist()
    [0, 2, 1]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    parts = []
    for k in range(int(labels.max()) + 1):
        own = np.flatnonzero(labels == k)
        if len(own) > 2:
            P = similarity[np.ix_(own, own)]
            apart = np.maximum(1.0 - P[np.triu_indices(len(own), 1)], 0.0)
            tree = linkage(apart, "average", optimal_ordering=len(labels) <= TURNED_UP_TO)
            leaves = leaves_list(tree)
            close, half = P.mean(axis=1)[leaves], len(own) // 2
            turned = close[:half].mean() < close[-half:].mean()
            own = own[leaves[::-1] if turned else leaves]
        parts.append(own)
    return np.concatenate(parts)


def mean_similarity(similarity: Array, order: Index, columns: Index) -> Array:
    """Return the mean similarity between groups of neighbours, over pairs of different items.

    >>> mean_similarity(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([0, 1]), np.array([0, 2])).tolist()
    [[0.5]]
    """
    sums = np.empty((len(columns) - 1, len(columns) - 1))
    for g in range(len(sums)):
        row = similarity[order[columns[g] : columns[g + 1]]].sum(axis=0)[order]
        sums[g] = np.add.reduceat(row, columns[:-1])
    within = np.add.reduceat(similarity.diagonal()[order], columns[:-1])
    return _of_different_items(sums, within, columns)


def mean_co_membership(membership: Array, order: Index, columns: Index) -> Array:
    """Return means of W W^T, as in `mean_similarity`, in closed form.

    >>> mean_co_membership(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1]), np.array([0, 2])).tolist()
    [[0.5]]
    """
    W = membership[order]
    sums = np.add.reduceat(W, columns[:-1], axis=0)
    return _of_different_items(sums @ sums.T, np.add.reduceat((W**2).sum(axis=1), columns[:-1]), columns)


def _of_different_items(sums: Array, within: Array, columns: Index) -> Array:
    """Sums over all ordered pairs as means over those of different items; `within` is what the diagonal adds."""
    n = np.diff(columns).astype(np.float64)
    means = sums / np.outer(n, n)
    several = n > 1
    own = np.ones(len(n))
    own[several] = (sums.diagonal()[several] - within[several]) / (n * (n - 1))[several]
    np.fill_diagonal(means, own)
    return np.asarray(means)
