"""Affinity from a neighbour graph: nnz numbers, never N x N.

Each item is joined to its k closest others; the weight exp(-L^2 / (sigma_i sigma_j)) (or exp(-L / sqrt(sigma_i
sigma_j)), or the heavy-tailed 1 / (1 + L^2 / (sigma_i sigma_j)), which an outlier's long links disturb less) is
self-tuned by sigma_i, the distance to the k-th of them [zelnik2004], so it lies in [0, 1] and a change of scale changes
nothing. "union" keeps a pair that either item chose, "mutual" one that both did. P_ii = 1.

With `smoothing` m the distance is that of mutual reachability, max(L, c_i, c_j) with c_i the distance to the m-th
closest other [campello2013]: items in sparse places, as on a bridge between clusters, move away from all others.

Neighbours are exact (scikit-learn's trees or blocks) while that is cheap and approximate (pynndescent) beyond.

A graph in more pieces than clusters asked for says nothing about which pieces belong together: then the shortest links
between pieces are added, with the heavy-tailed weight 1 / (1 + L^2 / (sigma_i sigma_j)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from partita.affinity.base import Affinity, Array
from partita.affinity.checks import as_distances
from partita.affinity.distances import Metric, distances
from partita.affinity.evidence import Builder, Evidence, given_rows
from partita.affinity.sparse import SparseAffinity
from partita.errors import InputError
from partita.kernels.threads import n_threads

__all__ = ["NeighborGraph"]

# Exact search is used up to this many items, or in this few dimensions, where trees work.
EXACT_ITEMS = 20_000
EXACT_DIMENSIONS = 12
# Queries from which threads pay for their start.
THREADS_FROM = 5_000
# Items of a piece of the graph up to which its way out is looked for among its items' neighbours.
SMALL_PIECE = 32

# Metrics that scikit-learn's search does not know: all distances of a block of rows are computed instead.
BY_BLOCKS = ("gower", "nan_euclidean", "precomputed")

Index = NDArray[np.intp]


@dataclass(frozen=True)
class NeighborGraph(Builder):
    """A self-tuned graph of nearest neighbours.

    Parameters
    ----------
    n_neighbors : int
        k, others than the item itself; all others where there are fewer.
    connection : {"union", "mutual"}
        Whether one or both items must have chosen the other.
    weights : {"gaussian", "laplacian", "cauchy", "binary"}
        exp(-L^2 / (sigma_i sigma_j)), exp(-L / sqrt(sigma_i sigma_j)), 1 / (1 + L^2 / (sigma_i sigma_j)) or 1.
    metric : str or callable
        As scikit-learn's `NearestNeighbors` takes it, "gower", "nan_euclidean", or "precomputed".
    search : {"auto", "exact", "approximate"}
        "auto" is exact up to 20,000 items or in at most 12 dimensions. The approximate search compiles for about half
        a minute when a process first uses it.
    metric_params : mapping, optional
        Further options of the metric.
    seed : int
        Of the approximate search.
    smoothing : int
        m of mutual reachability, at most k; 1 leaves the distances as they are.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> P = NeighborGraph(n_neighbors=2).build(X, n_clusters=2).affinity
    >>> int(P.nnz), float(P.rows([0])[0, 3])
    (18, 0.0)
    """

    name = "neighbors"

    n_neighbors: int = 10
    connection: Literal["union", "mutual"] = "union"
    weights: Literal["gaussian", "laplacian", "cauchy", "binary"] = "gaussian"
    metric: Metric = "euclidean"
    search: Literal["auto", "exact", "approximate"] = "auto"
    metric_params: Mapping[str, Any] | None = None
    seed: int = 0
    smoothing: int = 1

    def __post_init__(self) -> None:
        if self.n_neighbors < 1:
            raise InputError(f"n_neighbors={self.n_neighbors}: expected at least 1")
        for option, value, known in (
            ("connection", self.connection, ("union", "mutual")),
            ("weights", self.weights, ("gaussian", "laplacian", "cauchy", "binary")),
            ("search", self.search, ("auto", "exact", "approximate")),
        ):
            if value not in known:
                raise InputError(f"{option}={value!r}: expected one of {', '.join(map(repr, known))}")
        if not 1 <= self.smoothing <= self.n_neighbors:
            raise InputError(f"smoothing={self.smoothing}: expected 1 (none) to n_neighbors={self.n_neighbors}")

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        return self.metric == "precomputed"

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> NeighborEvidence:
        if self.pairwise:
            X = as_distances(X)
        n = X.shape[0]
        index, distance = self._neighbors(X)
        core = None
        if self.smoothing > 1:
            core = distance[:, min(self.smoothing, distance.shape[1]) - 1]
            distance = np.maximum(distance, np.maximum(core[:, None], core[index]))
        sigma = _scales(distance)
        values = self._weights(distance, sigma[:, None], sigma[index]).ravel()
        chosen = np.isfinite(distance).ravel()
        rows = np.repeat(np.arange(n), index.shape[1])[chosen]
        graph = sp.csr_array((values[chosen], (rows, index.ravel()[chosen])), shape=(n, n))
        graph = graph.maximum(graph.T) if self.connection == "union" else graph.minimum(graph.T)
        graph = sp.csr_array(graph)
        n_pieces, piece = connected_components(graph, directed=False)
        if n_pieces > n_clusters and not self.pairwise:
            graph = graph.maximum(_links(X, sigma, piece, self.metric, self.metric_params))
        graph = sp.csr_array(graph + sp.eye_array(n))
        return self._evidence(None if self.pairwise else np.asarray(X), sigma, SparseAffinity(graph), core)

    def restore(self, state: dict[str, Array]) -> NeighborEvidence:
        return self._evidence(state.get("X"), state["sigma"], None, state.get("core"))

    def _evidence(
        self, X: Array | None, sigma: Array, affinity: Affinity | None, core: Array | None
    ) -> NeighborEvidence:
        return NeighborEvidence(self, X, sigma, affinity, core)

    def _weights(self, distance: Array, own: Array, other: Array) -> Array:
        with np.errstate(over="ignore"):
            ratio = np.where(np.isfinite(distance), distance, np.inf) / np.sqrt(own * other)
            if self.weights == "gaussian":
                return np.exp(-(ratio**2))
            if self.weights == "laplacian":
                return np.exp(-ratio)
            if self.weights == "cauchy":
                return 1.0 / (1.0 + ratio**2)
        return np.isfinite(distance).astype(np.float64)

    def _neighbors(self, X: Any) -> tuple[Index, Array]:
        """The k closest others of each item and their distances; infinite where there are fewer."""
        n = X.shape[0]
        k = min(self.n_neighbors, n - 1)
        if k < 1:
            return np.zeros((n, 1), dtype=np.intp), np.full((n, 1), np.inf)
        if sp.issparse(X):
            return _sparse_neighbors(X, k)
        exact = self.search == "exact" or (
            self.search == "auto" and (n <= EXACT_ITEMS or (not self.pairwise and X.shape[1] <= EXACT_DIMENSIONS))
        )
        if exact or self.pairwise or self.metric in ("gower", "nan_euclidean"):
            return nearest(X, X, k, self.metric, self.metric_params, itself=True)
        return self._approximate(X, k)

    def _approximate(self, X: Array, k: int) -> tuple[Index, Array]:
        from pynndescent import NNDescent

        params = dict(self.metric_params or {})
        graph = NNDescent(X, n_neighbors=k + 1, metric=self.metric, metric_kwds=params, random_state=self.seed)
        index, distance = graph.neighbor_graph
        index, distance = _without_itself(index.astype(np.intp), distance.astype(np.float64), np.arange(len(X)))
        return _recomputed(X, X, index) if self.metric == "euclidean" else (index, distance)


class NeighborEvidence(Evidence):
    """A neighbour graph, and the neighbours of new items among the fitted ones (found exactly)."""

    def __init__(
        self,
        builder: NeighborGraph,
        X: Array | None,
        sigma: Array,
        affinity: Affinity | None,
        core: Array | None = None,
    ) -> None:
        self._builder, self._X, self._sigma, self._core = builder, X, sigma, core
        self._search: NearestNeighbors | None = None
        self.row_size = len(sigma) if X is None or builder.metric in BY_BLOCKS else builder.n_neighbors + X.shape[1]
        if affinity is not None:
            self.affinity = affinity

    def rows(self, X: Any) -> sp.csr_array:
        builder, n = self._builder, len(self._sigma)
        index, distance = self._nearest(X)
        # An item at distance 0 is the same item seen again: it counts as itself (P_ii = 1), not as a neighbour.
        same = distance[:, :1] == 0
        keep = np.isfinite(distance) & (same | (np.arange(distance.shape[1]) < builder.n_neighbors))
        if self._core is not None:
            m = np.minimum(builder.smoothing - 1 + same, distance.shape[1] - 1)
            own = np.take_along_axis(distance, m, axis=1)
            distance = np.where(distance > 0, np.maximum(distance, np.maximum(own, self._core[index])), 0.0)
        sigma = _scales(np.where(keep & (distance > 0), distance, np.inf))
        values = builder._weights(distance, sigma[:, None], self._sigma[index])
        rows = np.repeat(np.arange(len(index)), index.shape[1]).reshape(index.shape)
        return sp.csr_array((values[keep], (rows[keep], index[keep])), shape=(len(index), n))

    def _nearest(self, X: Any) -> tuple[Index, Array]:
        """One more neighbour than an item has among the fitted ones: the nearest may be the item itself."""
        builder, n = self._builder, len(self._sigma)
        k, metric, params = min(builder.n_neighbors + 1, n), builder.metric, builder.metric_params
        if self._X is None:
            given = given_rows(X, n, "distances")
            D = given.toarray() if sp.issparse(given) else given
            if sp.issparse(given):
                D[D == 0] = np.inf
            return _smallest(D, k)
        if self._search is None and metric not in BY_BLOCKS:
            self._search = fitted_search(self._X, metric, params)
        return nearest(np.asarray(X), self._X, k, metric, params, itself=False, search=self._search)

    def state(self) -> dict[str, Array]:
        known = {"sigma": self._sigma, "X": self._X, "core": self._core}
        return {name: array for name, array in known.items() if array is not None}


def fitted_search(Y: Array, metric: Metric, params: Mapping[str, Any] | None) -> NearestNeighbors:
    """scikit-learn's exact search among the rows of Y."""
    try:
        return NearestNeighbors(metric=metric, metric_params=dict(params) if params else None).fit(Y)
    except (ValueError, TypeError) as error:
        raise InputError(f"metric={metric!r} cannot be applied to these features: {error}") from error


