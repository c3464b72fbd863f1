"""The expected loss of given partitions over draws: by contingency tables, or where clusters are from a list of sets.

Importing this module loads numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated

__all__ = ["score_by_sets", "score_partitions"]


@kernel
def score_partitions(
    formula: Any, per_draw: bool, partitions: Ints, n_parts: Ints, labels: Ints, n_clusters: Ints, weights: Array,
    f: Array, low: int, high: int, out: Array,
) -> None:  # fmt: skip
    """out[r] = what is minimised, of the partitions low..high; O(M (N + K K_b)) each."""
    M, N = labels.shape
    most = 0
    for m in range(M):
        most = max(most, n_clusters[m])
    for r in range(low, high):
        K = n_parts[r]
        own = np.empty(N, dtype=np.int64)
        sizes = np.zeros(K, dtype=np.int64)
        for i in range(N):
            sizes[partitions[r, i]] += 1
            own[i] = partitions[r, i] * most
        u = 0.0
        for k in range(K):
            u += f[sizes[k]]
        table = np.zeros(K * most, dtype=np.int64)
        total, v_mean, w_mean = 0.0, 0.0, 0.0
        for m in range(M):
            J = n_clusters[m]
            for i in range(N):
                table[own[i] + labels[m, i]] += 1
            v, w = 0.0, 0.0
            for j in range(J):
                size = 0
                for k in range(K):
                    n = table[k * most + j]
                    if n > 0:
                        size += n
                        w += f[n]
                        table[k * most + j] = 0
                v += f[size]
            if per_draw:
                total += weights[m] * evaluated(formula, u, v, w, f[N], float(N), float(K))
            else:
                v_mean += weights[m] * v
                w_mean += weights[m] * w
        out[r] = total if per_draw else evaluated(formula, u, v_mean, w_mean, f[N], float(N), float(K))


@kernel
def score_by_sets(
    formula: Any, clusters: Ints, n_clusters: Ints, u: Array, v: Array, added: Array, weights: Array, t: float,
    n: float, low: int, high: int, out: Array,
) -> None:  # fmt: skip
    """out[r] += weights times loss of partition r, for the partitions low..high, over draws.

    `clusters`[r, k] is the set that its cluster k is, and `added`[m, set] what a set adds to w of draw m.
    """
    for m in range(len(weights)):
        row = added[m]
        for r in range(low, high):
            w = 0.0
            for k in range(n_clusters[r]):
                w += row[clusters[r, k]]
            out[r] += weights[m] * evaluated(formula, u[r], v[m], w, t, n, float(n_clusters[r]))
