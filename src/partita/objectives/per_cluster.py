"""A scale for each cluster: P ~ W diag(a) W^T, a >= 0 by a K x K nonnegative least squares. It removes the pull towards
equal sizes that one common scale has on a normalised affinity; with hard memberships it is normalised cut.
"""

from __future__ import annotations

import numpy as np

from partita.arrays import Array
from partita.kernels.nonnegative import minimise_nonnegative
from partita.objectives.objective import Objective

__all__ = ["PerClusterObjective"]


class PerClusterObjective(Objective):
    """||P - W diag(a) W^T||^2, a >= 0.

    >>> PerClusterObjective().scale(np.array([2.0, -1.0]), np.eye(2)).round(12).tolist()
    [2.0, 0.0]
    """

    name = "per_cluster"
    equation = "min_a ||P - W diag(a) W^T||^2, a >= 0"
    source = "normal equations (G o G) a = diag(W^T P W)"
    scales = "own"

    def scale(self, attraction: Array, curvature: Array) -> Array:
        # H is a Hadamard product of Gram matrices, so positive semidefinite; possibly singular, when clusters coincide.
        return np.asarray(minimise_nonnegative(curvature, attraction[None])[0])
