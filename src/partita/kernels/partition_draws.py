"""Labels of draws numbered in order of appearance, so that equal partitions are equal arrays. Loads numba."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from partita.arrays import Ints

__all__ = ["number_draws"]

# Odd multipliers of two polynomial hashes modulo 2^64; equal hashes are compared label by label afterwards.
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@njit(cache=True, nogil=True)
def number_draws(labels: Ints, out: Ints, n_clusters: Ints, hashes: NDArray[np.uint64]) -> None:
    """Number each row of `labels` (>= 0) from 0 in order of appearance into `out`; K_b, and two hashes of the row."""
    M, N = labels.shape
    most = 0
    for b in range(M):
        for i in range(N):
            most = max(most, int(labels[b, i]))
    number = np.empty(most + 1, dtype=np.int64)
    for b in range(M):
        number[:] = -1
        K = 0
        one, two = np.uint64(1), np.uint64(1)
        for i in range(N):
            label = labels[b, i]
            if number[label] < 0:
                number[label] = K
                K += 1
            k = number[label]
            out[b, i] = k
            one = one * FIRST + np.uint64(k + 1)
            two = (two ^ np.uint64(k + 1)) * SECOND
            two ^= two >> np.uint64(29)
        n_clusters[b] = K
        hashes[b, 0], hashes[b, 1] = one, two
