"""The expected loss of partitions whose clusters are taken from a list of sets. Importing this module loads numba."""

from __future__ import annotations

from typing import Any

from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import evaluated
from partita.kernels.types import Array, Ints

__all__ = ["score_by_sets"]


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
