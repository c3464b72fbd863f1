"""Parts that all mixture samplers share: concentration, prior probability, numbering. Loads numba.

The Chinese restaurant process gives a partition of N items with cluster sizes n_1..n_K the probability
alpha^K Gamma(alpha) / Gamma(alpha + N) prod_k Gamma(n_k)  [bayes-nmf eq. (2)].

[escobar1995] M. D. Escobar, M. West, Bayesian density estimation and inference using mixtures, JASA 90 (1995).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng

__all__ = ["draw_concentration", "log_probability", "n_labels", "numbered", "sums_by_cluster"]

# Below the least Beta variable that matters, and above zero, where a logarithm ends.
LEAST = 1e-300


@njit(cache=True, nogil=True)
def draw_concentration(alpha: float, K: int, n_items: int, shape: float, rate: float, rng: Rng) -> float:
    """Return the concentration given K clusters under a Gamma(shape, rate) prior, by an auxiliary variable
    [escobar1995].

    A shape of zero says that alpha is fixed.
    """
    if shape == 0.0:
        return alpha
    eta = rng.beta(alpha + 1.0, float(n_items))
    rate = rate - math.log(max(eta, LEAST))
    odds = (shape + K - 1.0) / (n_items * rate)
    more = 0.0 if rng.random() * (1.0 + odds) < odds else 1.0
    return float(max(rng.standard_gamma(shape + K - more) / rate, LEAST))


@njit(cache=True, nogil=True)
def n_labels(labels: Ints) -> int:
    """Return one more than the largest label."""
    top = -1
    for i in range(len(labels)):
        top = max(top, labels[i])
    return top + 1


@njit(cache=True, nogil=True)
def log_probability(sizes: Ints, K: int, n_items: int, alpha: float) -> float:
    """Return the logarithm of the prior probability of a partition with these sizes."""
    total = K * math.log(alpha) + math.lgamma(alpha) - math.lgamma(alpha + n_items)
    for k in range(K):
        total += math.lgamma(sizes[k])
    return total


@njit(cache=True, nogil=True)
def numbered(labels: Ints, place: Ints, out: Ints) -> int:
    """Return labels numbered by first appearance: equal partitions become equal rows. `place` holds one entry a label.

    Returns the number of clusters.
    """
    for k in range(len(place)):
        place[k] = -1
    K = 0
    for i in range(len(labels)):
        k = labels[i]
        if place[k] < 0:
            place[k] = K
            K += 1
        out[i] = place[k]
    return K


@njit(cache=True, nogil=True)
def sums_by_cluster(X: Array, labels: Ints, K: int, count: Ints, average: Array, scatter: Array) -> None:
    """Fill size, average and scatter about it (upper half) of clusters 0..K-1: two passes, so that nothing cancels."""
    d = X.shape[1]
    for k in range(K):
        count[k] = 0
        for a in range(d):
            average[k, a] = 0.0
            for b in range(a, d):
                scatter[k, a, b] = 0.0
    for i in range(len(labels)):
        k = labels[i]
        count[k] += 1
        for a in range(d):
            average[k, a] += X[i, a]
    for k in range(K):
        if count[k] > 0:
            for a in range(d):
                average[k, a] /= count[k]
    z = np.empty(d)
    for i in range(len(labels)):
        k = labels[i]
        for a in range(d):
            z[a] = X[i, a] - average[k, a]
        for a in range(d):
            for b in range(a, d):
                scatter[k, a, b] += z[a] * z[b]
