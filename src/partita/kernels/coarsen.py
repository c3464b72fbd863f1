"""Coarsening of a symmetric graph in CSR form by heavy edges: aggregates of items, and the graph of the aggregates.

O(nnz) a level. Aggregates depend on the graph alone and not on the number of threads. Importing this module loads
numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["aggregates", "contracted"]

# Rows of the coarse graph that one thread takes at a time: each chunk has a marker for every coarse column.
ROWS = 1 << 15


@njit(cache=True, nogil=True)
def aggregates(indptr: Ints, indices: Ints, values: Array, heaviest: int) -> tuple[Any, int]:
    """Return the aggregate of each item, numbered in the order of their first items, and how many there are.

    Items are visited in their order. One that is free is matched with the free neighbour of largest positive value;
    where all its neighbours are taken it joins the aggregate of the closest of them that has fewer than `heaviest`
    items; where all of those are full, as about the centre of a star, it waits for another that has the same closest
    neighbour. So about half of the items or fewer are left, lone ones excepted.
    """
    n = len(indptr) - 1
    of, size = np.full(n, -1, dtype=np.int32), np.zeros(n, dtype=np.int32)
    waiting = np.full(n, -1, dtype=np.int32)
    found = 0
    for i in range(n):
        if of[i] >= 0:
            continue
        free, join, closest = -1, -1, -1
        best_free, best_join, best = 0.0, 0.0, 0.0
        for s in range(indptr[i], indptr[i + 1]):
            j, v = indices[s], values[s]
            if j == i:
                continue
            if v > best:
                closest, best = j, v
            if of[j] < 0:
                if v > best_free:
                    free, best_free = j, v
            elif v > best_join and size[of[j]] < heaviest:
                join, best_join = of[j], v
        if free >= 0:
            of[i] = of[free] = found
            size[found] = 2
            found += 1
        elif join >= 0:
            of[i] = join
            size[join] += 1
        elif closest >= 0 and waiting[closest] >= 0:
            of[i] = waiting[closest]
            size[of[i]] += 1
            waiting[closest] = -1
        else:
            of[i] = found
            size[found] = 1
            if closest >= 0:
                waiting[closest] = found
            found += 1
    return of, found


def contracted(
    indptr: Ints, indices: Ints, values: Array, of: Ints, n_coarse: int, weight: Array
) -> tuple[Any, Any, Any]:
    """Return Q^T S Q in CSR form, Q the n x n_coarse matrix with `weight` of item i in column `of`[i].

    Columns of a row come in any order.
    """
    members, first = _members(of, n_coarse)
    room = np.zeros(n_coarse + 1, dtype=np.int64)
    np.cumsum(np.bincount(of, np.diff(indptr), minlength=n_coarse), out=room[1:])
    columns, sums = np.empty(room[-1], dtype=np.int32), np.empty(room[-1], dtype=values.dtype)
    count = np.zeros(n_coarse, dtype=np.int32)

    def work(low: int, high: int) -> None:
        _contract(indptr, indices, values, of, weight, members, first, room, columns, sums, count, low, high)

    bounds = row_bounds(n_coarse, ROWS)
    run_chunks(work, bounds)
    coarse = np.zeros(n_coarse + 1, dtype=indptr.dtype)
    np.cumsum(count, out=coarse[1:])
    out_columns, out_sums = np.empty(coarse[-1], dtype=np.int32), np.empty(coarse[-1], dtype=values.dtype)
    run_chunks(lambda low, high: _close(room, columns, sums, coarse, out_columns, out_sums, low, high), bounds)
    return coarse, out_columns, out_sums


@njit(cache=True, nogil=True)
def _members(of: Ints, n_coarse: int) -> tuple[Any, Any]:
    """Items by aggregate, and where each aggregate begins."""
    first = np.zeros(n_coarse + 1, dtype=np.int32)
    for a in of:
        first[a + 1] += 1
    for a in range(n_coarse):
        first[a + 1] += first[a]
    at = first[:-1].copy()
    members = np.empty(len(of), dtype=np.int32)
    for i in range(len(of)):
        members[at[of[i]]] = i
        at[of[i]] += 1
    return members, first


@njit(cache=True, nogil=True)
def _contract(
    indptr: Ints,
    indices: Ints,
    values: Array,
    of: Ints,
    weight: Array,
    members: Ints,
    first: Ints,
    room: Ints,
    columns: Ints,
    sums: Array,
    count: Ints,
    low: int,
    high: int,
) -> None:
    """Rows low..high of the coarse matrix, each at the head of the room it has."""
    place = np.full(len(first) - 1, -1, dtype=np.int64)
    for c in range(low, high):
        begin = room[c]
        end = begin
        for m in range(first[c], first[c + 1]):
            i = members[m]
            for s in range(indptr[i], indptr[i + 1]):
                j = indices[s]
                d = of[j]
                v = weight[i] * values[s] * weight[j]
                if place[d] < begin:
                    place[d] = end
                    columns[end], sums[end] = d, v
                    end += 1
                else:
                    sums[place[d]] += v
        count[c] = end - begin


@njit(cache=True, nogil=True)
def _close(
    room: Ints, columns: Ints, sums: Array, coarse: Ints, out_columns: Ints, out_sums: Array, low: int, high: int
) -> None:
    """Rows low..high without the room that they did not need."""
    for c in range(low, high):
        source, target = room[c], coarse[c]
        for t in range(coarse[c + 1] - target):
            out_columns[target + t], out_sums[target + t] = columns[source + t], sums[source + t]
