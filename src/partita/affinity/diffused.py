"""A diffused affinity S^t, applied as t products with S and never formed.

A neighbour graph leaves most pairs of a cluster empty; t steps of diffusion fill them in. S is meant to be normalised
(D^-1/2 P D^-1/2 or doubly stochastic), so that the leading eigenvalue stays 1. Even t makes S^t positive semidefinite.

The squared norm has no cheap exact form: it is exact while N products are affordable and an estimate beyond that
(`norm_estimate`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from partita.affinity.base import Affinity
from partita.affinity.dense import DenseAffinity
from partita.affinity.norm_estimate import estimated_squared_norm
from partita.affinity.sparse import SparseAffinity
from partita.affinity.wrapped import WrappedAffinity
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["DiffusedAffinity"]

# Items up to which the squared norm and the diagonal are computed exactly.
EXACT_UP_TO = 1024


class DiffusedAffinity(WrappedAffinity):
    """S^t.

    Parameters
    ----------
    base : Affinity
        S, every pair observed.
    steps : int
        t >= 1.
    weights : array of N, optional
        Item weights D: then S D S ... D S, which is S^t where an item of weight two comes twice.

    Examples
    --------
    >>> from partita.affinity.dense import DenseAffinity
    >>> S = DenseAffinity(np.array([[0.8, 0.2], [0.2, 0.8]]))
    >>> DiffusedAffinity(S, 2).rows([0]).round(12).tolist()
    [[0.68, 0.32]]
    """

    name = "diffused"

    def __init__(self, base: Affinity, steps: int, weights: Array | None = None) -> None:
        if steps < 1:
            raise InputError(f"steps={steps}: a diffusion takes at least 1 step")
        if base.pair_weights is not None:
            raise InputError("an affinity with unobserved or weighted pairs cannot be diffused; pass steps=1")
        super().__init__(base)
        self.steps = int(steps)
        self.weights = weights

    @property
    def products(self) -> int:
        return self.steps * self._base.products

    @property
    def multiplications(self) -> int:
        return self.steps * self._base.multiplications

    def __matmul__(self, W: Any) -> Any:
        d = None if self.weights is None else self.weights[:, None]
        if d is not None and not isinstance(W, np.ndarray):
            d = self.native(d)
        spare, product = None, self._base @ W
        for _ in range(self.steps - 1):
            spare, product = product, self._base.product(product if d is None else d * product, spare)
        return product

    @property
    def squared_norm_is_exact(self) -> bool:
        return self.steps == 1 or self.n_items <= EXACT_UP_TO

    def squared_norm(self, weights: Array | None = None) -> float:
        if self.steps == 1:
            return self._base.squared_norm(weights)
        if self.squared_norm_is_exact:
            return super().squared_norm(weights)
        return estimated_squared_norm(self, weights)

    def density(self) -> float:
        return 1.0  # how many pairs t steps fill in is not known

    def diagonal(self) -> Array:
        """Return the N entries: with the steps in two halves, the products of their rows, of which one is enough."""
        if self.steps == 1:
            return self._base.diagonal()
        out = np.empty(self.n_items)
        for low in range(0, self.n_items, 256):
            index = np.arange(low, min(low + 256, self.n_items))
            near, far = self._halves(index)
            out[index] = (near * far).sum(axis=1)
        return out

    def _halves(self, index: Any) -> tuple[Any, Any]:
        """Rows of the first half of the steps, weighted, and of the second; sparse where S is."""
        matrix = self._base.as_sparse()
        rows = self._base.rows(index) if matrix is None else matrix[index].astype(np.float64)
        for _ in range(self.steps // 2 - 1):
            rows = self._further(self._weighted(rows))
        near = self._weighted(rows)
        return near, rows if self.steps % 2 == 0 else self._further(near)

    def _weighted(self, rows: Any) -> Any:
        if self.weights is None:
            return rows
        return rows @ sp.diags_array(self.weights) if sp.issparse(rows) else rows * self.weights

    def _further(self, rows: Any) -> Any:
        matrix = self._base.as_sparse()
        return np.asarray(self._base @ rows.T).T if matrix is None else rows @ matrix

    def scaled(self, factors: Array) -> Affinity:
        from partita.affinity.scaled import ScaledAffinity

        return ScaledAffinity(self, factors)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        base, matrix = SparseAffinity.example(rng, n_items)
        return cls(base, 3), np.linalg.matrix_power(matrix, 3)

    @classmethod
    def examples(cls, rng: np.random.Generator, n_items: int) -> Iterator[tuple[Self, Array]]:
        yield cls.example(rng, n_items)
        for kind in (SparseAffinity, DenseAffinity):
            base, matrix = kind.example(rng, n_items)
            d = rng.integers(1, 4, n_items) / n_items
            for steps in (1, 4, 5):
                yield cls(base, steps, d), np.linalg.matrix_power(matrix * d, steps) / d
