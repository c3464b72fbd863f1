"""Identical items are one item with a weight.

Rows of features that are equal are merged before any evidence is built, their weights added, and the answer handed
back to every copy. So copies get identical memberships, a weight of two is the same as a row given twice, a weight of
zero the same as a row left out, no neighbour scale is zero, and copies cost nothing.

The merged items come in an order that depends on their values alone: by the feature of widest range, then by a hash of
the row. A permutation of the rows therefore permutes the answer, random starts included. Many items are then brought
into the order of the leaves of a k-d tree, so that neighbours are near each other in memory: a product with their graph
takes half the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from partita.errors import InputError
from partita.kernels.threads import row_bounds

__all__ = ["Items", "check_weights", "merge_identical"]

Array = NDArray[np.float64]

# Items from which they come in the order of a tree, and rows compared at a time.
LOCAL_FROM = 20_000
ROWS = 1 << 16
# Weights beyond this, or below its inverse, overflow when they are multiplied.
LARGEST = 1e50


@dataclass(frozen=True)
class Items:
    """Distinct items.

    Attributes
    ----------
    features : n x d array
    weights : array of n, or None when all are one
    inverse : array of N
        Which distinct item each row is; -1 for a row of weight zero that no other row equals.
    """

    features: Array
    weights: Array | None
    inverse: NDArray[np.intp]


def merge_identical(X: Array, weights: Array | None = None) -> Items:
    """Merge equal rows, drop those of weight zero.

    >>> items = merge_identical(np.array([[1.0], [2.0], [1.0]]))
    >>> items.features.ravel().tolist(), items.weights.tolist(), items.inverse.tolist()
    ([1.0, 2.0], [2.0, 1.0], [0, 1, 0])
    """
    missing = np.isnan(X)
    X = np.where(missing, np.nan, X) if missing.any() else X
    X = X + 0.0  # one bit pattern for NaN, one for zero
    used = None if weights is None or (weights > 0).all() else np.flatnonzero(weights > 0)
    if used is not None and not len(used):
        raise InputError("every sample weight is zero: there is no item to cluster")
    given = X if used is None else X[used]
    bits = np.ascontiguousarray(given).view(np.uint64)
    finite = np.where(np.isnan(given), 0.0, given) if missing.any() else given
    order = np.lexsort((_hash(bits), finite[:, int(np.ptp(finite, axis=0).argmax())]))
    change = np.ones(len(given), dtype=bool)
    for low, high in row_bounds(len(given) - 1, ROWS):
        change[low + 1 : high + 1] = (bits[order[low + 1 : high + 1]] != bits[order[low:high]]).any(axis=1)
    group = np.empty(len(given), dtype=np.intp)
    group[order] = np.cumsum(change) - 1
    features = given[order[change]]
    if len(features) >= LOCAL_FROM and not missing.any():
        leaves = cKDTree(features, balanced_tree=False).indices
        place = np.empty(len(features), dtype=np.intp)
        place[leaves] = np.arange(len(features))
        features, group = features[leaves], place[group]
    totals: Array = np.bincount(group, weights if weights is None or used is None else weights[used]).astype(np.float64)
    inverse = group
    if used is not None:
        inverse = np.full(len(X), -1, dtype=np.intp)
        inverse[used] = group
    return Items(features, None if (totals == 1).all() else totals, inverse)


def check_weights(weights: object, n_items: int) -> Array | None:
    """Sample weights as an array, or None for none.

    Raises
    ------
    InputError
        For a wrong length, negative or non-finite weights.
    """
    if weights is None:
        return None
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim == 0:
        w = np.full(n_items, float(w))
    if w.shape != (n_items,):
        raise InputError(f"sample_weight has shape {w.shape}, expected ({n_items},): one weight for each item")
    if not np.isfinite(w).all() or (w < 0).any():
        raise InputError("sample_weight must be finite and at least 0")
    if not w.any():
        raise InputError("every sample weight is zero: there is no item to cluster")
    if w.max() > LARGEST or w[w > 0].min() < 1.0 / LARGEST:
        raise InputError(
            f"sample_weight must be zero or between {1.0 / LARGEST:g} and {LARGEST:g}: choose another unit"
        )
    return w


def _hash(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A 64-bit hash of each row (FNV-1a over the columns, then a final mix)."""
    key = np.full(len(bits), 0xCBF29CE484222325, dtype=np.uint64)
    for column in bits.T:
        key = (key ^ column) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return key
