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

from partita.kernels.partition_cache import kernel
from partita.kernels.partition_moves import allocate, is_better, put_together, sweep
from partita.kernels.partition_state import costs, merge_costs, place, roomy, value

__all__ = ["chain", "merge_and_respond", "nearest", "redivide"]


@kernel
def nearest(state: Any, a: int, out: Any) -> int:
    """Return the cluster that a is merged with at the least value; -1 where there is no other."""
    merge_costs(state, a, out)
    b = -1
    for k in range(state.counts[0]):
        if k != a and (b < 0 or out[k] < out[b]):
            b = k
    return b


@kernel
def redivide(state: Any, first: Any, second: Any, order: Any, cap: int, out: Any) -> Any:
    """Take the items of two clusters out and place them anew, in this order; the state and whether it was kept."""
    before = value(state)
    for i in order:
        place(state, i, -1)
    state = allocate(state, order, cap, out)
    state, _ = sweep(state, order, cap, out)
    if is_better(value(state), before):
        return state, True
    state = put_together(state, first)
    return put_together(state, second), False


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
        costs(state, i, out)
        K, own = state.counts[0], state.labels[i]
        for k in range(K + 1 if cap > K and state.sizes[own + 1] > 1 else K):
            if k != own and out[k] < least:
                item, to, least = i, k, out[k]
    return item, to


@kernel
def chain(state: Any, items: Any, cap: int, length: int, out: Any) -> Any:
    """Move the item that it costs least to move, each once, so many times; keep the moves up to the best partition met.

    The state, and how many moves were kept. Costs `length` passes over the items.
    """
    most = min(length, len(items))
    free = np.ones(len(state.labels), dtype=np.bool_)
    moved, mates = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    least, made, kept = value(state), 0, 0
    while made < most:
        i, k = _least_forced(state, items, free, cap, out)
        if i < 0:
            break
        moved[made], mates[made], free[i] = i, _mate(state, i), False
        if k == state.counts[0]:
            state = roomy(state)
        place(state, i, k)
        made += 1
        if is_better(value(state), least):
            least, kept = value(state), made
    for s in range(made - 1, kept - 1, -1):
        if mates[s] < 0:
            state = put_together(state, moved[s : s + 1])
        else:
            place(state, moved[s], state.labels[mates[s]])
    return state, kept


@kernel
def _go_back(state: Any, codes: Any, K: int) -> Any:
    """Return to a partition in K clusters: those of its clusters that changed are put together again."""
    for k in range(K):
        items = np.flatnonzero(codes == k)
        whole = state.sizes[state.labels[items[0]] + 1] == len(items)
        for i in items:
            whole = whole and state.labels[i] == state.labels[items[0]]
        if not whole:
            state = put_together(state, items)
    return state


@kernel
def merge_and_respond(state: Any, mate: int, items: Any, cap: int, passes: int, out: Any) -> Any:
    """Merge the cluster of item `mate` with its nearest, and let all items move; the state and whether it was kept."""
    before, K, codes = value(state), state.counts[0], state.labels.copy()
    b = nearest(state, codes[mate], out)
    if b < 0:
        return state, False
    other = np.flatnonzero(codes == b)[0]
    for i in np.flatnonzero(codes == codes[mate]):
        place(state, i, state.labels[other])
    for _ in range(passes):
        state, moved = sweep(state, items, cap, out)
        if moved == 0:
            break
    if is_better(value(state), before):
        return state, True
    return _go_back(state, codes, K), False
