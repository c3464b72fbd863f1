"""A dense affinity: the N x N array itself. N^2 numbers and N^2 K multiplications a product; use it up to about
N = 20,000 and a sparse one beyond.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, Array, Kind, Unobserved
from partita.kernels.products import dense_product

__all__ = ["DenseAffinity"]


class DenseAffinity(Affinity):
    """A symmetric array.

    Parameters
    ----------
    matrix : N x N array
        Symmetric and finite; `partita.affinity.checks.as_affinity` checks input from outside.
    unobserved : Unobserved, optional
        Pairs that were not observed; their entries must be zero.

    Examples
    --------
    >>> P = DenseAffinity(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> (P @ np.ones((2, 1))).ravel().tolist()
    [1.5, 1.5]
    """

    name = "dense"

    def __init__(self, matrix: Array, unobserved: Unobserved | None = None) -> None:
        self._matrix = np.ascontiguousarray(matrix, dtype=np.float64).view()
        self._matrix.setflags(write=False)  # `to_dense` hands it out
        self._unobserved = unobserved

    @property
    def n_items(self) -> int:
        return len(self._matrix)

    @property
    def kind(self) -> Kind:
        return "probability" if self._matrix.min() >= 0 and self._matrix.max() <= 1 else "similarity"

    @property
    def unobserved(self) -> Unobserved | None:
        return self._unobserved

    def __matmul__(self, W: Array) -> Array:
        return dense_product(self._matrix, W)

    def diagonal(self) -> Array:
        return self._matrix.diagonal().copy()

    def rows(self, index: ArrayLike) -> Array:
        return self._matrix[np.atleast_1d(np.asarray(index, dtype=np.intp))]

    def row_sums(self) -> Array:
        return np.asarray(self._matrix.sum(axis=1))

    def squared_norm(self, weights: Array | None = None) -> float:
        if weights is None:
            return float(np.vdot(self._matrix, self._matrix))
        return super().squared_norm(weights)

    def density(self) -> float:
        return float(np.count_nonzero(self._matrix)) / self._matrix.size

    def scaled(self, factors: Array) -> DenseAffinity:
        return DenseAffinity(self._matrix * factors[:, None] * factors, self._unobserved)

    def to_dense(self) -> Array:
        return self._matrix

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        half = rng.random((n_items, n_items))
        matrix = (half + half.T) / 2
        return cls(matrix), matrix
