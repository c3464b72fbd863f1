"""Certainties of the items' assignments to their clusters, over draws. Importing this module loads numba."""

from __future__ import annotations

import numpy as np
from numba import njit

from partita.arrays import Array, Ints

__all__ = ["add_certainties"]


@njit(cache=True, nogil=True)
def _cells(
    row: Ints, order: Ints, starts: Ints, sizes: Ints, count: Ints, seen: Ints, shared: Ints, best: Ints
) -> None:
    """Items that the s-th item's cluster shares with its cluster in the draw, into `shared`; and the best Jaccard index
    of each cluster with one of the other partition as a fraction, with how many reach it: `best[:K]` of the estimate's,
    `best[K:]` of the draw's.
    """
    K = len(starts) - 1
    for a in range(len(best)):
        best[a, 0], best[a, 1], best[a, 2] = 0, 1, 0
    for j in range(len(sizes)):
        seen[j] = -1
    for k in range(K):
        low, high = starts[k], starts[k + 1]
        for s in range(low, high):
            count[row[order[s]]] += 1
        for s in range(low, high):
            j = row[order[s]]
            n = count[j]
            shared[s] = n
            if seen[j] != k:
                seen[j] = k
                union = high - low + sizes[j] - n
                for a in (k, K + j):
                    left, right = n * best[a, 1], best[a, 0] * union
                    if left > right:
                        best[a, 0], best[a, 1], best[a, 2] = n, union, 1
                    elif left == right:
                        best[a, 2] += 1
        for s in range(low, high):
            count[row[order[s]]] = 0


@njit(cache=True, nogil=True)
def add_certainties(
    draws: Ints, most: int, order: Ints, starts: Ints, weights: Array, low: int, high: int, out: Array
) -> None:
    """Add, for draws low..high and each item: to out[0] weight times the share of its cluster's other items that are
    with it (alone: whether it is alone), to out[1] weight times whether its clusters match each other, to out[2] weight
    times log(n_k / n_kj) + log(m_j / n_kj).
    """
    K, N = len(starts) - 1, len(order)
    sizes, seen = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    count, shared = np.zeros(most, dtype=np.int64), np.empty(N, dtype=np.int64)
    best = np.empty((K + most, 3), dtype=np.int64)
    log = np.log(np.maximum(np.arange(N + 1), 1))
    for b in range(low, high):
        row, weight = draws[b], weights[b]
        if weight == 0.0:
            continue
        sizes[:] = 0
        for i in range(N):
            sizes[row[i]] += 1
        _cells(row, order, starts, sizes, count, seen, shared, best)
        for k in range(K):
            size = starts[k + 1] - starts[k]
            for s in range(starts[k], starts[k + 1]):
                i, n = order[s], shared[s]
                j = row[i]
                if size > 1:
                    out[0, i] += weight * (n - 1) / (size - 1)
                elif sizes[j] == 1:
                    out[0, i] += weight
                union = size + sizes[j] - n
                if n * best[k, 1] == best[k, 0] * union and n * best[K + j, 1] == best[K + j, 0] * union:
                    out[1, i] += weight / (best[k, 2] * best[K + j, 2])
                out[2, i] += weight * (log[size] + log[sizes[j]] - 2.0 * log[n])
