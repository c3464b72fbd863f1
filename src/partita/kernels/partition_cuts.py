"""The sums that losses are made of, for every cut of a dendrogram at once. Importing this module loads numba.

A dendrogram of N items is N - 1 merges, and N cuts: after t merges there are N - t clusters. Items are in the order of
the leaves, so that a node is a range of them; merge t joins the ranges [start, middle) and [middle, stop).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated

__all__ = ["draw_cuts", "pair_cuts", "pair_sums"]


@kernel
def pair_cuts(P: Array, start: Ints, middle: Ints, stop: Ints, with_itself: bool, bound: bool, out: Array) -> None:
    """out[t] = sum n_k^2, sum of P within clusters, and with `bound` sum n_k log n_k, sum log S_i, after t merges.

    P is in the order of the leaves, S_i the sum of p_il over the cluster of i. Each pair of items is visited once. The
    first two leave out the pairs of an item with itself unless `with_itself`.
    """
    N = len(P)
    own = np.empty(N)
    u, w, v_log, w_log = float(N) if with_itself else 0.0, 0.0, 0.0, 0.0
    for i in range(N):
        own[i] = P[i, i]
        if with_itself:
            w += P[i, i]
        w_log += np.log(P[i, i])
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = u, w, v_log, w_log
    to_left = np.empty(N)
    for t in range(N - 1):
        a, b, c = start[t], middle[t], stop[t]
        n, m = float(b - a), float(c - b)
        u += 2.0 * n * m
        to_left[b:c] = 0.0
        for i in range(a, b):
            total = 0.0
            row = P[i]
            for j in range(b, c):
                total += row[j]
                to_left[j] += row[j]
            w += 2.0 * total
            if bound:
                w_log += np.log((own[i] + total) / own[i])
            own[i] += total
        for j in range(b, c):
            if bound:
                w_log += np.log((own[j] + to_left[j]) / own[j])
            own[j] += to_left[j]
        v_log += (n + m) * np.log(n + m) - n * np.log(n) - m * np.log(m)
        out[t + 1, 0], out[t + 1, 1], out[t + 1, 2], out[t + 1, 3] = u, w, v_log, w_log


@kernel
def draw_cuts(
    formula: Any, per_draw: bool, labels: Ints, n_clusters: Ints, weights: Array, f: Array, order: Ints, start: Ints,
    middle: Ints, stop: Ints, u: Array, low: int, high: int, out: Array,
) -> None:  # fmt: skip
    """Add, for the draws low..high, weight times w after t merges to out[t], or times the loss where it is per draw.

    The items of the smaller side of a merge join the larger one by one, or label by label where those are fewer.
    """
    N = len(order)
    most = 0
    for m in range(low, high):
        most = max(most, n_clusters[m])
    count = np.empty((N, most), dtype=np.int32)  # of the node whose range begins at i
    own = np.empty(N)
    mine = np.empty(N, dtype=np.int64)
    for m in range(low, high):
        J, weight = n_clusters[m], weights[m]
        for i in range(N):
            for j in range(J):
                count[i, j] = 0
            mine[i] = labels[m, order[i]]
            count[i, mine[i]] = 1
            own[i] = f[1]
        sizes = np.zeros(J, dtype=np.int64)
        for i in range(N):
            sizes[mine[i]] += 1
        v = 0.0
        for j in range(J):
            v += f[sizes[j]]
        w = N * f[1]
        if per_draw:
            out[0] += weight * evaluated(formula, u[0], v, w, f[N], float(N), float(N))
        else:
            out[0] += weight * w
        for t in range(N - 1):
            a, b, c = start[t], middle[t], stop[t]
            small, large, first, last = (b, a, b, c) if c - b <= b - a else (a, b, a, b)
            table, gained = count[large], 0.0
            if last - first <= J:
                for i in range(first, last):
                    n = table[mine[i]]
                    gained += f[n + 1] - f[n]
                    table[mine[i]] = n + 1
            else:
                other = count[small]
                for j in range(J):
                    n = table[j]
                    gained += f[n + other[j]] - f[n]
                    table[j] = n + other[j]
            w += gained - own[small]
            own[a] = own[large] + gained
            if large != a:
                for j in range(J):
                    count[a, j] = table[j]
            if per_draw:
                out[t + 1] += weight * evaluated(formula, u[t + 1], v, w, f[N], float(N), float(N - 1 - t))
            else:
                out[t + 1] += weight * w


@kernel
def pair_sums(
    P: Array, partitions: Ints, n_clusters: Ints, with_itself: bool, bound: bool, low: int, high: int, out: Array
) -> None:
    """out[r] as in `pair_cuts`, of the partitions low..high; O(N^2) each."""
    N = len(P)
    for r in range(low, high):
        labels, K = partitions[r], n_clusters[r]
        sizes = np.zeros(K, dtype=np.int64)
        for i in range(N):
            sizes[labels[i]] += 1
        begin = np.zeros(K + 1, dtype=np.int64)
        for k in range(K):
            begin[k + 1] = begin[k] + sizes[k]
        items, at = np.empty(N, dtype=np.int64), begin[:K].copy()
        for i in range(N):
            items[at[labels[i]]] = i
            at[labels[i]] += 1
        w, w_log = 0.0, 0.0
        for i in range(N):
            row, total = P[i], 0.0
            for s in range(begin[labels[i]], begin[labels[i] + 1]):
                if items[s] != i:
                    total += row[items[s]]
            w += total + row[i] if with_itself else total
            if bound:
                w_log += np.log(total + row[i])
        u, u_log = 0.0, 0.0
        for k in range(K):
            n = float(sizes[k])
            u += n * n if with_itself else n * (n - 1.0)
            u_log += n * np.log(n)
        out[r, 0], out[r, 1], out[r, 2], out[r, 3] = u, w, u_log, w_log
