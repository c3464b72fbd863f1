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

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_moves import gather, is_better, is_kept, sweep, take_out
from partita.kernels.partition_state import State

__all__ = ["chain", "merge_and_respond", "nearest", "redivide"]


def nearest(state: State, a: int, out: Array) -> int:
    """Return the cluster that a is merged with at the least value; -1 where there is no other."""
    state.merge_costs(a, out)
    others = np.delete(np.arange(state.counts[0]), a)
    return int(others[out[others].argmin()]) if len(others) else -1


def redivide(state: State, first: Ints, second: Ints, order: Ints, cap: int, out: Array) -> bool:
    """Take the items of two clusters out and place them anew, in this order; whether that was kept."""
    before = state.value()
    take_out(state, order)
    for _ in range(2):
        sweep(state, order, cap, out)
    return is_kept(state, before, first, second)


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


def chain(state: State, items: Ints, cap: int, length: int, out: Array) -> int:
    """Move the item that it costs least to move, each once, so many times; keep the moves up to the best partition met.

    Returns how many moves were kept. Costs `length` passes over the items.
    """
    labels, free = state.labels, np.ones(len(state.labels), dtype=np.bool_)
    least, kept, moved = state.value(), 0, []
    for made in range(1, min(length, len(items)) + 1):
        i, k = _least_forced(state, items, free, cap, out)
        if i < 0:
            break
        # Who has been with it, and who it goes to: -1 where it was alone, or will be.
        there = np.flatnonzero(labels == k)
        moved.append((i, _other(labels, i)))
        free[i] = False
        gather(state, np.array([i]), there[0] if len(there) else -1)
        if is_better(state.value(), least):
            least, kept = state.value(), made
    for i, mate in reversed(moved[kept:]):
        gather(state, np.array([i]), mate)
    return kept


def _other(labels: Ints, i: int) -> int:
    """Another item of the cluster of i; -1 where it is alone."""
    own = np.flatnonzero(labels == labels[i])[:2]
    return int(own[own != i][0]) if len(own) > 1 else -1


def merge_and_respond(state: State, mate: int, items: Ints, cap: int, passes: int, out: Array) -> bool:
    """Merge the cluster of item `mate` with its nearest, and let all items move; whether that was kept."""
    before, codes = state.value(), state.labels.copy()
    b = nearest(state, int(codes[mate]), out)
    if b < 0:
        return False
    gather(state, np.flatnonzero(codes == codes[mate]), np.flatnonzero(codes == b)[0])
    for _ in range(passes):
        if sweep(state, items, cap, out) == 0:
            break
    kept, labels = bool(is_better(state.value(), before)), state.labels
    for k in range(0 if kept else codes.max() + 1):
        items = np.flatnonzero(codes == k)
        own = labels[items[0]]
        if state.sizes[own + 1] != len(items) or not (labels[items] == own).all():
            gather(state, items, -1)
    return kept
