"""Landmarks: a few points that stand for all items; and the images of all items, a block of rows at a time.

k-means centres of a sample quantise the items best, and that is what the error of a Nystrom affinity and the purity of
the cells around landmarks depend on [zhang2008]. With 300 of them the error to a Gaussian kernel is half of that of
items drawn at random (to a Laplacian kernel about the same), and clusterings from landmarks are better on four real
tables out of five (`benchmarks/low_rank.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds
from partita.memory import require_memory

__all__ = ["Selection", "check_choice", "chosen_landmarks", "complete", "mapped"]

Selection = Literal["kmeans", "uniform"]

# Items in the sample for each landmark, and rounds of k-means: more change nothing that can be measured.
SAMPLE, ROUNDS = 20, 10
# Items whose images are made at a time.
ROWS = 4096
# Rounding error of a sum, for each of its terms.
ROUNDING = 1e-13


def chosen_landmarks(X: Array, n_landmarks: int, selection: Selection, seed: int) -> Array:
    """Return points chosen, at most `n_landmarks`; the items themselves where they are no more.

    >>> chosen_landmarks(np.array([[0.0], [0.2], [5.0], [5.2]]), 2, "kmeans", 0).round(1).tolist()
    [[0.1], [5.1]]
    """
    if len(X) <= n_landmarks:
        return X.copy()
    order = np.random.default_rng(seed).permutation(len(X))
    if selection == "uniform":
        return np.ascontiguousarray(X[np.sort(order[:n_landmarks])])
    from sklearn.cluster import KMeans

    sample = X[np.sort(order[: SAMPLE * n_landmarks])]
    centres = KMeans(n_landmarks, n_init=1, max_iter=ROUNDS, random_state=seed).fit(sample).cluster_centers_
    return np.asarray(np.unique(centres, axis=0))


def check_choice(option: str, n_landmarks: int, selection: str) -> None:
    """Raise unless so many can be chosen so."""
    if n_landmarks < 1:
        raise InputError(f"{option}={n_landmarks}: expected at least 1")
    if selection not in get_args(Selection):
        raise InputError(f"selection={selection!r}: expected 'kmeans' or 'uniform'")


def complete(X: Any, name: str) -> Array:
    """Return features without missing cells, for the affinity `name`."""
    values: Array = np.asarray(X, dtype=np.float64)
    if np.isnan(values).any():
        i, j = np.argwhere(np.isnan(values))[0]
        raise InputError(
            f"X[{i}, {j}] is missing, and affinity {name!r} needs complete rows: fill it in, drop the row, or use "
            "affinity='neighbors' or 'relative'"
        )
    return values


def mapped(features: Callable[[Array], Array], X: Array, m: int) -> Array:
    """Return `features` of all rows of X, N x m, checked against the memory there is, a scaled copy included.

    The kernel sums to at least one over a row. Where its approximation does not come to more than zero, as for an item
    far from all landmarks, the row is error alone: that item gets zeros, and so no affinity to any item.
    """
    remedy = "ask for fewer, or use affinity=Landmarks() (command line: --affinity landmarks)"
    require_memory(2 * 8 * len(X) * m, f"{m:,} features of each of {len(X):,} items and a scaled copy", remedy)
    out = np.empty((len(X), m))
    for low, high in row_bounds(len(X), ROWS):
        out[low:high] = features(X[low:high])
    least = ROUNDING * len(X)
    while (silent := (out @ out.sum(axis=0) <= least) & out.any(axis=1)).any():  # without them others have other sums
        out[silent] = 0.0
    return out
