"""Predictive log densities of a mixture, draw by draw, compiled. Importing this module loads numba."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from partita.arrays import Array, Ints
from partita.kernels.mixture_clusters import Tables, join_weight, rebuild
from partita.kernels.mixture_components import LOG_TWO_PI
from partita.kernels.mixture_linear import PriorArrays, squared_distance

__all__ = ["gaussian_log_density", "student_log_density"]


@njit(cache=True, nogil=True)
def _log_sum(weights: Array, n: int) -> float:
    top = weights[0]
    for a in range(1, n):
        top = max(top, weights[a])
    total = 0.0
    for a in range(n):
        total += math.exp(weights[a] - top)
    return float(top + math.log(total))


@njit(cache=True, nogil=True)
def student_log_density(
    Y: Array,
    alone: Array,
    X: Array,
    labels: Ints,
    alphas: Array,
    prior: PriorArrays,
    tables: Tables,
    low: int,
    high: int,
    out: Array,
) -> None:
    """Fill rows low..high of out: log density of the rows of Y after the items X with a draw's labels and alpha.

    Means and covariances are integrated out; `alone` is each row's log density under the prior.
    """
    N = len(X)
    current = np.empty(N, dtype=np.int64)
    for b in range(low, high):
        K = 0
        for i in range(N):
            current[i] = labels[b, i]
            K = max(K, labels[b, i] + 1)
        clusters = rebuild(X, current, K, prior)
        weights = np.empty(K + 1)
        total = math.log(N + alphas[b])
        for j in range(len(Y)):
            for k in range(K):
                q = squared_distance(Y, j, clusters.centre, clusters.whitener, k)
                n, log_det = clusters.count[k], clusters.log_det[k]
                weights[k] = join_weight(q, n, log_det, prior.kappa, prior.freedom, tables.join)
            weights[K] = math.log(alphas[b]) + alone[j]
            out[b, j] = _log_sum(weights, K + 1) - total


@njit(cache=True, nogil=True)
def gaussian_log_density(
    Y: Array,
    first: Ints,
    log_weight: Array,
    mean: Array,
    whitener: Array,
    log_det: Array,
    low: int,
    high: int,
    out: Array,
) -> None:
    """Fill rows low..high of out: log density of rows of Y under the components first[b]..first[b + 1] of draw b."""
    d = Y.shape[1]
    for b in range(low, high):
        begin, n = first[b], first[b + 1] - first[b]
        weights = np.empty(n)
        for j in range(len(Y)):
            for a in range(n):
                k = begin + a
                q = squared_distance(Y, j, mean, whitener, k)
                weights[a] = log_weight[k] + log_det[k] - 0.5 * (q + d * LOG_TWO_PI)
            out[b, j] = _log_sum(weights, n)
