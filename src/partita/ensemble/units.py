"""The units in which an ensemble sees features.

Distances between rows of features in different units are distances in the feature of the largest numbers. A feature is
out of line where its standard deviation is more than 10 times the (lower) median one. Where that is a single feature,
or at most a tenth of them, the others agree with each other: they are left as they are, and it is brought to their
median. Where it is more, or where the ranges of the other features differ by more than 10 times (a tenth of them at
either end left out), units differ throughout, and each feature is divided by its own standard deviation.

On the real tables looked at the largest deviation is below 2.5 times the median (pixels, measurements of one kind) or
above 89 times (mixed units), and ranges differ by less than 3 or by more than 70 times, so anything between would do as
the bound. Ranges and not deviations, since among pixels many hardly vary, and should not be blown up.

A cell far from all others, such as a slip of the decimal point or a row of totals, would decide the spread of its
feature, and nothing could be told by the other cells any more. Far is a gap to the rest of more than 5 times the range
of the rest, past which are one cell, fewer cells than make a cluster (`partita.affinity.far`), or a hundredth of them
at most. Spreads are those of the rest then, and a far cell is seen as one range beyond it, which is still the end of
its column; of a feature of two other values, as yes and no, as the nearer of the two. More items there may be a
cluster, or cells for which -999 was written, which brought near would make one: they are seen as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from partita.affinity.far import NEIGHBORS, SHARE
from partita.affinity.shared_search import made_once
from partita.arrays import Array

__all__ = ["Frame", "Units", "far_cells", "frame_of", "have_a_third_value", "in_coordinates"]

Units = Literal["auto", "given", "standard"]

# A spread beyond so many times the median one is of another unit, and so are ranges that differ by as much.
DIFFERENT_UNITS = 10.0
# Share of the features, or one, that may be of another unit while the others have one in common; and of those whose
# ranges are left out at either end.
FEW = 0.1
# Cells are far past a gap of so many times the range of the rest, where they are few or at most this share on either
# side; nothing is far among fewer cells.
APART, PAST, FEWEST = 5.0, 0.01, 10
# Decimals of a cell in units of its spread. The same cells in inches and in centimetres differ in their sixteenth digit
# then, which would decide between two numbers of clusters that are as good.
DIGITS = 9


@dataclass(frozen=True)
class Frame:
    """Centre and spread of the features: a common spread, or some of them or each its own.

    Beyond `low` and `high`, where there are any, cells are seen as there.
    """

    centre: Array
    spread: Array
    low: Array | None = field(default=None, repr=False)
    high: Array | None = field(default=None, repr=False)

    @property
    def common(self) -> bool:
        """Return whether all features are divided by the same number."""
        return bool((self.spread == self.spread[0]).all())

    def __call__(self, X: Array) -> Array:
        if self.low is not None:
            X = np.clip(X, self.low, self.high)
        return np.asarray(((X - self.centre) / self.spread).round(DIGITS))


def frame_of(X: Array, units: Units = "auto") -> Frame:
    """Return the frame of these items.

    Parameters
    ----------
    X : n x d array
        NaN where a cell is missing: its feature's centre and spread are those of the others.
    units : {"auto", "given", "standard"}
        As in `Ensemble`.

    Examples
    --------
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 4.0]])).spread.tolist()
    [2.0, 2.0, 2.0]
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 4.0, 400.0]])).spread.tolist()
    [2.0, 2.0, 200.0]
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 400.0, 4000.0]])).spread.tolist()
    [1.0, 200.0, 2000.0]
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 400.0, 400.0]]), "standard").spread.tolist()
    [1.0, 200.0, 200.0]
    """

    def made() -> tuple[Array, ...]:
        frame = _made(X, units)
        ends = () if frame.low is None or frame.high is None else (frame.low, frame.high)
        return (frame.centre, frame.spread, *ends)

    return Frame(*made_once(made, "frame", X, units))  # many parts of a fit ask for it


def _made(X: Array, units: Units) -> Frame:
    far = far_cells(X)
    low = high = None
    if far.any():
        X, held = np.where(far, np.nan, X), far.any(axis=0)
        least, most = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
        beyond = np.where(have_a_third_value(X), most - least, 0.0)
        low, high = np.where(held, least - beyond, -np.inf), np.where(held, most + beyond, np.inf)
    whole = not np.isnan(X).any()
    deviation = X.std(axis=0) if whole else np.nanstd(X, axis=0)
    # The deviation of a constant feature is rounding of its mean.
    deviation[deviation <= np.finfo(float).eps * np.nanmax(np.abs(X), axis=0, initial=0.0)] = 0.0
    positive = np.sort(deviation[deviation > 0])
    own = np.where(deviation > 0, deviation, 1.0)
    usual = float(positive[(len(positive) - 1) // 2]) if len(positive) else 1.0
    out_of_line = deviation > DIFFERENT_UNITS * usual
    differ = out_of_line.sum() > max(1, FEW * len(positive)) or _differ(X[:, (deviation > 0) & ~out_of_line])
    if units == "standard" or (units == "auto" and differ):
        spread = own
    elif units == "auto" and out_of_line.any():
        common = float(deviation[~out_of_line].max())
        spread = np.where(out_of_line, common * own / usual, common)
    else:
        spread = np.full(X.shape[1], float(deviation.max(initial=0.0)) or 1.0)
    return Frame(X.mean(axis=0) if whole else np.nanmean(X, axis=0), spread, low, high)


def have_a_third_value(X: Array) -> NDArray[np.bool_]:
    """Return which columns have a value between their least and their largest.

    >>> have_a_third_value(np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, 0.5]])).tolist()
    [False, True]
    """
    return np.asarray(((np.fmin.reduce(X, axis=0) < X) & (np.fmax.reduce(X, axis=0) > X)).any(axis=0))


def _differ(X: Array) -> bool:
    """Whether features have ranges of different units, a tenth of them at either end left out."""
    extent = np.sort(np.nanmax(X, axis=0) - np.nanmin(X, axis=0)) if X.size else np.ones(1)
    few = int(FEW * len(extent))
    return bool(extent[-1 - few] > DIFFERENT_UNITS * extent[few])


def in_coordinates(X: Array) -> Array:
    """Return the items in no more coordinates than tell them apart, at the same distances from each other.

    Features of one value are left out. Where there are more features than items, they are as many as items: of
    X^T = Q R, Q with orthonormal columns, the rows of R^T. Cost: then n^2 d.

    Examples
    --------
    >>> in_coordinates(np.array([[0.0, 7.0], [1.0, 7.0], [3.0, 7.0]])).tolist()
    [[0.0], [1.0], [3.0]]
    >>> np.hypot(*in_coordinates(np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 2.0]])).T).round(9).tolist()
    [0.0, 3.0]
    """
    varies = X.min(axis=0) < X.max(axis=0)
    if not varies.all() and varies.any():
        X = np.ascontiguousarray(X[:, varies])
    if X.shape[1] > len(X):
        X = np.ascontiguousarray(np.asarray(np.linalg.qr((X - X[0]).T, mode="r")).T)
    return X


def far_cells(X: Array) -> NDArray[np.bool_]:
    """Return which cells are far from the rest of their feature; see the top of this file.

    Examples
    --------
    >>> X = np.r_[np.linspace(0, 1, 20), 70.0][:, None]
    >>> np.flatnonzero(far_cells(X)).tolist()
    [20]
    """
    out = np.zeros(X.shape, dtype=bool)
    for j in range(X.shape[1]) if len(X) >= FEWEST else ():
        low, high = _ends(X[:, j])
        out[:, j] = (X[:, j] < low) | (X[:, j] > high)
    return out


def _ends(column: Array) -> tuple[float, float]:
    """The least and the largest of the cells that are not far."""
    x = np.sort(column[~np.isnan(column)])
    n = len(x)
    if n < FEWEST or x[n // 10] == x[n - 1 - n // 10]:  # or mostly one number, as pixels that are dark
        return -np.inf, np.inf
    past = max(1, int(PAST * n), min(NEIGHBORS - 1, int(SHARE * n)))
    before = np.arange(n - past - 1, n - 1)  # from the inside out: the cell before each of the outer ones
    up = np.flatnonzero(x[before + 1] - x[before] > APART * (x[before] - x[past]))
    after = np.arange(past, 0, -1)
    down = np.flatnonzero(x[after] - x[after - 1] > APART * (x[-1 - past] - x[after]))
    return float(x[after[down[0]]] if len(down) else -np.inf), float(x[before[up[0]]] if len(up) else np.inf)
