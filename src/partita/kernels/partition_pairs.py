"""The state of a partition search on pairs of items: the sums of each item's similarities by cluster. Loads numba.

With f(n) = n^2, or n (n - 1) where an item is not paired with itself, the means over draws are sums of the posterior
similarity matrix: w of the pairs that the estimate joins, v of all pairs placed. So any formula of u, v, w is evaluated
from the row of an item, added up by cluster: O(N) an item, or the number of its neighbours where the similarities are a
sparse matrix. Nothing asks that they be probabilities: with an affinity A, w is the affinity within clusters, and a
price for each cluster enters by the formula's K.

`DensePairs` hold N x N similarities, `SparsePairs` a symmetric CSR matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload_method

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated
from partita.kernels.partition_state import State, StateType, define_state, growth

__all__ = ["DensePairs", "SparsePairs", "empty_pairs"]

ROOM = 16


class DensePairs(State):
    """`sums` are u, v, w; `between` has room for the sums of an item by cluster, at k + 1, and over all at 0.

    `diagonal` is 1 where an item is paired with itself, else 0.
    """

    formula: Any
    labels: Ints
    sizes: Ints
    counts: Ints
    sums: Array
    diagonal: float
    similarity: Array
    between: Array


class DensePairsType(StateType):
    """Type of `DensePairs` in compiled code."""


class SparsePairs(State):
    """State like `DensePairs`, with the similarities in CSR form."""

    formula: Any
    labels: Ints
    sizes: Ints
    counts: Ints
    sums: Array
    diagonal: float
    indptr: Ints
    indices: Ints
    entries: Any
    between: Array


class SparsePairsType(StateType):
    """Type of `SparsePairs` in compiled code."""


def empty_pairs(formula: Any, similarity: Any, with_itself: bool = True) -> Any:
    """Return the state in which no item is placed; `similarity` is an array, or a CSR matrix with both triangles."""
    N = similarity.shape[0]
    labels, counts = np.full(N, -1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    start = (formula, labels, np.zeros(ROOM, dtype=np.int64), counts, np.zeros(3), float(with_itself))
    if hasattr(similarity, "indptr"):
        parts = similarity.indptr.astype(np.int64), similarity.indices.astype(np.int64), similarity.data.astype(float)
        return SparsePairs(*start, *parts, np.zeros(ROOM))
    return DensePairs(*start, np.ascontiguousarray(similarity, dtype=np.float64), np.zeros(ROOM))


@kernel
def _dense_sums(state: DensePairs, i: int) -> Any:
    """Add the similarities of item i to `between` by cluster; what it has with itself is returned, and left out."""
    labels, between, row = state.labels, state.between, state.similarity[i]
    own = labels[i]
    labels[i] = -1
    for j in range(len(row)):
        between[labels[j] + 1] += row[j]
    labels[i] = own
    between[0] -= row[i]
    return row[i]


@kernel
def _sparse_sums(state: SparsePairs, i: int) -> Any:
    """Sums of `_dense_sums`, from similarities in CSR form."""
    labels, between, indices, entries, itself = state.labels, state.between, state.indices, state.entries, 0.0
    for s in range(state.indptr[i], state.indptr[i + 1]):
        j = indices[s]
        if j == i:
            itself += entries[s]
        else:
            between[labels[j] + 1] += entries[s]
    return itself


@kernel
def _sums_by_cluster(state: Any, i: int) -> Any:
    """`between`[k + 1] = sum of the similarities of item i with cluster k, itself left out, [0] with all.

    p_ii where an item is paired with itself, else 0.
    """
    K, between = state.counts[0], state.between
    between[: K + 1] = 0.0
    itself = state.add_sums(i)
    between[0] = 0.0  # items that are placed nowhere were counted there
    total = 0.0
    for k in range(K):
        total += between[k + 1]
    between[0] = total
    return itself * state.diagonal


@kernel
def _costs(state: DensePairs | SparsePairs, i: int, out: Array) -> None:
    K, own, between, sizes, one = state.counts[0], state.labels[i], state.between, state.sizes, state.diagonal
    itself, formula = _sums_by_cluster(state, i), state.formula
    u, v, w, placed = state.sums[0], state.sums[1], state.sums[2], state.counts[1]
    without = K
    if own >= 0:
        u -= 2.0 * (sizes[own + 1] - 1) + one
        w -= 2.0 * between[own + 1] + itself
        if sizes[own + 1] == 1:
            without -= 1
    else:
        v += 2.0 * between[0] + itself
        placed += 1
    n = float(placed)
    t = n * (n - 1.0 + one)
    w += itself
    for k in range(K):
        if k != own:
            u_k, w_k = u + 2.0 * sizes[k + 1] + one, w + 2.0 * between[k + 1]
            out[k] = evaluated(formula, u_k, v, w_k, t, n, float(without))
    out[K] = evaluated(formula, u + one, v, w, t, n, float(without + 1))
    if own >= 0:
        out[own] = evaluated(formula, state.sums[0], v, state.sums[2], t, n, float(K))


@kernel
def _place(state: DensePairs | SparsePairs, i: int, k: int) -> None:
    labels, between, sizes, sums, counts = state.labels, state.between, state.sizes, state.sums, state.counts
    own = labels[i]
    if k == counts[0]:
        counts[0] += 1
        between[k + 1] = 0.0
    itself, one = _sums_by_cluster(state, i), state.diagonal
    if own >= 0:
        sums[0] -= 2.0 * (sizes[own + 1] - 1) + one
        sums[2] -= 2.0 * between[own + 1] + itself
        sizes[own + 1] -= 1
    if k >= 0:
        sums[0] += 2.0 * sizes[k + 1] + one
        sums[2] += 2.0 * between[k + 1] + itself
        sizes[k + 1] += 1
    if (own < 0) != (k < 0):
        sign = 1 if own < 0 else -1
        counts[1] += sign
        sizes[0] += sign
        sums[1] += sign * (2.0 * between[0] + itself)
    labels[i] = k
    if own >= 0 and sizes[own + 1] == 0:
        last = counts[0] - 1
        if own != last:
            for j in range(len(labels)):
                if labels[j] == last:
                    labels[j] = own
            sizes[own + 1], sizes[last + 1] = sizes[last + 1], 0
        counts[0] = last


@kernel
def _merge_costs(state: DensePairs | SparsePairs, a: int, out: Array) -> None:
    K, n, sizes, sums, between = state.counts[0], float(state.counts[1]), state.sizes, state.sums, state.between
    t = n * (n - 1.0 + state.diagonal)
    joined = np.zeros(K)
    for i in np.flatnonzero(state.labels == a):
        _sums_by_cluster(state, int(i))
        for b in range(K):
            joined[b] += between[b + 1]
    for b in range(K):
        u, w = sums[0] + 2.0 * sizes[a + 1] * sizes[b + 1], sums[2] + 2.0 * joined[b]
        out[b] = evaluated(state.formula, u, sums[1], w, t, n, float(K - 1))
    out[a] = state.value()


@kernel
def _value(state: DensePairs | SparsePairs) -> Any:
    K, n, sums = state.counts[0], float(state.counts[1]), state.sums
    return evaluated(state.formula, sums[0], sums[1], sums[2], n * (n - 1.0 + state.diagonal), n, float(K))


@kernel
def _make_room(state: DensePairs | SparsePairs) -> None:
    sizes, old = state.sizes, len(state.sizes)
    if state.counts[0] + 1 < old:
        return
    wider = np.zeros(growth(old, ROOM), dtype=np.int64)
    for k in range(old):  # assigning a slice takes seconds to compile
        wider[k] = sizes[k]
    state.sizes, state.between = wider, np.zeros(len(wider))


shared = {"value": _value, "costs": _costs, "place": _place, "merge_costs": _merge_costs, "make_room": _make_room}
define_state(DensePairs, DensePairsType, **shared)
define_state(SparsePairs, SparsePairsType, **shared)
overload_method(DensePairsType, "add_sums")(lambda state, i: lambda state, i: _dense_sums(state, i))  # noqa: ARG005, PLW0108
overload_method(SparsePairsType, "add_sums")(lambda state, i: lambda state, i: _sparse_sums(state, i))  # noqa: ARG005, PLW0108
