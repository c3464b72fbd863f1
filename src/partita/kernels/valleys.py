"""Valleys of a graph within clusters and between them, and gaps of a tree, compiled. Importing this module loads numba.

The items of a cluster are swept in the order of the second eigenvector of the cluster's own graph; c(t) is the number
of edges between the first t of them and the rest. Within one cluster c rises and falls but once, up to noise; between
two it dips (`partita.n_clusters.valley` has the same statistic for a whole graph, and its reference).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints

__all__ = ["deepest_valleys", "edges_across", "tree_gaps"]

# Lanczos steps: the order of the items in a sweep is settled long before the eigenvector is.
STEPS = 40
# Fewer items than this have no valley to speak of; a side has a tenth of the items at least, and this many.
FEWEST, SIDE, LEAST = 8, 0.1, 3
# A Lanczos vector shorter than this is rounding.
ROUNDING = 1e-10


def deepest_valleys(indptr: Ints, indices: Ints, labels: Ints, n_clusters: int) -> Array:
    """Return for each cluster the depth of the deepest valley within it, max_t ln(min(before, after) / c(t)).

    `before` and `after` are the largest c on either side of t. 0 for fewer than 8 items. A cluster in pieces has a c of
    zero, which counts as half an edge.
    """
    # Sorted here: in a kernel a stable sort takes seconds to compile.
    ends = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_clusters))])
    return np.asarray(_deepest_valleys(indptr, indices, np.argsort(labels, kind="stable"), ends))


@njit(cache=True, nogil=True)
def _deepest_valleys(indptr: Ints, indices: Ints, order: Ints, ends: Ints) -> Array:
    """The same, of clusters of the items order[ends[c]:ends[c + 1]]."""
    depth = np.zeros(len(ends) - 1)
    place = np.full(len(order), -1, dtype=np.int64)
    for c in range(len(depth)):
        if ends[c + 1] - ends[c] >= FEWEST:
            depth[c] = _deepest(indptr, indices, order[ends[c] : ends[c + 1]], place)
    return depth


@njit(cache=True, nogil=True)
def _deepest(indptr: Ints, indices: Ints, members: Ints, place: Ints) -> float:
    """The deepest valley among these items; `place` is -1 everywhere, and left so."""
    m = len(members)
    for a in range(m):
        place[members[a]] = a
    own = np.zeros(m + 1, dtype=np.int64)
    for a in range(m):
        i, count = members[a], 0
        for e in range(indptr[i], indptr[i + 1]):
            if place[indices[e]] >= 0:
                count += 1
        own[a + 1] = own[a] + count
    ends = np.empty(own[m], dtype=np.int64)
    at = 0
    for a in range(m):
        i = members[a]
        for e in range(indptr[i], indptr[i + 1]):
            b = place[indices[e]]
            if b >= 0:
                ends[at] = b
                at += 1
    for a in range(m):
        place[members[a]] = -1
    return _dip(own, ends, np.argsort(_second_eigenvector(own, ends)))


@njit(cache=True, nogil=True)
def _second_eigenvector(indptr: Ints, indices: Ints) -> Array:
    """The second eigenvector of D^-1 A by Lanczos, fully orthogonalised; a node without edges counts as one of one."""
    m = len(indptr) - 1
    root, leading = np.empty(m), np.empty(m)
    for a in range(m):
        degree = max(indptr[a + 1] - indptr[a], 1)
        root[a], leading[a] = 1.0 / np.sqrt(degree), np.sqrt(degree)
    leading /= np.sqrt(leading @ leading)
    v = np.sin(np.arange(1.0, m + 1.0) ** 2)  # scattered: halves of 8 items have the same sum of a more even sequence
    v -= leading * (v @ leading)
    v /= np.sqrt(v @ v)
    most = min(STEPS, m - 1)
    basis = np.empty((most, m))
    T = np.zeros((most, most))
    used = 0
    for s in range(most):
        for a in range(m):
            basis[s, a] = v[a]
        used = s + 1
        w = np.empty(m)
        for a in range(m):
            total = 0.0
            for e in range(indptr[a], indptr[a + 1]):
                total += root[indices[e]] * v[indices[e]]
            w[a] = root[a] * total
        T[s, s] = w @ v
        w -= leading * (w @ leading)
        for r in range(used):
            along = basis[r] @ w
            for a in range(m):
                w[a] -= along * basis[r, a]
        length = np.sqrt(w @ w)
        if length < ROUNDING or used == most:
            break
        T[s, s + 1] = T[s + 1, s] = length
        v = w / length
    weights = np.linalg.eigh(T[:used, :used].copy())[1][:, used - 1]
    found = np.zeros(m)
    for s in range(used):
        found += weights[s] * basis[s]
    return found * root


@njit(cache=True, nogil=True)
def _dip(indptr: Ints, indices: Ints, order: Ints) -> float:
    m = len(order)
    place = np.empty(m, dtype=np.int64)
    for t in range(m):
        place[order[t]] = t
    change = np.zeros(m)
    for a in range(m):
        for e in range(indptr[a], indptr[a + 1]):
            if place[indices[e]] > place[a]:
                change[place[a]] += 1.0
                change[place[indices[e]]] -= 1.0
    crossing = np.cumsum(change)[: m - 1]
    after = np.empty(m - 1)
    largest = 0.0
    for t in range(m - 2, -1, -1):
        largest = max(largest, crossing[t])
        after[t] = largest
    side = max(int(SIDE * m), LEAST)
    before, depth = 0.0, 0.0
    for t in range(m - 1 - side):
        before = max(before, crossing[t])
        if t >= side:
            depth = max(depth, np.log(max(min(before, after[t]), 0.5) / max(crossing[t], 0.5)))
    return depth


@njit(cache=True, nogil=True)
def edges_across(indptr: Ints, indices: Ints, labels: Ints, n_clusters: int) -> tuple[Any, Any]:
    """Return the ends of edges in each cluster, and how many of them are of edges to another cluster."""
    ends, across = np.zeros(n_clusters), np.zeros(n_clusters)
    for i in range(len(labels)):
        own = labels[i]
        for e in range(indptr[i], indptr[i + 1]):
            ends[own] += 1.0
            if labels[indices[e]] != own:
                across[own] += 1.0
    return ends, across


@njit(cache=True, nogil=True)
def tree_gaps(first: Ints, second: Ints, length: Array, labels: Ints, n_clusters: int) -> tuple[Any, Any]:
    """Return for each cluster its longest edge of a tree within, and the shortest edge of the tree that leaves it.

    Within, edges at a leaf of the cluster's part of the tree are left out, as one far item would decide otherwise.
    """
    degree = np.zeros(len(labels), dtype=np.int64)
    for e in range(len(first)):
        if labels[first[e]] == labels[second[e]]:
            degree[first[e]] += 1
            degree[second[e]] += 1
    within, leaving = np.zeros(n_clusters), np.full(n_clusters, np.inf)
    for e in range(len(first)):
        a, b = labels[first[e]], labels[second[e]]
        if a != b:
            leaving[a], leaving[b] = min(leaving[a], length[e]), min(leaving[b], length[e])
        elif degree[first[e]] > 1 and degree[second[e]] > 1:
            within[a] = max(within[a], length[e])
    return within, leaving
