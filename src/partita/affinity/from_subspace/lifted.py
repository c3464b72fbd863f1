"""Affine subspaces as subspaces through the origin: items get one more coordinate, the same for all.

An affine subspace of dimension d is then the cut of a linear one of dimension d + 1. Items are centred and scaled
together to a mean square length of one first, so that the coordinate of one weighs as much as the others together and
nothing depends on where the origin is or on the unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.affinity.base import Array

__all__ = ["Lift"]


@dataclass(frozen=True, eq=False)
class Lift:
    """x -> ((x - centre) / length, 1).

    >>> Lift.of(np.array([[0.0, 2.0], [0.0, 6.0]]))(np.array([[0.0, 4.0], [2.0, 4.0]])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    """

    centre: Array
    length: float

    @classmethod
    def of(cls, X: Array) -> Lift:
        """Fit the lift to the items; its length is one where all of them are the same."""
        centre = X.mean(axis=0)
        size = float(np.abs(X - centre).max(initial=0.0)) or 1.0  # squares neither overflow nor vanish
        length = size * float(np.sqrt((((X - centre) / size) ** 2).sum(axis=1).mean()))
        return cls(centre, length or 1.0)

    def __call__(self, X: Array) -> Array:
        return np.column_stack([(X - self.centre) / self.length, np.ones(len(X))])
