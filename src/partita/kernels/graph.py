"""Graphs in CSR form: both directions of chosen links, scaling, connected components. Loads numba.

All are O(nnz), with indices of four bytes while they fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["both_ways", "pieces", "scaled_values"]

# Rows that one thread takes at a time.
ROWS = 1 << 13
# Entries that four-byte offsets count.
MOST = np.iinfo(np.int32).max


def both_ways(index: Ints, values: Array, mutual: bool) -> tuple[Any, Any, Any]:
    """Return a symmetric CSR matrix with a diagonal of ones from the links that each item chose.

    Parameters
    ----------
    index, values : n x k arrays
        The items that item i chose, none twice and none itself, and the values of these links; 0 is no link.
    mutual : bool
        Keep links that both items chose, with the smaller value, instead of all with the larger.

    Returns
    -------
    indptr, indices, values
        Columns ascending in every row.
    """
    n, k = index.shape
    back = np.empty((n, k), dtype=values.dtype)
    run_chunks(lambda low, high: _opposite(index, values, back, low, high), row_bounds(n, ROWS))
    size = _row_sizes(index, values, back, mutual)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(size, out=indptr[1:])
    if indptr[-1] <= MOST:
        indptr = indptr.astype(np.int32)
    indices, out = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1], dtype=values.dtype)
    chosen_by = _fill_chosen_by(index, values, back, mutual, indptr, indices, out)

    def work(low: int, high: int) -> None:
        _merge_own(index, values, back, mutual, indptr, indices, out, chosen_by, low, high)

    run_chunks(work, row_bounds(n, ROWS))
    return indptr, indices, out


@njit(cache=True, nogil=True)
def _opposite(index: Ints, values: Array, back: Array, low: int, high: int) -> None:
    """The value of each link in the other direction; 0 where the other item did not choose this one."""
    k = index.shape[1]
    for i in range(low, high):
        for a in range(k):
            back[i, a] = 0
            if values[i, a] > 0:
                j = index[i, a]
                for b in range(k):
                    if index[j, b] == i:
                        back[i, a] = values[j, b]
                        break


@njit(cache=True, nogil=True)
def _row_sizes(index: Ints, values: Array, back: Array, mutual: bool) -> Any:
    n, k = index.shape
    size = np.ones(n, dtype=np.int64)
    for i in range(n):
        for a in range(k):
            if values[i, a] > 0 and (back[i, a] > 0 or not mutual):
                size[i] += 1
                if back[i, a] == 0:
                    size[index[i, a]] += 1
    return size


@njit(cache=True, nogil=True)
def _fill_chosen_by(
    index: Ints, values: Array, back: Array, mutual: bool, indptr: Ints, indices: Ints, out: Array
) -> Any:
    """Write the links that only the other item chose at the head of each row, ascending, and return their number."""
    n, k = index.shape
    count = np.zeros(n, dtype=np.int32)
    if mutual:
        return count
    for i in range(n):
        for a in range(k):
            if values[i, a] > 0 and back[i, a] == 0:
                j = index[i, a]
                at = indptr[j] + count[j]
                indices[at], out[at] = i, values[i, a]
                count[j] += 1
    return count


@njit(cache=True, nogil=True)
def _merge_own(
    index: Ints,
    values: Array,
    back: Array,
    mutual: bool,
    indptr: Ints,
    indices: Ints,
    out: Array,
    chosen_by: Ints,
    low: int,
    high: int,
) -> None:
    """Sort what each item chose, and itself, and merge it from the back with the head of its row."""
    k = index.shape[1]
    own, weight = np.empty(k + 1, dtype=np.int32), np.empty(k + 1, dtype=values.dtype)
    for i in range(low, high):
        own[0], weight[0] = i, 1
        m = 1
        for a in range(k):
            v = values[i, a]
            if v <= 0 or (mutual and back[i, a] == 0):
                continue
            v = min(v, back[i, a]) if mutual else max(v, back[i, a])
            b = m
            while b > 0 and own[b - 1] > index[i, a]:
                own[b], weight[b] = own[b - 1], weight[b - 1]
                b -= 1
            own[b], weight[b] = index[i, a], v
            m += 1
        head, first = chosen_by[i] - 1, indptr[i]
        m -= 1
        at = indptr[i + 1] - 1
        while m >= 0:
            if head >= 0 and indices[first + head] > own[m]:
                indices[at], out[at] = indices[first + head], out[first + head]
                head -= 1
            else:
                indices[at], out[at] = own[m], weight[m]
                m -= 1
            at -= 1


def scaled_values(indptr: Ints, indices: Ints, values: Array, factors: Array) -> Any:
    """Return the values of diag(factors) P diag(factors) in the precision of P's."""
    out = np.empty_like(values)
    run_chunks(
        lambda low, high: _scale(indptr, indices, values, factors, out, low, high), row_bounds(len(indptr) - 1, ROWS)
    )
    return out


@njit(cache=True, nogil=True)
def _scale(indptr: Ints, indices: Ints, values: Array, factors: Array, out: Array, low: int, high: int) -> None:
    for i in range(low, high):
        f = factors[i]
        for s in range(indptr[i], indptr[i + 1]):
            out[s] = values[s] * (f * factors[indices[s]])


@njit(cache=True, nogil=True)
def pieces(indptr: Ints, indices: Ints) -> Any:
    """Return the connected component of each item of a symmetric graph, numbered in the order of their first items."""
    n = len(indptr) - 1
    piece, queue = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
    found = 0
    for start in range(n):
        if piece[start] >= 0:
            continue
        piece[start] = found
        queue[0] = start
        first, last = 0, 1
        while first < last:
            i = queue[first]
            first += 1
            for s in range(indptr[i], indptr[i + 1]):
                j = indices[s]
                if piece[j] < 0:
                    piece[j] = found
                    queue[last] = j
                    last += 1
        found += 1
    return piece
