"""Memberships without zeros, for the updates that multiply: there an entry at zero would stay at zero for ever."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FLOOR", "interior"]

# Least entry. Beside the one that a row sums to it is rounding, it is far from the slow denormal numbers, and an entry
# that has to come back from it needs tens of steps, not hundreds.
FLOOR = 1e-16


def interior(W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return W with every entry at least `FLOOR`; row sums change by less than rounding.

    >>> interior(np.array([[1.0, 0.0]])).tolist()
    [[1.0, 1e-16]]
    """
    return np.maximum(W, FLOOR)
