"""The moves of a partition search, for any state (`partita.kernels.partition_state`). Loads numba.

Single items to the best of K + 1 clusters (`allocate`, `sweep`), merges of two clusters, and of one cluster its split
from a seed and its destruction and rebuilding item by item [dahl2022], both kept only where they lower the value. The
loops over rounds, restarts and the clock are Python's (`partita.partition.search`); a call does at most one pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.partition_cache import kernel
from partita.kernels.partition_state import State

__all__ = [
    "IMPROVEMENT",
    "allocate",
    "assign",
    "gather",
    "is_better",
    "merge_pass",
    "put_together",
    "rebuild",
    "split",
    "sweep",
    "take_out",
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
def assign(state: Any, items: Any, labels: Any) -> None:
    """Place `items` by their labels, of which new ones are numbered in order of appearance; -1 is nowhere."""
    for i in items:
        state.make_room()
        state.place(i, labels[i])


@kernel
def allocate(state: Any, items: Any, cap: int, out: Any) -> None:
    """Place items one after the other where the value of those placed is least; at most `cap` clusters."""
    for i in items:
        state.costs(i, out)
        K = state.counts[0]
        k = _least(out, K + 1 if cap > K else K)
        if k == K:
            state.make_room()
        state.place(i, k)


@kernel
def sweep(state: Any, items: Any, cap: int, out: Any) -> int:
    """Move each item to its best cluster; how many moved."""
    moved = 0
    for i in items:
        state.costs(i, out)
        K, own = state.counts[0], state.labels[i]
        k = _least(out, K + 1 if cap > K else K)
        if k != own and is_better(out[k], out[own]):
            if k == K:
                state.make_room()
            state.place(i, k)
            moved += 1
    return moved


@kernel
def merge_pass(state: Any, out: Any) -> int:
    """Merge each cluster with its best partner while that lowers the value; how many were merged."""
    merged, a = 0, state.counts[0] - 1
    while a >= 0 and state.counts[0] > 1:
        if a >= state.counts[0]:
            a = state.counts[0] - 1
        state.merge_costs(a, out)
        b = _least(out, state.counts[0])
        if b != a and is_better(out[b], out[a]):
            for i in np.flatnonzero(state.labels == a):
                state.place(i, b)
            merged += 1
            a = state.counts[0] - 1
        else:
            a -= 1
    return merged


@kernel
def gather(state: Any, items: Any, mate: int) -> None:
    """Put items into the cluster of item `mate`, or, where that is negative, into a new one together."""
    if mate < 0:
        put_together(state, items)
        return
    for i in items:
        if state.labels[i] != state.labels[mate]:
            state.place(i, state.labels[mate])


@kernel
def put_together(state: Any, items: Any) -> None:
    """Put items that were one cluster together again."""
    state.make_room()
    state.place(items[0], state.counts[0])
    for i in items[1:]:
        k = state.labels[items[0]]
        if state.labels[i] != k:
            state.place(i, k)


@kernel
def split(state: Any, items: Any, passes: int, out: Any) -> Any:
    """Let the first of `items`, which are one cluster, found a new one that the others may join, or leave again.

    Returns whether that was kept. Other clusters take no part.
    """
    before = state.value()
    state.make_room()
    new, own = state.counts[0], state.labels[items[0]]
    state.place(items[0], new)
    for _ in range(passes):
        moved = 0
        for i in items[1:]:
            state.costs(i, out)
            here = state.labels[i]
            there = new if here == own else own
            if is_better(out[there], out[here]) and state.sizes[here + 1] > 1:
                state.place(i, there)
                moved += 1
        if moved == 0:
            break
    kept = is_better(state.value(), before)
    if not kept:
        put_together(state, items)
    return kept


# The moves below are made of those above, in Python: a kernel of its own would be compiled with all of theirs in it.


def take_out(state: State, items: Any) -> None:
    """Place items nowhere."""
    assign(state, items, np.full(len(state.labels), -1))


def rebuild(state: State, items: Any, cap: int, out: Any) -> bool:
    """Take all `items` of one cluster out and place them anew, in this order; whether that was kept."""
    before = state.value()
    take_out(state, items)
    allocate(state, items, cap, out)
    sweep(state, items, cap, out)
    kept = bool(is_better(state.value(), before))
    if not kept:
        put_together(state, items)
    return kept
