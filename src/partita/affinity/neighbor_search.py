"""The k closest rows of Y to each row of X.

Searches, by what is fastest at the number of rows and features (measured on two cores, `benchmarks/neighbors.py`):

k-d tree      SciPy's, from 5,000 rows and in at most 12 dimensions, for the Minkowski distances: exact. Rows are laid
              out in the tree's own order and queried in it, so that what is close in space is close in memory: a
              million items in 8 dimensions take a seventh of the time of scikit-learn's tree, asked in their order.
scikit-learn  its trees or its blocks of distances, any other metric: exact, and Euclidean ones made exact.
by blocks     metrics that scikit-learn's search does not know: all distances of a block of rows.

scikit-learn's blocks expand the square of a Euclidean distance, |x|^2 - 2 x.y + |y|^2, and are off by up to about
(d + 3) eps (|x| + |y|)^2: where items are far from the origin, or close together beside that, it takes the wrong
neighbours. Rows for which that could be are searched again with the centre of the items at the origin, and those for
which it still could be by their differences, so that no neighbour is missed that is closer by more than one part in
1e10 of the squared distance, whatever the offset.

Only k numbers a row are kept, in four-byte indices from the tree on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from partita.affinity.distances import Metric, distances, refused
from partita.arrays import Array
from partita.kernels.threads import limit_threads, n_threads, row_bounds, run_chunks

__all__ = [
    "BY_BLOCKS",
    "Index",
    "Search",
    "TreeSearch",
    "fitted_search",
    "minkowski_power",
    "nearest",
    "recomputed",
    "smallest",
    "tree_over",
    "without_itself",
]

Index = NDArray[np.signedinteger[Any]]

# Metrics that scikit-learn's search does not know: all distances of a block of rows are computed instead.
BY_BLOCKS = ("gower", "nan_euclidean", "precomputed")
# Rows from which threads pay for their start, and SciPy's tree for its two passes over them.
THREADS_FROM = 5_000
# Dimensions up to which the tree is faster than blocks of distances on overlapping clusters; beyond, it depends.
TREE_DIMENSIONS = 12
# Points in a leaf: 16 to 32 are equally fast.
LEAF = 24
# Rows asked for at a time.
ROWS = 1 << 16
# Rows that one thread asks scikit-learn for at a time.
CHUNK = 512
# Part of a squared distance by which a neighbour that is missed may be closer.
MISSED = 1e-10
# Distances held at a time where rows are searched by their differences.
HELD = 1 << 22
# Names of the Minkowski distances and their powers; the squared Euclidean one has the same neighbours.
POWERS = {
    **dict.fromkeys(("euclidean", "l2", "minkowski"), 2.0),
    **dict.fromkeys(("manhattan", "cityblock", "l1"), 1.0),
    **dict.fromkeys(("chebyshev", "infinity"), np.inf),
}


class TreeSearch:
    """SciPy's k-d tree over the rows of Y.

    Parameters
    ----------
    Y : n x d array
    power : float
        Power of the Minkowski distance, at least 1.
    """

    def __init__(self, Y: Array, power: float) -> None:
        self._power = power
        self._order = tree_over(Y).indices.astype(np.int32)
        self._Y = np.ascontiguousarray(Y[self._order])
        self._search = tree_over(self._Y)

    def among_themselves(self, k: int) -> tuple[Index, Array]:
        """Return the k closest others of every row of Y."""
        n = len(self._Y)
        index, distance = np.empty((n, k), dtype=np.int32), np.empty((n, k))
        for low, high in row_bounds(n, ROWS):
            places = np.arange(low, high)
            found = self._query(self._Y[low:high], k + 1)
            kept, away = without_itself(*found, places)
            index[self._order[low:high]] = self._order[kept]
            distance[self._order[low:high]] = away
        return index, distance

    def closest(self, X: Array, k: int) -> tuple[Index, Array]:
        """Return the k rows of Y closest to each row of X."""
        index, distance = np.empty((len(X), k), dtype=np.int32), np.empty((len(X), k))
        order = tree_over(X).indices if len(X) >= THREADS_FROM else np.arange(len(X))
        for low, high in row_bounds(len(X), ROWS):
            rows = order[low:high]
            found, distance[rows] = self._query(X[rows], k)
            index[rows] = self._order[found]
        return index, distance

    def _query(self, X: Array, k: int) -> tuple[Index, Array]:
        workers = n_threads() if len(X) >= THREADS_FROM else 1
        distance, index = self._search.query(X, k=np.arange(1, k + 1), p=self._power, workers=workers)
        return index, distance


Search: TypeAlias = TreeSearch | NearestNeighbors


def tree_over(X: Array) -> Any:
    """Split in the middle of the widest side, not at the median: twice as fast to build and no slower to ask."""
    return cKDTree(X, leafsize=LEAF, balanced_tree=False)


def fitted_search(Y: Array, metric: Metric, params: Mapping[str, Any] | None) -> Search:
    """Return an exact search among the rows of Y, to be asked again and again."""
    power = minkowski_power(metric, params)
    if power is not None and len(Y) >= THREADS_FROM and Y.shape[1] <= TREE_DIMENSIONS:
        return TreeSearch(Y, power)
    if power == 2.0:
        metric, params = "euclidean", None
    try:
        return NearestNeighbors(metric=metric, metric_params=dict(params) if params else None).fit(Y)
    except (ValueError, TypeError) as error:
        raise refused(metric, error) from error


def minkowski_power(metric: Metric, params: Mapping[str, Any] | None) -> float | None:
    """Return the power of a Minkowski distance without further options; None for any other metric."""
    power = POWERS.get(metric) if isinstance(metric, str) else None
    if metric == "minkowski" and params and set(params) == {"p"}:
        return float(params["p"]) if params["p"] >= 1 else None
    return None if params else power


def nearest(
    X: Array,
    Y: Array,
    k: int,
    metric: Metric,
    params: Mapping[str, Any] | None,
    *,
    itself: bool,
    search: Search | None = None,
) -> tuple[Index, Array]:
    """Return the k closest rows of Y to each row of X, nearest first.

    `itself` says that X is Y and no item its own neighbour.

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
            index[low : low + 512], found[low : low + 512] = smallest(D, k)
        return index, found
    if metric == "sqeuclidean" and not params:
        index, distance = nearest(X, Y, k, "euclidean", None, itself=itself, search=search)
        return index, distance**2
    if search is None:
        search = fitted_search(Y, metric, params)
    if isinstance(search, TreeSearch):
        return search.among_themselves(k) if itself else search.closest(X, k)
    own = np.arange(len(X)) if itself else None
    index, distance = _by_scikit_learn(search, X, k, metric, own)
    if minkowski_power(metric, params) != 2.0:
        return index, distance
    index, distance = recomputed(X, Y, index)
    rows = _doubtful(X, distance)
    if len(rows):
        centre = Y.mean(axis=0)
        search = NearestNeighbors(metric="euclidean").fit(Y - centre)
        others, _ = _by_scikit_learn(search, X[rows] - centre, k, metric, None if own is None else rows)
        index[rows], distance[rows] = recomputed(X[rows], Y, others)
        rows = rows[_doubtful(X[rows] - centre, distance[rows])]
        index[rows], distance[rows] = _by_differences(X[rows], Y, k, None if own is None else rows)
    return index, distance


