"""Small dense matrices and random parameters of Gaussian components, compiled. Importing this module loads numba.

Everything triangular is upper triangular: S = R R^T, and the whitener V = R^{-1} has V^T V = S^{-1}, so that a squared
Mahalanobis distance is ||V (x - mean)||^2: d^2 / 2 multiplications, never negative. A precision matrix distributed as
Wishart(nu, S^{-1}) is G^T G with G = A^T V, A lower triangular with the square roots of chi-squared variables on its
diagonal and standard normals below [bartlett1933]: G is a whitener at once.

[bartlett1933] M. S. Bartlett, On the theory of statistical regression, Proc. Royal Society of Edinburgh 53 (1933).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from partita.arrays import Array, Rng

__all__ = [
    "PriorArrays",
    "draw_from_prior",
    "draw_given_items",
    "invert_upper",
    "squared_distance",
    "upper_cholesky",
    "weighted_choice",
]

# A log weight so far below the largest has a probability that one draw in 10^17 would notice.
NEGLIGIBLE = -40.0


class PriorArrays(NamedTuple):
    """A prior over a component's mean and covariance, in the units that the kernels work in.

    Sigma ~ inverse-Wishart(freedom, scale); mean | Sigma ~ N(centre, Sigma / kappa) if `conjugate`, else
    N(centre, spread^{-1}) whatever Sigma. `whitener` is the V of scale, `spread_root` the R of spread.
    """

    conjugate: bool
    centre: Array  # d
    kappa: float
    freedom: float
    scale: Array  # d x d
    whitener: Array  # d x d
    log_det: float  # of scale
    spread: Array  # d x d, the precision of the mean
    spread_root: Array  # d x d


@njit(cache=True, nogil=True)
def upper_cholesky(S: Array, R: Array) -> bool:
    """Return R upper triangular with R R^T = S; False where S is not positive definite. Only the upper half is read."""
    d = S.shape[0]
    for j in range(d - 1, -1, -1):
        t = S[j, j]
        for k in range(j + 1, d):
            t -= R[j, k] * R[j, k]
        if not t > 0.0:
            return False
        pivot = math.sqrt(t)
        R[j, j] = pivot
        for i in range(j):
            t = S[i, j]
            for k in range(j + 1, d):
                t -= R[i, k] * R[j, k]
            R[i, j] = t / pivot
    return True


@njit(cache=True, nogil=True)
def invert_upper(R: Array, V: Array) -> None:
    """The upper triangle of V is that of R^{-1}."""
    d = R.shape[0]
    for j in range(d):
        V[j, j] = 1.0 / R[j, j]
        for i in range(j - 1, -1, -1):
            t = 0.0
            for k in range(i + 1, j + 1):
                t -= R[i, k] * V[k, j]
            V[i, j] = t / R[i, i]


@njit(cache=True, nogil=True)
def squared_distance(X: Array, i: int, mean: Array, V: Array, k: int) -> float:
    """Return ||V_k (x_i - mean_k)||^2."""
    d = X.shape[1]
    total = 0.0
    for a in range(d):
        t = 0.0
        for b in range(a, d):
            t += V[k, a, b] * (X[i, b] - mean[k, b])
        total += t * t
    return total


@njit(cache=True, nogil=True)
def weighted_choice(weights: Array, n: int, rng: Rng) -> int:
    """Return an index below n with probability proportional to exp(weights), which are overwritten."""
    top = weights[0]
    for a in range(1, n):
        top = max(top, weights[a])
    total = 0.0
    for a in range(n):
        lower = weights[a] - top
        if lower > NEGLIGIBLE:
            total += math.exp(lower)
        weights[a] = total
    u = rng.random() * total
    for a in range(n - 1):
        if u < weights[a]:
            return a
    return n - 1


@njit(cache=True, nogil=True)
def _draw_whitener(freedom: float, V: Array, G: Array, k: int, rng: Rng) -> float:
    """G_k with G_k^T G_k ~ Wishart(freedom, V^T V) [bartlett1933]; the logarithm of its determinant."""
    d = V.shape[0]
    A = np.empty((d, d))
    log_det = 0.0
    for j in range(d):
        A[j, j] = math.sqrt(2.0 * rng.standard_gamma(0.5 * (freedom - j)))
        for i in range(j + 1, d):
            A[i, j] = rng.standard_normal()
    for i in range(d):
        for j in range(i, d):
            t = 0.0
            for m in range(i, j + 1):
                t += A[m, i] * V[m, j]
            G[k, i, j] = t
        log_det += math.log(G[k, i, i])
    return log_det


@njit(cache=True, nogil=True)
def _draw_about(centre: Array, G: Array, k: int, kappa: float, mean: Array, rng: Rng) -> None:
    """mean_k ~ N(centre, (kappa G_k^T G_k)^{-1})."""
    d = len(centre)
    z = np.empty(d)
    for j in range(d - 1, -1, -1):
        t = rng.standard_normal() / math.sqrt(kappa)
        for b in range(j + 1, d):
            t -= G[k, j, b] * z[b]
        z[j] = t / G[k, j, j]
    for j in range(d):
        mean[k, j] = centre[j] + z[j]


@njit(cache=True, nogil=True)
def _draw_by_precision(R: Array, target: Array, mean: Array, k: int, rng: Rng) -> None:
    """mean_k ~ N(P^{-1} target, P^{-1}) with P = R R^T."""
    d = len(target)
    w = np.empty(d)
    for j in range(d - 1, -1, -1):  # R w = target
        t = target[j]
        for b in range(j + 1, d):
            t -= R[j, b] * w[b]
        w[j] = t / R[j, j]
    for j in range(d):  # R^T y = w + noise
        t = w[j] + rng.standard_normal()
        for b in range(j):
            t -= R[b, j] * mean[k, b]
        mean[k, j] = t / R[j, j]


@njit(cache=True, nogil=True)
def draw_from_prior(prior: PriorArrays, mean: Array, G: Array, k: int, rng: Rng) -> float:
    """Return the mean and whitener of component k from the prior; log |G_k|."""
    log_det = _draw_whitener(prior.freedom, prior.whitener, G, k, rng)
    if prior.conjugate:
        _draw_about(prior.centre, G, k, prior.kappa, mean, rng)
    else:
        d = len(prior.centre)
        target = np.empty(d)
        for i in range(d):
            target[i] = 0.0
            for j in range(d):
                target[i] += prior.spread[i, j] * prior.centre[j]
        _draw_by_precision(prior.spread_root, target, mean, k, rng)
    return log_det


@njit(cache=True, nogil=True)
def draw_given_items(
    prior: PriorArrays, n: int, average: Array, scatter: Array, mean: Array, G: Array, k: int, rng: Rng
) -> float:
    """Return the mean and whitener of component k given its n items, of which average and scatter about it are
    known; log |G_k|.

    Conjugate: one draw from the posterior. Else covariance given the mean that the component has, then mean given
    covariance. Row k of average and scatter is read; only the upper half of scatter.
    """
    d = len(prior.centre)
    S, R, V = np.empty((d, d)), np.empty((d, d)), np.empty((d, d))
    centre = np.empty(d)
    weight = n * prior.kappa / (n + prior.kappa) if prior.conjugate else float(n)
    for i in range(d):
        centre[i] = average[k, i] - (prior.centre[i] if prior.conjugate else mean[k, i])
    for i in range(d):
        for j in range(i, d):
            S[i, j] = prior.scale[i, j] + scatter[k, i, j] + weight * centre[i] * centre[j]
    upper_cholesky(S, R)
    invert_upper(R, V)
    log_det = _draw_whitener(prior.freedom + n, V, G, k, rng)
    if prior.conjugate:
        for i in range(d):
            centre[i] = prior.centre[i] + n / (n + prior.kappa) * centre[i]
        _draw_about(centre, G, k, prior.kappa + n, mean, rng)
        return log_det
    for i in range(d):
        for j in range(i, d):
            t = 0.0
            for m in range(i + 1):
                t += G[k, m, i] * G[k, m, j]
            V[i, j] = V[j, i] = n * t
    for i in range(d):
        t = 0.0
        for j in range(d):
            t += prior.spread[i, j] * prior.centre[j] + V[i, j] * average[k, j]
        centre[i] = t
    for i in range(d):
        for j in range(i, d):
            S[i, j] = prior.spread[i, j] + V[i, j]
    upper_cholesky(S, R)
    _draw_by_precision(R, centre, mean, k, rng)
    return log_det
