"""The moves of a partition search, for any state (`partita.kernels.partition_state`). Loads numba.

Single items to the best of K + 1 clusters (`allocate`, `sweep`), merges of two clusters, and of one cluster its split
from a seed and its destruction and rebuilding item by item [dahl2022], both kept only where they lower the value. The
loops over rounds, restarts and the clock are Python's (`partita.partition.search`); a call does at most one pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.partition_cache import kernel
from partita.kernels.partition_state import costs, merge_costs, place, roomy, value

__all__ = [
    "IMPROVEMENT",
    "allocate",
    "assign",
    "costs_of",
    "gather",
    "is_better",
    "merge_costs_of",
    "merge_pass",
    "put_together",
    "rebuild",
    "split",
    "sweep",
    "value_of",
]

# Least amount by which a move must lower the value, relative to it or to one: above the rounding of sums over draws, so
# that no move is made to and fro.
IMPROVEMENT = 1e-11


@kernel
def is_better(new: float, present: float) -> Any:
    """Test whether a value is lower by more than rounding."""
    return new < present - IMPROVEMENT * max(1.0, abs(present))


@kernel
def _least(out: Any, n: int) -> int:
    best = 0
    for k in range(1, n):
        if out[k] < out[best]:
            best = k
    return best


@kernel
def assign(state: Any, items: Any, labels: Any) -> Any:
    """Place `items`, placed nowhere so far, by their labels, which are numbered from 0 in order of appearance."""
    for i in items:
        state = roomy(state)
        place(state, i, labels[i])
    return state


@kernel
def allocate(state: Any, items: Any, cap: int, out: Any) -> Any:
    """Place items one after the other where the value of those placed is least; at most `cap` clusters."""
    for i in items:
        costs(state, i, out)
        K = state.counts[0]
        k = _least(out, K + 1 if cap > K else K)
        if k == K:
            state = roomy(state)
        place(state, i, k)
    return state


@kernel
def sweep(state: Any, items: Any, cap: int, out: Any) -> Any:
    """Move each item to its best cluster; the state and how many moved."""
    moved = 0
    for i in items:
        costs(state, i, out)
        K, own = state.counts[0], state.labels[i]
        k = _least(out, K + 1 if cap > K else K)
        if k != own and is_better(out[k], out[own]):
            if k == K:
                state = roomy(state)
            place(state, i, k)
            moved += 1
    return state, moved


@kernel
def merge_pass(state: Any, out: Any) -> int:
    """Merge each cluster with its best partner while that lowers the value; how many were merged."""
    merged, a = 0, state.counts[0] - 1
    while a >= 0 and state.counts[0] > 1:
        if a >= state.counts[0]:
            a = state.counts[0] - 1
        merge_costs(state, a, out)
        b = _least(out, state.counts[0])
        if b != a and is_better(out[b], out[a]):
            for i in np.flatnonzero(state.labels == a):
                place(state, i, b)
            merged += 1
            a = state.counts[0] - 1
        else:
            a -= 1
    return merged


@kernel
def gather(state: Any, items: Any, mate: int) -> Any:
    """Put items into the cluster of item `mate`, or, where that is negative, into a new one together."""
    if mate < 0:
        return put_together(state, items)
    for i in items:
        if state.labels[i] != state.labels[mate]:
            place(state, i, state.labels[mate])
    return state


@kernel
def put_together(state: Any, items: Any) -> Any:
    """Put items that were one cluster together again."""
    state = roomy(state)
    place(state, items[0], state.counts[0])
    for i in items[1:]:
        k = state.labels[items[0]]
        if state.labels[i] != k:
            place(state, i, k)
    return state


@kernel
def rebuild(state: Any, items: Any, cap: int, out: Any) -> Any:
    """Take all `items` of one cluster out and place them anew, in this order; the state and whether it was kept."""
    before = value(state)
    for i in items:
        place(state, i, -1)
    state = allocate(state, items, cap, out)
    state, _ = sweep(state, items, cap, out)
    if is_better(value(state), before):
        return state, True
    return put_together(state, items), False


@kernel
def split(state: Any, items: Any, passes: int, out: Any) -> Any:
    """Let the first of `items`, which are one cluster, found a new one that the others may join, or leave again.

    The state, and whether it was kept. Other clusters take no part.
    """
    before = value(state)
    state = roomy(state)
    new, own = state.counts[0], state.labels[items[0]]
    place(state, items[0], new)
    best = value(state)
    for _ in range(passes):
        moved = 0
        for i in items[1:]:
            costs(state, i, out)
            here = state.labels[i]
            there = new if here == own else own
            if is_better(out[there], out[here]) and state.sizes[here + 1] > 1:
                place(state, i, there)
                moved += 1
        best = value(state)
        if moved == 0:
            break
    if is_better(best, before):
        return state, True
    return put_together(state, items), False


@kernel
def value_of(state: Any) -> Any:
    """Return the value of the state, for Python."""
    return value(state)


@kernel
def costs_of(state: Any, i: int, out: Any) -> None:
    """Call `costs` from Python."""
    costs(state, i, out)


@kernel
def merge_costs_of(state: Any, a: int, out: Any) -> None:
    """Call `merge_costs` from Python."""
    merge_costs(state, a, out)
