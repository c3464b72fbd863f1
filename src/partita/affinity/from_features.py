"""Affinity from features by the relative distance [zhao2015, section "Distance Function"].

P_ij = exp(-c L_ij / sqrt(sigma_i sigma_j)), sigma_i the distance from item i to its n-th closest other item. A scale
of the features, or of the distance, changes nothing. The Gaussian kernel squares the distance: exp(-c L^2 / (sigma_i
sigma_j)). N x N numbers; past about N = 20,000 use a neighbour graph.

Identical items are one item here (the estimators merge them and keep count), so that sigma is never zero and copies
do not use up an item's n closest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq

from partita.affinity.base import Affinity
from partita.affinity.checks import ASYMMETRY, as_distances
from partita.affinity.dense import DenseAffinity
from partita.affinity.distances import Metric, distance_blocks, distances, euclidean_metric
from partita.affinity.evidence import Builder, Evidence, given_rows
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import SPARSE_WAY, require_memory
from partita.scope import tell
from partita.shapes import reals

__all__ = ["Kernel", "RelativeDistance", "balanced_scale"]

Kernel = Literal["laplacian", "gaussian"]


@dataclass(frozen=True)
class RelativeDistance(Builder):
    """P_ij = exp(-c L_ij / sqrt(sigma_i sigma_j)).

    Parameters
    ----------
    n : int
        sigma_i is the distance to the n-th closest other item; the paper uses 10. The farthest one where there are
        fewer.
    metric : str or callable
        Any name `sklearn.metrics.pairwise_distances` knows, "gower", a callable of two rows, or "precomputed".
    kernel : {"laplacian", "gaussian"}
    scale : float or "balanced"
        c > 0, or the c at which mean(P) = 1 / K.
    metric_params : mapping, optional
        Further options of the metric, as `categorical` of "gower".

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> P = RelativeDistance(n=1).build(X, n_clusters=2).affinity
    >>> P.to_dense().round(3)[0].tolist()
    [1.0, 0.368, 0.0, 0.0]
    """

    name = "relative"
    stored: ClassVar = {"sigma": reals("n", refused=""), "scale": reals(), "X": reals("n", "d")}
    command_options: ClassVar = {"metric": "metric", "n_neighbors": "n", "kernel": "kernel", "scale": "scale"}
    of_distances = True

    n: int = 10
    metric: Metric = "euclidean"
    kernel: Kernel = "laplacian"
    scale: float | Literal["balanced"] = 1.0
    metric_params: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InputError(f"n={self.n}: the scale of an item is the distance to its n-th closest other, n >= 1")
        if self.kernel not in ("laplacian", "gaussian"):
            raise InputError(f"kernel={self.kernel!r}: expected 'laplacian' or 'gaussian'")
        if self.scale != "balanced" and not (isinstance(self.scale, (int, float)) and 0 < self.scale < np.inf):
            raise InputError(f"scale={self.scale!r}: expected a positive number or 'balanced'")

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        return self.metric == "precomputed"

    @property
    def needs_k(self) -> bool:
        return self.scale == "balanced"

    varies_with_k = needs_k

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> RelativeDistance:
        return cls(metric=euclidean_metric(missing))

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> RelativeEvidence:
        n_items = X.shape[0]
        require_memory(
            2 * 8 * n_items**2,
            f"the affinity of every pair of {n_items:,} items",
            SPARSE_WAY,
        )
        if self.pairwise:
            if sp.issparse(X) and X.nnz < n_items * (n_items - 1):
                raise InputError(
                    "the relative distance needs the distance of every pair, and sparse distances leave most out; pass "
                    "a dense array, or use a neighbour graph (affinity=NeighborGraph(metric='precomputed'))"
                )
            given: Any = as_distances(X)
            P: Array = given.toarray() if sp.issparse(given) else given.copy()
        else:
            P = np.empty((n_items, n_items))
            tell("measuring distances", 0, n_items)
            for rows, block in distance_blocks(X, self.metric, self.metric_params):
                P[rows] = block
                tell("measuring distances", rows.stop, n_items)
            tell("building the affinity", 0, 1)
            if callable(self.metric):
                _check_symmetric(P)
        sigma = nth_closest(P, self.n)
        root = np.sqrt(sigma)
        P /= root[:, None]
        P /= root
        if self.kernel == "gaussian":
            P *= P
        c = balanced_scale(P, n_clusters, weights) if self.scale == "balanced" else float(self.scale)
        P *= -c
        np.exp(P, out=P)
        P = _exactly_symmetric(P)
        return RelativeEvidence(self, None if self.pairwise else np.asarray(X), sigma, c, DenseAffinity(P))

    def restore(self, state: dict[str, Array]) -> RelativeEvidence:
        return RelativeEvidence(self, state.get("X"), state["sigma"], float(state["scale"]), None)


class RelativeEvidence(Evidence):
    """Relative distances among fitted items, and from new items to them."""

    def __init__(
        self, builder: RelativeDistance, X: Array | None, sigma: Array, scale: float, affinity: Affinity | None
    ) -> None:
        self._builder, self._X, self._sigma, self.scale = builder, X, sigma, scale
        self.row_size = len(sigma)
        if affinity is not None:
            self.affinity = affinity

    def rows(self, X: Any) -> Array:
        builder = self._builder
        if self._X is None:
            given = given_rows(X, len(self._sigma), "distances")
            D = given.toarray() if sp.issparse(given) else given
        else:
            D = distances(np.asarray(X, dtype=np.float64), self._X, builder.metric, builder.metric_params)
        sigma = nth_closest(D, builder.n, itself=False)
        relative = D / np.sqrt(sigma[:, None] * self._sigma)
        if builder.kernel == "gaussian":
            relative **= 2
        return np.asarray(np.exp(-self.scale * relative))

    def state(self) -> dict[str, Array]:
        out = {"sigma": self._sigma, "scale": np.float64(self.scale)}
        return out if self._X is None else {**out, "X": self._X}  # type: ignore[return-value,dict-item]


def nth_closest(D: Array, n: int, *, itself: bool = True) -> Array:
    """Return the distance of each row's n-th closest other item; positive.

    `itself` says that D[i, i] is item i itself. For new items a distance of exactly zero is taken for the same item
    seen again, and left out too.
    """
    n_columns = D.shape[1]
    n = min(n, n_columns - 1) if itself else min(n, n_columns)
    sigma = np.empty(len(D))
    for low in range(0, len(D), 1024):
        block = D[low : low + 1024].copy()
        if itself:
            block[np.arange(len(block)), low + np.arange(len(block))] = np.inf
        else:
            block[block == 0] = np.inf
        sigma[low : low + len(block)] = np.partition(block, n - 1, axis=1)[:, n - 1] if n else 1.0
    # A new item that equals a fitted one can have fewer than n others: the farthest. Precomputed distances can hold
    # zeros between unlike items: the smallest positive distance of the row, so that items at distance zero get
    # affinity 1 and the others a finite one.
    for i in np.flatnonzero(~((sigma > 0) & np.isfinite(sigma))):
        positive = D[i][(D[i] > 0) & np.isfinite(D[i])]
        sigma[i] = 1.0 if not len(positive) else positive.min() if sigma[i] == 0 else positive.max()
    return sigma


def balanced_scale(D: Array, n_clusters: int, weights: Array | None = None) -> float:
    """Return the c at which the (weighted) mean of exp(-c D) is 1 / K: K clusters of equal size, all certain, have
    that mean.

    >>> D = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> round(balanced_scale(D, 2), 3) > 20  # only the diagonal may count
    True
    """
    w = np.ones(len(D)) if weights is None else weights
    w = w / w.sum()

    def excess(log_c: float) -> float:
        c = np.exp(log_c)
        mean = sum(w[i : i + 1024] @ (np.exp(-c * D[i : i + 1024]) @ w) for i in range(0, len(D), 1024))
        return float(mean) - 1.0 / n_clusters

    low, high = -20.0, 6.0
    if excess(high) > 0:  # duplicates alone exceed 1 / K: no finite scale gets there
        return float(np.exp(high))
    if excess(low) < 0:  # K = 1: the scale at which every pair counts as together
        return float(np.exp(low))
    return float(np.exp(brentq(excess, low, high, xtol=1e-10)))


def _check_symmetric(D: Array) -> None:
    """A callable metric may be anything: refuse one that is no distance."""
    for low in range(0, len(D), 1024):
        block, across = D[low : low + 1024], D[:, low : low + 1024].T
        off = np.abs(block - across) > ASYMMETRY * D.max()
        if off.any() or (block < 0).any():
            i, j = np.argwhere(off if off.any() else block < 0)[0]
            raise InputError(
                f"the metric gives {block[i, j]:g} for items {low + i} and {j} and {across[i, j]:g} for {j} and "
                f"{low + i}: a distance is symmetric and at least 0"
            )


def _exactly_symmetric(P: Array) -> Array:
    """Copy the upper triangle down, so that rounding leaves no asymmetry."""
    for low in range(0, len(P), 1024):
        high = min(low + 1024, len(P))
        P[high:, low:high] = P[low:high, high:].T
        block = P[low:high, low:high]
        upper = np.triu(block)
        P[low:high, low:high] = upper + np.triu(block, 1).T
    return P
