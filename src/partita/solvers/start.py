"""Initial memberships.

"dirichlet"  every row uniform on the simplex
"kmeans"     k-means on the features (on the leading eigenvectors where there are none), its means from a sample of at
             most 100,000 items
"spectral"   cluster_qr on the K leading eigenvectors of the affinity; deterministic
an array     N labels, or an N x K membership

Hard starts get a share (20%) of the uniform membership mixed in, so that no entry starts at zero: the first restart the
uniform one itself, later restarts of a deterministic start a random Dirichlet one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from partita.affinity import Affinity
from partita.affinity.normalise import normalise
from partita.arrays import Array
from partita.errors import InputError
from partita.solvers.spectral import cluster_qr, leading_eigenvectors

__all__ = ["MIX", "STARTS", "Start", "Starts", "mixed", "starts_in_turn"]

Start = str | Array

# Share of the uniform membership in a hard start.
MIX = 0.2
# Rows that k-means sees at most. On a million anisotropic blobs its means are then as good as those of all (adjusted
# Rand .60) at a quarter of the time; mini-batch k-means is no faster and worse (.49 to .56).
KMEANS_ROWS = 100_000
# Items of a sparse piece from which leading eigenvectors are only as good as a start needs them: where the kernels that
# make them coarse to fine are loaded for the products anyway.
COARSE_FROM = 8_000


@dataclass(frozen=True)
class Starts:
    """Everything a start may use.

    Parameters
    ----------
    affinity : Affinity
    n_clusters : int
    features : N x d array, optional
        For k-means.
    weights : array of N, optional
    graph : Affinity, optional
        A normalised affinity whose leading eigenvectors are taken; by default `affinity`, symmetrically normalised.
    copies : array of N, optional
        How often each item counts in `graph`; once by default.
    """

    affinity: Affinity
    n_clusters: int
    features: Array | None = None
    weights: Array | None = None
    graph: Affinity | None = None
    copies: Array | None = None

    def make(self, start: str | Array, restart: int, rng: np.random.Generator) -> Array:
        """Return the membership that restart number `restart` begins with."""
        if not isinstance(start, str):
            return self._given(start)
        if start not in STARTS:
            raise InputError(f"start={start!r}: expected one of {', '.join(map(repr, STARTS))}, or an array")
        return STARTS[start](self, restart, rng)

    @cached_property
    def embedding(self) -> Array:
        """The K leading eigenvectors of the (symmetrically normalised) affinity."""
        graph = self.affinity if self.graph is None else self.graph
        if self.graph is None and graph.pair_weights is None and (graph.row_sums() >= 0).all():
            graph = normalise(graph, "symmetric", self.copies).affinity
        if self.copies is None:
            return leading_eigenvectors(graph, self.n_clusters, coarse_from=COARSE_FROM)[1]
        root = np.sqrt(self.copies)
        vectors = leading_eigenvectors(graph.scaled(root), self.n_clusters, coarse_from=COARSE_FROM)[1]
        return np.asarray(vectors / root[:, None])

    @cached_property
    def spectral_labels(self) -> NDArray[np.int64]:
        """cluster_qr on the embedding; -1 for items that the leading eigenvectors do not reach."""
        labels = cluster_qr(self.embedding)
        labels[~self.embedding.any(axis=1)] = -1
        return labels

    def _given(self, start: Any) -> Array:
        n, K = self.affinity.n_items, self.n_clusters
        array = np.asarray(start)
        if array.ndim == 1:
            codes = np.unique(array, return_inverse=True)[1]
            if len(array) != n or codes.max() >= K:
                raise InputError(f"start has {len(array)} labels of {codes.max() + 1} clusters; expected {n} of <= {K}")
            return mixed(codes, K)
        if array.shape != (n, K):
            raise InputError(f"start has shape {array.shape}, expected ({n}, {K}) memberships or {n} labels")
        W = array.astype(np.float64)
        if not np.isfinite(W).all() or (W < 0).any() or not (W.sum(axis=1) > 0).all():
            raise InputError("start must hold nonnegative numbers with at least one positive in each row")
        return np.asarray(W / W.sum(axis=1, keepdims=True))


def starts_in_turn(start: Start | Sequence[Start]) -> list[Start]:
    """Return starts of the restarts in turn: one start, or a sequence of them.

    >>> starts_in_turn("spectral"), starts_in_turn(("spectral", "dirichlet"))
    (['spectral'], ['spectral', 'dirichlet'])
    """
    if isinstance(start, str | np.ndarray):
        return [start]
    entries = list(start)
    if not entries:
        raise InputError("start is an empty sequence; expected a name, an array, or several of them")
    # A nested list of numbers is one membership or one labelling, not a sequence of starts.
    return entries if any(isinstance(entry, str | np.ndarray) for entry in entries) else [np.asarray(entries)]


def mixed(labels: NDArray[Any], n_clusters: int, background: Array | None = None) -> Array:
    """Return hard labels with a share of the uniform (or another) membership; label -1 gets that membership alone.

    >>> mixed(np.array([0, 1]), 2).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """
    W = np.full((len(labels), n_clusters), 1.0 / n_clusters) if background is None else background.copy()
    known = np.flatnonzero(labels >= 0)
    W *= np.where(labels >= 0, MIX, 1.0)[:, None]
    W[known, labels[known]] += 1.0 - MIX
    return W


def _dirichlet(starts: Starts, _restart: int, rng: np.random.Generator) -> Array:
    return rng.dirichlet(np.ones(starts.n_clusters), size=starts.affinity.n_items)


def _kmeans(starts: Starts, _restart: int, rng: np.random.Generator) -> Array:
    X, d = starts.embedding if starts.features is None else starts.features, starts.weights
    model = KMeans(starts.n_clusters, n_init=1, random_state=int(rng.integers(2**31 - 1)))
    if len(X) <= KMEANS_ROWS:
        return mixed(model.fit(X, sample_weight=d).labels_, starts.n_clusters)
    rows = np.sort(rng.choice(len(X), KMEANS_ROWS, replace=False))
    model.fit(X[rows], sample_weight=None if d is None else d[rows])
    return mixed(model.predict(X), starts.n_clusters)


def _spectral(starts: Starts, restart: int, rng: np.random.Generator) -> Array:
    labels = starts.spectral_labels
    background = None if restart == 0 else rng.dirichlet(np.ones(starts.n_clusters), size=len(labels))
    return mixed(labels, starts.n_clusters, background)


STARTS: dict[str, Callable[[Starts, int, np.random.Generator], Array]] = {
    "dirichlet": _dirichlet,
    "kmeans": _kmeans,
    "spectral": _spectral,
}
