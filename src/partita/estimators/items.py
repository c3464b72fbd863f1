"""Map rows to distinct items and back: identical rows are one item with a weight.

Rows of features that are equal are merged before any evidence is built, their weights added, and the answer handed
back to every copy. So copies get identical memberships, a weight of two is the same as a row given twice, a weight of
zero the same as a row left out, no neighbour scale is zero, and copies cost nothing.

The merged items come in an order that depends on their values alone: by the feature of widest range, then by a hash of
the row. A permutation of the rows therefore permutes the answer, random starts included. Many items are then brought
into the order of the leaves of a k-d tree, so that neighbours are near each other in memory: a product with their graph
takes half the time.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from partita.affinity import Affinity, Builder, DenseAffinity, SparseAffinity
from partita.affinity.order import locality_order
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds
from partita.membership import Membership
from partita.solvers import STARTS, SolveResult

__all__ = ["Items", "check_weights", "expanded", "merge_identical", "number_of_copies", "start_of_items"]


# Items from which they come in the order of a tree, and rows compared at a time.
LOCAL_FROM = 20_000
ROWS = 1 << 16
# Weights beyond this, or below its inverse, overflow when they are multiplied.
LARGEST = 1e50


@dataclass(frozen=True, eq=False)
class Items:
    """The distinct items of a fit.

    Attributes
    ----------
    features : n x d array, or n x n matrix or Affinity where the input is pairwise
    weights : array of n, or None when all are one
        How often each item counts.
    of_row : array of N
        Which item each row is; -1 for a row of weight zero that no other row equals.
    n_distinct : int
        Items that differ: n, less the pairwise items at distance zero from an earlier one.
    """

    features: Any
    weights: Array | None
    of_row: NDArray[np.intp]
    n_distinct: int

    @classmethod
    def of(cls, X: Any, weights: Array | None, builder: Builder) -> Items:
        """Return the items of the rows of X: equal rows of features merged, those of weight zero left out.

        Raises
        ------
        InputError
            Where every weight is zero, or one of an `Affinity`, of which no item can be left out.
        """
        if not builder.pairwise:
            return merge_identical(X, weights)
        return _of_pairs(X, weights, builder)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return int(self.features.shape[0])

    @property
    def column_of_item(self) -> NDArray[np.intp] | None:
        """The column of each item in pairwise rows of new items, one column a row of the fit; None for their order."""
        if np.array_equal(self.of_row, np.arange(len(self.of_row))):
            return None
        rows = np.flatnonzero(self.of_row >= 0)
        out = np.empty(len(rows), dtype=np.intp)
        out[self.of_row[rows]] = rows
        return out


def merge_identical(X: Array, weights: Array | None = None) -> Items:
    """Merge equal rows, drop those of weight zero.

    >>> items = merge_identical(np.array([[1.0], [2.0], [1.0]]))
    >>> items.features.ravel().tolist(), items.weights.tolist(), items.of_row.tolist()
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
    of_row = group
    if used is not None:
        of_row = np.full(len(X), -1, dtype=np.intp)
        of_row[used] = group
    return Items(features, None if (totals == 1).all() else totals, of_row, len(features))


def _of_pairs(X: Any, weights: Array | None, builder: Builder) -> Items:
    """Pairwise input without the items of weight zero; they are scored afterwards.

    Items come in the order of the builder, where it has one; many items of a sparse matrix whose neighbours are
    scattered in one that brings them together.
    """
    n = X.n_items if isinstance(X, Affinity) else X.shape[0]
    if isinstance(X, Affinity) and weights is not None and not weights.all():
        raise InputError(
            f"sample_weight[{int(np.flatnonzero(weights == 0)[0])}] is zero, and an item cannot be left out of an "
            "Affinity object: make it of the other items alone, or pass the matrix"
        )
    of_row = np.arange(n)
    if weights is not None and not weights.all():
        used = np.flatnonzero(weights)
        of_row = np.full(n, -1, dtype=np.intp)
        of_row[used] = np.arange(len(used))
        X, weights = X[used][:, used], weights[used]
    order = builder.order(X)
    if order is None and sp.issparse(X):
        order = locality_order(X)
    if order is not None:
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        X, weights = _reordered(X, order), None if weights is None else weights[order]
        of_row = np.where(of_row < 0, -1, place[of_row])
    return Items(X, weights, of_row, X.shape[0] - (number_of_copies(X) if builder.of_distances else 0))


