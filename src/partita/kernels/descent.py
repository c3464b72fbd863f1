"""A projected gradient step of every row, compiled: gradient, step, projection and the sums, in one pass without arrays
between. Importing this module loads numba.

Row i of W goes to the projection onto the simplex of w - g / B with g = w Q - y o a, where Q = 4 A G A is K x K and
a = 4 diag(A). Memberships are mostly zeros, and a zero of w is a row of Q that is not read. The threshold theta of the
projection is found by leaving out, again and again, what lies below it [michelot1986]: a few passes over K numbers.

Cost: O(nnz(W) K) for the gradient and O(N K) for the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["descend_rows"]


@njit(cache=True, nogil=True)
def descend_rows(W: Any, Y: Any, weights: Any, a: Any, Q: Any, B: float, out: Any) -> tuple[float, float]:
    """Put project(W - g / B) into `out`; <g, out - W> and ||out - W||^2 in the metric of the weights, N x 1 or None."""
    n, K = W.shape
    g, v = np.empty(K), np.empty(K)
    slope, square = 0.0, 0.0
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
            v[k] = W[i, k] - g[k] / B
            top = max(top, v[k])
        total = -1.0
        for k in range(K):
            v[k] -= top  # a shift of a row changes nothing, and with it x - 1 is never rounded to x
            total += v[k]
        count, theta = K, total / K
        while True:
            total, left = -1.0, 0
            for k in range(K):
                if v[k] > theta:
                    total += v[k]
                    left += 1
            if left >= count or left == 0:  # fewer each time but for rounding, which must not go round in circles
                break
            count, theta = left, total / left
        d = 1.0 if weights is None else weights[i, 0]
        for k in range(K):
            p = max(v[k] - theta, 0.0)
            move = p - W[i, k]
            slope += d * g[k] * move
            square += d * move * move
            out[i, k] = p
    return slope, square
