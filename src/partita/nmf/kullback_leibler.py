"""Kullback-Leibler, the paper's NMF-kl: min sum V log(V / WH) - V + WH by the updates that Brunet uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.nmf.base import FLOOR, Factors, NMFMethod, divergence, over_rows

__all__ = ["KullbackLeibler", "diverged"]


@dataclass(frozen=True)
class KullbackLeibler(NMFMethod):
    """Generalised divergence of V from W H. The objective never rises [leeseung2001, Theorem 2].

    Examples
    --------
    >>> import numpy as np
    >>> V, one = np.ones((2, 2)), np.ones((2, 1))
    >>> KullbackLeibler().update(V, Factors(one, 3 * one)).W.tolist()
    [[1.0], [1.0]]
    """

    name = "kl"
    equation = "sum V log(V / WH) - V + WH"
    source = "[brunet2004]; [leeseung2001] eq. (5)"

    def update(self, V: Array, factors: Factors) -> Factors:
        Ht = diverged(V, factors.Ht, factors.W)
        return Factors(diverged(V, factors.W, Ht), Ht)

    def objective(self, V: Array, factors: Factors) -> float:
        return divergence(self, V, factors)


def diverged(V: Array, X: Array, Y: Array) -> Array:
    """Return X o ((V / X Y^T) Y) / (1^T Y): the divergence update of X in V ~ X Y^T; X itself is not changed.

    Y is what X meets: where something stands between the factors, as in X S Z^T, it is Z S^T.
    """
    sums, out = Y.sum(axis=0), np.empty_like(X)

    def work(rows: slice) -> None:
        quotient = X[rows] @ Y.T
        np.divide(V[rows], quotient, out=quotient)
        new = out[rows]
        np.matmul(quotient, Y, out=new)
        new *= X[rows]
        new /= sums
        np.maximum(new, FLOOR, out=new)

    over_rows(len(V), X.shape[1], work)
    return out
