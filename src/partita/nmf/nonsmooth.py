"""Nonsmooth NMF, the paper's NMF-ns: V ~ W S H, where S mixes the components, so that W and H need not.

S = (1 - theta) I + (theta / K) 1 1^T. The smoothing that S does has to be undone by W and H, which become sparse. A
factor meets the other one through S, and the updates are those of Kullback-Leibler with Y S in the place of Y.

The columns of W sum to one as published: S does not commute with a scaling of the components, and without the
constraint the scaling is one more thing that is fitted (a lower objective, less sparse factors). Dividing the columns
of the updated W by their sums is the exact minimiser of the majorizer under that constraint, as in an EM algorithm, so
that the objective does not rise either way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.nmf.base import FLOOR, Factors, NMFMethod, divergence
from partita.nmf.kullback_leibler import diverged

__all__ = ["Nonsmooth"]


@dataclass(frozen=True)
class Nonsmooth(NMFMethod):
    """Generalised divergence of V from W S H.

    Parameters
    ----------
    theta : float in [0, 1)
        0 is no smoothing: `KullbackLeibler`, up to the scale of the components.
    unit_columns : bool
        Whether the columns of W sum to one, as published.

    Raises
    ------
    InputError
        For theta out of range.

    Examples
    --------
    >>> import numpy as np
    >>> Nonsmooth(theta=0.5).smoothing(2).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    name = "ns"
    equation = "sum V log(V / WSH) - V + WSH, S = (1 - theta) I + (theta / K) 1 1^T"
    source = "[pascualmontano2006] eq. (3)-(8)"

    theta: float = 0.5
    unit_columns: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.theta < 1:
            raise InputError(f"theta={self.theta}: expected a number in [0, 1)")

    def smoothing(self, K: int) -> Array:
        """Return S, K x K."""
        return np.asarray((1 - self.theta) * np.eye(K) + self.theta / K)

    def begin(self, V: Array, factors: Factors) -> Factors:
        """Return a start for W H, with the columns of W summing to one and their scale in H."""
        if not self.unit_columns:
            return factors
        sums = factors.W.sum(axis=0)
        return Factors(np.maximum(factors.W / sums, FLOOR), np.maximum(factors.Ht * sums, FLOOR))

    def update(self, V: Array, factors: Factors) -> Factors:
        S = self.smoothing(factors.n_components)
        Ht = diverged(V, factors.Ht, factors.W @ S)
        W = diverged(V, factors.W, Ht @ S)
        if self.unit_columns:
            W = np.maximum(W / W.sum(axis=0), FLOOR)
        return Factors(W, Ht)

    def objective(self, V: Array, factors: Factors) -> float:
        return divergence(self, V, factors)

    def model(self, factors: Factors, rows: slice) -> Array:
        S = self.smoothing(factors.n_components)
        return np.asarray((factors.W[rows] @ S) @ factors.Ht.T)
