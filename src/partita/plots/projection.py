"""Items on two axes: the features themselves, their principal components, or eigenvectors of the affinity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.utils import get_tags

from partita.affinity import Affinity, DiffusedAffinity, normalise
from partita.arrays import Array
from partita.errors import InputError
from partita.solvers.spectral import leading_eigenvectors

__all__ = ["Projection", "limits", "project", "project_affinity", "project_features"]


# Limits of an axis: it shows the part of each cluster within so many interquartile ranges of its quartiles, and all
# items but this share at either end. Where the items span no more than so many times as much, it shows them all.
FENCE = 3.0
TAIL = 0.01
SQUASHED = 3.0


@dataclass(frozen=True)
class Projection:
    """Two coordinates of each item and what the axes are.

    `meaningless_y` says that the second is there only to keep items apart.
    """

    points: Array
    xlabel: str
    ylabel: str
    meaningless_y: bool = False


def project(estimator: Any, X: Any = None, columns: Sequence[str] | None = None) -> Projection:
    """Return the items of a fit on two axes: from the features X, or from the affinity where X is None or pairwise.

    Raises
    ------
    InputError
        Where X has another number of rows than the fit.
    """
    if X is None or get_tags(estimator).input_tags.pairwise or isinstance(X, Affinity) or sp.issparse(X):
        return project_affinity(
            estimator.affinity_,
            getattr(estimator, "item_index_", None),
            normalised=getattr(estimator, "normalization", "none") != "none",
        )
    X = np.asarray(X, dtype=np.float64) if not hasattr(X, "to_numpy") else X.to_numpy(dtype=np.float64)
    n_items = len(estimator.membership_)
    if X.ndim != 2 or len(X) != n_items:
        raise InputError(f"X has shape {X.shape}; the fit has {n_items} items, one row each was expected")
    if columns is None:
        columns = getattr(estimator, "feature_names_in_", None)
    return project_features(X, columns)


def project_features(X: Array, columns: Sequence[str] | None = None) -> Projection:
    """Return features on two axes: the value and jitter for one, both for two, two principal components for more.

    >>> project_features(np.array([[0.0, 1.0], [2.0, 3.0]]), ["length", "width"]).xlabel
    'length'
    """
    n, d = X.shape
    names = [f"feature {j}" for j in range(d)] if columns is None or len(columns) != d else [str(c) for c in columns]
    missing = np.isnan(X)
    note = ""
    if missing.any():
        known = np.where(missing, 0.0, X).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        X = np.where(missing, known, X)
        note = " (missing cells at their column's mean)"
    if d == 1:
        jitter = np.random.default_rng(0).uniform(-1, 1, n)
        return Projection(
            np.column_stack([X[:, 0], jitter]), names[0] + note, "jitter (no meaning)", meaningless_y=True
        )
    if d == 2:
        return Projection(X.copy(), names[0] + note, names[1])
    if n < 3:
        return Projection(X[:, :2].copy(), names[0] + note, names[1])
    spread = float(np.abs(X - X.mean(axis=0)).max())
    if spread == 0:
        return Projection(np.zeros((n, 2)), "first principal component (all items alike)" + note, "second")
    model = PCA(2, random_state=0)
    points = model.fit_transform(X / spread) * spread
    share = model.explained_variance_ratio_
    return Projection(
        points,
        f"first principal component, {share[0]:.0%} of variance" + note,
        f"second principal component, {share[1]:.0%}",
    )


def limits(values: Array, labels: NDArray[np.int64]) -> tuple[float, float] | None:
    """Return limits of an axis by which a few items far off do not squash all others.

    None where there are none far off.

    >>> values = np.r_[np.linspace(0, 1, 200), 1000.0]
    >>> low, high = limits(values, np.zeros(201, dtype=np.int64))
    >>> low, high < 4.0
    (0.0, True)
    """
    if len(values) < 3:
        return None
    first, last = float(values.min()), float(values.max())
    ends = [np.quantile(values, [TAIL, 1 - TAIL])]
    for k in np.unique(labels):
        lower, upper = np.quantile(values[labels == k], [0.25, 0.75])
        ends.append(np.array([lower, upper]) + FENCE * (upper - lower) * np.array([-1, 1]))
    low = max(first, float(min(end[0] for end in ends)))
    high = min(last, float(max(end[1] for end in ends)))
    return (low, high) if high > low and last - first > SQUASHED * (high - low) else None


def project_affinity(affinity: Affinity, item_index: NDArray[np.intp] | None = None, *, normalised: bool) -> Projection:
    """Return the second and third leading eigenvectors of D^-1/2 P D^-1/2.

    Items without evidence are NaN and not drawn.

    Cost: a few dozen products with P; for a dense P of up to 1,200 items one eigendecomposition.
    """
    base = affinity
    while isinstance(base, DiffusedAffinity):
        base = base.base
    what = "affinity" if normalised else "normalised affinity"
    if not normalised:
        try:
            base = normalise(base, "symmetric").affinity
        except InputError:  # unobserved pairs or negative row sums: the affinity as it is
            what = "affinity"
    _, vectors = leading_eigenvectors(base, 3)
    points = np.zeros((base.n_items, 2))
    points[:, : max(vectors.shape[1] - 1, 0)] = vectors[:, 1:3]
    if item_index is not None:
        points = np.where(item_index[:, None] < 0, np.nan, points[item_index])
    return Projection(points, f"second eigenvector of the {what}", "third eigenvector")
