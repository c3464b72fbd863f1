"""Small convex quadratics over the nonnegative orthant: argmin over y >= 0 of y^T Q y - 2 y^T b, a row of B at a time.

With Q = R^T R the objective is ||R y - t||^2 + const where R^T t = b, a nonnegative least squares problem of K unknowns
that SciPy's active set solves exactly. Q may be singular (clusters that coincide): its root is taken by eigenvalues.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from partita.arrays import Array
from partita.kernels.eigen import symmetric_eigen

__all__ = ["minimise_nonnegative"]


# Singular values of the root of Q below this share of the largest are rounding.
RANK = 1e-10


def minimise_nonnegative(Q: Array, B: Array) -> Array:
    """Return argmin over y >= 0 of y^T Q y - 2 y^T b for each row b of B.

    Parameters
    ----------
    Q : K x K, symmetric positive semidefinite
    B : M x K, rows in the range of Q up to rounding

    Examples
    --------
    >>> minimise_nonnegative(np.eye(2), np.array([[0.9, -0.3]])).round(12).tolist()
    [[0.9, 0.0]]
    """
    values, vectors = symmetric_eigen(Q)
    root = np.sqrt(np.maximum(values, 0.0))
    keep = root > RANK * root[-1] if root[-1] > 0 else np.zeros(len(root), dtype=bool)
    out = np.zeros((len(B), len(Q)))
    if not keep.any():
        return out
    R = root[keep, None] * vectors.T[keep]
    for i, b in enumerate(B):
        out[i] = nnls(R, (vectors.T[keep] @ b) / root[keep])[0]
    return out
