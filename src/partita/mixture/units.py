"""The units that the samplers work in: columns about their average, divided by their standard deviation.

So that values of 30,000 +- 10 lose no digits and a tolerance means the same for every input. Priors and densities are
carried over exactly; nothing is assumed of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["Units"]


# A column whose range is below so many roundings of its values is constant.
ROUNDINGS = 8


@dataclass(frozen=True, eq=False)
class Units:
    """z = (x - centre) / unit, column by column.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [3.0, 10.0]])
    >>> units = Units.of_items(X)
    >>> units.of(X).tolist(), units.constant.tolist()
    ([[-1.0, 0.0], [1.0, 0.0]], [False, True])
    """

    centre: Array
    unit: Array
    constant: NDArray[np.bool_]

    @classmethod
    def of_items(cls, X: Array) -> Self:
        """Return units of N x d items; a constant column keeps its unit."""
        centre = X.mean(axis=0)
        constant = np.ptp(X, axis=0) <= ROUNDINGS * np.finfo(float).eps * np.abs(X).max(axis=0)
        deviation = np.where(constant, 1.0, X.std(axis=0))
        return cls(centre, deviation, constant)

    @property
    def log_volume(self) -> float:
        """Logarithm of the product of the units: log p(x) = log p(z) - log_volume."""
        return float(np.log(self.unit).sum())

    def of(self, X: Array) -> Array:
        """Return items in these units."""
        return np.ascontiguousarray((X - self.centre) / self.unit)

    def square(self, S: Array) -> Array:
        """Return a covariance in these units."""
        return np.asarray(S / np.outer(self.unit, self.unit))
