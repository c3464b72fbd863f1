"""A dense affinity: the N x N array itself. N^2 numbers and N^2 K multiplications a product; use it up to about
N = 20,000 and a sparse one beyond.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, Kind, Unobserved
from partita.arrays import Array
from partita.kernels.namespace import is_foreign, like, namespace, roundoff, through, to_numpy
from partita.kernels.products import dense_product
from partita.memory import SPARSE_WAY, require_memory, require_pairs

__all__ = ["DenseAffinity"]


class DenseAffinity(Affinity):
    """A symmetric array.

    Parameters
    ----------
    matrix : N x N array
        Symmetric and finite; `partita.affinity.checks.as_affinity` checks input from outside. An array of another
        array API package (CuPy, PyTorch) stays where it is, and products with it too.
    unobserved : Unobserved, optional
        Pairs that were not observed; their entries must be zero.

    Examples
    --------
    >>> P = DenseAffinity(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> (P @ np.ones((2, 1))).ravel().tolist()
    [1.5, 1.5]
    """

    name = "dense"

    def __init__(self, matrix: Any, unobserved: Unobserved | None = None) -> None:
        self._matrix = matrix
        self._unobserved = unobserved
        if not is_foreign(matrix):
            self._matrix = np.ascontiguousarray(matrix, dtype=np.float64).view()
            self._matrix.setflags(write=False)  # `to_dense` hands it out

    @property
    def n_items(self) -> int:
        return int(self._matrix.shape[0])

    @property
    def foreign(self) -> bool:
        return not isinstance(self._matrix, np.ndarray)

    def native(self, array: Array) -> Any:
        return like(self._matrix, array)

    @property
    def rounding(self) -> float:
        return roundoff(self._matrix)

    @property
    def kind(self) -> Kind:
        xp = namespace(self._matrix)
        return "probability" if xp.min(self._matrix) >= 0 and xp.max(self._matrix) <= 1 else "similarity"

    @property
    def unobserved(self) -> Unobserved | None:
        return self._unobserved

    def __matmul__(self, W: Any) -> Any:
        if self.foreign:
            return through(self._matrix, W, lambda V: self._matrix @ V)
        return dense_product(self._matrix, W)

    def diagonal(self) -> Array:
        if self.foreign:
            return np.asarray(to_numpy(namespace(self._matrix).linalg.diagonal(self._matrix)), dtype=np.float64)
        return self._matrix.diagonal().copy()  # type: ignore[no-any-return]

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        if self.foreign:
            xp = namespace(self._matrix)
            part = xp.take(self._matrix, xp.asarray(index, device=self._matrix.device), axis=0)
            return np.asarray(to_numpy(part), dtype=np.float64)
        return self._matrix[index]  # type: ignore[no-any-return]

    def row_sums(self) -> Array:
        return np.asarray(to_numpy(namespace(self._matrix).sum(self._matrix, axis=1)), dtype=np.float64)

    def squared_norm(self, weights: Array | None = None) -> float:
        if weights is None and not self.foreign:
            return float(np.vdot(self._matrix, self._matrix))
        if self.foreign:
            d = self.native(np.ones((self.n_items, 1)) if weights is None else weights[:, None])
            return float(namespace(d).sum(d * ((self._matrix * self._matrix) @ d)))
        return super().squared_norm(weights)

    def density(self) -> float:
        nonzero = self._matrix != 0
        return float(namespace(nonzero).count_nonzero(nonzero)) / self.n_items**2

    def scaled(self, factors: Array) -> DenseAffinity:
        if not self.foreign:
            require_pairs(self.n_items, "a scaled affinity", SPARSE_WAY, copies=2)
        f = self.native(factors[:, None])
        return DenseAffinity(self._matrix * f * f.T, self._unobserved)

    def to_dense(self) -> Array:
        if self.foreign:
            n = self.n_items
            require_memory(8 * n * n, f"the {n:,} x {n:,} array of this affinity", "ask for rows(index) instead")
            return np.asarray(to_numpy(self._matrix), dtype=np.float64)
        return self._matrix  # type: ignore[no-any-return]

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        half = rng.random((n_items, n_items))
        matrix = (half + half.T) / 2
        return cls(matrix), matrix
