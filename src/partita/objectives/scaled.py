"""One scale for all clusters, learned [rotabulo2010, eqs. (3) and (8)]. On a normalised affinity a common scale acts as
a prior of equal sizes: every cluster is asked for the same within-cluster affinity.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from partita.arrays import Array
from partita.objectives.objective import Objective

__all__ = ["ScaledObjective"]


class ScaledObjective(Objective):
    """||P - alpha W W^T||^2, alpha >= 0.

    >>> ScaledObjective().scale(np.array([2.0, 1.0]), np.eye(2)).tolist()
    [1.5, 1.5]
    """

    name = "scaled"
    equation = "min_alpha ||P - alpha W W^T||^2"
    source = "[rotabulo2010] eq. (8)"
    scales = "common"

    def scale(self, attraction: Array, curvature: Array) -> Array:
        total = curvature.sum()
        alpha = max(attraction.sum() / total, 0.0) if total > 0 else 0.0  # alpha = tr(P W W^T) / ||W W^T||^2
        return np.full(len(attraction), alpha)

    def slope(self, attraction: Array, curvature: Array) -> Array:
        C, h = attraction.sum(axis=1), curvature.sum(axis=(1, 2))  # f = -C^2 / h where C > 0, and zero elsewhere
        first = 2.0 * polynomial.polymul(polynomial.polyder(C), h)
        return np.asarray(polynomial.polysub(first, polynomial.polymul(C, polynomial.polyder(h))))
