"""Loops over rows on the simplex, compiled: the projection, and a whole projected gradient step. Importing this module
loads numba.

The step takes gradient, move, projection and the sums in one pass without arrays between. Row i of W goes to the
projection onto the simplex of w - u o g / B with g = w Q - y o a, where Q = 4 A G A is K x K and a = 4 diag(A), and the
nearest point is that by sum_k (p_k - v_k)^2 / u_k. Memberships are mostly zeros, and a zero of w is a row of Q that is
not read. The threshold theta of the projection is found by leaving out, again and again, what lies below it
[michelot1986]: a few passes over K numbers.

Cost: O(nnz(W) K) for the gradient and O(N K) for the rest of a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["descend_rows", "project_rows_kernel"]


@njit(cache=True, nogil=True)
def project_rows_kernel(V: Any, out: Any) -> None:
    """Project each row of V onto the simplex: insertion sort, then theta [duchi2008, Fig. 1]."""
    n, K = V.shape
    u = np.empty(K)
    for i in range(n):
        for k in range(K):
            v = V[i, k]
            m = k
            while m > 0 and u[m - 1] < v:
                u[m] = u[m - 1]
                m -= 1
            u[m] = v
        top = u[0]  # a shift of a row changes nothing, and with it x - 1 is never rounded to x
        excess = -1.0
        theta = -1.0
        for k in range(K):
            excess += u[k] - top
            if (u[k] - top) * (k + 1) > excess:
                theta = excess / (k + 1)
            else:
                break
        for k in range(K):
            out[i, k] = max((V[i, k] - top) - theta, 0.0)


@njit(cache=True, nogil=True)
def descend_rows(
    W: Any, Y: Any, weights: Any, a: Any, Q: Any, B: float, u: Any, out: Any
) -> tuple[float, float, float]:
    """Put project(W - u g / B) into `out`; <g, out - W>, sum_k ||out_k - W_k||^2 / u_k, and the same without u.

    All in the metric of the weights, N x 1 or None.
    """
    n, K = W.shape
    g, v, m = np.empty(K), np.empty(K), 1.0 / u
    slope, square, moved = 0.0, 0.0, 0.0
    for i in range(n):
        for k in range(K):
            g[k] = -Y[i, k] * a[k]
        for j in range(K):
            w = W[i, j]
            if w != 0.0:
                for k in range(K):
                    g[k] += w * Q[j, k]
        top = -np.inf
        for k in range(K):
            v[k] = (W[i, k] - u[k] * g[k] / B) * m[k]
            top = max(top, v[k])
        total, units = -1.0, 0.0
        for k in range(K):
            v[k] = (v[k] - top) * u[k]  # a shift by u changes nothing, and with it x - 1 is never rounded to x
            total += v[k]
            units += u[k]
        count, theta = K, total / units
        while True:
            total, units, left = -1.0, 0.0, 0
            for k in range(K):
                if v[k] > theta * u[k]:
                    total += v[k]
                    units += u[k]
                    left += 1
            if left >= count or left == 0:  # fewer each time but for rounding, which must not go round in circles
                break
            count, theta = left, total / units
        d = 1.0 if weights is None else weights[i, 0]
        for k in range(K):
            p = max(v[k] - theta * u[k], 0.0)
            move = p - W[i, k]
            slope += d * g[k] * move
            square += d * m[k] * move * move
            moved += d * move * move
            out[i, k] = p
    return slope, square, moved