def nearest(
    X: Array,
    Y: Array,
    k: int,
    metric: Metric,
    params: Mapping[str, Any] | None,
    *,
    itself: bool,
    search: NearestNeighbors | None = None,
) -> tuple[Index, Array]:
    """The k closest rows of Y to each row of X; `itself` says that X is Y and an item is not its own neighbour.

    `search` is one that `fitted_search` made of Y, where it is used again and again.
    """
    if metric in BY_BLOCKS:
        index = np.empty((len(X), k), dtype=np.intp)
        found = np.empty((len(X), k))
        for low in range(0, len(X), 512):
            block = X[low : low + 512].copy() if metric == "precomputed" else None
            D = distances(X[low : low + 512], Y, metric, params) if block is None else block
            if itself:
                D[np.arange(len(D)), low + np.arange(len(D))] = np.inf
            index[low : low + 512], found[low : low + 512] = _smallest(D, k)
        return index, found
    if search is None:
        search = fitted_search(Y, metric, params)
    search.n_jobs = n_threads() if len(X) >= THREADS_FROM else None
    try:
        distance, index = search.kneighbors(X, n_neighbors=min(k + itself, len(Y)))
    except (ValueError, TypeError) as error:
        raise InputError(f"metric={metric!r} cannot be applied to these features: {error}") from error
    if itself:
        index, distance = _without_itself(index, distance, np.arange(len(X)))
    return _recomputed(X, Y, index) if metric == "euclidean" else (index, distance)


