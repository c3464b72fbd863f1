"""A kernel as a mean over random features: right on average, and closer the more there are [rahimi2007].

gaussian    exp(-c ||x - y||^2) = E[2 cos(w^T x + b) cos(w^T y + b)], w normal, b uniform: m waves, by scikit-learn's
            `RBFSampler`. Every entry is off by about m^-1/2; entries and row sums may be negative.
laplacian   exp(-c ||x - y||_1) = P(x and y are in one cell of a random grid), the widths of its cells drawn from
            Gamma(2, 1/c), a dimension each: m grids. An entry p is off by (p (1 - p) / m)^1/2, a quarter of that of
            waves where most entries are small. P is the share of the grids in which two items are together, so it is
            the affinity of m partition draws (`draws`): in [0, 1], and labels in place of numbers.

The scale is one for all items (`kernel_scale`). No items are needed to draw features, and a new item costs m d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.kernel_approximation import RBFSampler

from partita.affinity.draws import DrawsAffinity
from partita.affinity.evidence import Builder
from partita.affinity.factor_evidence import FactorEvidence
from partita.affinity.from_features import Kernel
from partita.affinity.kernel_scale import Scale, check_kernel, kernel_scale
from partita.affinity.landmark_choice import complete, mapped
from partita.arrays import Array
from partita.errors import InputError
from partita.shapes import ArrayShape, reals, whole

__all__ = ["RandomFeatures"]

# Numbers of cells are kept within what a product of two of them cannot overflow to the same cell by chance.
FARTHEST = 2.0**62


@dataclass(frozen=True)
class RandomFeatures(Builder):
    """A kernel as the mean over m random features.

    Parameters
    ----------
    kernel : {"laplacian", "gaussian"}
        exp(-c ||x - y||_1) by random grids, with entries in [0, 1], or exp(-c ||x - y||^2) by random waves.
    n_features : int
        m.
    scale : float or "balanced"
        c > 0, or the c at which the mean of the kernel is 1 / K.
    seed : int
        Seed of the features and of the sample that the scale is found on.

    Notes
    -----
    Of random waves an item whose row sums to no more than zero, as a far one's may by chance, gets no affinity to any
    item. Where the aim is clusters and not this kernel, `Landmarks` and `NeighborGraph` are much better.

    References
    ----------
    [rahimi2007] A. Rahimi, B. Recht, Random features for large-scale kernel machines, NIPS 2007.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [10.0]])
    >>> P = RandomFeatures(n_features=20_000, scale=1.0).build(X, n_clusters=2).affinity
    >>> P.to_dense().round(1)[0].tolist()
    [1.0, 0.4, 0.0]
    """

    name = "random_features"
    stored: ClassVar = {
        "directions": reals("d", "m"),
        "widths": reals("m", "d"),
        "offsets": ArrayShape("floats", "f", None),
        "odd": whole("d"),
        "cells": whole(None),
        "bounds": whole(None),
        "factor": reals("n", None),
    }
    command_options: ClassVar = {"n_landmarks": "n_features", "kernel": "kernel", "scale": "scale"}
    of_distances = True

    kernel: Kernel = "laplacian"
    n_features: int = 300
    scale: Scale = "balanced"
    seed: int = 0

    def __post_init__(self) -> None:
        check_kernel(self.kernel, self.scale)
        if self.n_features < 1:
            raise InputError(f"n_features={self.n_features}: expected at least 1")

    @property
    def needs_k(self) -> bool:
        return self.scale == "balanced"

    varies_with_k = needs_k

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> FactorEvidence:
        X = complete(X, self.name)
        c = kernel_scale(X, self.kernel, self.scale, n_clusters, weights, self.seed)
        if self.kernel == "laplacian":
            return GridEvidence.drawn(X, c, self.n_features, self.seed)
        waves = RBFSampler(gamma=c, n_components=self.n_features, random_state=self.seed).fit(X[:1])
        found = waves.random_weights_, waves.random_offset_
        return WaveEvidence(*found, mapped(WaveEvidence(*found, None).features, X, self.n_features))

    def restore(self, state: dict[str, Array]) -> FactorEvidence:
        if self.kernel == "laplacian":
            return GridEvidence.restored(state)
        return WaveEvidence(state["directions"], state["offsets"], state.get("factor"))


class WaveEvidence(FactorEvidence):
    """Directions w_r, d x m, and offsets b_r."""

    def __init__(self, directions: Array, offsets: Array, factor: Array | None) -> None:
        self._directions, self._offsets = directions, offsets
        self.row_size = sum(directions.shape)
        super().__init__(factor)

    def features(self, X: Any) -> Array:
        phase = np.asarray(X, dtype=np.float64) @ self._directions + self._offsets
        return np.asarray(np.sqrt(2.0 / len(self._offsets)) * np.cos(phase))

    def state(self) -> dict[str, Array]:
        return {"directions": self._directions, "offsets": self._offsets}


class GridEvidence(FactorEvidence):
    """Grids, and the cells that hold a fitted item: one column of F for each, m^-1/2 for the items in it.

    A cell is known by a 64-bit hash of its place; `cells` are those of each grid in ascending order.
    """

    def __init__(self, widths: Array, offsets: Array, odd: NDArray[np.int64], cells: list[NDArray[np.int64]]) -> None:
        self._widths, self._offsets, self._odd, self._cells = widths, offsets, odd, cells
        self._first = np.r_[0, np.cumsum([len(known) for known in cells])]
        self._labels: NDArray[Any] | None = None
        self._draws: DrawsAffinity | None = None
        self.row_size = 4 * len(widths) + widths.shape[1]
        super().__init__(None)

    @classmethod
    def drawn(cls, X: Array, c: float, n_grids: int, seed: int) -> GridEvidence:
        """Return random grids and the cells of the items in them."""
        rng, d = np.random.default_rng(seed), X.shape[1]
        widths = rng.gamma(2.0, 1.0 / c, size=(n_grids, d))
        offsets = rng.random((n_grids, d)) * widths
        odd = np.asarray(rng.integers(0, 1 << 62, size=d) * 2 + 1, dtype=np.int64)
        grids = cls(widths, offsets, odd, [])
        found = [np.unique(grids._hash(X, b), return_inverse=True) for b in range(n_grids)]
        evidence = cls(widths, offsets, odd, [cells for cells, _ in found])
        kind = np.min_scalar_type(-max(len(cells) for cells, _ in found))
        evidence._labels = np.stack([labels.astype(kind) for _, labels in found])
        evidence.affinity = evidence._draws = DrawsAffinity(evidence._labels)
        return evidence

    @classmethod
    def restored(cls, state: dict[str, Array]) -> GridEvidence:
        """Make the evidence again from its `state`."""
        cells: Any = np.split(state["cells"], state["bounds"][1:-1].astype(np.intp))
        evidence = cls(state["widths"], state["offsets"], state["odd"].astype(np.int64), cells)
        evidence._factor = state.get("factor")
        return evidence

    @property
    def factor(self) -> Any:
        return super().factor if self._draws is None else self._draws.factor

    def features(self, X: Any) -> sp.csr_array:
        X = np.asarray(X, dtype=np.float64)
        columns = np.full((len(X), len(self._widths)), -1, dtype=np.int64)
        for b, known in enumerate(self._cells):
            asked = self._hash(X, b)
            place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            columns[:, b] = np.where(known[place] == asked, self._first[b] + place, -1)
        inside = columns >= 0
        bounds = np.r_[0, np.cumsum(inside.sum(axis=1))]
        value = np.full(int(bounds[-1]), len(self._widths) ** -0.5)
        return sp.csr_array((value, columns[inside], bounds), shape=(len(X), int(self._first[-1])))

    def fold(self, L: Array) -> Array:
        if self._labels is None:
            return super().fold(L)
        out, n = np.empty((int(self._first[-1]), L.shape[1])), len(L)
        share = np.full(n, len(self._widths) ** -0.5)
        for b, labels in enumerate(self._labels):
            items = sp.csr_array((share, labels, np.arange(n + 1)), shape=(n, len(self._cells[b])))
            out[self._first[b] : self._first[b + 1]] = items.T @ L
        return out

    def state(self) -> dict[str, Array]:
        cells: Any = np.concatenate(self._cells)
        return {
            "widths": self._widths,
            "offsets": self._offsets,
            "odd": self._odd,
            "cells": cells,
            "bounds": self._first,
        }

    def _hash(self, X: Array, b: int) -> NDArray[np.int64]:
        """Hash the cell of each row in grid b: a sum over dimensions, modulo 2^64."""
        place = np.floor((X + self._offsets[b]) / self._widths[b])
        return np.asarray(np.clip(place, -FARTHEST, FARTHEST).astype(np.int64) @ self._odd)
