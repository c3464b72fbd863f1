"""The constant Potts model on a sparse graph, level by level, compiled. Importing this module loads numba.

    J / 2 = sum over pairs {i, j} of one cluster (gamma s_i s_j - A_ij) + price / 2 K

with s_i the number of items in a node. Nodes move to the neighbouring cluster where that lowers J most, or out into
one of their own; a queue holds those whose surroundings have changed. Clusters become the nodes of the next level
[blondel2008]; on the way back each finer level is moved again.

[traag2011] V. Traag, P. Van Dooren, Y. Nesterov, Narrow scope for resolution-limit-free community detection, Physical
Review E 84 (2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.kernels.lanes import prefetch
from partita.kernels.levels import aggregated, numbered_from_zero

__all__ = ["multilevel"]

# A gain below this share of the whole affinity is rounding.
GAIN = 1e-12
# Nodes between asking for the edges of one in the queue and looking at them; entries in a cache line, or a few more.
AHEAD, LINE = 16, 8


@njit(cache=True, nogil=True)
def _moves(
    indptr: Any, indices: Any, data: Any, sizes: Any, gamma: float, price: float, least: float, order: Any, labels: Any
) -> int:
    """Move nodes until none gains; `labels`, below n, are changed in place. How many moves were made."""
    n = len(sizes)
    mass, count = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(n):
        mass[labels[i]] += sizes[i]
        count[labels[i]] += 1
    vacant = np.empty(n, dtype=np.int64)
    n_vacant = 0
    for c in range(n - 1, -1, -1):
        if count[c] == 0:
            vacant[n_vacant] = c
            n_vacant += 1
    queue, waits = order.copy(), np.ones(n, dtype=np.bool_)
    head, length, made = 0, n, 0
    link, touched = np.zeros(n), np.empty(n, dtype=np.int64)
    alone = -0.5 * price
    while length:
        i = queue[head]
        head = head + 1 if head + 1 < n else 0
        length -= 1
        waits[i] = False
        if length >= AHEAD:
            later = head + AHEAD - 1
            later = queue[later if later < n else later - n]
            for s in range(indptr[later], indptr[later + 1], LINE):
                prefetch(indices, s)
                prefetch(data, s)
        own, m = labels[i], 0
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if j == i:
                continue
            c = labels[j]
            if link[c] == 0.0:
                touched[m] = c
                m += 1
            link[c] += data[s]
        here = alone if count[own] == 1 else link[own] - gamma * sizes[i] * (mass[own] - sizes[i])
        best, gain = own, here
        if count[own] > 1 and alone > gain + least:
            best, gain = -1, alone
        for t in range(m):
            c = touched[t]
            if c != own:
                there = link[c] - gamma * sizes[i] * mass[c]
                if there > gain + least:
                    best, gain = c, there
        for t in range(m):
            link[touched[t]] = 0.0
        if best == own:
            continue
        if best < 0:
            n_vacant -= 1
            best = vacant[n_vacant]
        made += 1
        mass[own] -= sizes[i]
        count[own] -= 1
        if count[own] == 0:
            vacant[n_vacant] = own
            n_vacant += 1
        mass[best] += sizes[i]
        count[best] += 1
        labels[i] = best
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if not waits[j] and labels[j] != best:
                waits[j] = True
                queue[(head + length) % n] = j
                length += 1
    return made


def multilevel(
    indptr: Any, indices: Any, data: Any, gamma: float, price: float, rng: np.random.Generator
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return labels 0..K-1 that no move of a node at any level improves.

    The graph is CSR with both triangles and positive entries; loops are passed over. O(nnz) a level and pass.
    """
    graphs = [(indptr, indices, data, np.ones(len(indptr) - 1, dtype=np.int64))]
    levels: list[Any] = []
    least = GAIN * max(float(data.sum()), gamma)
    while True:
        graph = graphs[-1]
        n = len(graph[3])
        labels = np.arange(n)
        _moves(*graph, gamma, price, least, rng.permutation(n), labels)
        k = numbered_from_zero(labels, n)
        levels.append(labels)
        if k == n:
            break
        coarse = aggregated(*graph[:3], labels, k)
        graphs.append((*coarse, np.bincount(labels, weights=graph[3], minlength=k).astype(np.int64)))
    found = levels.pop()
    graphs.pop()
    while levels:
        found, graph = found[levels.pop()], graphs.pop()
        n = len(graph[3])
        _moves(*graph, gamma, price, least, rng.permutation(n), found)
        numbered_from_zero(found, n)
    return np.asarray(found)
