"""The smallest entries of each row, for neighbour searches by products of matrices, compiled. Importing this module
loads numba.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from partita.kernels.types import Array, Ints

__all__ = ["smallest_of_rows"]


@njit(cache=True, nogil=True)
def smallest_of_rows(D: Array, offset: Array, index: Ints) -> None:
    """Write the columns of the smallest entries of each row of D + offset into `index`, smallest first.

    Of equal ones the first come first.
    """
    k = index.shape[1]
    best = np.empty(k)
    for i in range(len(D)):
        best[:] = np.inf
        for p in range(k):
            index[i, p] = p  # where there is no finite number
        for j in range(D.shape[1]):
            value = D[i, j] + offset[j]
            if value < best[k - 1]:
                p = k - 1
                while p > 0 and best[p - 1] > value:
                    best[p], index[i, p] = best[p - 1], index[i, p - 1]
                    p -= 1
                best[p], index[i, p] = value, j
