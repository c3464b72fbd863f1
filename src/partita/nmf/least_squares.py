"""Least squares, the paper's NMF-ls: min ||V - W H||^2 by Lee and Seung's updates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.nmf.base import FLOOR, Factors, NMFMethod, over_rows, squared_distance

__all__ = ["LeastSquares", "descended"]


@dataclass(frozen=True)
class LeastSquares(NMFMethod):
    """||V - W H||^2. The objective never rises [leeseung2001, Theorem 1].

    Examples
    --------
    >>> import numpy as np
    >>> V, one = np.ones((2, 2)), np.ones((2, 1))
    >>> LeastSquares().update(V, Factors(one, 3 * one)).W.tolist()
    [[1.0], [1.0]]
    """

    name = "ls"
    equation = "||V - W H||^2"
    source = "[leeseung2001] eq. (4)"

    def update(self, V: Array, factors: Factors) -> Factors:
        Ht = descended(V, factors.Ht, factors.W)
        return Factors(descended(V, factors.W, Ht), Ht)

    def objective(self, V: Array, factors: Factors) -> float:
        return squared_distance(self, V, factors)


def descended(V: Array, X: Array, Y: Array, left: Array | None = None, right: Array | None = None) -> Array:
    """Return X o (V Y) / (X Y^T Y): the least-squares update of X in V ~ X Y^T + left right^T; X itself is not changed.

    `left` and `right` (N) are a rank-one part that stays.
    """
    gram, out = Y.T @ Y, np.empty_like(X)
    cross = np.zeros(0) if right is None else right @ Y

    def work(rows: slice) -> None:
        below = X[rows] @ gram
        if left is not None:
            below += np.multiply.outer(left[rows], cross)
        new = out[rows]
        np.matmul(V[rows], Y, out=new)
        new *= X[rows]
        new /= below
        np.maximum(new, FLOOR, out=new)

    over_rows(len(V), X.shape[1], work)
    return out
