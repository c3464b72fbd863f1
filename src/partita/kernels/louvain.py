"""Modularity of a weighted graph by local moves and aggregation, compiled. Importing this module loads numba.

    Q = sum_ij (P_ij - gamma d_i d_j / (2 m)) [same cluster] / (2 m)

[blondel2008] V. Blondel et al., Fast unfolding of communities in large networks, J. Stat. Mech. 2008;
the resolution gamma is that of J. Reichardt, S. Bornholdt, Physical Review E 74 (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.kernels.levels import aggregated, numbered_from_zero

__all__ = ["local_moves", "louvain", "merge_down"]

# Passes over the nodes of one level; a gain below this share of the total weight is rounding.
PASSES = 50
GAIN = 1e-12


@njit(cache=True, nogil=True)
def local_moves(indptr: Any, indices: Any, data: Any, degree: Any, total: float, gamma: float) -> Any:
    """Move one node at a time to the neighbouring cluster of largest gain until none gains; labels 0..."""
    n = len(degree)
    label, mass, link = np.empty(n, dtype=np.int64), np.empty(n), np.zeros(n)
    for i in range(n):
        label[i], mass[i] = i, degree[i]
    touched = np.empty(n, dtype=np.int64)
    for _ in range(PASSES):
        moved = False
        for i in range(n):
            own = label[i]
            m = 0
            for s in range(indptr[i], indptr[i + 1]):
                j = indices[s]
                if j == i:
                    continue
                c = label[j]
                if link[c] == 0.0:
                    touched[m] = c
                    m += 1
                link[c] += data[s]
            mass[own] -= degree[i]
            best = own
            best_gain = link[own] - gamma * degree[i] * mass[own] / total
            for t in range(m):
                c = touched[t]
                gain = link[c] - gamma * degree[i] * mass[c] / total
                if gain > best_gain + GAIN * total:
                    best, best_gain = c, gain
            mass[best] += degree[i]
            label[i] = best
            moved = moved or best != own
            for t in range(m):
                link[touched[t]] = 0.0
        if not moved:
            break
    numbered_from_zero(label, n)
    return label


@njit(cache=True, nogil=True)
def louvain(indptr: Any, indices: Any, data: Any, gamma: float) -> Any:
    """Return labels of a local maximum of modularity at resolution gamma; nodes are visited in their order."""
    n = len(indptr) - 1
    degree, labels = np.zeros(n), np.empty(n, dtype=np.int64)
    total = 0.0
    for i in range(n):
        labels[i] = i
        for s in range(indptr[i], indptr[i + 1]):
            degree[i] += data[s]
        total += degree[i]
    while True:
        step = local_moves(indptr, indices, data, degree, total, gamma)
        k = step[0] + 1
        for i in range(1, len(degree)):
            k = max(k, step[i] + 1)
        for i in range(n):
            labels[i] = step[labels[i]]
        if k == len(degree):
            return labels
        indptr, indices, data = aggregated(indptr, indices, data, step, k)
        coarse = np.zeros(k)
        for i in range(len(degree)):
            coarse[step[i]] += degree[i]
        degree = coarse


@njit(cache=True, nogil=True)
def merge_down(between: Any, degree: Any, k: int, gamma: float) -> Any:
    """Return labels of clusters merged pair by pair, each time the pair that costs modularity least, until k are left.

    `between` is the dense matrix of weights between the clusters and is overwritten.
    """
    n = len(degree)
    total = degree.sum()
    label = np.arange(n)
    alive = np.ones(n, dtype=np.bool_)
    for _ in range(n - k):
        best, a, b = -np.inf, -1, -1
        for i in range(n):
            if alive[i]:
                for j in range(i + 1, n):
                    if alive[j]:
                        gain = between[i, j] - gamma * degree[i] * degree[j] / total
                        if gain > best:
                            best, a, b = gain, i, j
        for j in range(n):
            between[a, j] += between[b, j]
        for j in range(n):
            between[j, a] += between[j, b]
        degree[a] += degree[b]
        alive[b] = False
        for i in range(n):
            if label[i] == b:
                label[i] = a
    numbered_from_zero(label, n)
    return label
