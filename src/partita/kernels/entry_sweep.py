"""Sweeps over the entries of a nonnegative factor, one at a time, compiled. Importing this module loads numba.

With everything but the row y of item i fixed, the objective over 2 d_i is

    y^T Q y - 2 y^T b + (d_i / 2) (P_ii - y^T y)^2,
    Q = G - d_i w_i w_i^T - sum over unobserved j of d_j w_j w_j^T,   b = sum_{j != i} d_j P_ij w_j

without its last term where P_ii is unobserved, and likewise where pairs count with weights. An entry y_r of it is moved
by one of two rules:

multiplicative   y_r <- y_r (num / den)^e with num and den the negative and the positive part of half the derivative:
                 [rotabulo2010] section 3 as printed, e = 1, where P_ii is unobserved; with it the last term puts a
                 fourth power of y_r into the objective, and e = 1/3 is what keeps it from rising: the positive terms
                 lie below a multiple of y_r^4 and the negative ones above a tangent.
exact            the least of a quadratic (P_ii unobserved) or of a quartic, whose derivative is a cubic [vandaele2016].

Entries of a row take their turns in `order`. G follows each row. P_i is read when row i has its turn: N K
multiplications a row, or its nonzeros times K.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from partita.arrays import Array, Ints

__all__ = ["least_of_quartic", "sweep_csr", "sweep_dense"]


@njit(cache=True, nogil=True)
def least_of_quartic(d: float, q: float, beta: float) -> float:
    """Return argmin over y >= 0 of (d / 2) y^4 + q y^2 - 2 beta y, d > 0: a root of d y^3 + q y - beta, or zero."""
    p, s = q / d, -beta / d  # y^3 + p y + s = 0
    unit = max(np.sqrt(abs(p)), np.cbrt(abs(s)))
    if unit == 0.0:
        return 0.0
    p, s = p / unit / unit, s / unit / unit / unit  # in that unit both are at most one: no square under- or overflows
    best, least = 0.0, 0.0
    half, third = s / 2.0, p / 3.0
    discriminant = half * half + third * third * third
    roots = np.zeros(3)
    n = 1
    size = np.sqrt(max(-third, 0.0))
    cube = size * size * size
    if discriminant > 0.0 or cube == 0.0:
        root = np.sqrt(max(discriminant, 0.0))
        # the sum of two cube roots of which the smaller follows from the larger: nothing cancels
        large = -np.cbrt(half + root) if half > 0.0 else np.cbrt(root - half)
        roots[0] = large - third / large if large != 0.0 else 0.0
    else:
        n = 3
        angle = np.arccos(min(1.0, max(-1.0, -half / cube))) / 3.0
        for k in range(3):
            roots[k] = 2.0 * size * np.cos(angle - 2.0 * np.pi * k / 3.0)
    for k in range(n):
        y = roots[k]
        for _ in range(2):  # Newton takes off what rounding put on
            slope = 3.0 * y * y + p
            if slope > 0.0:
                y -= (y * y * y + p * y + s) / slope
        if y > 0.0:
            value = y * (y * (0.5 * y * y + p) + 2.0 * s)
            if value < least:
                best, least = y, value
    return float(unit * best)


@njit(cache=True, nogil=True)
def _row(
    i: int, p: float, own: float, exact: bool, floor: float, order: Ints, d: Array, W: Array, b: Array, G: Array,
    holes: Ints, excess: Array, bounds: Ints, rest: float,
) -> None:  # fmt: skip
    """Move the entries of row i of W one after another, and G with them; b = sum_{j != i} d_j P_ij w_j.

    `own` is what the pair (i, i) counts, `p` its entry; excess[bounds[i] : bounds[i + 1]] is what the pairs of i with
    holes[...] count more than all others, which count `rest`.
    """
    K = W.shape[1]
    w, y = W[i].copy(), W[i].copy()
    Q = np.empty((K, K))
    for k in range(K):
        for m in range(K):
            Q[k, m] = rest * (G[k, m] - d[i] * w[k] * w[m])
    for s in range(bounds[i], bounds[i + 1]):
        j = holes[s]
        if j != i:
            for k in range(K):
                for m in range(K):
                    Q[k, m] += d[j] * excess[s] * W[j, k] * W[j, m]
    square = 0.0
    for k in range(K):
        square += y[k] * y[k]
    for r in order:
        # Rounding of the differences that made Q may leave a negative diagonal where all is zero.
        diagonal = max(Q[r, r], 0.0)
        others = 0.0
        for k in range(K):
            if k != r:
                others += Q[r, k] * y[k]
        before = y[r]
        if exact:
            beta = b[r] - others
            if own > 0.0:
                q = diagonal + d[i] * (own * (square - before * before) - p)
                y[r] = least_of_quartic(d[i] * own, q, beta)
            elif diagonal > 0.0:
                y[r] = max(beta / diagonal, 0.0)
        else:
            num, den = b[r], diagonal * before + max(others, 0.0)
            if own > 0.0:
                num += d[i] * p * before
                den += d[i] * own * square * before
            if den > 0.0:
                ratio = max(num, 0.0) / den
                y[r] = max(before * (np.cbrt(ratio) if own > 0.0 else ratio), floor)
        square += y[r] * y[r] - before * before
    for k in range(K):
        W[i, k] = y[k]
    for k in range(K):
        for m in range(K):
            G[k, m] += d[i] * (y[k] * y[m] - w[k] * w[m])


@njit(cache=True, nogil=True)
def sweep_dense(
    items: Ints, P: Array, own: Array, exact: bool, floor: float, order: Ints, d: Array, W: Array, G: Array,
    holes: Ints, excess: Array, bounds: Ints, rest: float,
) -> None:  # fmt: skip
    """Visit each entry of each row in `items` once, for a dense P."""
    n, K = W.shape
    b = np.empty(K)
    for i in items:
        b[:] = 0.0
        for j in range(n):
            weight = d[j] * P[i, j]
            if weight != 0.0 and j != i:
                for k in range(K):
                    b[k] += weight * W[j, k]
        _row(i, P[i, i], own[i], exact, floor, order, d, W, b, G, holes, excess, bounds, rest)


@njit(cache=True, nogil=True)
def sweep_csr(
    items: Ints, indptr: Ints, indices: Ints, data: Array, own: Array, exact: bool, floor: float, order: Ints, d: Array,
    W: Array, G: Array, holes: Ints, excess: Array, bounds: Ints, rest: float,
) -> None:  # fmt: skip
    """Visit each entry of each row in `items` once, for P in CSR form."""
    b = np.empty(W.shape[1])
    for i in items:
        b[:] = 0.0
        diagonal = 0.0
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if j == i:
                diagonal += data[s]
                continue
            weight = d[j] * data[s]
            for k in range(W.shape[1]):
                b[k] += weight * W[j, k]
        _row(i, diagonal, own[i], exact, floor, order, d, W, b, G, holes, excess, bounds, rest)
