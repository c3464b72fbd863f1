"""Least squares with an offset, the paper's NMF-offset: V ~ W H + w 1^T, w what all columns have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.nmf.base import FLOOR, Factors, NMFMethod, squared_distance
from partita.nmf.least_squares import descended

__all__ = ["Offset"]


@dataclass(frozen=True)
class Offset(NMFMethod):
    """||V - W H - w 1^T||^2, w >= 0. The objective never rises: w is one more column of W, whose row of H stays 1.

    Parameters
    ----------
    first : float, optional
        Start of w: by default the mean row of V. 0 stays 0, which is `LeastSquares`.

    Examples
    --------
    >>> import numpy as np
    >>> V, one = np.full((2, 2), 3.0), np.ones((2, 1))
    >>> factors = Offset(first=0.0).begin(V, Factors(one, 3 * one))
    >>> Offset(first=0.0).update(V, factors).offset.tolist()
    [0.0, 0.0]
    """

    name = "offset"
    equation = "||V - W H - w 1^T||^2"
    source = "[badea2008] section 3"

    first: float | None = None

    def begin(self, V: Array, factors: Factors) -> Factors:
        w = V.mean(axis=1) if self.first is None else np.full(len(V), float(self.first))
        return Factors(factors.W, factors.Ht, w)

    def update(self, V: Array, factors: Factors) -> Factors:
        assert factors.offset is not None
        w, one = factors.offset, np.ones(len(V))
        Ht = descended(V, factors.Ht, factors.W, one, w)
        W = descended(V, factors.W, Ht, w, one)
        below = W @ Ht.sum(axis=0) + len(V) * w
        w = np.where(w > 0, np.maximum(w * V.sum(axis=1) / below, FLOOR), 0.0)
        return Factors(W, Ht, w)

    def objective(self, V: Array, factors: Factors) -> float:
        return squared_distance(self, V, factors)

    def model(self, factors: Factors, rows: slice) -> Array:
        assert factors.offset is not None
        M = factors.W[rows] @ factors.Ht.T
        M += factors.offset[rows, None]
        return np.asarray(M)