def _recomputed(X: Array, Y: Array, index: Index) -> tuple[Index, Array]:
    """The Euclidean distances of the neighbours found, from the differences: searches by blocks expand the square, and
    approximate ones work in single precision.
    """
    distance = np.empty(index.shape)
    for low in range(0, len(X), 512):
        difference = X[low : low + 512, None, :] - Y[index[low : low + 512]]
        distance[low : low + 512] = np.sqrt(np.einsum("nkd,nkd->nk", difference, difference))
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(distance, order, axis=1)


def _smallest(D: Array, k: int) -> tuple[Index, Array]:
    part = np.argpartition(D, k - 1, axis=1)[:, :k]
    values = np.take_along_axis(D, part, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(part, order, axis=1), np.take_along_axis(values, order, axis=1)


def _without_itself(index: Index, distance: Array, own: Index) -> tuple[Index, Array]:
    """Drop each item from its own neighbours; the farthest one where it is not among them."""
    drop = index == own[:, None]
    drop[~drop.any(axis=1), -1] = True
    shape = (len(index), index.shape[1] - 1)
    return index[~drop].reshape(shape), distance[~drop].reshape(shape)


def _sparse_neighbors(D: sp.csr_array, k: int) -> tuple[Index, Array]:
    """The k closest of the stored neighbours of each row."""
    n = D.shape[0]
    index, distance = np.zeros((n, k), dtype=np.intp), np.full((n, k), np.inf)
    for i in range(n):
        columns, values = D.indices[D.indptr[i] : D.indptr[i + 1]], D.data[D.indptr[i] : D.indptr[i + 1]]
        order = np.argsort(values, kind="stable")[:k]
        index[i, : len(order)], distance[i, : len(order)] = columns[order], values[order]
    return index, distance


def _scales(distance: Array) -> Array:
    """Distance to the farthest of the k neighbours; where that is zero or unknown, the smallest positive one."""
    finite = np.where(np.isfinite(distance), distance, -np.inf)
    sigma: Array = np.asarray(finite.max(axis=1))
    positive = distance[np.isfinite(distance) & (distance > 0)]
    sigma[~(sigma > 0)] = positive.min() if positive.size else 1.0
    return sigma


def _links(X: Array, sigma: Array, piece: Index, metric: Metric, params: Mapping[str, Any] | None) -> sp.csr_array:
    """The shortest link from each piece of the graph to the rest, repeated until one piece is left (Boruvka)."""
    n = len(X)
    weight: dict[tuple[int, int], float] = {}  # two pieces may each find the link between them
    piece = piece.copy()
    while piece.max() > 0:
        for i, j, L in _shortest(X, piece, metric, params):
            weight[i, j] = weight[j, i] = 1.0 / (1.0 + L**2 / (sigma[i] * sigma[j]))
        rows, columns = np.array(list(weight)).T
        joined = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
        pieces = sp.csr_array((np.ones(n), (piece, np.arange(n))))
        _, merged = connected_components(pieces @ joined @ pieces.T, directed=False)
        piece = merged[piece].astype(np.intp)
    return sp.csr_array((list(weight.values()), (rows, columns)), shape=(n, n))


def _shortest(
    X: Array, piece: Index, metric: Metric, params: Mapping[str, Any] | None
) -> Iterator[tuple[int, int, float]]:
    """The shortest link from each piece to the rest: items i, j and their distance.

    All small pieces are asked at once: among one more neighbour than a piece has items, one is outside.
    """
    size = np.bincount(piece)
    items = np.flatnonzero(size[piece] <= SMALL_PIECE)
    if len(items):
        index, distance = nearest(X[items], X, min(SMALL_PIECE + 1, len(X)), metric, params, itself=False)
        distance = np.where(piece[index] != piece[items][:, None], distance, np.inf)
        closest = distance.argmin(axis=1)
        length = distance[np.arange(len(items)), closest]
        order = np.lexsort((length, piece[items]))
        first = order[np.r_[True, np.diff(piece[items][order]) > 0]]
        yield from zip(items[first].tolist(), index[first, closest[first]].tolist(), length[first].tolist())
    for p in np.flatnonzero(size > SMALL_PIECE):
        inside, outside = np.flatnonzero(piece == p), np.flatnonzero(piece != p)
        if len(inside) > len(outside):
            continue  # the link of the larger side is found from the smaller one
        index, distance = nearest(X[inside], X[outside], 1, metric, params, itself=False)
        best = int(distance[:, 0].argmin())
        yield int(inside[best]), int(outside[index[best, 0]]), float(distance[best, 0])
