"""The units in which an ensemble sees features.

Distances between rows of features in different units are distances in the feature of the largest numbers. A feature
whose standard deviation is more than 10 times the median feature's is taken as a sign of different units, and each
feature is then divided by its own. On the real tables looked at the ratio is below 2.5 (pixels, measurements of one
kind) or above 89 (mixed units), so anything between would do as the bound. Two features never show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from partita.ensemble.base import Array

__all__ = ["Frame", "Units", "frame_of"]

Units = Literal["auto", "given", "standard"]
DIFFERENT_UNITS = 10.0


@dataclass(frozen=True)
class Frame:
    """Centre and spread of the features: a common spread, or each feature its own."""

    centre: Array
    spread: Array

    @property
    def common(self) -> bool:
        """Whether all features are divided by the same number."""
        return bool((self.spread == self.spread[0]).all())

    def __call__(self, X: Array) -> Array:
        return np.asarray((X - self.centre) / self.spread)


def frame_of(X: Array, units: Units = "auto") -> Frame:
    """The frame of these items.

    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 4.0]])).spread.tolist()
    [2.0, 2.0, 2.0]
    >>> frame_of(np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 400.0]])).spread.tolist()
    [1.0, 1.0, 200.0]
    """
    deviation = X.std(axis=0)
    # The deviation of a constant feature is rounding of its mean.
    deviation[deviation <= np.finfo(float).eps * np.abs(X).max(axis=0, initial=0.0)] = 0.0
    positive = deviation[deviation > 0]
    largest = float(deviation.max(initial=0.0))
    mixed = len(positive) > 0 and largest > DIFFERENT_UNITS * float(np.median(positive))
    if units == "standard" or (units == "auto" and mixed):
        spread = np.where(deviation > 0, deviation, 1.0)
    else:
        spread = np.full(X.shape[1], largest or 1.0)
    return Frame(X.mean(axis=0), spread)
