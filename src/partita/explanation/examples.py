"""Items that show what a cluster is: its typical ones and those at its boundary; and the cluster that is nearest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.explanation.columns import Column
from partita.membership import Membership

__all__ = ["boundary_items", "nearest_clusters", "typical_items"]


# Items of a cluster that are named.
NAMED = 3
# Memberships within this of a cluster's largest are tied for the typical item; the most central of them is it.
TIED = 1e-3
# Mean overlap of memberships with another cluster below which there is none to speak of.
APART = 1e-6


def boundary_items(membership: Membership, weights: Array) -> list[tuple[int, ...]]:
    """Return some items of each cluster with a margin below 0.2, the most ambiguous first.

    >>> W = Membership(np.array([[0.9, 0.1], [0.55, 0.45], [0.48, 0.52]]))
    >>> boundary_items(W, np.ones(3))
    [(1,), (2,)]
    """
    rows = membership.boundary()
    rows = rows[weights[rows] > 0]
    of = membership.labels[rows]
    return [tuple(rows[of == k][:NAMED].tolist()) for k in range(membership.n_clusters)]


def typical_items(membership: Membership, columns: Sequence[Column], weights: Array) -> list[tuple[int, ...]]:
    """Return the surest items of each cluster; of equally sure ones the most central first. Cost: N d."""
    own = membership.matrix[np.arange(membership.n_items), membership.labels]
    spread = [_spread(column) for column in columns]
    out: list[tuple[int, ...]] = []
    for k in range(membership.n_clusters):
        rows = np.flatnonzero((membership.labels == k) & (weights > 0))
        if not len(rows):
            out.append(())
            continue
        central = _off_centre([c.rows(rows) for c in columns], spread)
        tied = own[rows] >= own[rows].max() - TIED
        order = np.lexsort((central, np.where(tied, 0.0, -own[rows]), ~tied))
        out.append(tuple(rows[order[:NAMED]].tolist()))
    return out


def nearest_clusters(
    W: Array, columns: Sequence[Column], labels: NDArray[np.int64], weights: Array
) -> list[int | None]:
    """Return the cluster that is nearest to each: of largest overlap sum_i w_ik w_im, or of the nearest centre where
    memberships overlap with none. None for an empty cluster, and for the only one.

    >>> W = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])
    >>> nearest_clusters(W, [Column.of("x", np.array([0.0, 1.0, 5.0]))], W.argmax(axis=1), np.ones(3))
    [1, 0, 1]
    """
    K = W.shape[1]
    overlap = (W * weights[:, None]).T @ W
    held = np.bincount(labels, weights, minlength=K) > 0
    centres = np.hstack([_centres(column, labels, weights, K) for column in columns])
    out: list[int | None] = []
    for k in range(K):
        others = np.flatnonzero(held & (np.arange(K) != k))
        if not held[k] or not len(others):
            out.append(None)
            continue
        near = overlap[k, others]
        if near.max() > APART * weights.sum():
            out.append(int(others[near.argmax()]))
            continue
        squares = (centres[others] - centres[k]) ** 2
        known = (~np.isnan(squares)).sum(axis=1)
        apart = np.divide(np.nansum(squares, axis=1), known, out=np.full(len(others), np.inf), where=known > 0)
        out.append(int(others[apart.argmin()]))
    return out


def _spread(column: Column) -> float:
    """Standard deviation of the known numbers; 1 for a column of words or without differences."""
    x = column.values[~np.isnan(column.values)]
    if column.categories is not None or not len(x):
        return 1.0
    return float(x.std()) if x.std() > 1e-12 * max(np.abs(x).max(), 1e-300) else np.inf


def _off_centre(columns: Sequence[Column], spread: Sequence[float]) -> Array:
    """Mean over the known columns of the squared distance from the mean, or of the share of other categories."""
    total, known = np.zeros(len(columns[0].values)), np.zeros(len(columns[0].values))
    for column, unit in zip(columns, spread, strict=True):
        x = column.values
        seen = ~np.isnan(x)
        if not seen.any():
            continue
        if column.categories is None:
            total[seen] += ((x[seen] - x[seen].mean()) / unit) ** 2
        else:
            code = x[seen].astype(np.intp)
            total[seen] += 1.0 - np.bincount(code)[code] / len(code)
        known += seen
    return np.asarray(np.divide(total, known, out=np.full(len(total), np.inf), where=known > 0))


def _centres(column: Column, labels: NDArray[np.int64], weights: Array, n_clusters: int) -> Array:
    """The mean of each cluster in standard deviations, or the share of each category; NaN where nothing is known."""
    seen = ~np.isnan(column.values)
    x, k, w = column.values[seen], labels[seen], weights[seen]
    total = np.bincount(k, w, minlength=n_clusters)[:, None]
    if column.categories is None:
        sums: Array = np.bincount(k, w * x, minlength=n_clusters)[:, None] / _spread(column)
    else:
        C = max(len(column.categories), 1)
        counts = np.bincount(k * C + x.astype(np.intp), w, minlength=n_clusters * C)
        sums = counts.reshape(n_clusters, C).astype(np.float64)
    return np.asarray(np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0))
