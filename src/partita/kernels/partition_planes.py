"""Number of draws in which two items are together, from labels packed as bits. Importing this module loads numba.

The labels of 64 draws of an item are ceil(log2 K) words of 64 bits, one word for each binary digit. Two items are apart
in the draws where some digit differs: the OR over digits of the XOR of their words, whose ones are counted by the
processor's own instruction. A word of draws is read once for a tile of items, all side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

__all__ = ["WORD", "count_apart", "pack_planes"]

# Draws in a word, and items of a tile: words and counts of a tile stay in the first-level cache.
WORD = 64
TILE = 512


@intrinsic
def _ones(_typing: Any, _word: Any) -> Any:
    """Number of ones of a 64-bit word."""

    def codegen(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), codegen


@njit(cache=True, nogil=True)
def pack_planes(labels: Any, planes: Any) -> None:
    """Pack labels (draws x items, at most 64 draws) as digits: planes[digit, item]; draws that lack have digits 0."""
    n_draws, N = labels.shape
    n_digits = planes.shape[0]
    for low in range(0, N, TILE):
        high = min(low + TILE, N)
        planes[:, low:high] = np.uint64(0)
        for m in range(n_draws):
            row = labels[m]
            for digit in range(n_digits):
                out = planes[digit]
                for i in range(low, high):
                    out[i] |= ((np.uint64(row[i]) >> np.uint64(digit)) & np.uint64(1)) << np.uint64(m)


@njit(cache=True, nogil=True)
def count_apart(planes: Any, scale: float, low: int, high: int, out: Any) -> None:
    """out[i, j] += scale times the draws in which items i and j > i are apart, low <= i < high.

    Planes are words x digits x N.
    """
    n_words, n_digits, N = planes.shape
    apart = np.empty(TILE, dtype=np.uint64)
    count = np.empty(TILE, dtype=np.uint64)
    for i in range(low, high):
        for start in range(i + 1, N, TILE):
            n = min(TILE, N - start)
            few = count[:n]
            few[:] = np.uint64(0)
            differ = apart[:n]
            for word in range(n_words):
                row = planes[word, 0, start : start + n]
                own = planes[word, 0, i]
                if n_digits == 1:
                    for j in range(n):
                        few[j] += _ones(row[j] ^ own)
                    continue
                for j in range(n):
                    differ[j] = row[j] ^ own
                for digit in range(1, n_digits - 1):
                    row = planes[word, digit, start : start + n]
                    own = planes[word, digit, i]
                    for j in range(n):
                        differ[j] |= row[j] ^ own
                row = planes[word, n_digits - 1, start : start + n]
                own = planes[word, n_digits - 1, i]
                for j in range(n):
                    few[j] += _ones(differ[j] | (row[j] ^ own))
            total = out[i, start : start + n]
            for j in range(n):
                total[j] += scale * few[j]
