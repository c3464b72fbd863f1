"""Valleys of a graph within clusters and between them, and gaps of a tree, compiled. Importing this module loads numba.

The items of a cluster are swept in the order of the second eigenvector of the cluster's own graph; c(t) is the number
of edges between the first t of them and the rest. Within one cluster c rises and falls but once, up to noise; between
two it dips (`partita.n_clusters.valley` has the same statistic for a whole graph, and its reference).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy.linalg.lapack import dstebz, dstein

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
    # Sorts and eigenvectors are left to NumPy and SciPy: in a kernel they take seconds to compile.
    ends = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_clusters))])
    order = np.argsort(labels, kind="stable")
    starts, near = _within(indptr, indices, labels, order)
    basis, diagonal, beside, used = _krylov(starts, near, ends)
    root = 1 / np.sqrt(np.maximum(np.diff(starts), 1))
    swept = np.arange(len(labels))
    for c in np.flatnonzero(used):
        own, k = slice(ends[c], ends[c + 1]), used[c]
        swept[own] = ends[c] + np.argsort(_leading(diagonal[c, :k], beside[c, : k - 1]) @ basis[:k, own] * root[own])
    return np.asarray(_dips(starts, near, swept, ends))


def _leading(diagonal: Array, beside: Array) -> Array:
    """The eigenvector of the largest eigenvalue of a tridiagonal matrix, a fifth of the time of `eigh_tridiagonal`."""
    k = len(diagonal)
    if k == 1:
        return np.ones(1)
    found, values, block, split, _ = dstebz(diagonal, beside, 2, 0.0, 0.0, k, k, 0.0, "B")
    return np.asarray(dstein(diagonal, beside, values[:found], block, split)[0][:, 0])


@njit(cache=True, nogil=True)
def _within(indptr: Ints, indices: Ints, labels: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The graph's edges within clusters, its items in this order."""
    n = len(order)
    place = np.empty(n, dtype=np.int64)
    for a in range(n):
        place[order[a]] = a
    starts, near = np.zeros(n + 1, dtype=np.int64), np.empty(len(indices), dtype=np.int64)
    at = 0
    for a in range(n):
        i = order[a]
        for e in range(indptr[i], indptr[i + 1]):
            if labels[indices[e]] == labels[i]:
                near[at] = place[indices[e]]
                at += 1
        starts[a + 1] = at
    return starts, near


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})  # sums of several terms at a time
def _product(x: Array, y: Array) -> float:
    total = 0.0
    for a in range(len(x)):
        total += x[a] * y[a]
    return total


@njit(cache=True, nogil=True)
def _less(x: Array, along: float, y: Array) -> None:
    """Subtract a multiple of y from x."""
    for a in range(len(x)):
        x[a] -= along * y[a]


@njit(cache=True, nogil=True)
def _krylov(starts: Ints, near: Ints, ends: Ints) -> tuple[Array, Array, Array, Ints]:
    """Of D^-1/2 A D^-1/2 of each cluster, without its first eigenvector: Lanczos vectors, fully orthogonalised, and
    their tridiagonal matrix; of how many steps, 0 for fewer than 8 items. A node without edges counts as one of one.
    """
    n, n_clusters = len(starts) - 1, len(ends) - 1
    basis = np.zeros((STEPS, n))
    diagonal, beside = np.zeros((n_clusters, STEPS)), np.zeros((n_clusters, STEPS))
    used = np.zeros(n_clusters, dtype=np.int64)
    root, scaled, leading, w = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for a in range(n):
        degree = max(starts[a + 1] - starts[a], 1)
        root[a], leading[a] = 1.0 / np.sqrt(degree), np.sqrt(degree)
    for c in range(n_clusters):
        low, high = ends[c], ends[c + 1]
        if high - low < FEWEST:
            continue
        first, rest = leading[low:high], w[low:high]
        for a in range(high - low):
            x = a + 1.0
            rest[a] = np.sin(x * x)  # scattered: halves of 8 items have the same sum of a more even sequence
        _less(rest, _product(first, rest) / _product(first, first), first)
        length = np.sqrt(_product(rest, rest))
        for s in range(min(STEPS, high - low - 1)):
            v = basis[s, low:high]
            for a in range(len(v)):
                v[a] = rest[a] / length
                scaled[low + a] = root[low + a] * v[a]
            used[c] = s + 1
            for a in range(low, high):
                total = 0.0
                for e in range(starts[a], starts[a + 1]):
                    total += scaled[near[e]]
                w[a] = root[a] * total
            diagonal[c, s] = _product(rest, v)
            _less(rest, _product(first, rest) / _product(first, first), first)
            for r in range(s + 1):
                _less(rest, _product(basis[r, low:high], rest), basis[r, low:high])
            length = np.sqrt(_product(rest, rest))
            if length < ROUNDING:
                break
            beside[c, s] = length
    return basis, diagonal, beside, used


@njit(cache=True, nogil=True)
def _dips(starts: Ints, near: Ints, swept: Ints, ends: Ints) -> Array:
    """The depths of clusters whose items are swept in this order."""
    depth = np.zeros(len(ends) - 1)
    place, crossing, after = np.empty(len(swept), dtype=np.int64), np.zeros(len(swept)), np.empty(len(swept))
    for t in range(len(swept)):
        place[swept[t]] = t
    for a in range(len(swept)):
        for e in range(starts[a], starts[a + 1]):
            if place[near[e]] > place[a]:
                crossing[place[a]] += 1.0
                crossing[place[near[e]]] -= 1.0
    for c in range(len(depth)):
        low, m = ends[c], ends[c + 1] - ends[c]
        if m < FEWEST:
            continue
        for t in range(low + 1, low + m):
            crossing[t] += crossing[t - 1]
        largest = 0.0
        for t in range(low + m - 2, low - 1, -1):
            largest = max(largest, crossing[t])
            after[t] = largest
        side = max(int(SIDE * m), LEAST)
        before = 0.0
        for t in range(m - 1 - side):
            before = max(before, crossing[low + t])
            if t >= side:
                dip = np.log(max(min(before, after[low + t]), 0.5) / max(crossing[low + t], 0.5))
                depth[c] = max(depth[c], dip)
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
