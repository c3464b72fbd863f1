"""SoF: the scale is one, so P is read as probabilities [zhao2015, eq. (3)]. Where mean(P) is far below 1/K no
membership can reach P and the optimum goes soft; then learn the scale.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from partita.arrays import Array
from partita.objectives.objective import Objective

__all__ = ["SoFObjective"]


class SoFObjective(Objective):
    """||P - W W^T||^2.

    >>> SoFObjective().scale(np.array([2.0, 1.0]), np.eye(2)).tolist()
    [1.0, 1.0]
    """

    name = "sof"
    equation = "||P - W W^T||^2"
    source = "[zhao2015] eq. (3)"

    def scale(self, attraction: Array, curvature: Array) -> Array:
        return np.ones(len(attraction))

    def slope(self, attraction: Array, curvature: Array) -> Array:
        a = self.scale(attraction[0], curvature[0])  # the same for every t: f is a^T H(t) a - 2 a^T c(t)
        value = np.einsum("mkl,k,l->m", curvature, a, a)
        value[:3] -= 2.0 * attraction @ a
        return np.asarray(polynomial.polyder(value))
