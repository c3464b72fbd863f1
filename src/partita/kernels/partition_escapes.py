"""Moves out of a partition that no single item, merge, split or rebuilt cluster improves. Importing loads numba.

Each goes through partitions that are worse, and is undone unless it ends at a better one: two clusters divided anew,
which at the cap on clusters stands for a merge here and a split there; a chain of forced moves of single items
[kernighan1970]; a forced merge that all items respond to.

[kernighan1970] B. W. Kernighan, S. Lin, An efficient heuristic procedure for partitioning graphs, Bell System Technical
Journal 49 (1970).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_moves import allocate, gather, is_better, put_together, sweep, take_out
from partita.kernels.partition_state import State

__all__ = ["chain", "merge_and_respond", "nearest", "redivide"]


@kernel
def nearest(state: Any, a: int, out: Any) -> int:
    """Return the cluster that a is merged with at the least value; -1 where there is no other."""
    state.merge_costs(a, out)
    b = -1
    for k in range(state.counts[0]):
        if k != a and (b < 0 or out[k] < out[b]):
            b = k
    return b


@kernel
def _mate(state: Any, i: int) -> int:
    """Another item of the cluster of i; -1 where it is alone."""
    for j in range(len(state.labels)):
        if j != i and state.labels[j] == state.labels[i]:
            return j
    return -1


@kernel
def _least_forced(state: Any, items: Any, free: Any, cap: int, out: Any) -> Any:
    """The free item whose best move elsewhere gives the least value, and its cluster; -1 where no item can move."""
    item, to, least = -1, -1, np.inf
    for i in items:
        if not free[i]:
            continue
        state.costs(i, out)
        K, own = state.counts[0], state.labels[i]
        for k in range(K + 1 if cap > K and state.sizes[own + 1] > 1 else K):
            if k != own and out[k] < least:
                item, to, least = i, k, out[k]
    return item, to


@kernel
def chain(state: Any, items: Any, cap: int, length: int, out: Any) -> Any:
    """Move the item that it costs least to move, each once, so many times; keep the moves up to the best partition met.

    Returns how many moves were kept. Costs `length` passes over the items.
    """
    most = min(length, len(items))
    free = np.ones(len(state.labels), dtype=np.bool_)
    moved, mates = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    least, made, kept = state.value(), 0, 0
    while made < most:
        i, k = _least_forced(state, items, free, cap, out)
        if i < 0:
            break
        moved[made], mates[made], free[i] = i, _mate(state, i), False
        if k == state.counts[0]:
            state.make_room()
        state.place(i, k)
        made += 1
        if is_better(state.value(), least):
            least, kept = state.value(), made
    for s in range(made - 1, kept - 1, -1):
        if mates[s] < 0:
            put_together(state, moved[s : s + 1])
        else:
            state.place(moved[s], state.labels[mates[s]])
    return kept


# The moves below are made of kernels, in Python: one of its own would be compiled with all of those in it.


def redivide(state: State, first: Any, second: Any, order: Any, cap: int, out: Any) -> bool:
    """Take the items of two clusters out and place them anew, in this order; whether that was kept."""
    before = state.value()
    take_out(state, order)
    allocate(state, order, cap, out)
    sweep(state, order, cap, out)
    kept = bool(is_better(state.value(), before))
    if not kept:
        put_together(state, first)
        put_together(state, second)
    return kept


def merge_and_respond(state: State, mate: int, items: Any, cap: int, passes: int, out: Any) -> bool:
    """Merge the cluster of item `mate` with its nearest, and let all items move; whether that was kept."""
    before, codes = state.value(), state.labels.copy()
    b = nearest(state, codes[mate], out)
    if b < 0:
        return False
    gather(state, np.flatnonzero(codes == codes[mate]), np.flatnonzero(codes == b)[0])
    for _ in range(passes):
        if sweep(state, items, cap, out) == 0:
            break
    kept = bool(is_better(state.value(), before))
    if not kept:
        _go_back(state, codes)
    return kept


def _go_back(state: State, codes: Ints) -> None:
    """Return to a partition: those of its clusters that changed are put together again."""
    labels = state.labels
    for k in range(codes.max() + 1):
        items = np.flatnonzero(codes == k)
        own = labels[items[0]]
        if state.sizes[own + 1] != len(items) or not (labels[items] == own).all():
            put_together(state, items)