def _by_scikit_learn(
    search: NearestNeighbors, X: Array, k: int, metric: Metric, own: Index | None
) -> tuple[Index, Array]:
    """Neighbours found by scikit-learn; `own` is the row of Y that each row of X is, if it is one."""
    k = min(k + (own is not None), search.n_samples_fit_)
    index, distance = np.empty((len(X), k), dtype=np.intp), np.empty((len(X), k))

    def work(low: int, high: int) -> None:
        # On several threads its blocks of distances are others, and so are the neighbours among those equally far. By
        # threads whatever backend is set outside: in a task of Dask the search would wait for tasks of its own.
        with limit_threads(1), parallel_config(backend="threading", n_jobs=1):
            distance[low:high], index[low:high] = search.kneighbors(X[low:high], n_neighbors=k)

    try:
        with limit_threads(n_threads()):  # of BLAS for the whole process: the first chunk to end must not lift it
            run_chunks(work, row_bounds(len(X), CHUNK))
    except (ValueError, TypeError) as error:
        raise refused(metric, error) from error
    return (index, distance) if own is None else without_itself(index, distance, own)


def _doubtful(X: Array, distance: Array) -> Index:
    """Rows whose neighbours, the farthest at `distance[:, -1]`, an expanded square could not tell from farther ones."""
    farthest = distance[:, -1]
    norm = np.sqrt(np.einsum("nd,nd->n", X, X))
    with np.errstate(over="ignore"):
        ratio = np.divide(2.0 * norm + farthest, farthest, out=np.full_like(norm, np.inf), where=farthest > 0)
        lost = 2.0 * (X.shape[1] + 3) * np.finfo(np.float64).eps * ratio**2
    return np.flatnonzero(lost > MISSED)


def _by_differences(X: Array, Y: Array, k: int, own: Index | None) -> tuple[Index, Array]:
    """All Euclidean distances, from differences: N M d, a hundred times what products of matrices take."""
    index, distance = np.empty((len(X), k), dtype=np.intp), np.empty((len(X), k))

    def work(low: int, high: int) -> None:
        D = cdist(X[low:high], Y)
        if own is not None:
            D[np.arange(high - low), own[low:high]] = np.inf
        index[low:high], distance[low:high] = smallest(D, k)

    run_chunks(work, row_bounds(len(X), max(1, HELD // len(Y))), words="searching for neighbours")
    return index, distance


def recomputed(X: Array, Y: Array, index: Index) -> tuple[Index, Array]:
    """Return the Euclidean distances of the neighbours found, from the differences: searches by blocks expand the
    square, and approximate ones work in single precision.
    """
    distance = np.empty(index.shape)
    for low in range(0, len(X), 512):
        difference = np.subtract(X[low : low + 512, None, :], Y[index[low : low + 512]], dtype=np.float64)
        distance[low : low + 512] = np.sqrt(np.einsum("nkd,nkd->nk", difference, difference))
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(distance, order, axis=1)


def smallest(D: Array, k: int) -> tuple[Index, Array]:
    """Return positions and values of the k smallest numbers of each row, smallest first."""
    part = np.argpartition(D, k - 1, axis=1)[:, :k]
    values = np.take_along_axis(D, part, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(part, order, axis=1), np.take_along_axis(values, order, axis=1)


def without_itself(index: Index, distance: Array, own: Index) -> tuple[Index, Array]:
    """Drop each item from its own neighbours; the farthest one where it is not among them."""
    drop = index == own[:, None]
    drop[~drop.any(axis=1), -1] = True
    shape = (len(index), index.shape[1] - 1)
    return index[~drop].reshape(shape), distance[~drop].reshape(shape)
