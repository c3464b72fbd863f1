"""Pairs that count more or less than others: an affinity with a weight, and perhaps another value, for listed pairs.

The objective sum_ij omega_ij (P_ij - M_ij)^2 needs the product with omega o P and, for the model's part, the listed
pairs alone; so the base affinity stays as it is, whatever kind it is, and a sparse correction is added to its products.
A pair of weight zero was not observed. A cannot-link is a pair observed as zero with a large weight, which holds for
every scale. Cost: one product with the base and one with the pairs listed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, PairWeights, Unobserved
from partita.affinity.dense import DenseAffinity
from partita.affinity.wrapped import WrappedAffinity
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["WeightedAffinity"]


class WeightedAffinity(WrappedAffinity):
    """An affinity some of whose pairs count with another weight.

    Parameters
    ----------
    base : Affinity
        Its own pair weights stay, for the pairs listed here as said at `value`.
    first, second : arrays of int
        Each pair once, in either order; (i, i) is an item with itself.
    weight : float or array
        Weight of the pair, nonnegative and finite; all other pairs count one.
    value : float or array, optional
        Evidence that replaces P_ij for these pairs, which then count `weight`. By default P_ij stays, and `weight`
        multiplies what the pair counted before: a pair that was not observed stays so.

    Raises
    ------
    InputError
        For weights out of range, items out of range, or a pair given twice.

    Examples
    --------
    >>> P = WeightedAffinity(DenseAffinity(np.ones((3, 3))), [0], [2], weight=5.0, value=0.0)
    >>> (P @ np.ones((3, 1)))[:, 0].tolist()
    [2.0, 3.0, 2.0]
    """

    name = "weighted"
    on_host = True

    def __init__(
        self, base: Affinity, first: ArrayLike, second: ArrayLike, weight: ArrayLike, value: ArrayLike | None = None
    ) -> None:
        i, j = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        w = np.broadcast_to(np.asarray(weight, dtype=np.float64), i.shape)
        if not (np.isfinite(w) & (w >= 0)).all():
            raise InputError("pair weights must be finite and nonnegative; zero is a pair that was not observed")
        if len(i) and (min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= base.n_items):
            raise InputError(f"a pair names an item outside 0..{base.n_items - 1}")
        low, high = np.minimum(i, j), np.maximum(i, j)
        if len(np.unique(low * base.n_items + high)) < len(i):
            raise InputError("a pair was given more than once: expected each pair once, in either order")
        held = base.entries(low, high)
        t = held if value is None else np.broadcast_to(np.asarray(value, dtype=np.float64), i.shape)
        off = low != high
        rows, columns, rest = np.r_[low, high[off]], np.r_[high, low[off]], 1.0
        w, t, held = np.r_[w, w[off]], np.r_[t, t[off]], np.r_[held, held[off]]
        earlier = base.pair_weights
        if earlier is not None:
            rest = earlier.rest
        if earlier is not None and len(earlier) and value is None:
            # The base's entry of a pair is multiplied by the weight that it had.
            before, known = earlier.places(rows, columns)
            w = w * np.where(known, earlier.weight[before], rest)
            t = np.where(known, earlier.value[before], t)
        super().__init__(base)
        self._correction = sp.csr_array((w * t - held, (rows, columns)), base.shape)
        self._change = rows, columns, (w * t) ** 2 - held**2
        if earlier is not None:
            stays = ~np.isin(earlier.first * base.n_items + earlier.second, rows * base.n_items + columns)
            rows, columns = np.r_[rows, earlier.first[stays]], np.r_[columns, earlier.second[stays]]
            w, t = np.r_[w, earlier.weight[stays]], np.r_[t, earlier.value[stays]]
        if len(rows) == base.n_items**2:
            rest = 0.0  # there is no other pair: what all count is not the difference of two larger numbers
        self._pairs = PairWeights(rows, columns, w, t, rest)

    @property
    def multiplications(self) -> int:
        return self._base.multiplications + len(self._pairs)

    @property
    def pair_weights(self) -> PairWeights:
        return self._pairs

    @cached_property
    def _unobserved(self) -> Unobserved | None:
        zero = self._pairs.weight == 0
        return Unobserved(self._pairs.first[zero], self._pairs.second[zero]) if zero.any() else None

    @property
    def unobserved(self) -> Unobserved | None:
        return self._unobserved

    def __matmul__(self, W: Array) -> Array:
        return np.asarray(self._base @ W + self._correction @ W)

    @cached_property
    def _sparse(self) -> sp.csr_array | None:
        matrix = self._base.as_sparse()
        return None if matrix is None else sp.csr_array(matrix + self._correction)

    def as_sparse(self) -> sp.csr_array | None:
        return self._sparse

    def diagonal(self) -> Array:
        return np.asarray(self._base.diagonal() + self._correction.diagonal())

    def squared_norm(self, weights: Array | None = None) -> float:
        first, second, change = self._change
        d = 1.0 if weights is None else weights[first] * weights[second]
        return float(self._base.squared_norm(weights) + np.sum(d * change))

    def scaled(self, factors: Array) -> WeightedAffinity:
        pairs = self._pairs
        once = pairs.first <= pairs.second
        i, j = pairs.first[once], pairs.second[once]
        value = pairs.value[once] * factors[i] * factors[j]
        return WeightedAffinity(self._base.scaled(factors), i, j, pairs.weight[once], value)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        base, matrix = DenseAffinity.example(rng, n_items)
        omega, values = np.ones((n_items, n_items)), matrix.copy()
        i, j = np.array([0, 2, 5, 7]), np.array([3, 2, 6, 1])
        weight, value = np.array([0.0, 2.0, 5.0, 0.5]), np.array([1.0, 0.3, 0.0, 0.8])
        omega[i, j] = omega[j, i] = weight
        values[i, j] = values[j, i] = value
        return cls(base, i, j, weight, value), omega * values
