"""Minimum spanning trees of points and what is cut from them, compiled. Importing this module loads numba.

The tree is that of mutual reachability, max(L_ij, c_i, c_j) with c_i the distance from i to its m-th closest other item
[campello2013]; c = 0 gives plain distances. Prim's algorithm on distances computed as they are needed: O(N^2 d) time,
O(N) numbers. Ties in mutual reachability are common (a core distance spans many pairs) and broken by distance.

[campello2013] R. Campello, D. Moulavi, J. Sander, Density-based clustering based on hierarchical density estimates,
PAKDD 2013.
[gagolewski2016] M. Gagolewski, M. Bartoszuk, A. Cena, Genie: a new, fast, and outlier-resistant hierarchical clustering
algorithm, Information Sciences 363 (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints

__all__ = ["gini_merges", "large_splits", "pieces", "spanning_tree"]


def spanning_tree(X: Array, core: Array) -> tuple[Any, Any, Any]:
    """Return edges (first, second, length) of the minimum spanning tree of the rows of X, shortest first."""
    first, second, length, plain = _grown(X, core)
    order = np.lexsort((plain, length))  # not in the kernel, where sorts take seconds to compile
    return first[order], second[order], length[order]


@njit(cache=True, nogil=True)
def _grown(X: Array, core: Array) -> tuple[Any, Any, Any, Any]:
    """Edges of the tree in the order in which it grows, and their plain lengths."""
    n, d = X.shape
    first, second = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    length, plain = np.empty(n - 1), np.empty(n - 1)
    # Of the items outside the tree, in any order: a column each, so that loops over them are of vector instructions.
    item, columns, own = np.arange(1, n), X[1:].T.copy(), core[1:].copy()
    best, tie, square = np.full(n - 1, np.inf), np.full(n - 1, np.inf), np.empty(n - 1)
    parent = np.zeros(n - 1, dtype=np.int64)
    current, reached = 0, core[0]
    for e in range(n - 1):
        m = n - 1 - e
        square[:m] = 0.0
        for c in range(d):
            x = X[current, c]
            for a in range(m):
                square[a] += (x - columns[c, a]) ** 2
        for a in range(m):
            distance = np.sqrt(square[a])
            reach = max(distance, reached, own[a])
            if reach < best[a] or (reach == best[a] and distance < tie[a]):
                best[a], tie[a], parent[a] = reach, distance, current
        b = 0
        for a in range(1, m):
            if best[a] < best[b] or (best[a] == best[b] and (tie[a], item[a]) < (tie[b], item[b])):
                b = a
        current, reached = item[b], own[b]
        first[e], second[e], length[e], plain[e] = parent[b], current, best[b], tie[b]
        for row in (best, tie, own):
            row[b] = row[m - 1]
        for c in range(d):
            columns[c, b] = columns[c, m - 1]
        item[b], parent[b] = item[m - 1], parent[m - 1]
    return first, second, length, plain


@njit(cache=True, nogil=True)
def _root(parent: Any, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def _gini(count: Ints, after: Ints, n_clusters: int, n: int) -> float:
    """Normalised Gini index of the cluster sizes: sum over pairs |s_i - s_j| / ((k - 1) N), by distinct sizes."""
    if n_clusters < 2:
        return 0.0
    total = 0.0
    rank = 0
    size = after[0]
    while size <= n:
        m = count[size]
        # sum of (2 r - k - 1) over ranks r = rank + 1 .. rank + m
        total += size * (m * (2.0 * rank + m + 1.0) - m * (n_clusters + 1.0))
        rank += m
        size = after[size]
    return total / ((n_clusters - 1.0) * n)


@njit(cache=True, nogil=True)
def gini_merges(first: Ints, second: Ints, n_clusters: int, threshold: float) -> Any:
    """Mark the edges of a spanning tree (shortest first) merged until `n_clusters` are left [gagolewski2016].

    While the Gini index of the cluster sizes is at most the threshold, the shortest edge is merged; above it, the
    shortest edge that touches one of the smallest clusters. O(N sqrt N) for the indices, and a scan over the
    remaining edges for each merge that the threshold forces.
    """
    n = len(first) + 1
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    count = np.zeros(n + 2, dtype=np.int64)  # clusters of each size
    after = np.full(n + 2, n + 1, dtype=np.int64)  # next larger size that occurs; entry 0 is the head of the list
    count[1] = n
    after[0] = 1
    next_edge = np.arange(1, n + 1)  # edges not merged yet, a list whose head is entry n
    next_edge[n - 1] = n - 1
    head = 0
    merged = np.zeros(n - 1, dtype=np.bool_)
    for left in range(n, n_clusters, -1):
        edge, previous = head, -1
        if _gini(count, after, left, n) > threshold:
            smallest = after[0]
            while edge < n - 1:
                if size[_root(parent, first[edge])] == smallest or size[_root(parent, second[edge])] == smallest:
                    break
                previous, edge = edge, next_edge[edge]
        if previous < 0:
            head = next_edge[edge]
        else:
            next_edge[previous] = next_edge[edge]
        merged[edge] = True
        a, b = _root(parent, first[edge]), _root(parent, second[edge])
        for old in (size[a], size[b]):
            count[old] -= 1
            if count[old] == 0:
                before = 0
                while after[before] != old:
                    before = after[before]
                after[before] = after[old]
        parent[b] = a
        size[a] += size[b]
        new = size[a]
        if count[new] == 0:
            before = 0
            while after[before] < new:
                before = after[before]
            after[new] = after[before]
            after[before] = new
        count[new] += 1
    return merged


@njit(cache=True, nogil=True)
def large_splits(first: Ints, second: Ints, least: int) -> Any:
    """Return the size of the smaller side at the time each edge (shortest first) is merged is at least `least`: a
    true split.
    """
    n = len(first) + 1
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    true = np.zeros(n - 1, dtype=np.bool_)
    for e in range(n - 1):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        true[e] = min(size[a], size[b]) >= least
        parent[b] = a
        size[a] += size[b]
    return true


@njit(cache=True, nogil=True)
def pieces(first: Ints, second: Ints, kept: Ints) -> Any:
    """Return labels of the items when only the edges marked in `kept` remain, numbered by first item."""
    n = len(first) + 1
    parent = np.arange(n)
    for e in range(n - 1):
        if kept[e]:
            parent[_root(parent, second[e])] = _root(parent, first[e])
    label = np.full(n, -1, dtype=np.int64)
    out = np.empty(n, dtype=np.int64)
    found = 0
    for i in range(n):
        r = _root(parent, i)
        if label[r] < 0:
            label[r] = found
            found += 1
        out[i] = label[r]
    return out
