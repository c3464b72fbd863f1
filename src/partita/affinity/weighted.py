"""Pairs that count more or less than others: an affinity with a weight, and perhaps another value, for listed pairs.

The objective sum_ij omega_ij (P_ij - M_ij)^2 needs the product with omega o P and, for the model's part, the listed
pairs alone; so the base affinity stays as it is, whatever kind it is, and a sparse correction is added to its products.
A pair of weight zero was not observed. A cannot-link is a pair observed as zero with a large weight, which holds for
every scale. Cost: one product with the base and one with the pairs listed.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.base import Affinity, Array, PairWeights, Unobserved
from partita.affinity.dense import DenseAffinity
from partita.errors import InputError

__all__ = ["WeightedAffinity", "entries"]

# Pairs whose entries are read off the base at a time, by rows.
ROWS = 256


class WeightedAffinity(Affinity):
    """An affinity some of whose pairs count with another weight.

    Parameters
    ----------
    base : Affinity
        Its own pair weights stay, but for the pairs listed here.
    first, second : arrays of int
        Each pair once, in either order; (i, i) is an item with itself.
    weight : float or array
        What the pair counts, nonnegative and finite; all other pairs count one.
    value : float or array, optional
        Evidence that replaces P_ij for these pairs; by default P_ij stays.

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
        held = entries(base, low, high)
        t = held if value is None else np.broadcast_to(np.asarray(value, dtype=np.float64), i.shape)
        off = low != high
        rows, columns, rest = np.r_[low, high[off]], np.r_[high, low[off]], 1.0
        w, t, held = np.r_[w, w[off]], np.r_[t, t[off]], np.r_[held, held[off]]
        earlier = base.pair_weights
        if earlier is not None and len(earlier):
            n, rest = base.n_items, earlier.rest
            keys, place = rows * n + columns, earlier.first * n + earlier.second
            if value is None:  # what the base holds of a pair is multiplied by its earlier weight
                order = np.argsort(place)
                at = order[np.minimum(np.searchsorted(place[order], keys), len(place) - 1)]
                t = np.where(place[at] == keys, earlier.value[at], t)
        self._base = base
        self._correction = sp.csr_array((w * t - held, (rows, columns)), base.shape)
        self._change = rows, columns, (w * t) ** 2 - held**2
        if earlier is not None and len(earlier):
            stays = ~np.isin(place, keys)
            rows, columns = np.r_[rows, earlier.first[stays]], np.r_[columns, earlier.second[stays]]
            w, t = np.r_[w, earlier.weight[stays]], np.r_[t, earlier.value[stays]]
        self._pairs = PairWeights(rows, columns, w, t, rest)

    @property
    def n_items(self) -> int:
        return self._base.n_items

    @property
    def products(self) -> int:
        return self._base.products

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

    def diagonal(self) -> Array:
        return np.asarray(self._base.diagonal() + self._correction.diagonal())

    def squared_norm(self, weights: Array | None = None) -> float:
        first, second, change = self._change
        d = 1.0 if weights is None else weights[first] * weights[second]
        return float(self._base.squared_norm(weights) + np.sum(d * change))

    @property
    def squared_norm_is_exact(self) -> bool:
        return self._base.squared_norm_is_exact

    def density(self) -> float:
        return self._base.density()

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


def entries(base: Affinity, i: NDArray[np.intp], j: NDArray[np.intp]) -> Array:
    """What the affinity holds of listed pairs, from rows read a few at a time."""
    out = np.empty(len(i))
    rows, place = np.unique(i, return_inverse=True)
    order = np.argsort(place, kind="stable")
    bounds = np.searchsorted(place[order], np.arange(0, len(rows) + ROWS, ROWS))
    for block, (low, high) in enumerate(pairwise(bounds)):
        part = order[low:high]
        start = block * ROWS
        out[part] = base.rows(rows[start : start + ROWS])[place[part] - start, j[part]]
    return out