def _reordered(X: Any, order: NDArray[np.intp]) -> Any:
    if isinstance(X, SparseAffinity):
        return SparseAffinity(_reordered(X.matrix, order))
    if isinstance(X, Affinity):
        return DenseAffinity(_reordered(X.to_dense(), order))
    return X[order][:, order]


def number_of_copies(distances: Any) -> int:
    """Return items at distance zero from an earlier one, where distances are a square array.

    Zero in one direction alone, as in a triangle, makes no copy: that such distances are no square is told later.

    >>> number_of_copies(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    1
    """
    if not isinstance(distances, np.ndarray) or distances.shape[0] != distances.shape[1]:
        return 0
    earlier = np.zeros(len(distances), dtype=bool)
    for i, row in enumerate(distances):  # a row at a time: an array of all pairs would double what they take
        at_zero = i + 1 + np.flatnonzero(row[i + 1 :] == 0)
        earlier[at_zero[distances[at_zero, i] == 0]] = True
    return int(earlier.sum())


def check_weights(weights: object, n_items: int) -> Array | None:
    """Return sample weights as an array, or None for none.

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


def start_of_items(start: Any, of_row: NDArray[np.intp], n_items: int) -> Any:
    """Return a start given for the rows, as one for the distinct items: the first copy's."""
    if isinstance(start, str):
        return start
    words = isinstance(start, np.ndarray) and all(isinstance(s, str) for s in start.flat)
    if words and not set(start.flat) <= set(STARTS):
        return [_start_of_items(start, of_row, n_items)]  # labels, not names of starts
    starts = list(start)
    # A list of arrays is several starts, also where each holds labels; rows of one array are one membership.
    listed = not isinstance(start, np.ndarray) and any(isinstance(s, np.ndarray) for s in starts)
    many = listed or any(isinstance(s, str) or np.ndim(s) == 2 for s in starts)
    out = [_start_of_items(s, of_row, n_items) for s in (starts if many else [np.asarray(start)])]
    return out


def _start_of_items(start: Any, of_row: NDArray[np.intp], n_items: int) -> Any:
    if isinstance(start, str):
        return start
    array = np.asarray(start)
    if len(array) != len(of_row):
        raise InputError(f"start has {len(array)} rows, expected one for each of the {len(of_row)} items")
    first = np.zeros(n_items, dtype=np.intp)
    known = np.flatnonzero(of_row >= 0)[::-1]
    first[of_row[known]] = known
    return array[first]


def expanded(result: SolveResult, W: Array, labels: NDArray[np.int64], of_row: NDArray[np.intp]) -> SolveResult:
    """Return the result for every row; `of_row` says which item, or group of items, each is in."""
    membership = Membership(W)
    membership.labels = labels  # the same tie-breaks for every copy
    restarts = tuple(
        dataclasses.replace(
            restart,
            labels=np.where(of_row < 0, labels, restart.labels[of_row]).astype(np.int32),
            **_rows(restart.membership, restart.factor, of_row),
        )
        for restart in result.restarts
    )
    rows = _rows(result.membership.matrix, result.factor, of_row)
    return dataclasses.replace(result, membership=membership, factor=rows["factor"], restarts=restarts)


def _rows(membership: Array | None, factor: Array | None, of_row: NDArray[np.intp]) -> dict[str, Any]:
    """Membership and factor of every row; one array where they are one thing. None where a row has none."""
    if membership is None or factor is None or (of_row < 0).any():
        return {"membership": None, "factor": None}
    rows = membership[of_row]
    return {"membership": rows, "factor": rows if factor is membership else factor[of_row]}
