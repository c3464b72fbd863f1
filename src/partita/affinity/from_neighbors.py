"""Affinity from a neighbour graph: nnz numbers, never N x N.

Each item is joined to its k closest others; the weight exp(-L^2 / (sigma_i sigma_j)) (or exp(-L / sqrt(sigma_i
sigma_j)), or the heavy-tailed 1 / (1 + L^2 / (sigma_i sigma_j)), which an outlier's long links disturb less) is
self-tuned by sigma_i, the distance to the k-th of them [zelnik2004], so it lies in [0, 1] and a change of scale changes
nothing. "union" keeps a pair that either item chose, "mutual" one that both did. P_ii = 1.

With `smoothing` m the distance is that of mutual reachability, max(L, c_i, c_j) with c_i the distance to the m-th
closest other [campello2013]: items in sparse places, as on a bridge between clusters, move away from all others.

Neighbours are exact while that is cheap (`partita.affinity.neighbor_search`) and approximate (pynndescent) beyond.
Within one fit the last searches are shared (`partita.affinity.shared_search`). What follows is O(nnz), in a few arrays
of N x k numbers.

A graph with more connected components (pieces) than clusters asked for says nothing about which of them belong
together: then the shortest links between components are added, with the heavy-tailed weight 1 / (1 + L^2 / (sigma_i
sigma_j)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse as sp

from partita.affinity.base import Affinity
from partita.affinity.checks import as_distances
from partita.affinity.distances import Metric, euclidean_metric
from partita.affinity.evidence import Builder, Evidence, given_rows
from partita.affinity.links import shortest_links
from partita.affinity.neighbor_search import (
    BY_BLOCKS,
    Index,
    Search,
    fitted_search,
    minkowski_power,
    nearest,
    recomputed,
    smallest,
    without_itself,
)
from partita.affinity.self_tuned import (
    Connection,
    Weights,
    pieces_of,
    reachability,
    scales,
    symmetric_graph,
    tuned_weights,
)
from partita.affinity.shared_search import made_once, the_shared_searches
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.scope import key_of, lasting
from partita.shapes import reals

__all__ = ["Index", "NeighborEvidence", "NeighborGraph", "fitted_search", "nearest", "neighbors_among"]

# Exact search is used up to this many items, or in this few dimensions, where trees work.
EXACT_ITEMS = 20_000
EXACT_DIMENSIONS = 12


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
        Seed of the approximate search.
    smoothing : int
        m of mutual reachability, at most k; 1 leaves the distances as they are.

    Notes
    -----
    Cost: the search, then O(N k) time and about 40 N k bytes beside the graph. From 200,000 items on the weights are
    stored in single precision, and the smallest are not stored (`partita.affinity.self_tuned`). A million items in 8
    dimensions with k = 15 take half a minute on two cores, nine tenths of it the search.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> P = NeighborGraph(n_neighbors=2).build(X, n_clusters=2).affinity
    >>> int(P.nnz), float(P.rows([0])[0, 3])
    (18, 0.0)
    """

    name = "neighbors"
    stored: ClassVar = {"sigma": reals("n", refused=""), "core": reals("n", refused=""), "X": reals("n", "d")}
    command_options: ClassVar = {"metric": "metric", "n_neighbors": "n_neighbors", "kernel": "weights"}
    of_distances = True
    scaled = True

    n_neighbors: int = 10
    connection: Connection = "union"
    weights: Weights = "gaussian"
    metric: Metric = "euclidean"
    search: Literal["auto", "exact", "approximate"] = "auto"
    metric_params: Mapping[str, Any] | None = None
    seed: int = 0
    smoothing: int = 1

    def __post_init__(self) -> None:
        if self.n_neighbors < 1:
            raise InputError(f"n_neighbors={self.n_neighbors}: expected at least 1")
        for option, value, known in (
            ("connection", self.connection, get_args(Connection)),
            ("weights", self.weights, get_args(Weights)),
            ("search", self.search, ("auto", "exact", "approximate")),
        ):
            if value not in known:
                raise InputError(f"{option}={value!r}: expected one of {', '.join(map(repr, known))}")
        if not 1 <= self.smoothing <= self.n_neighbors:
            raise InputError(f"smoothing={self.smoothing}: expected 1 (none) to n_neighbors={self.n_neighbors}")

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        return self.metric == "precomputed"

    @property
    def varies_with_k(self) -> bool:
        return not self.pairwise  # features are linked until there are no more components than clusters

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> NeighborGraph:
        return cls(metric=euclidean_metric(missing))

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> NeighborEvidence:
        if self.pairwise:
            X = as_distances(X)
        index, distance = self._neighbors(X)
        core = None
        if self.smoothing > 1:
            distance, core = reachability(index, distance, self.smoothing)
        sigma = scales(distance)
        graph = symmetric_graph(index, distance, sigma, self.weights, self.connection)
        del index, distance
        if not self.pairwise:
            n_pieces, piece = pieces_of(graph)
            if n_pieces > n_clusters:
                graph = sp.csr_array(graph.maximum(self._links(X, sigma, piece).astype(graph.dtype)))
        return self._evidence(None if self.pairwise else np.asarray(X), sigma, SparseAffinity(graph), core)

    def restore(self, state: dict[str, Array]) -> NeighborEvidence:
        return self._evidence(state.get("X"), state["sigma"], None, state.get("core"))

    def _evidence(
        self, X: Array | None, sigma: Array, affinity: Affinity | None, core: Array | None
    ) -> NeighborEvidence:
        return NeighborEvidence(self, X, sigma, affinity, core)

    def _links(self, X: Array, sigma: Array, piece: Index) -> sp.csr_array:
        """The shortest links between pieces of the graph: the same for every number of clusters below theirs."""

        def made() -> tuple[Any, ...]:
            links = shortest_links(X, sigma, piece, self.metric, self.metric_params)
            return links.data, links.indices, links.indptr

        n = len(sigma)
        found = made_once(made, "links", X, self.metric, self.metric_params, sigma, piece)
        return sp.csr_array(found, shape=(n, n))

    def _neighbors(self, X: Any) -> tuple[Index, Array]:
        """The k closest others of each item and their distances; infinite where there are fewer."""
        n = X.shape[0]
        k = min(self.n_neighbors, n - 1)
        if k < 1:
            return np.zeros((n, 1), dtype=np.intp), np.full((n, 1), np.inf)
        if sp.issparse(X):
            return _sparse_neighbors(X, k)
        if self.pairwise:
            return nearest(X, X, k, self.metric, self.metric_params, itself=True)
        exact = self.metric in BY_BLOCKS or self.search == "exact"
        exact = exact or (self.search == "auto" and (n <= EXACT_ITEMS or X.shape[1] <= EXACT_DIMENSIONS))
        if exact:
            return neighbors_among(X, k, self.metric, self.metric_params)
        return _shared(X, k, (self.metric, self.metric_params, "approximate", self.seed, k), self._approximate)

    def _approximate(self, X: Array, k: int) -> tuple[Index, Array]:
        from pynndescent import NNDescent

        params, power = dict(self.metric_params or {}), minkowski_power(self.metric, self.metric_params)
        Y, unit = X, 1.0
        if power is not None:
            # It works in single precision, and an offset or an extreme unit would leave no digits for distances.
            Y = X - X.mean(axis=0)
            unit = float(np.abs(Y).max()) or 1.0
            Y /= unit
        graph = NNDescent(Y, n_neighbors=k + 1, metric=self.metric, metric_kwds=params, random_state=self.seed)
        index, distance = graph.neighbor_graph
        index, distance = without_itself(index, unit * distance.astype(np.float64), np.arange(len(X)))
        return recomputed(X, X, index) if power == 2.0 else (index, distance)


