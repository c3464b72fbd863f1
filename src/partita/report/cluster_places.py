"""Places for the items of many clusters: two eigenvectors would lay most clusters on top of each other.

Each cluster has a cell of a hexagonal grid, so that none hides another. Which cell: classical scaling of the
similarities of clusters [torgerson1952] puts them on a plane, and the cells go to them with the least sum of squared
distances (an assignment problem). Within its cell a cluster is a disc of an area that goes with its size, the most
certain items in the middle.

[torgerson1952] W. Torgerson, Multidimensional scaling: I. Theory and method, Psychometrika 17 (1952).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from partita.kernels.eigen import symmetric_eigen

__all__ = ["CELLS_FROM", "cluster_places"]

Array = NDArray[np.float64]

# Clusters from which each has a cell of its own; and up to which cells are assigned, which costs K^3.
CELLS_FROM, ASSIGNED_UP_TO = 9, 400
# Width over height of the map, height of a row of a hexagonal grid of spacing 1, and radii of the largest and the
# smallest disc.
SHAPE, ROW = 4 / 3, np.sqrt(3) / 2
LARGEST, SMALLEST = 0.42, 0.06
GOLDEN = np.pi * (3 - np.sqrt(5))


def cluster_places(closeness: Array, labels: NDArray[np.int64], certainty: Array) -> Array:
    """A point for each item, N x 2; `closeness` is the mean similarity of each item to each cluster, N x K.

    Cost: O(N K + K^3) up to 400 clusters; beyond, cells are in the order of the clusters.

    >>> places = cluster_places(np.eye(3)[[0, 0, 1, 2]], np.array([0, 0, 1, 2]), np.ones(4))
    >>> len(np.unique(places, axis=0))
    4
    """
    sizes = np.bincount(labels, minlength=closeness.shape[1])
    centres = _centres(_between(closeness, labels, sizes))
    radius = np.maximum(LARGEST * np.sqrt(sizes / sizes.max()), SMALLEST)
    order = np.lexsort((-certainty, labels))
    rank = np.empty(len(labels))
    rank[order] = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    n = sizes[labels]
    out = radius[labels] * np.sqrt(np.where(n > 1, (rank + 0.5) / n, 0.0))
    angle = rank * GOLDEN
    return np.asarray(centres[labels] + out[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]))


def _between(closeness: Array, labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> Array:
    """K x K mean similarity of clusters."""
    sums = np.zeros((len(sizes), len(sizes)))
    np.add.at(sums, labels, closeness)
    mean = sums / sizes[:, None]
    return np.asarray((mean + mean.T) / 2)


def _centres(similarity: Array) -> Array:
    K = len(similarity)
    columns = max(1, round(np.sqrt(K * SHAPE * ROW)))
    at = np.arange(K)
    row = at // columns
    cells = np.column_stack([at % columns + 0.5 * (row % 2), -ROW * row])
    if not 2 < K <= ASSIGNED_UP_TO:
        return cells
    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    centred = distance**2 - (distance**2).mean(axis=0) - (distance**2).mean(axis=1)[:, None] + (distance**2).mean()
    _, vectors = symmetric_eigen(-centred / 2)
    plane = vectors[:, [-1, -2]]
    plane = plane * np.where(plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    places = [_ranks(column) for column in plane.T]  # only the order counts: cells are evenly spaced
    goal = np.column_stack([value * np.ptp(cells[:, j]) + cells[:, j].min() for j, value in enumerate(places)])
    cost = ((goal[:, None] - cells[None]) ** 2).sum(axis=2)
    return np.asarray(cells[linear_sum_assignment(cost)[1]])


def _ranks(values: Array) -> Array:
    """Ranks from 0 to 1."""
    out = np.empty(len(values))
    out[np.argsort(values, kind="stable")] = np.linspace(0, 1, len(values))
    return out
