"""The expected loss of given partitions over draws, by contingency tables. Importing this module loads numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated
from partita.kernels.types import Array, Ints

__all__ = ["score_partitions"]


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
