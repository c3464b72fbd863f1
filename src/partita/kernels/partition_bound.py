"""The state of a partition search for the lower bound of the expected variation of information. Loads numba.

    VI.lb = 1/N sum_i [ log n_c(i) + log sum_l p_il - 2 log S_i ],    S_i = sum_{l in c(i)} p_il      [wade2018] eq. (6)

S_i of every item is kept. An item that joins a cluster raises S of all its members, so each candidate cluster costs as
many logarithms as it has items, N in all: they are taken of products of the ratios 1 + p_il / S_l, which turns nearly
all of them into multiplications. A merge costs the square of the cluster times K.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated
from partita.kernels.partition_state import State, StateType, define_state, growth

__all__ = ["BoundPairs", "empty_bound"]

ROOM = 16
# A product of ratios, or of the S_i, each in [1, N], is reduced to its logarithm beyond this.
HIGH = 1e200


class BoundPairs(State):
    """`sums` are sum_i log n_c(i), sum_i log sum_l p_il over all items, and sum_i log S_i; `own` are the S_i."""

    formula: Any
    labels: Ints
    sizes: Ints
    counts: Ints
    sums: Array
    similarity: Array
    own: Array  # N: S_i of items that are placed
    product: Array  # width
    logs: Array  # width
    between: Array  # width


class BoundPairsType(StateType):
    """Type of `BoundPairs` in compiled code."""


def empty_bound(formula: Any, similarity: Array) -> Any:
    """Return the state in which no item is placed."""
    N = len(similarity)
    labels, sizes, counts = np.full(N, -1, dtype=np.int64), np.zeros(ROOM, dtype=np.int64), np.zeros(2, dtype=np.int64)
    sums = np.array([0.0, float(np.log(similarity.sum(axis=1)).sum()), 0.0])
    room = [np.zeros(ROOM) for _ in range(3)]
    P = np.ascontiguousarray(similarity, dtype=np.float64)
    return BoundPairs(formula, labels, sizes, counts, sums, P, np.ones(N), *room)


@kernel
def _ratios(state: BoundPairs, i: int) -> None:
    """Fill, for each cluster k at k + 1, `between` with sum p_il and `logs` with sum log(S_l with i / S_l without)."""
    K, labels, own_sums = state.counts[0], state.labels, state.own
    product, logs, between, row, own = state.product, state.logs, state.between, state.similarity[i], state.labels[i]
    product[: K + 1], logs[: K + 1], between[: K + 1] = 1.0, 0.0, 0.0
    for j in range(len(labels)):
        k = labels[j]
        if k < 0 or j == i:
            continue
        p = row[j]
        between[k + 1] += p
        if p > 0.0:
            ratio = own_sums[j] / (own_sums[j] - p) if k == own else 1.0 + p / own_sums[j]
            product[k + 1] *= ratio
            if product[k + 1] > HIGH:
                logs[k + 1] += np.log(product[k + 1])
                product[k + 1] = 1.0
    total = 0.0
    for k in range(1, K + 1):
        logs[k] += np.log(product[k])
        total += between[k]
    between[0] = total


@kernel
def _sizes_term(n: int) -> Any:
    return n * np.log(n) if n > 0 else 0.0


@kernel
def _costs(state: BoundPairs, i: int, out: Array) -> None:
    K, own, sizes, logs, between = state.counts[0], state.labels[i], state.sizes, state.logs, state.between
    itself, formula = state.similarity[i, i], state.formula
    _ratios(state, i)
    u, v, w, placed = state.sums[0], state.sums[1], state.sums[2], state.counts[1]
    if own >= 0:
        n = sizes[own + 1]
        u += _sizes_term(n - 1) - _sizes_term(n)
        w -= logs[own + 1] + np.log(state.own[i])
    else:
        placed += 1
    for k in range(K):
        if k != own:
            n = sizes[k + 1]
            u_k = u + _sizes_term(n + 1) - _sizes_term(n)
            w_k = w + logs[k + 1] + np.log(between[k + 1] + itself)
            out[k] = evaluated(formula, u_k, v, w_k, 0.0, float(placed), 0.0)
    out[K] = evaluated(formula, u, v, w + np.log(itself), 0.0, float(placed), 0.0)
    if own >= 0:
        out[own] = evaluated(formula, state.sums[0], v, state.sums[2], 0.0, float(placed), 0.0)


@kernel
def _place(state: BoundPairs, i: int, k: int) -> None:
    labels, sizes, counts, sums, row = state.labels, state.sizes, state.counts, state.own, state.similarity[i]
    own = labels[i]
    if k == counts[0]:
        counts[0] += 1
    if own >= 0:
        sizes[own + 1] -= 1
    if k >= 0:
        sizes[k + 1] += 1
    sums[i] = row[i]
    for j in range(len(labels)):
        c = labels[j]
        if j == i or c < 0:
            continue
        if c == own:
            sums[j] -= row[j]
        if c == k:
            sums[j] += row[j]
            sums[i] += row[j]
    if (own < 0) != (k < 0):
        sign = 1 if own < 0 else -1
        counts[1] += sign
        sizes[0] += sign
    labels[i] = k
    if own >= 0 and sizes[own + 1] == 0:
        last = counts[0] - 1
        if own != last:
            for j in range(len(labels)):
                if labels[j] == last:
                    labels[j] = own
            sizes[own + 1], sizes[last + 1] = sizes[last + 1], 0
        counts[0] = last
    _recount(state)


@kernel
def _recount(state: BoundPairs) -> None:
    """Find u and w from the sizes and S. v is of all items: only partitions of the same items are compared."""
    labels, sizes, own, u, w, product = state.labels, state.sizes, state.own, 0.0, 0.0, 1.0
    for k in range(state.counts[0]):
        u += _sizes_term(sizes[k + 1])
    for j in range(len(labels)):
        if labels[j] >= 0:
            product *= own[j]
            if product > HIGH:
                w += np.log(product)
                product = 1.0
    state.sums[0], state.sums[2] = u, w + np.log(product)


@kernel
def _merge_costs(state: BoundPairs, a: int, out: Array) -> None:
    labels, sizes, sums, own, similarity = state.labels, state.sizes, state.sums, state.own, state.similarity
    K, N, placed = state.counts[0], len(labels), float(state.counts[1])
    members = np.flatnonzero(labels == a)
    to_a, gain = np.zeros(N), np.zeros(K)
    by_cluster = np.empty(K)
    for i in members:
        row = similarity[i]
        by_cluster[:] = 0.0
        for j in range(N):
            if labels[j] >= 0:
                by_cluster[labels[j]] += row[j]
            to_a[j] += row[j]
        for b in range(K):
            if b != a and by_cluster[b] > 0.0:
                gain[b] += np.log(1.0 + by_cluster[b] / own[i])
    for j in range(N):
        b = labels[j]
        if b >= 0 and b != a and to_a[j] > 0.0:
            gain[b] += np.log(1.0 + to_a[j] / own[j])
    n_a = sizes[a + 1]
    for b in range(K):
        n_b = sizes[b + 1]
        u = sums[0] + _sizes_term(n_a + n_b) - _sizes_term(n_a) - _sizes_term(n_b)
        out[b] = evaluated(state.formula, u, sums[1], sums[2] + gain[b], 0.0, placed, 0.0)
    out[a] = state.value()


@kernel
def _value(state: BoundPairs) -> Any:
    sums = state.sums
    return evaluated(state.formula, sums[0], sums[1], sums[2], 0.0, float(max(state.counts[1], 1)), 0.0)


@kernel
def _make_room(state: BoundPairs) -> None:
    sizes, old = state.sizes, len(state.sizes)
    if state.counts[0] + 1 < old:
        return
    width = growth(old, ROOM)
    wider = np.zeros(width, dtype=np.int64)
    for k in range(old):  # assigning a slice takes seconds to compile
        wider[k] = sizes[k]
    state.sizes, state.product, state.logs, state.between = wider, np.zeros(width), np.zeros(width), np.zeros(width)


define_state(
    BoundPairs, BoundPairsType, value=_value, costs=_costs, place=_place, merge_costs=_merge_costs, make_room=_make_room
)
