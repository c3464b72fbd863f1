"""Clusters as the nodes of the next level: the graph among them, and labels without gaps. Importing this module loads
numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["aggregated", "numbered_from_zero"]


@njit(cache=True, nogil=True)
def numbered_from_zero(labels: Any, n: int) -> int:
    """Number labels 0..K-1 in order of appearance, in place; K."""
    new = np.zeros(n, dtype=np.int64)  # from one
    found = 0
    for i in range(len(labels)):
        if new[labels[i]] == 0:
            found += 1
            new[labels[i]] = found
        labels[i] = new[labels[i]] - 1
    return found


@njit(cache=True, nogil=True)
def aggregated(indptr: Any, indices: Any, data: Any, label: Any, k: int) -> tuple[Any, Any, Any]:
    """Return the graph among clusters, loops included."""
    n = len(label)
    start, fill = np.zeros(k + 1, dtype=np.int64), np.empty(k, dtype=np.int64)
    for i in range(n):
        start[label[i] + 1] += 1
    for c in range(k):
        fill[c] = start[c]
        start[c + 1] += start[c]
    member = np.empty(n, dtype=np.int64)
    for i in range(n):
        member[fill[label[i]]] = i
        fill[label[i]] += 1
    new_indptr = np.zeros(k + 1, dtype=np.int64)
    new_indices = np.empty(len(indices), dtype=np.int64)
    new_data = np.empty(len(data))
    link = np.zeros(k)
    touched = np.empty(k, dtype=np.int64)
    used = 0
    for c in range(k):
        m = 0
        for t in range(start[c], start[c + 1]):
            i = member[t]
            for s in range(indptr[i], indptr[i + 1]):
                b = label[indices[s]]
                if link[b] == 0.0:
                    touched[m] = b
                    m += 1
                link[b] += data[s]
        for t in range(m):
            new_indices[used] = touched[t]
            new_data[used] = link[touched[t]]
            link[touched[t]] = 0.0
            used += 1
        new_indptr[c + 1] = used
    return new_indptr, new_indices[:used].copy(), new_data[:used].copy()
