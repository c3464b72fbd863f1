"""The shortest links between the connected components (pieces) of a graph (Boruvka): a spanning tree over them.

Small pieces are asked all at once: among one more neighbour than a piece has items, one is outside. A larger piece is
asked for its nearest item outside; among many items with a distance that a k-d tree knows, one other piece at a time,
those first whose boxes are near, until no box is nearer than the best link found: trees of the pieces are small, and
one of all that is outside would be built again for every piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from partita.affinity.distances import Metric
from partita.affinity.neighbor_search import (
    THREADS_FROM,
    TREE_DIMENSIONS,
    Index,
    fitted_search,
    minkowski_power,
    nearest,
    tree_over,
)
from partita.arrays import Array
from partita.kernels.threads import n_threads

__all__ = ["shortest_links"]

# Items of a piece of the graph up to which its way out is looked for among its items' neighbours.
SMALL_PIECE = 32

Link = tuple[int, int, float]


def shortest_links(
    X: Array, sigma: Array, piece: Index, metric: Metric, params: Mapping[str, Any] | None
) -> sp.csr_array:
    """Return the shortest link from each component to the rest, repeated until one is left; both directions are stored.

    Weights are heavy-tailed, 1 / (1 + L^2 / (sigma_i sigma_j)).
    """
    n = len(X)
    weight: dict[tuple[int, int], float] = {}  # two pieces may each find the link between them
    piece = piece.astype(np.intp)
    power = minkowski_power(metric, params)
    boxes = power is not None and n >= THREADS_FROM and X.shape[1] <= TREE_DIMENSIONS
    search = fitted_search(X, metric, params) if boxes else None
    while piece.max() > 0:
        size = np.bincount(piece)
        links = list(_of_small(X, piece, size, metric, params, search))
        links += _by_boxes(X, piece, size, power) if boxes else _one_by_one(X, piece, size, metric, params)
        for i, j, L in links:
            weight[i, j] = weight[j, i] = 1.0 / (1.0 + L**2 / (sigma[i] * sigma[j]))
        rows, columns = np.array(list(weight)).T
        joined = sp.csr_array((np.ones(len(rows)), (piece[rows], piece[columns])), shape=(len(size), len(size)))
        piece = connected_components(joined, directed=False)[1][piece].astype(np.intp)
    return sp.csr_array((list(weight.values()), (rows, columns)), shape=(n, n))


def _of_small(
    X: Array, piece: Index, size: Index, metric: Metric, params: Mapping[str, Any] | None, search: Any
) -> Iterator[Link]:
    """The shortest link from each small piece to the rest: items i, j and their distance."""
    items = np.flatnonzero(size[piece] <= SMALL_PIECE)
    if not len(items):
        return
    k = min(SMALL_PIECE + 1, len(X))
    index, distance = nearest(X[items], X, k, metric, params, itself=False, search=search)
    distance = np.where(piece[index] != piece[items][:, None], distance, np.inf)
    closest = distance.argmin(axis=1)
    length = distance[np.arange(len(items)), closest]
    order = np.lexsort((length, piece[items]))
    first = order[np.r_[True, np.diff(piece[items][order]) > 0]]
    yield from zip(items[first].tolist(), index[first, closest[first]].tolist(), length[first].tolist())


def _one_by_one(
    X: Array, piece: Index, size: Index, metric: Metric, params: Mapping[str, Any] | None
) -> Iterator[Link]:
    """The shortest link from each larger piece to all items outside it."""
    for p in np.flatnonzero(size > SMALL_PIECE):
        inside, outside = np.flatnonzero(piece == p), np.flatnonzero(piece != p)
        if len(inside) > len(outside):
            continue  # the link of the larger side is found from the smaller one
        index, distance = nearest(X[inside], X[outside], 1, metric, params, itself=False)
        best = int(distance[:, 0].argmin())
        yield int(inside[best]), int(outside[index[best, 0]]), float(distance[best, 0])


def _by_boxes(X: Array, piece: Index, size: Index, power: float | None) -> Iterator[Link]:
    """The shortest link from each larger piece, sought in one other piece at a time; all small ones count as one."""
    large = np.flatnonzero(size > SMALL_PIECE)
    group = np.full(len(size), len(large))
    group[large] = np.arange(len(large))
    order = np.argsort(group[piece], kind="stable")
    bounds = np.cumsum(np.r_[0, np.bincount(group[piece], minlength=len(large) + 1)])
    groups = [order[low:high] for low, high in pairwise(bounds) if high > low]
    least, most = (np.array([of(X[items], axis=0) for items in groups]) for of in (np.min, np.max))
    trees: dict[int, Any] = {}
    for p in range(len(large)):
        if p == int(size[large].argmax()):
            continue  # every other piece has a link: that is enough to go on
        gap = np.maximum(np.maximum(least - most[p], least[p] - most), 0.0)
        bound = np.linalg.norm(gap, ord=power, axis=1)
        best: Link = (-1, -1, np.inf)
        for q in np.argsort(bound, kind="stable").tolist():
            if q == p or bound[q] >= best[2]:
                continue
            few, many = (p, q) if len(groups[p]) <= len(groups[q]) else (q, p)
            if many not in trees:
                trees[many] = tree_over(X[groups[many]])
            L, at = trees[many].query(
                X[groups[few]], p=power, distance_upper_bound=np.nextafter(best[2], np.inf), workers=n_threads()
            )
            closest = int(L.argmin())
            if L[closest] < best[2]:
                best = int(groups[few][closest]), int(groups[many][at[closest]]), float(L[closest])
        yield best