def neighbors_among(
    X: Array, k: int, metric: Metric = "euclidean", params: Mapping[str, Any] | None = None
) -> tuple[Index, Array]:
    """Return the k closest others of each row and their distances, of the shared search where there is one.

    >>> neighbors_among(np.array([[0.0], [1.0], [3.0]]), 1)[1].tolist()
    [[1.0], [1.0], [2.0]]
    """
    return _shared(X, k, (metric, params, "exact"), lambda X, k: nearest(X, X, k, metric, params, itself=True))


def _shared(
    X: Array, k: int, settings: tuple[Any, ...], search: Callable[[Array, int], tuple[Index, Array]]
) -> tuple[Index, Array]:
    def found() -> tuple[Index, Array]:
        return lasting(lambda: search(X, k), "neighbors", k, X, *settings)

    shared = the_shared_searches()
    key = None if shared is None else key_of(X, *settings)
    return found() if shared is None or key is None else shared.searched(key, k, found)


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
        self._search: Search | None = None
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
        sigma = scales(np.where(keep & (distance > 0), distance, np.inf))
        values = tuned_weights(distance, sigma[:, None], self._sigma[index], builder.weights)
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
            return smallest(D, k)
        if self._search is None and metric not in BY_BLOCKS:
            self._search = fitted_search(self._X, metric, params)
        return nearest(np.asarray(X), self._X, k, metric, params, itself=False, search=self._search)

    def state(self) -> dict[str, Array]:
        known = {"sigma": self._sigma, "X": self._X, "core": self._core}
        return {name: array for name, array in known.items() if array is not None}


def _sparse_neighbors(D: sp.csr_array, k: int) -> tuple[Index, Array]:
    """The k closest of the stored neighbours of each row."""
    n = D.shape[0]
    length = np.diff(D.indptr)
    order = np.lexsort((D.data, np.repeat(np.arange(n), length)))  # stable: ties in the order they are stored
    place = np.arange(D.nnz) - np.repeat(D.indptr[:-1], length)
    kept = place < k
    rows, order = np.repeat(np.arange(n), length)[kept], order[kept]
    index, distance = np.zeros((n, k), dtype=np.intp), np.full((n, k), np.inf)
    index[rows, place[kept]], distance[rows, place[kept]] = D.indices[order], D.data[order]
    return index, distance
