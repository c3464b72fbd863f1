"""Distances between one partition and many, in whole numbers. Importing this module loads numba.

With sizes n_k and m_j of the clusters of two partitions, n_kj the items they share, and a table f of whole numbers,

    D = sum_k f(n_k) + sum_j f(m_j) - 2 sum_kj f(n_kj)

is N^2 times Binder's loss for f(n) = n^2, and the variation of information in fixed point for f(n) = n log n. Sums of
whole numbers do not depend on their order: how clusters are numbered, how items are sorted and how many threads there
are changes no bit of D, and equal distances compare as equal.

The items of one partition are walked cluster by cluster, so that a row of the contingency table is all that is held:
O(N) a draw, however many clusters there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Ints

__all__ = ["by_cluster", "distances_from", "distances_within"]


@njit(cache=True, nogil=True)
def by_cluster(labels: Ints, most: int, order: Ints, starts: Ints) -> int:
    """Return items sorted by their cluster into `order`, where each cluster starts into `starts`.

    How many are not empty.
    """
    starts[:] = 0
    for i in range(len(labels)):
        starts[labels[i] + 1] += 1
    n_clusters = 0
    for k in range(most):
        n_clusters += starts[k + 1] > 0
        starts[k + 1] += starts[k]
    for i in range(len(labels)):  # starts[k] goes up to where k + 1 starts, and is put back below
        k = labels[i]
        order[starts[k]] = i
        starts[k] += 1
    for k in range(most, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0
    return n_clusters


@njit(cache=True, nogil=True)
def _shared(row: Ints, order: Ints, starts: Ints, most: int, f: Ints, labels: Ints, count: Ints) -> Any:
    """sum_kj f(n_kj). `count` is zero before and after; `labels` takes those of a cluster."""
    total = 0
    for k in range(len(starts) - 1):
        low, n = starts[k], starts[k + 1] - starts[k]
        if n == 1:
            continue  # f(1) is counted below, for all clusters of one item together
        for s in range(n):
            j = row[order[low + s]]
            labels[s] = j
            count[j] += 1
        if n > most:
            for j in range(most):
                total += f[count[j]]
                count[j] = 0
        else:
            for s in range(n):
                total += f[count[labels[s]]]  # f(0) = 0: a cell counts once
                count[labels[s]] = 0
    single = 0
    for k in range(len(starts) - 1):
        single += starts[k + 1] - starts[k] == 1
    return total + single * f[1]


@njit(cache=True, nogil=True)
def _own(row: Ints, most: int, f: Ints, count: Ints) -> Any:
    """sum_j f(m_j), and how many clusters there are."""
    total, n_clusters = 0, 0
    for i in range(len(row)):
        count[row[i]] += 1
    for j in range(most):
        total += f[count[j]]
        n_clusters += count[j] > 0
        count[j] = 0
    return total, n_clusters


@njit(cache=True, nogil=True)
def distances_from(
    draws: Ints,
    most: int,
    order: Ints,
    starts: Ints,
    f: Ints,
    u: int,
    low: int,
    high: int,
    out: Ints,
    n_clusters: Ints,
) -> None:
    """Compute D of draws low..high from the partition of `order` and `starts`, whose sum_k f(n_k) is `u`, and their K.

    Labels are below `most`.
    """
    count, labels = np.zeros(most, dtype=np.int32), np.empty(len(order), dtype=np.int32)
    for b in range(low, high):
        v, n_clusters[b] = _own(draws[b], most, f, count)
        out[b] = u + v - 2 * _shared(draws[b], order, starts, most, f, labels, count)


@njit(cache=True, nogil=True)
def distances_within(draws: Ints, most: int, f: Ints, low: int, high: int, out: Ints) -> None:
    """out[a, b] = out[b, a] = D between draws a and b, for low <= a < high and b < a."""
    M, N = draws.shape
    count, labels = np.zeros(most, dtype=np.int32), np.empty(N, dtype=np.int32)
    order, starts = np.empty(N, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    v = np.empty(M, dtype=np.int64)
    for b in range(min(high, M)):
        v[b] = _own(draws[b], most, f, count)[0]
    for a in range(low, high):
        by_cluster(draws[a], most, order, starts)
        out[a, a] = 0
        for b in range(a):
            out[a, b] = v[a] + v[b] - 2 * _shared(draws[b], order, starts, most, f, labels, count)
            out[b, a] = out[a, b]
