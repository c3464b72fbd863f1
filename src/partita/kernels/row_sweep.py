"""Sweeps of row-wise block coordinate descent, compiled. Importing this module loads numba.

With the other rows fixed and a scale a, the objective of row y of item i, over 2 d_i, is

    y^T Q y - 2 y^T b + omega_ii (d_i / 2) (P_ii - y^T A y)^2,
    Q = A (rest (G - d_i w_i w_i^T) + sum over listed j != i of (omega_ij - rest) d_j w_j w_j^T) A,
    b = A (Y_i - d_i omega_ii P_ii w_i)

with omega the weights of the pairs listed, `rest` that of the others and Y the product with omega o P.

The last term, the item's own diagonal entry, is a quartic that is not convex. Its second derivative at w_i without what
is negative in it, omega d (max(w^T A w - P_ii, 0) A + 2 A w w^T A), is added to Q; the convex quadratic with the row's
own gradient is minimised over the simplex exactly, by an active set that starts from the entries the row has; and the
row goes there, or half the way and half again until its own quartic fell. A row that does not move is stationary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints

__all__ = ["minimise_on_simplex", "sweep_block", "sweep_csr"]

# A proximal term of this share of the largest curvature makes singular rows solvable; it moves no stationary point.
PROXIMAL = 1e-11
# A multiplier is negative when it is so by more than rounding of the terms it is the difference of.
ROUNDING = 1e-14
# Changes of the active set of one row, a multiple of K; a row that needs more keeps what it has.
ROUNDS = 10
# Least decrease of the row's objective that is accepted, as a share of what its slope promises; halvings tried.
ARMIJO = 1e-4
HALVINGS = 30


@njit(cache=True, nogil=True)
def _minimise_on_face(M: Array, b: Array, face: Ints, size: int, L: Array, u: Array, v: Array) -> None:
    """Into u[:size], the minimiser of y^T M y - 2 y^T b with sum(y) = 1 over the entries in `face`, by Cholesky."""
    for r in range(size):
        for c in range(r + 1):
            s = M[face[r], face[c]]
            for k in range(c):
                s -= L[r, k] * L[c, k]
            L[r, c] = s / L[c, c] if r != c else np.sqrt(max(s, 1e-300))
    for r in range(size):
        x, y = b[face[r]], 1.0
        for k in range(r):
            x -= L[r, k] * u[k]
            y -= L[r, k] * v[k]
        u[r], v[r] = x / L[r, r], y / L[r, r]
    total_u, total_v = 0.0, 0.0
    for r in range(size - 1, -1, -1):
        for k in range(r + 1, size):
            u[r] -= L[k, r] * u[k]
            v[r] -= L[k, r] * v[k]
        u[r] /= L[r, r]
        v[r] /= L[r, r]
        total_u += u[r]
        total_v += v[r]
    level = (total_u - 1.0) / total_v  # the multiplier of the sum
    for r in range(size):
        u[r] -= level * v[r]


@njit(cache=True, nogil=True)
def minimise_on_simplex(M: Array, b: Array, y: Array) -> None:
    """Minimise y^T M y - 2 y^T b over the simplex from a feasible y, in place; M positive definite.

    Primal active set: go to the minimiser of the current face, or as far as a first entry reaches zero and leaves;
    there, take in the entry with the most negative multiplier.
    """
    K = len(y)
    inside, face = y > 0.0, np.empty(K, dtype=np.intp)
    L, u, v = np.empty((K, K)), np.empty(K), np.empty(K)
    added = -1
    for _ in range(ROUNDS * K):
        size = 0
        for k in range(K):
            if inside[k]:
                face[size] = k
                size += 1
        _minimise_on_face(M, b, face, size, L, u, v)
        t, blocking = 1.0, -1
        for r in range(size):
            k = face[r]
            if u[r] < 0.0 and y[k] < t * (y[k] - u[r]):
                t, blocking = y[k] / (y[k] - u[r]), k
        for r in range(size):
            k = face[r]
            y[k] = max(y[k] + t * (u[r] - y[k]), 0.0)
        if blocking >= 0:
            y[blocking] = 0.0
            inside[blocking] = False
            if blocking == added and t == 0.0:
                break  # its multiplier was rounding
            continue
        level, largest = 0.0, 0.0
        for k in range(K):
            s = 0.0
            for r in range(size):
                s += M[k, face[r]] * y[face[r]]
            v[k] = s - b[k]
            largest = max(largest, abs(s), abs(b[k]))
            if inside[k]:
                level += v[k] / size
        added, worst = -1, level - ROUNDING * largest
        for k in range(K):
            if not inside[k] and v[k] < worst:
                added, worst = k, v[k]
        if added < 0:
            break
        inside[added] = True
    total = y.sum()
    for k in range(K):
        y[k] /= total


@njit(cache=True, nogil=True)
def _row_step(
    i: int, p: float, own: float, a: Array, d: Array, W: Array, y_i: Array, G: Array, listed: Ints, excess: Array,
    bounds: Ints, rest: float,
) -> Any:  # fmt: skip
    """Move row i of W, and G with it; d_i times its change.

    `p` is P_ii and `own` its weight; listed[bounds[i] : bounds[i + 1]] are the items whose pair with item i counts
    `excess` more than the `rest`.
    """
    K = W.shape[1]
    w = W[i].copy()
    Q, M = np.empty((K, K)), np.empty((K, K))
    b, slope, y = np.empty(K), np.empty(K), w.copy()
    h, trace = 0.0, 0.0
    for k in range(K):
        h += a[k] * w[k] * w[k]
        for m in range(K):
            Q[k, m] = rest * (G[k, m] - d[i] * w[k] * w[m])
    for s in range(bounds[i], bounds[i + 1]):
        j = listed[s]
        if j != i:
            for k in range(K):
                for m in range(K):
                    Q[k, m] += excess[s] * d[j] * W[j, k] * W[j, m]
    bent = own * d[i]
    convex = bent * max(h - p, 0.0)
    for k in range(K):
        slope[k] = -a[k] * (y_i[k] - bent * p * w[k])
        for m in range(K):
            Q[k, m] *= a[k] * a[m]
            slope[k] += Q[k, m] * w[m]
            M[k, m] = Q[k, m] + 2.0 * bent * a[k] * w[k] * a[m] * w[m]
        M[k, k] += convex * a[k]
        trace = max(trace, M[k, k])
    if trace <= 0.0:
        return np.zeros(K)
    flat = 0.0  # slope of the quadratic alone, along the step
    for k in range(K):
        M[k, k] += PROXIMAL * trace
    for k in range(K):
        b[k] = -slope[k] - bent * (h - p) * a[k] * w[k]
        for m in range(K):
            b[k] += M[k, m] * w[m]
    minimise_on_simplex(M, b, y)
    bend, cross, square = 0.0, 0.0, 0.0
    for k in range(K):
        y[k] -= w[k]
        flat += slope[k] * y[k]
        cross += a[k] * w[k] * y[k]
        square += a[k] * y[k] * y[k]
    for k in range(K):
        for m in range(K):
            bend += y[k] * Q[k, m] * y[m]
    downhill = flat + bent * (h - p) * cross
    if downhill >= 0.0:
        return np.zeros(K)
    t = 1.0
    for _ in range(HALVINGS):
        rise = 2.0 * t * cross + t * t * square  # of y^T A y
        change = 2.0 * t * flat + t * t * bend + 0.5 * bent * rise * (2.0 * (h - p) + rise)
        if change <= 2.0 * ARMIJO * t * downhill:
            for k in range(K):
                W[i, k] = max(w[k] + t * y[k], 0.0)
            for k in range(K):
                for m in range(K):
                    G[k, m] += d[i] * (W[i, k] * W[i, m] - w[k] * w[m])
            return d[i] * (W[i] - w)
        t *= 0.5
    return np.zeros(K)


@njit(cache=True, nogil=True)
def sweep_block(
    items: Ints, P: Array, diagonal: Array, own: Array, a: Array, d: Array, W: Array, Y: Array, G: Array, listed: Ints,
    excess: Array, bounds: Ints, rest: float,
) -> Any:  # fmt: skip
    """Visit each row in `items` once; return d_i times its change. P and Y hold the rows, P the columns, of these
    only.
    """
    n, K = Y.shape
    changes = np.zeros((n, K))
    for r in range(n):
        i = items[r]
        change = _row_step(i, diagonal[i], own[i], a, d, W, Y[r], G, listed, excess, bounds, rest)
        changes[r] = change
        if np.any(change != 0.0):
            for q in range(n):
                for k in range(K):
                    Y[q, k] += P[r, q] * change[k]
    return changes


@njit(cache=True, nogil=True)
def sweep_csr(
    items: Ints, indptr: Ints, indices: Ints, data: Array, diagonal: Array, own: Array, a: Array, d: Array, W: Array,
    Y: Array, G: Array, listed: Ints, excess: Array, bounds: Ints, rest: float,
) -> None:  # fmt: skip
    """Visit each row in `items` once, for P in CSR form; Y is kept up to date."""
    K = W.shape[1]
    for i in items:
        change = _row_step(i, diagonal[i], own[i], a, d, W, Y[i], G, listed, excess, bounds, rest)
        if np.any(change != 0.0):
            for s in range(indptr[i], indptr[i + 1]):
                for k in range(K):
                    Y[indices[s], k] += data[s] * change[k]
