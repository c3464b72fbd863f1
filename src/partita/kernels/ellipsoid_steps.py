"""What a step of expectation and maximisation does between its two matrix products, compiled. Importing this module
loads numba.

By array operations these are some fifty passes, which take fifty times as long as the products for a hundred items, and
three times for two thousand. Logarithms and exponentials are numpy's, which take several numbers at a time.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from partita.arrays import Array

__all__ = ["expectation", "maximised_axes", "maximised_full", "telling"]


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
    far = squared
    if not math.isinf(freedom):
        far = np.log(np.add(squared, freedom, out=held), out=held)
    top = _below_the_top(far, log_scales, freedom, d, added, R)
    np.exp(R, out=R)
    log_likelihood = _shared(squared, freedom, d, weights, math.exp(least), top, R, held)
    np.dot(R, weights, out=n)
    return log_likelihood


@njit(cache=True, nogil=True, error_model="numpy")
def _below_the_top(far: Array, log_scales: Array, freedom: float, d: int, added: Array, R: Array) -> Array:
    """Write the log-joint less each item's largest, by squared distances or by log(v + these); return the largest."""
    M, N = R.shape
    half = 0.5 if math.isinf(freedom) else 0.5 * (freedom + d)
    top = np.full(N, -np.inf)
    for m in range(M):
        for i in range(N):
            R[m, i] = log_scales[m] - half * far[m, i]
        if added.size > 0:
            for i in range(N):
                R[m, i] += added[m, i]
        for i in range(N):
            top[i] = max(top[i], R[m, i])
    for m in range(M):
        for i in range(N):
            R[m, i] -= top[i]
    return top


@njit(cache=True, nogil=True, error_model="numpy")
def _shared(
    squared: Array, freedom: float, d: int, weights: Array, least: float, top: Array, R: Array, held: Array
) -> float:
    """Divide densities, as shares of an item's largest, by their sum; return the log-likelihood."""
    M, N = R.shape
    total = np.zeros(N)
    log_likelihood = 0.0
    for m in range(M):
        for i in range(N):
            R[m, i] = R[m, i] if R[m, i] >= least else 0.0
            total[i] += R[m, i]
    for i in range(N):
        log_likelihood += weights[i] * (top[i] + math.log(total[i]))
        total[i] = 1.0 / total[i]
    for m in range(M):
        for i in range(N):
            R[m, i] *= total[i]
            held[m, i] = R[m, i] * weights[i]
        if not math.isinf(freedom):
            for i in range(N):
                held[m, i] *= (freedom + d) / (freedom + squared[m, i])
    return log_likelihood


@njit(cache=True, nogil=True, error_model="numpy")
def telling(R: Array, weights: Array, squared: Array, least: float) -> tuple[Array, Array]:
    """Return responsibilities above `least` times weights, and the squared distances that they belong to."""
    M, N = R.shape
    held, far = np.empty(M * N), np.empty(M * N)
    count = 0
    for m in range(M):
        for i in range(N):
            held[count] = R[m, i] * weights[i]
            far[count] = squared[m, i]
            count += R[m, i] > least
    return held[:count], far[:count]


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
