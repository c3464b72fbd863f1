"""The moves of a partition search, for any state (`partita.kernels.partition_state`). Loads numba.

Single items to the best of K + 1 clusters (`sweep`), merges of two clusters, and of one cluster its split from a seed
and its destruction and rebuilding item by item [dahl2022], both kept only where they lower the value. The loops over
rounds, restarts and the clock are Python's (`partita.partition.search`); a call does at most one pass.

What goes over the items is compiled, with all that it calls in its machine code, which takes a second or two for each
kind of state. What goes over clusters is therefore made of it in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_state import State

__all__ = [
    "IMPROVEMENT",
    "assign",
    "gather",
    "is_better",
    "is_kept",
    "merge_pass",
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
def assign(state: Any, items: Any, labels: Any) -> None:
    """Place `items` by their labels, of which new ones are numbered in order of appearance; -1 is nowhere."""
    for i in items:
        state.make_room()
        state.place(i, labels[i])


@kernel
def sweep(state: Any, items: Any, cap: int, out: Any) -> int:
    """Move each item to its best cluster, of `cap` at most, from wherever it is, or from nowhere; how many moved."""
    moved = 0
    for i in items:
        state.costs(i, out)
        K, own = state.counts[0], state.labels[i]
        k = 0
        for other in range(1, K + 1 if cap > K else K):
            if out[other] < out[k]:
                k = other
        if own < 0 or (k != own and is_better(out[k], out[own])):
            if k == K:
                state.make_room()
            state.place(i, k)
            moved += 1
    return moved


@kernel
def gather(state: Any, items: Any, mate: int) -> None:
    """Put items into the cluster of item `mate`, or, where that is negative, into a new one together."""
    if mate < 0:
        mate = items[0]
        state.make_room()
        state.place(mate, state.counts[0])
    labels = state.labels
    for i in items:
        if labels[i] != labels[mate]:
            state.place(i, labels[mate])


@kernel
def _divide(state: Any, items: Any, passes: int, out: Any) -> None:
    """Let the first of `items`, which are one cluster, found a new one that the others may join, or leave again."""
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


def is_kept(state: State, before: float, *clusters: Ints) -> bool:
    """Test whether the value is better than before; where it is not, these items are put together as they were."""
    kept = bool(is_better(state.value(), before))
    for items in () if kept else clusters:
        gather(state, items, -1)
    return kept


def split(state: State, items: Ints, passes: int, out: Array) -> bool:
    """Divide `items`, which are one cluster, in two, with no part for other clusters; whether that was kept."""
    before = state.value()
    _divide(state, items, passes, out)
    return is_kept(state, before, items)


def take_out(state: State, items: Ints) -> None:
    """Place items nowhere."""
    assign(state, items, np.full(len(state.labels), -1))


def merge_pass(state: State, out: Array) -> int:
    """Merge each cluster with its best partner while that lowers the value; how many were merged."""
    merged, a, labels = 0, int(state.counts[0]) - 1, state.labels
    while a >= 0 and state.counts[0] > 1:
        a = min(a, int(state.counts[0]) - 1)
        state.merge_costs(a, out)
        b = int(out[: state.counts[0]].argmin())
        if b != a and is_better(out[b], out[a]):
            gather(state, np.flatnonzero(labels == a), np.flatnonzero(labels == b)[0])
            merged, a = merged + 1, int(state.counts[0]) - 1
        else:
            a -= 1
    return merged


def rebuild(state: State, items: Ints, cap: int, out: Array) -> bool:
    """Take all `items` of one cluster out and place them anew, in this order; whether that was kept."""
    before = state.value()
    take_out(state, items)
    for _ in range(2):
        sweep(state, items, cap, out)
    return is_kept(state, before, items)
