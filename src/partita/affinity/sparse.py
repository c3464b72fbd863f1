"""A sparse affinity in CSR form: pairs that are not stored are observed zeros. Cost of a product: nnz K."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, Kind, PairWeights, Unobserved
from partita.arrays import Array
from partita.kernels.foreign_csr import beside_csr, csr_like, csr_to_host, csr_with_values, is_foreign_csr
from partita.kernels.namespace import roundoff
from partita.kernels.products import csr_product

__all__ = ["SparseAffinity"]

# Indices up to this are held in four bytes.
MOST = int(np.iinfo(np.int32).max)
# Entries from which scaling is compiled: a temporary as large as the matrix, and a few tenths of a second, less.
COMPILED_FROM = 1_000_000


class SparseAffinity(Affinity):
    """A symmetric sparse matrix.

    Parameters
    ----------
    matrix : N x N scipy.sparse
        Symmetric and finite; `partita.affinity.checks.as_affinity` checks input from outside. float32 values stay
        float32, half the bytes that a product reads; sums are float64.
    unobserved : Unobserved, optional
        Pairs that were not observed; they must not be stored.
    only_stored : bool
        Only the pairs that are stored, zeros among them, were observed.
    there : matrix, optional
        The same matrix in the CSR form of another package (`torch.sparse_csr`, `cupyx.scipy.sparse`): products are
        taken with it, where it lies. A `matrix` of such a kind is its own `there`, and copied to the host once.

    Examples
    --------
    >>> P = SparseAffinity(sp.eye_array(3, format="csr"))
    >>> P.row_sums().tolist()
    [1.0, 1.0, 1.0]
    """

    name = "sparse"

    def __init__(
        self, matrix: Any, unobserved: Unobserved | None = None, *, only_stored: bool = False, there: Any = None
    ) -> None:
        if is_foreign_csr(matrix):
            matrix, there = csr_to_host(matrix), matrix
        if there is not None and not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
            there = csr_like(there, matrix)
        self._there = there
        kept = np.float32 if matrix.dtype == np.float32 else np.float64
        self._matrix = sp.csr_array(matrix, dtype=kept)
        if not self._matrix.has_canonical_format:
            self._matrix = self._matrix.copy()  # never in the caller's arrays
            self._matrix.sum_duplicates()
        if self._matrix.indices.dtype != np.int32 and max(self._matrix.nnz, *self._matrix.shape) <= MOST:
            rows, columns = (index.astype(np.int32) for index in (self._matrix.indptr, self._matrix.indices))
            self._matrix = sp.csr_array((self._matrix.data, columns, rows), shape=self._matrix.shape)
        self._unobserved = unobserved
        self._only_stored = only_stored

    @property
    def n_items(self) -> int:
        return int(self._matrix.shape[0])

    @property
    def matrix(self) -> sp.csr_array:
        """The stored matrix; do not change it."""
        return self._matrix

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return int(self._matrix.nnz)

    @property
    def multiplications(self) -> int:
        return self.nnz

    @property
    def kind(self) -> Kind:
        data = self._matrix.data
        return "probability" if not data.size or (data.min() >= 0 and data.max() <= 1) else "similarity"

    @property
    def unobserved(self) -> Unobserved | None:
        return self._unobserved

    @property
    def pair_weights(self) -> PairWeights | None:
        if not self._only_stored:
            return super().pair_weights
        rows, columns = (stored := self._matrix.tocoo()).coords
        return PairWeights(rows, columns, 1.0, stored.data, rest=0.0)

    def as_sparse(self) -> sp.csr_array:
        return self._matrix

    @property
    def foreign(self) -> bool:
        return self._there is not None

    def native(self, array: Array) -> Any:
        return array if self._there is None else beside_csr(self._there, array)

    @property
    def rounding(self) -> float:
        return 1.0 if self._there is None else roundoff(self.native(np.ones((1, 1))))

    def __matmul__(self, W: Any) -> Any:
        return self.product(W)

    def product(self, W: Any, spare: Any = None) -> Any:
        if self._there is None or isinstance(W, np.ndarray):
            return csr_product(self._matrix, W, spare)
        return self._there @ W

    def diagonal(self) -> Array:
        return np.asarray(self._matrix.diagonal(), dtype=np.float64)

    def rows(self, index: ArrayLike) -> Array:
        part = self._matrix[np.atleast_1d(np.asarray(index, dtype=np.intp))]
        return np.asarray(part.toarray(), dtype=np.float64)

    def row_sums(self) -> Array:
        return np.asarray(self._matrix.sum(axis=1, dtype=np.float64)).ravel()

    def squared_norm(self, weights: Array | None = None) -> float:
        squares = np.square(self._matrix.data, dtype=np.float64)
        if weights is None:
            return float(squares.sum())
        matrix = self._matrix
        return float(weights @ (sp.csr_array((squares, matrix.indices, matrix.indptr), shape=self.shape) @ weights))

    def density(self) -> float:
        return float(np.count_nonzero(self._matrix.data)) / self.n_items**2

    def scaled(self, factors: Array) -> SparseAffinity:
        """Return diag(factors) P diag(factors), which shares the places of its entries with this one."""
        matrix = self._matrix
        if matrix.nnz < COMPILED_FROM:
            values = matrix.data * (np.repeat(factors, np.diff(matrix.indptr)) * factors[matrix.indices])
            values = values.astype(matrix.dtype, copy=False)
        else:
            from partita.kernels.graph import scaled_values

            values = scaled_values(matrix.indptr, matrix.indices, matrix.data, factors)
        there = None if self._there is None else csr_with_values(self._there, values)
        matrix = sp.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
        matrix.has_canonical_format = True
        return SparseAffinity(matrix, self._unobserved, only_stored=self._only_stored, there=there)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        half = rng.random((n_items, n_items)) * (rng.random((n_items, n_items)) < 0.3)
        matrix = np.maximum(half, half.T)
        return cls(sp.csr_array(matrix)), matrix
