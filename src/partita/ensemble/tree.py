"""The minimum spanning tree of mutual reachability, which the tree methods share: max(L_ij, c_i, c_j), c_i the distance
from i to its m-th closest other item [campello2013]. O(n^2 d) time, O(n) numbers.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist

from partita.affinity.from_neighbors import neighbors_among
from partita.affinity.shared_search import made_once
from partita.arrays import Array

__all__ = ["groups_apart", "groups_with_a_gap", "reachability_tree"]

# How many times as far from each other as within them groups are.
APART = 1.5
Edges = tuple[NDArray[np.int64], NDArray[np.int64], Array]


def reachability_tree(X: Array, smoothing: int) -> Edges:
    """Return edges (first, second, length), shortest first; a smoothing of at most 1 gives plain distances.

    >>> reachability_tree(np.array([[0.0], [1.0], [3.0]]), 1)[2].tolist()
    [1.0, 2.0]
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    first, second, length = made_once(partial(_made, X, smoothing), "spanning tree", X, smoothing)
    return first, second, length


def groups_apart(X: Array) -> int:
    """Return how many groups there are of which each item has another of its own nearer than any of the rest, by far.

    Of the tree of plain distances: edges that link every item to another are shorter, by the factor `APART`, than those
    that link the groups. 1 where there are no such groups.

    >>> groups_apart(np.array([[0.0], [1.0], [9.0], [10.0], [20.0], [21.5]])), groups_apart(np.arange(9.0)[:, None])
    (3, 1)
    """
    first, second, length = reachability_tree(X, 1)
    joined = np.full(len(X), np.inf)
    for ends in (first, second):
        np.minimum.at(joined, ends, length)
    inner = int(np.searchsorted(length, joined.max(), side="right"))
    if inner == len(length):
        return 1
    ratio = length[inner:] / np.maximum(length[inner - 1 : -1], np.finfo(float).tiny)
    best = int(ratio.argmax())
    return len(length) - inner - best + 1 if ratio[best] >= APART else 1


def groups_with_a_gap(X: Array, factor: float) -> NDArray[np.int64] | None:
    """Return the most groups, of two items at least, of which any two items of one are nearer to each other than any of
    different groups by a factor of squared distances; None where there are none such.

    Cost: n^2 distances, of which those within one group are in memory.

    >>> groups_with_a_gap(np.array([[0.0], [1.0], [9.0], [10.0], [30.0], [31.5]]), 4.0).tolist()
    [0, 0, 1, 1, 2, 2]
    >>> groups_with_a_gap(np.arange(9.0)[:, None], 1.1) is None
    True
    """
    n, (first, second, length) = len(X), reachability_tree(X, 1)
    squares = np.r_[0.0, length**2]  # up to which items are joined in n, n - 1, ... groups
    apart = n - np.flatnonzero(squares[1:] >= factor * squares[:-1])
    for K in apart[(apart > 1) & (2 * apart <= n)]:  # the most first
        joined = sp.coo_array((np.ones(n - K), (first[: n - K], second[: n - K])), shape=(n, n))
        labels: NDArray[np.int64] = connected_components(joined, directed=False)[1].astype(np.int64)
        inner = max(float(pdist(X[labels == k], "sqeuclidean").max(initial=0.0)) for k in range(K))
        if np.bincount(labels).min() > 1 and squares[n - K + 1] >= factor * inner:
            return labels
    return None


def _made(X: Array, smoothing: int) -> Edges:
    from partita.kernels.trees import spanning_tree

    core = np.zeros(len(X))
    if smoothing > 1:
        core = neighbors_among(X, min(smoothing, len(X) - 1))[1][:, -1]
    return spanning_tree(X, np.ascontiguousarray(core))
