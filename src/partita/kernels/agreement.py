"""Co-clustering counts of pairs of items over draws, and contingency tables between draws, compiled. Importing this
module loads numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_counts", "add_shares_together", "squared_tables"]

# Draws counted in one byte, and items at a time.
BYTE = 255
TILE = 2048


@njit(cache=True, nogil=True)
def add_counts(labels: Any, index: Any, low: int, high: int, out: Any) -> None:
    """out[r, j - low] += number of draws in which item index[r] and item j are together, low <= j < high."""
    M = labels.shape[0]
    counts = np.empty(TILE, dtype=np.uint8)
    for start in range(low, high, TILE):
        n = min(TILE, high - start)
        few = counts[:n]
        for begin in range(0, M, BYTE):
            for r in range(len(index)):
                few[:] = 0
                for b in range(begin, min(begin + BYTE, M)):
                    own, row = labels[b, index[r]], labels[b, start : start + n]
                    for j in range(n):
                        few[j] += np.uint8(row[j] == own)
                total = out[r, start - low : start - low + n]
                for j in range(n):
                    total[j] += few[j]


@njit(cache=True, nogil=True)
def add_shares_together(labels: Any, shares: Any, index: Any, low: int, high: int, out: Any) -> None:
    """out[r, j - low] += sum of the shares of the draws in which item index[r] and item j are together."""
    for start in range(low, high, TILE):
        n = min(TILE, high - start)
        for r in range(len(index)):
            total = out[r, start - low : start - low + n]
            for b in range(labels.shape[0]):
                own, share, row = labels[b, index[r]], shares[b], labels[b, start : start + n]
                for j in range(n):
                    total[j] += share if row[j] == own else 0.0


@njit(cache=True, nogil=True)
def squared_tables(
    first: Any, sizes: Any, shares: Any, second: Any, other_sizes: Any, other_shares: Any, weights: Any,
    low: int, high: int, up_to_itself: bool,
) -> float:  # fmt: skip
    """Sum over draws a of `first` and b = low..high of `second` of v_a v_b ||Z_a^T D Z_b||^2, D the item weights.

    `up_to_itself`: both are the same draws, and of a > b the equal term of (b, a) is taken.
    """
    n_items = first.shape[1]
    total = 0.0
    for b in range(low, high):
        row, k = second[b], other_sizes[b]
        stop = b + 1 if up_to_itself else len(first)
        for a in range(0, stop, 4):
            # Four tables at a time: no addition waits for the one before it where neighbours have equal labels.
            a1, a2, a3 = min(a + 1, stop - 1), min(a + 2, stop - 1), min(a + 3, stop - 1)
            k0, k1, k2, k3 = sizes[a], sizes[a1], sizes[a2], sizes[a3]
            t0, t1 = np.zeros(k * k0), np.zeros(k * k1)
            t2, t3 = np.zeros(k * k2), np.zeros(k * k3)
            r0, r1, r2, r3 = first[a], first[a1], first[a2], first[a3]
            for i in range(n_items):
                z, w = np.int64(row[i]), weights[i]
                t0[z * k0 + r0[i]] += w
                t1[z * k1 + r1[i]] += w
                t2[z * k2 + r2[i]] += w
                t3[z * k3 + r3[i]] += w
            for q in range(min(4, stop - a)):
                table = t0 if q == 0 else t1 if q == 1 else t2 if q == 2 else t3
                square = 0.0
                for c in range(len(table)):
                    square += table[c] * table[c]
                twice = 2.0 if up_to_itself and a + q < b else 1.0
                total += twice * shares[a + q] * other_shares[b] * square
    return total
