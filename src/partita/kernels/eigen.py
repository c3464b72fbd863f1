"""Eigenvectors and singular vectors of small dense matrices, by a second algorithm where LAPACK's first one gives up.

NumPy takes LAPACK's divide and conquer. It gives up on some matrices that are finite and well scaled: one of 46 x 46,
met in SCAMS on twelve groups of 50, is an instance. The older iterations (QR) are slower and solve it.
"""

from __future__ import annotations

import numpy as np

from partita.arrays import Array

__all__ = ["singular_vectors", "symmetric_eigen"]


def symmetric_eigen(matrix: Array) -> tuple[Array, Array]:
    """Return all eigenvalues of a symmetric matrix of finite numbers, rising, and orthonormal eigenvectors (columns).

    Raises
    ------
    numpy.linalg.LinAlgError
        Where both algorithms give up.

    Examples
    --------
    >>> values, vectors = symmetric_eigen(np.diag([2.0, 1.0]))
    >>> values.tolist(), np.abs(vectors).tolist()
    ([1.0, 2.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    try:
        values, vectors = np.linalg.eigh(matrix)
    except np.linalg.LinAlgError:
        if not np.isfinite(matrix).all():  # the second algorithm might not end
            raise
        import scipy.linalg

        values, vectors = scipy.linalg.eigh(matrix, driver="ev", check_finite=False)
    return values, vectors


def singular_vectors(matrix: Array) -> tuple[Array, Array, Array]:
    """Return thin U, falling singular values and V^T of a matrix of finite numbers.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where both algorithms give up.

    Examples
    --------
    >>> U, values, Vt = singular_vectors(np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]))
    >>> U.shape, values.tolist()
    ((3, 2), [4.0, 3.0])
    """
    try:
        U, values, Vt = np.linalg.svd(matrix, full_matrices=False)
    except np.linalg.LinAlgError:
        if not np.isfinite(matrix).all():
            raise
        import scipy.linalg

        U, values, Vt = scipy.linalg.svd(matrix, full_matrices=False, lapack_driver="gesvd", check_finite=False)
    return U, values, Vt
