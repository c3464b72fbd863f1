"""diag(f) P diag(f) around any affinity that cannot be scaled in place."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.base import Affinity, PairWeights, Unobserved
from partita.affinity.low_rank import LowRankAffinity
from partita.affinity.sparse import SparseAffinity
from partita.affinity.wrapped import WrappedAffinity
from partita.arrays import Array

__all__ = ["ScaledAffinity"]


class ScaledAffinity(WrappedAffinity):
    """diag(factors) @ base @ diag(factors), applied and never formed.

    Examples
    --------
    >>> from partita.affinity.dense import DenseAffinity
    >>> P = ScaledAffinity(DenseAffinity(np.ones((2, 2))), np.array([1.0, 3.0]))
    >>> P.diagonal().tolist()
    [1.0, 9.0]
    """

    name = "scaled"

    def __init__(self, base: Affinity, factors: Array) -> None:
        super().__init__(base)
        self._factors = np.array(factors, dtype=np.float64)

    @property
    def unobserved(self) -> Unobserved | None:
        return self._base.unobserved

    @property
    def pair_weights(self) -> PairWeights | None:
        pairs = self._base.pair_weights
        if pairs is None:
            return None
        value = pairs.value * self._factors[pairs.first] * self._factors[pairs.second]
        return PairWeights(pairs.first, pairs.second, pairs.weight, value, pairs.rest)

    def __matmul__(self, W: Any) -> Any:
        f = self._factors[:, None]
        if not isinstance(W, np.ndarray):
            f = self.native(f)
        return f * (self._base @ (f * W))

    def diagonal(self) -> Array:
        return self._factors**2 * self._base.diagonal()

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        return self._factors[index, None] * self._base.rows(index) * self._factors

    def entries(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        return self._factors[first] * self._base.entries(first, second) * self._factors[second]

    def as_low_rank(self) -> tuple[LowRankAffinity, Array] | None:
        found = self._base.as_low_rank()
        return None if found is None else (found[0], found[1] * self._factors)

    def squared_norm(self, weights: Array | None = None) -> float:
        squares = self._factors**2
        return self._base.squared_norm(squares if weights is None else squares * weights)

    def scaled(self, factors: Array) -> ScaledAffinity:
        return ScaledAffinity(self._base, self._factors * factors)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        base, matrix = SparseAffinity.example(rng, n_items)
        factors = rng.random(n_items) + 0.5
        return cls(base, factors), matrix * factors[:, None] * factors
