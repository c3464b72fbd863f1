"""numba kernels. Importing this module loads numba; the callers import it only when they need it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["csr_product_kernel", "project_rows_kernel"]


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
def csr_product_kernel(indptr: Any, indices: Any, data: Any, W: Any, out: Any, low: int, high: int) -> None:
    """Fill rows low..high of out = P @ W for P in CSR form: every entry of a row of W is read once per nonzero."""
    K = W.shape[1]
    for i in range(low, high):
        for k in range(K):
            out[i, k] = 0.0
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            p = data[s]
            for k in range(K):
                out[i, k] += p * W[j, k]
