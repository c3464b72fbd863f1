"""What a step of expectation and maximisation does between its two matrix products, compiled. Importing this module
loads numba.

By array operations these are some fifty passes, which take fifty times as long as the products for a hundred items, and
three times for two thousand.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from partita.arrays import Array

__all__ = ["expectation", "maximised_axes", "maximised_full", "tails_told"]

# Items whose responsibilities are finished while they are in the cache.
BLOCK = 256


@njit(cache=True, nogil=True, error_model="numpy")
def expectation(
    squared: Array,
    log_scales: Array,
    freedom: float,
    d: int,
    added: Array,
    weights: Array,
    least: float,
    R: Array,
    held: Array,
    n: Array,
) -> float:
    """Write responsibilities and what the M-step sums; return the weighted log-likelihood.

    Parameters
    ----------
    squared : M x N
        Squared Mahalanobis distances.
    log_scales : M
        Logarithms of the densities at the means, times the shares; with v + d halves of log v of Student ones.
    freedom : float
        Infinite for Gaussian components.
    d : int
        Number of dimensions.
    added : M x N
        Added to the log-joint; or without elements.
    weights : N
    least : float
        Responsibilities below exp(least) of an item's largest are zero.
    R, held : M x N
        Filled with responsibilities, and with these times weights and, of Student distributions, (v + d) / (v +
        squared).
    n : M
        Filled with sums of responsibilities times weights.
    """
    M, N = squared.shape
    gaussian = math.isinf(freedom)
    half = 0.5 if gaussian else 0.5 * (freedom + d)
    more = added.size > 0
    top, total = np.empty(BLOCK), np.empty(BLOCK)
    log_likelihood = 0.0
    n[:] = 0.0
    for low in range(0, N, BLOCK):
        size = min(BLOCK, N - low)
        top[:] = -np.inf
        total[:] = 0.0
        for m in range(M):
            row, far, log_scale = R[m, low : low + size], squared[m, low : low + size], log_scales[m]
            for b in range(size):
                row[b] = log_scale - half * (far[b] if gaussian else math.log(far[b] + freedom))
            if more:
                for b in range(size):
                    row[b] += added[m, low + b]
            for b in range(size):
                top[b] = max(top[b], row[b])
        for m in range(M):
            row = R[m, low : low + size]
            for b in range(size):
                less = row[b] - top[b]
                row[b] = math.exp(less) if less >= least else 0.0
                total[b] += row[b]
        for b in range(size):
            log_likelihood += weights[low + b] * (top[b] + math.log(total[b]))
            total[b] = 1.0 / total[b]
        for m in range(M):
            row, far, kept = R[m, low : low + size], squared[m, low : low + size], held[m, low : low + size]
            for b in range(size):
                row[b] *= total[b]
                kept[b] = row[b] * weights[low + b]
                n[m] += kept[b]
            if not gaussian:
                for b in range(size):
                    kept[b] *= (freedom + d) / (freedom + far[b])
    return log_likelihood


@njit(cache=True, nogil=True, error_model="numpy")
def tails_told(
    R: Array, weights: Array, squared: Array, freedom: float, d: int, least: float
) -> tuple[float, float, float]:
    """Return the sum of w r (log u - u), u = (v + d) / (v + squared), over responsibilities r above `least` and their
    weights w; its derivative by v; and the sum of w r.
    """
    M, N = R.shape
    told = rise = total = 0.0
    for m in range(M):
        for i in range(N):
            if R[m, i] > least:
                r = R[m, i] * weights[i]
                within = freedom + squared[m, i]
                u = (freedom + d) / within
                told += r * (math.log(u) - u)
                rise += r * ((squared[m, i] - d) / within) ** 2
                total += r
    return told, rise / (freedom + d), total


@njit(cache=True, nogil=True, error_model="numpy")
def maximised_full(
    sums: Array, divisors: Array, little: float, pseudo: float, ridge: Array, means: Array, U: Array, C: Array
) -> bool:
    """Write means, whiteners and coefficients of squared distances of components with covariances of their own.

    Parameters
    ----------
    sums : M x p
        Of monomials x_i x_j (i <= j), x_i and 1, times what `expectation` holds.
    divisors : M
        Of the scatter matrices.
    little : float
        Added to what a mean is divided by.
    pseudo : float
        Times the identity, added to each scatter matrix.
    ridge : d x d
        Added to each covariance.
    means, U, C : M x d, M x d x d, M x p
        U U^T is the inverse covariance, U upper triangular.

    Returns
    -------
    bool
        Whether all covariances are positive definite.
    """
    M, d = means.shape
    first = d * (d + 1) // 2
    L = np.zeros((d, d))
    for m in range(M):
        count = sums[m, first + d]
        mean = means[m]
        for i in range(d):
            mean[i] = sums[m, first + i] / (count + little)
        at = 0
        for i in range(d):
            for j in range(i, d):
                outer = mean[i] * sums[m, first + j] + sums[m, first + i] * mean[j] - count * mean[i] * mean[j]
                scatter = sums[m, at] - outer + (pseudo if i == j else 0.0)
                L[j, i] = scatter / divisors[m] + ridge[i, j]
                at += 1
        for j in range(d):  # Cholesky's factor in the place of the covariance
            for k in range(j):
                L[j, j] -= L[j, k] * L[j, k]
            if not L[j, j] > 0.0:
                return False
            L[j, j] = math.sqrt(L[j, j])
            for i in range(j + 1, d):
                for k in range(j):
                    L[i, j] -= L[i, k] * L[j, k]
                L[i, j] /= L[j, j]
        for j in range(d):  # the transpose of its inverse
            U[m, j, j] = 1.0 / L[j, j]
            for i in range(j + 1, d):
                t = 0.0
                for k in range(j, i):
                    t -= L[i, k] * U[m, j, k]
                U[m, j, i] = t / L[i, i]
                U[m, i, j] = 0.0
        at = 0
        C[m, first:] = 0.0
        for i in range(d):
            for j in range(i, d):
                inverse = 0.0
                for k in range(j, d):
                    inverse += U[m, i, k] * U[m, j, k]
                C[m, at] = inverse if i == j else 2.0 * inverse
                C[m, first + i] -= 2.0 * inverse * mean[j]
                if i != j:
                    C[m, first + j] -= 2.0 * inverse * mean[i]
                at += 1
        for i in range(d):
            C[m, first + d] -= 0.5 * C[m, first + i] * mean[i]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def maximised_axes(
    sums: Array, divisors: Array, little: float, pseudo: float, ridge: Array, means: Array, U: Array, C: Array
) -> None:
    """Write means, whiteners (M x d) and coefficients of squared distances of components along the axes.

    Parameters
    ----------
    sums, C : M x p
        Of monomials x_i^2, x_i and 1, or of the sum of the x_i^2, x_i and 1 where all axes are alike (p = d + 2).
    divisors : M
        Of the sums of squares.
    little : float
        Added to what a mean is divided by.
    pseudo : float
        Added to each sum of squares.
    ridge : d
        Added to each variance.
    means, U : M x d
    """
    M, d = means.shape
    first = sums.shape[1] - d - 1
    alike = first < d
    for m in range(M):
        count, of_all = sums[m, first + d], sums[m, 0]
        for i in range(d):
            s = sums[m, first + i]
            mean = s / (count + little)
            inner = count * mean * mean - 2.0 * mean * s + pseudo
            of_all += inner
            means[m, i] = mean
            U[m, i] = sums[m, i] + inner
        C[m, 0] = C[m, first + d] = 0.0
        for i in range(d):
            # What rounding leaves of a component of equal items is no variance.
            squares = max(of_all / d if alike else U[m, i], 0.0)
            inverse = 1.0 / (squares / divisors[m] + ridge[i])
            U[m, i] = math.sqrt(inverse)
            C[m, 0 if alike else i] = inverse
            C[m, first + i] = -2.0 * inverse * means[m, i]
            C[m, first + d] += inverse * means[m, i] * means[m, i]
