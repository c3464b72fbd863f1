"""The only place where the input of a metric is coerced: labels to codes, memberships to rows on the simplex."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError

__all__ = ["Counts", "codes_of", "counts_of_pairs", "membership_of", "require_same_length"]

# Rows of a float32 membership sum to 1 within about 1e-6 times a few roundings; a mistake is far larger than this.
SIMPLEX_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Counts:
    """The nonzero entries of the contingency table of two partitions, and its margins."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    count: NDArray[np.int64]
    row_total: NDArray[np.int64]
    column_total: NDArray[np.int64]

    @property
    def n_items(self) -> int:
        """Number of items, N."""
        return int(self.count.sum())

    def dense(self) -> NDArray[np.int64]:
        """Return the whole table, zeros included."""
        table = np.zeros((len(self.row_total), len(self.column_total)), dtype=np.int64)
        table[self.row, self.column] = self.count
        return table


def codes_of(labels: ArrayLike, name: str) -> NDArray[np.intp]:
    """Return labels as codes 0..K-1 in sorted order of the labels; `name` is how an error calls the argument."""
    array: NDArray[Any] = np.asarray(labels)
    if array.ndim != 1:
        advice = "; for a membership pass its labels, membership.argmax(axis=1)" if array.ndim == 2 else ""
        raise InputError(f"{name} should be one label per item, a 1-D array; its shape is {array.shape}{advice}")
    if array.size == 0:
        raise InputError(f"{name} is empty; pass one label for each item")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}[{at}] = {array[at]} is not a label; leave out items that have none, on both sides")
    if array.dtype.kind == "O":
        missing = next((at for at, label in enumerate(array) if _is_missing(label)), None)
        if missing is not None:
            raise InputError(
                f"{name}[{missing}] = {array[missing]} is not a label; leave out items that have none, on both sides"
            )
    try:
        return np.unique(array, return_inverse=True)[1].astype(np.intp, copy=False)
    except TypeError as error:
        raise InputError(f"{name} mixes kinds of labels ({error}); make them all numbers or all strings") from error


def counts_of_pairs(labels: ArrayLike, truth: ArrayLike, names: tuple[str, str] = ("labels", "truth")) -> Counts:
    """Return numbers of items that carry each pair of labels. O(N log N), also when every item is its own cluster."""
    row, column = codes_of(labels, names[0]), codes_of(truth, names[1])
    require_same_length(len(row), len(column), names)
    n_columns = int(column.max()) + 1
    pair, count = np.unique(row * n_columns + column, return_counts=True)
    return Counts(
        row=pair // n_columns,
        column=pair % n_columns,
        count=count.astype(np.int64),
        row_total=np.bincount(row).astype(np.int64),
        column_total=np.bincount(column).astype(np.int64),
    )


def membership_of(membership: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a membership as float64, checked: N x K, rows on the simplex within `SIMPLEX_TOLERANCE`."""
    try:
        array = np.asarray(membership, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} should be an N x K array of probabilities ({error})") from error
    if array.ndim != 2:
        raise InputError(f"{name} should be N x K, one row of probabilities per item; its shape is {array.shape}")
    if array.size == 0:
        raise InputError(f"{name} is empty (shape {array.shape}); pass one row of probabilities for each item")
    bad = ~np.isfinite(array) | (array < -SIMPLEX_TOLERANCE)
    if bad.any():
        i, k = (int(at) for at in np.argwhere(bad)[0])
        raise InputError(f"{name}[{i}, {k}] = {array[i, k]:g} is not a probability; entries should be in [0, 1]")
    total = array.sum(axis=1)
    off = np.abs(total - 1) > SIMPLEX_TOLERANCE
    if off.any():
        i = int(np.flatnonzero(off)[0])
        raise InputError(f"{name}: row {i} sums to {total[i]:g}, not to 1; divide each row by its sum")
    return np.maximum(array, 0)


def require_same_length(n: int, n_truth: int, names: tuple[str, str]) -> None:
    """Raise `InputError` unless both sides have the same number of items."""
    if n != n_truth:
        raise InputError(
            f"{names[0]} has {n} items and {names[1]} has {n_truth}; pass the same items in the same order"
        )


def _is_missing(label: object) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))
