"""Clusters of largest excess of mass from a tree of mutual reachability, compiled. Importing this module loads numba.

As the level lambda = 1 / length rises, a cluster loses items, splits where both sides hold at least `least` items, or
ends. Its stability is the sum over its items of (lambda at which the item leaves) - (lambda at which the cluster was
born); the antichain of clusters of largest total stability is taken, the root never [campello2013].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["excess_of_mass"]


@njit(cache=True, nogil=True)
def excess_of_mass(first: Any, second: Any, length: Any, least: int) -> Any:
    """Return labels 0... of the items, -1 for noise, from the edges of the tree, shortest first."""
    n = len(first) + 1
    # The dendrogram: node n + e is the merge of edge e.
    top = np.arange(n)  # the node that stands for the set with this root
    parent = np.arange(n)
    size = np.ones(2 * n - 1, dtype=np.int64)
    left, right = np.zeros(n - 1, dtype=np.int64), np.zeros(n - 1, dtype=np.int64)
    for e in range(n - 1):
        a, b = first[e], second[e]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        left[e], right[e] = top[a], top[b]
        size[n + e] = size[top[a]] + size[top[b]]
        parent[b] = a
        top[a] = n + e
    # From the root down: which cluster each node is part of, or left.
    cluster = np.zeros(2 * n - 1, dtype=np.int64)
    gone = np.zeros(2 * n - 1, dtype=np.bool_)  # a side below the least size: its items have left already
    above = np.full(n, -1, dtype=np.int64)
    birth = np.zeros(n)
    stability = np.zeros(n)
    found = 1
    for e in range(n - 2, -1, -1):
        node = n + e
        c = cluster[node]
        a, b = left[e], right[e]
        if gone[node]:
            cluster[a], cluster[b] = c, c
            gone[a], gone[b] = True, True
            continue
        level = 1.0 / length[e] if length[e] > 0 else 1e300
        if size[a] >= least and size[b] >= least:
            stability[c] += size[node] * (level - birth[c])
            for child in (a, b):
                cluster[child] = found
                above[found] = c
                birth[found] = level
                found += 1
        else:
            for child in (a, b):
                cluster[child] = c
                if size[child] < least:
                    gone[child] = True
                    stability[c] += size[child] * (level - birth[c])
    # From the leaves up: a cluster or the best of what lies below it.
    below = np.zeros(found)
    chosen = np.zeros(found, dtype=np.bool_)
    for c in range(found - 1, 0, -1):
        chosen[c] = stability[c] >= below[c]
        below[above[c]] += max(stability[c], below[c])
    label = np.full(found, -1, dtype=np.int64)
    k = 0
    for c in range(1, found):  # a cluster comes after the one above it
        if label[above[c]] >= 0:
            label[c] = label[above[c]]
        elif chosen[c]:
            label[c] = k
            k += 1
    out = np.empty(n, dtype=np.int64)
    for i in range(n):
        out[i] = label[cluster[i]]
    return out
