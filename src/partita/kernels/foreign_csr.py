"""Sparse matrices in CSR form of other packages: `torch.sparse_csr` tensors and those of `cupyx.scipy.sparse`.

The array API standard knows no sparse matrices; what is asked of one here is `matrix @ W` with a W of the same package,
and its three arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernels.namespace import like, to_numpy

__all__ = ["beside_csr", "csr_like", "csr_to_host", "csr_with_values", "is_foreign_csr"]


def is_foreign_csr(matrix: Any) -> bool:
    """Return whether this is a sparse matrix of PyTorch or CuPy.

    Raises
    ------
    InputError
        For one that is not in CSR form.

    Examples
    --------
    >>> is_foreign_csr(sp.eye_array(2, format="csr")), is_foreign_csr(np.ones((2, 2)))
    (False, False)
    """
    package = type(matrix).__module__.partition(".")[0]
    if package == "torch":
        if "sparse" not in str(matrix.layout):
            return False
        if "sparse_csr" not in str(matrix.layout):
            raise InputError(f"a sparse tensor must be in CSR form, not {matrix.layout}: pass matrix.to_sparse_csr()")
        return True
    if package != "cupyx":
        return False
    if matrix.format != "csr":
        raise InputError(f"a sparse matrix of CuPy must be in CSR form, not {matrix.format}: pass matrix.tocsr()")
    return True


def _arrays(matrix: Any) -> tuple[Any, Any, Any]:
    """Values, columns and row bounds."""
    if hasattr(matrix, "crow_indices"):  # PyTorch
        return matrix.values(), matrix.col_indices(), matrix.crow_indices()
    return matrix.data, matrix.indices, matrix.indptr


def csr_to_host(matrix: Any) -> sp.csr_array:
    """Copy the matrix to the host as a SciPy CSR array."""
    return sp.csr_array(tuple(to_numpy(array) for array in _arrays(matrix)), shape=tuple(matrix.shape))


def beside_csr(matrix: Any, array: NDArray[np.float64]) -> Any:
    """Return a NumPy array as one that `matrix @` takes."""
    return like(_arrays(matrix)[0], array)


def csr_like(matrix: Any, host: sp.csr_array) -> Any:
    """Return a SciPy matrix as one of the package, precision and device of `matrix`."""
    parts = (host.data, host.indices, host.indptr)
    return _of_arrays(matrix, *(like(old, new) for old, new in zip(_arrays(matrix), parts)))


def csr_with_values(matrix: Any, values: NDArray[Any]) -> Any:
    """Return a matrix with the same pattern and other values, where the first one lies."""
    old, columns, bounds = _arrays(matrix)
    return _of_arrays(matrix, like(old, values), columns, bounds)


def _of_arrays(matrix: Any, values: Any, columns: Any, bounds: Any) -> Any:
    """Such a matrix of arrays that lie where this one does."""
    if hasattr(matrix, "crow_indices"):
        from torch import sparse_csr_tensor

        return sparse_csr_tensor(bounds, columns, values, size=tuple(matrix.shape))
    return type(matrix)((values, columns, bounds), shape=matrix.shape)
