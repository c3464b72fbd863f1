"""Eigenvectors and singular vectors of small dense matrices, by a second algorithm where LAPACK's first one gives up;
and Lanczos that gives the same answer to the same question.

NumPy takes LAPACK's divide and conquer. It gives up on some matrices that are finite and well scaled: one of 46 x 46,
met in SCAMS on twelve groups of 50, is an instance. The older iterations (QR) are slower and solve it.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

from partita.arrays import Array

__all__ = ["lanczos", "singular_vectors", "symmetric_eigen"]

# ARPACK goes on from a random vector where it has found an invariant subspace, as of a graph of equal pieces. Older
# versions of SciPy cannot seed it: there last digits differ from call to call.
TAKES_RNG = "rng" in signature(eigsh).parameters


def lanczos(operator: Any, n_vectors: int, **how: Any) -> tuple[Array, Array]:
    """Return the largest eigenvalues of a symmetric operator, falling, and their eigenvectors (columns).

    Parameters
    ----------
    operator : n x n sparse array or LinearOperator
    n_vectors : int
    **how
        Further options of `scipy.sparse.linalg.eigsh`.

    Raises
    ------
    scipy.sparse.linalg.ArpackError
        Where it does not converge, or finds no vector to go on from.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> lanczos(sp.diags_array([1.0, 3.0, 2.0, 0.0]), 2)[0].round(12).tolist()
    [3.0, 2.0]
    """
    v0 = np.random.default_rng(0).normal(size=operator.shape[0])
    if TAKES_RNG:
        how["rng"] = np.random.default_rng(0)
    values, vectors = eigsh(operator, k=n_vectors, which="LA", v0=v0, **how)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


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
