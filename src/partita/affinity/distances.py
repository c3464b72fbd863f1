"""Distances between items by any scikit-learn metric, a callable, or Gower's for mixed tables, in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances

from partita.affinity.base import Array
from partita.affinity.gower import gower_distances
from partita.errors import InputError

__all__ = ["Metric", "distance_blocks", "distances"]

Metric = str | Callable[..., float]
ROW_BLOCK = 1024
# Euclidean distances below this share of an item's norm are computed from the difference itself.
LOST_BELOW = 1e-6


def distances(X: Array, Y: Array, metric: Metric, params: Mapping[str, Any] | None) -> Array:
    """Distances between the rows of X and the rows of Y.

    scikit-learn expands the square of a Euclidean distance, which loses the small ones: so the mean of Y is moved to
    the origin first, and distances near the rounding error are computed again from the difference.
    """
    params = dict(params or {})
    if metric == "gower":
        if "ranges" not in params:
            params["ranges"] = np.nanmax(Y, axis=0) - np.nanmin(Y, axis=0)
        return gower_distances(X, Y, **params)
    if metric == "euclidean":
        return _euclidean(X, Y)
    try:
        out = np.asarray(pairwise_distances(X, Y, metric=metric, **params))
    except (ValueError, TypeError) as error:
        raise InputError(f"metric={metric!r} cannot be applied to these features: {error}") from error
    if not np.isfinite(out).all():
        i, j = np.argwhere(~np.isfinite(out))[0]
        hint = "; do they share an observed column?" if metric == "nan_euclidean" else ""
        raise InputError(f"metric={metric!r} gives no finite distance between items {i} and {j}{hint}")
    return out


def _euclidean(X: Array, Y: Array) -> Array:
    centre = Y.mean(axis=0)
    moved = X - centre
    out = np.asarray(pairwise_distances(moved, Y - centre))
    # The expanded square is off by about eps |x|^2: below 1e-6 |x| less than six digits of a distance are right.
    doubtful = np.nonzero(out <= LOST_BELOW * np.sqrt(np.einsum("nd,nd->n", moved, moved))[:, None])
    for low in range(0, len(doubtful[0]), ROW_BLOCK * ROW_BLOCK):
        i, j = (index[low : low + ROW_BLOCK * ROW_BLOCK] for index in doubtful)
        difference = X[i] - Y[j]
        out[i, j] = np.sqrt(np.einsum("nd,nd->n", difference, difference))
    return out


def distance_blocks(X: Array, metric: Metric, params: Mapping[str, Any] | None) -> Iterator[tuple[slice, Array]]:
    """Row blocks of the distances among the rows of X, each item at distance 0 from itself."""
    for low in range(0, len(X), ROW_BLOCK):
        rows = slice(low, min(low + ROW_BLOCK, len(X)))
        block = distances(X[rows], X, metric, params)
        index = np.arange(rows.start, rows.stop)
        block[index - low, index] = 0.0
        yield rows, block
