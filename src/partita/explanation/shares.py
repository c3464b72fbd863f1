"""Shares of counted items, with how sure the count is of them; and the correlation of picks with a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["TIED", "Share", "correlation", "effective", "share"]


# Quantile of the normal distribution for an interval of 95%.
Z = 1.959964
# Correlations within this of each other are a tie: sums of weights in another order differ in their last bits.
TIED = 1e-9


@dataclass(frozen=True)
class Share:
    """A share and its 95% interval; all NaN where nothing was counted."""

    value: float
    low: float
    high: float


def share(part: float, whole: float, number: float) -> Share:
    """Return part / whole with Wilson's interval, as of so many independent items.

    The interval is [wilson1927].

    >>> found = share(9.0, 10.0, 10.0)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.9, 0.596, 0.982)
    """
    if whole <= 0 or number <= 0:
        return Share(np.nan, np.nan, np.nan)
    p = min(float(part / whole), 1.0)
    spread = Z * np.sqrt(p * (1 - p) / number + Z**2 / (4 * number**2))
    middle, scale = p + Z**2 / (2 * number), 1 + Z**2 / number
    low, high = float((middle - spread) / scale), float((middle + spread) / scale)
    return Share(p, min(p, max(0.0, low)), max(p, min(1.0, high)))


def effective(weights: Array, copy_of: NDArray[np.intp]) -> float:
    """Return how many items of equal weight would say as much: (sum w)^2 / sum w^2 [kish1965]; copies are one item.

    >>> effective(np.array([2.0, 2.0]), np.array([0, 1])), effective(np.array([2.0, 2.0]), np.array([0, 0]))
    (2.0, 1.0)
    """
    together = np.bincount(copy_of, weights).astype(np.float64)
    squares = float((together**2).sum())
    return float(together.sum()) ** 2 / squares if squares > 0 else 0.0


def correlation(hits: Array, picked: Array, inside: float, whole: float) -> Array:
    """Return Matthews' correlation of picks and cluster; 0 where all or nothing is picked.

    >>> correlation(np.array([5.0, 5.0, 4.0]), np.array([5.0, 10.0, 4.0]), 5.0, 10.0).round(2).tolist()
    [1.0, 0.0, 0.82]
    """
    product = np.maximum(picked, 0.0) * np.maximum(whole - picked, 0.0) * (inside * (whole - inside))
    out = np.zeros(np.shape(hits))
    np.divide(hits * whole - picked * inside, np.sqrt(product), out=out, where=product > TIED * whole**4)
    return out
