"""Clusters of Gaussian items with mean and covariance integrated out, as items come and go. Loads numba.

Under the conjugate normal-inverse-Wishart prior a cluster of n items has kappa = kappa_0 + n, nu = nu_0 + n, a centre m
and a scale S, and its next item a Student density [murphy2007, section 9]. With q = (x - m)^T S^{-1} (x - m):

    join   log p(x | cluster)      = t(n)   - log|S| / 2 - (nu + 1) / 2 log(1 + kappa q / (kappa + 1))
    leave  log p(x | others)      = t(n-1) - log|S| / 2 + (nu - 1) / 2 log(1 - kappa q / (kappa - 1))

so one distance tells both, and nothing is changed for an item that stays. S itself is kept and changed by a rank-one
term when an item moves; its Cholesky factor is made anew from it then (d^3 / 3, and moves are few once a chain has
settled). `rebuild` makes all of it anew from the items, which the sweeps do regularly and where a factor fails.

[murphy2007] K. Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from partita.arrays import Array, Ints
from partita.kernels.mixture_linear import PriorArrays
from partita.kernels.mixture_partition import sums_by_cluster

__all__ = [
    "Clusters",
    "Tables",
    "add",
    "copied",
    "doubled",
    "empty_clusters",
    "factorize",
    "join_weight",
    "log_marginal",
    "rebuild",
    "refill",
    "remove",
    "stay_weight",
]

# 1 - kappa q / (kappa - 1) is the ratio of two determinants: rounding alone takes it below this.
LEAST_RATIO = 1e-14
# A product of pivots is kept between this and its inverse, and its logarithm taken once.
LEAST_VOLUME = 1e-100


class Clusters(NamedTuple):
    """Slots, each the posterior of a cluster's mean and covariance.

    Rows are copied in loops: assigning slices takes numba seconds to compile.
    """

    count: Any  # C whole numbers; a tuple has a method of that name
    centre: Array  # C x d: m
    scale: Array  # C x d x d: S, upper half
    whitener: Array  # C x d x d: of S, upper half
    log_det: Array  # C: log |S|


class Tables(NamedTuple):
    """Terms that depend on the size of a cluster alone, n = 0..N."""

    join: Array  # t(n) + log n
    marginal: Array  # log p(items) + nu/2 log |S|


@njit(cache=True, nogil=True)
def empty_clusters(capacity: int, d: int) -> Any:
    """Return slots without anything in them."""
    return Clusters(
        np.zeros(capacity, dtype=np.int64),
        np.zeros((capacity, d)),
        np.zeros((capacity, d, d)),
        np.zeros((capacity, d, d)),
        np.zeros(capacity),
    )


@njit(cache=True, nogil=True)
def copied(source: Clusters, k: int, target: Clusters, t: int) -> None:
    """Slot t of target becomes slot k of source."""
    target.count[t] = source.count[k]
    target.log_det[t] = source.log_det[k]
    d = source.centre.shape[1]
    for a in range(d):
        target.centre[t, a] = source.centre[k, a]
        for b in range(a, d):
            target.scale[t, a, b] = source.scale[k, a, b]
            target.whitener[t, a, b] = source.whitener[k, a, b]


@njit(cache=True, nogil=True)
def doubled(old: Clusters) -> Any:
    """Copy the clusters into twice as many slots."""
    C, d = old.centre.shape
    new = empty_clusters(2 * C, d)
    for k in range(C):
        copied(old, k, new, k)
    return new


@njit(cache=True, nogil=True)
def factorize(clusters: Clusters, k: int) -> bool:
    """Return the whitener and log determinant of slot k from its scale; False where it is not positive definite.

    In place: the whitener's own room holds the factor first, then its inverse.
    """
    S, V = clusters.scale, clusters.whitener
    d = V.shape[1]
    volume, total = 1.0, 0.0
    for j in range(d - 1, -1, -1):
        t = S[k, j, j]
        for m in range(j + 1, d):
            t -= V[k, j, m] * V[k, j, m]
        if not t > 0.0:
            return False
        volume *= t
        if not LEAST_VOLUME < volume < 1.0 / LEAST_VOLUME:
            total += math.log(volume)
            volume = 1.0
        pivot = math.sqrt(t)
        V[k, j, j] = pivot
        for i in range(j):
            t = S[k, i, j]
            for m in range(j + 1, d):
                t -= V[k, i, m] * V[k, j, m]
            V[k, i, j] = t / pivot
    for j in range(d):
        inverse = 1.0 / V[k, j, j]
        V[k, j, j] = inverse
        for i in range(j):
            t = 0.0
            for m in range(i, j):
                t += V[k, i, m] * V[k, m, j]
            V[k, i, j] = -t * inverse
    clusters.log_det[k] = total + math.log(volume)
    return True


@njit(cache=True, nogil=True)
def refill(X: Array, labels: Ints, clusters: Clusters, k: int, prior: PriorArrays) -> None:
    """Fill slot k from its items, whatever it held."""
    clear(clusters, k, prior)
    for i in range(len(labels)):
        if labels[i] == k:
            add(X, i, clusters, k, prior)
    factorize(clusters, k)


@njit(cache=True, nogil=True)
def clear(clusters: Clusters, k: int, prior: PriorArrays) -> None:
    """Fill slot k with the prior, which is a cluster without items."""
    clusters.count[k] = 0
    d = len(prior.centre)
    for a in range(d):
        clusters.centre[k, a] = prior.centre[a]
        for b in range(a, d):
            clusters.scale[k, a, b] = prior.scale[a, b]


@njit(cache=True, nogil=True)
def add(X: Array, i: int, clusters: Clusters, k: int, prior: PriorArrays) -> None:
    """Item i joins slot k, which is not factorized yet."""
    d = X.shape[1]
    kappa = prior.kappa + clusters.count[k]
    c = kappa / (kappa + 1.0)
    S, m = clusters.scale, clusters.centre
    for a in range(d):
        z = c * (X[i, a] - m[k, a])
        for b in range(a, d):
            S[k, a, b] += z * (X[i, b] - m[k, b])
    for a in range(d):
        m[k, a] += (X[i, a] - m[k, a]) / (kappa + 1.0)
    clusters.count[k] += 1


@njit(cache=True, nogil=True)
def remove(X: Array, i: int, clusters: Clusters, k: int, prior: PriorArrays) -> None:
    """Item i leaves slot k, which keeps others and is not factorized yet."""
    d = X.shape[1]
    kappa = prior.kappa + clusters.count[k]
    c = kappa / (kappa - 1.0)
    S, m = clusters.scale, clusters.centre
    for a in range(d):
        z = c * (X[i, a] - m[k, a])
        for b in range(a, d):
            S[k, a, b] -= z * (X[i, b] - m[k, b])
    for a in range(d):
        m[k, a] -= (X[i, a] - m[k, a]) / (kappa - 1.0)
    clusters.count[k] -= 1


@njit(cache=True, nogil=True)
def rebuild(X: Array, labels: Ints, K: int, prior: PriorArrays) -> Any:
    """Return clusters 0..K-1 of these labels, with room for more."""
    d = X.shape[1]
    clusters = empty_clusters(max(2 * K, 16), d)
    average, scatter = np.empty((K, d)), np.empty((K, d, d))
    sums_by_cluster(X, labels, K, clusters.count, average, scatter)
    for k in range(K):
        n = clusters.count[k]
        weight = prior.kappa * n / (prior.kappa + n)
        for a in range(d):
            away = average[k, a] - prior.centre[a]
            for b in range(a, d):
                also = average[k, b] - prior.centre[b]
                clusters.scale[k, a, b] = prior.scale[a, b] + scatter[k, a, b] + weight * away * also
            clusters.centre[k, a] = prior.centre[a] + n / (prior.kappa + n) * away
        factorize(clusters, k)
    return clusters


@njit(cache=True, nogil=True)
def join_weight(q: float, n: int, log_det: float, kappa: float, freedom: float, join: Array) -> float:
    """Return the logarithm of n times the density of an item at squared distance q from a cluster of n that it is
    not in.

    kappa and freedom are the prior's. Numbers, not clusters: this is asked N K times a sweep.
    """
    ratio = 1.0 + (kappa + n) / (kappa + n + 1.0) * q
    return float(join[n] - 0.5 * log_det - 0.5 * (freedom + n + 1.0) * math.log(ratio))


@njit(cache=True, nogil=True)
def stay_weight(q: float, n: int, log_det: float, kappa: float, freedom: float, join: Array) -> float:
    """Return the logarithm of n - 1 times the density of an item given the others of its cluster of n >= 2."""
    ratio = max(1.0 - (kappa + n) / (kappa + n - 1.0) * q, LEAST_RATIO)
    return float(join[n - 1] - 0.5 * log_det + 0.5 * (freedom + n - 1.0) * math.log(ratio))


@njit(cache=True, nogil=True)
def log_marginal(clusters: Clusters, k: int, prior: PriorArrays, tables: Tables) -> float:
    """Return the logarithm of the joint density of the items in slot k."""
    n = clusters.count[k]
    return float(tables.marginal[n] - 0.5 * (prior.freedom + n) * clusters.log_det[k])
