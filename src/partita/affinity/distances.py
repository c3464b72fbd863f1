"""Distances between items by any scikit-learn metric, a callable, or Gower's for mixed tables, in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import VALID_METRICS

from partita.affinity.gower import gower_distances
from partita.arrays import Array
from partita.errors import InputError
from partita.registry import did_you_mean

__all__ = [
    "EUCLIDEAN",
    "METRICS",
    "Metric",
    "distance_blocks",
    "distances",
    "euclidean_metric",
    "refused",
    "require_metric",
]

Metric = str | Callable[..., float]
ROW_BLOCK = 1024
# Relative error of a distance from which it is computed from the difference itself.
PRECISION = 1e-9
# Part of a row's distances from which all of them are: a few are picked out.
MANY = 1 / 16
EUCLIDEAN = ("euclidean", "l2")
# Distances between rows of numbers, by name.
METRICS = tuple(sorted({*VALID_METRICS["brute"], "gower", "nan_euclidean"} - {"precomputed"}))


def require_metric(metric: Metric) -> None:
    """Raise for the name of a metric that there is not.

    Raises
    ------
    InputError
    """
    if isinstance(metric, str) and metric not in METRICS:
        near = did_you_mean(metric, METRICS)
        raise InputError(f"metric={metric!r}: expected one of {', '.join(METRICS)}{near}")


def refused(metric: Metric, error: Exception) -> InputError:
    """Return what to say of a metric that scikit-learn or SciPy would not take these features with."""
    require_metric(metric)
    return InputError(f"metric={metric!r} cannot be applied to these features: {error}")


def euclidean_metric(missing: str) -> str:
    """Return the name of the Euclidean distance: over the cells that both items have where others may be missing."""
    return "nan_euclidean" if missing == "unobserved" else "euclidean"


def distances(X: Array, Y: Array, metric: Metric, params: Mapping[str, Any] | None) -> Array:
    """Return distances between the rows of X and the rows of Y.

    scikit-learn expands the square of a Euclidean distance, which loses the small ones: so the mean of Y is moved to
    the origin first, and distances near the rounding error are computed again from the difference.
    """
    params = dict(params or {})
    if metric == "gower":
        if "ranges" not in params:
            params["ranges"] = np.nanmax(Y, axis=0) - np.nanmin(Y, axis=0)
        return gower_distances(X, Y, **params)
    if metric in EUCLIDEAN and not params:
        return _expanded(X, Y, "euclidean")
    if metric == "sqeuclidean" and not params:
        return _expanded(X, Y, "euclidean") ** 2
    try:
        of_cells = metric == "nan_euclidean" and not params
        out = _expanded(X, Y, metric) if of_cells else np.asarray(pairwise_distances(X, Y, metric=metric, **params))
    except (ValueError, TypeError) as error:
        raise refused(metric, error) from error
    if not np.isfinite(out).all():
        i, j = np.argwhere(~np.isfinite(out))[0]
        hint = "; do they share an observed column?" if metric == "nan_euclidean" else ""
        raise InputError(f"metric={metric!r} gives no finite distance between items {i} and {j}{hint}")
    return out


def _expanded(X: Array, Y: Array, metric: Metric) -> Array:
    """Distances from the expanded square |x|^2 - 2 x.y + |y|^2, off by up to (d + 3) eps (|x| + |y|)^2, and from the
    differences where that is too much. Cells that are NaN are left out of both.
    """
    d = X.shape[1]
    if metric == "nan_euclidean":
        centre = np.nansum(Y, axis=0) / np.maximum((~np.isnan(Y)).sum(axis=0), 1)
    else:
        centre = Y.mean(axis=0)
    moved = X - centre
    out = np.asarray(pairwise_distances(moved, Y - centre, metric=metric))
    # For a y no farther than |x| itself, (|x| + |y|) <= 3 |x|; of the root half the relative error is left. Missing
    # cells are made up for by a factor of up to d.
    share = 9.0 * (d + 3) * np.finfo(np.float64).eps / (2.0 * PRECISION)
    size = np.nansum(moved**2, axis=1) * (d if metric == "nan_euclidean" else 1.0)
    doubtful = out <= np.sqrt(share * size)[:, None]
    whole = np.flatnonzero(doubtful.mean(axis=1) > MANY)
    for low in range(0, len(whole), 64):
        rows = whole[low : low + 64]
        out[rows] = _of_cells(X[rows], Y) if metric == "nan_euclidean" else cdist(X[rows], Y)
    doubtful[whole] = False
    found = np.nonzero(doubtful)
    for low in range(0, len(found[0]), ROW_BLOCK * ROW_BLOCK):
        i, j = (index[low : low + ROW_BLOCK * ROW_BLOCK] for index in found)
        difference = X[i] - Y[j]
        if metric == "nan_euclidean":
            known = np.isfinite(difference).sum(axis=1)
            out[i, j] = np.sqrt(np.nansum(difference**2, axis=1) * d / np.maximum(known, 1))
        else:
            out[i, j] = np.sqrt(np.einsum("nd,nd->n", difference, difference))
    return out


def _of_cells(X: Array, Y: Array) -> Array:
    """sqrt(d / n sum of (x - y)^2 over the n columns that both have), NaN where they share none; column by column."""
    total, count = np.zeros((len(X), len(Y))), np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T):
        square = (x[:, None] - y) ** 2
        known = ~np.isnan(square)
        total += np.where(known, square, 0.0)
        count += known
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(total * (X.shape[1] / np.where(count > 0, count, np.nan))))


def distance_blocks(X: Array, metric: Metric, params: Mapping[str, Any] | None) -> Iterator[tuple[slice, Array]]:
    """Yield the row blocks of the distances among the rows of X, each item at distance 0 from itself."""
    for low in range(0, len(X), ROW_BLOCK):
        rows = slice(low, min(low + ROW_BLOCK, len(X)))
        block = distances(X[rows], X, metric, params)
        index = np.arange(rows.start, rows.stop)
        block[index - low, index] = 0.0
        yield rows, block
