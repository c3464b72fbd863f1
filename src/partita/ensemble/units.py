"""The units in which an ensemble sees features.

Distances between rows of features in different units are distances in the feature of the largest numbers. A feature is
out of line where its standard deviation is more than 10 times the (lower) median one. Where that is a single feature,
or at most a tenth of them, the others agree with each other: they are left as they are, and it is brought to their
median. Where it is more, units differ throughout, and each feature is divided by its own standard deviation.

On the real tables looked at the largest is below 2.5 times the median (pixels, measurements of one kind) or above 89
times (mixed units), so anything between would do as the bound. A feature in tiny units is not seen: among pixels many
hardly vary, and should not be blown up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame", "Units", "frame_of"]

Array = NDArray[np.float64]
Units = Literal["auto", "given", "standard"]

# A spread beyond so many times the median one is of another unit.
DIFFERENT_UNITS = 10.0
# Share of the features, or one, that may be of another unit while the others have one in common.
FEW = 0.1


@dataclass(frozen=True)
class Frame:
    """Centre and spread of the features: a common spread, or some of them or each its own."""

    centre: Array
    spread: Array

    @property
    def common(self) -> bool:
        """Whether all features are divided by the same number."""
        return bool((self.spread == self.spread[0]).all())

    def __call__(self, X: Array) -> Array:
        return np.asarray((X - self.centre) / self.spread)


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
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 400.0, 400.0]]), "standard").spread.tolist()
    [1.0, 200.0, 200.0]
    """
    whole = not np.isnan(X).any()
    deviation = X.std(axis=0) if whole else np.nanstd(X, axis=0)
    # The deviation of a constant feature is rounding of its mean.
    deviation[deviation <= np.finfo(float).eps * np.nanmax(np.abs(X), axis=0, initial=0.0)] = 0.0
    positive = np.sort(deviation[deviation > 0])
    own = np.where(deviation > 0, deviation, 1.0)
    usual = float(positive[(len(positive) - 1) // 2]) if len(positive) else 1.0
    out_of_line = deviation > DIFFERENT_UNITS * usual
    if units == "standard" or (units == "auto" and out_of_line.sum() > max(1, FEW * len(positive))):
        spread = own
    elif units == "auto" and out_of_line.any():
        common = float(deviation[~out_of_line].max())
        spread = np.where(out_of_line, common * own / usual, common)
    else:
        spread = np.full(X.shape[1], float(deviation.max(initial=0.0)) or 1.0)
    return Frame(X.mean(axis=0) if whole else np.nanmean(X, axis=0), spread)
