"""A scale for each cluster: P ~ W diag(a) W^T, a >= 0 by a K x K nonnegative least squares. It removes the pull towards
equal sizes that one common scale has on a normalised affinity; with hard memberships it is normalised cut.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from partita.objectives.base import Array, Objective

__all__ = ["PerClusterObjective"]


class PerClusterObjective(Objective):
    """||P - W diag(a) W^T||^2, a >= 0.

    >>> PerClusterObjective().scale(np.array([2.0, -1.0]), np.eye(2)).round(12).tolist()
    [2.0, 0.0]
    """

    name = "per_cluster"
    equation = "min_a ||P - W diag(a) W^T||^2, a >= 0"
    source = "normal equations (G o G) a = diag(W^T P W)"

    def scale(self, attraction: Array, curvature: Array) -> Array:
        # a^T H a - 2 a^T c = ||R a - R^-T c||^2 + const with H = R^T R. H is positive semidefinite (a Hadamard product
        # of Gram matrices), possibly singular when clusters coincide: the square root by eigenvalues copes with that.
        values, vectors = np.linalg.eigh(curvature)
        root = np.sqrt(np.maximum(values, 0.0))
        keep = root > RANK * root[-1] if root[-1] > 0 else np.zeros(len(root), dtype=bool)
        R = root[keep, None] * vectors.T[keep]
        target = (vectors.T[keep] @ attraction) / root[keep]
        return np.asarray(nnls(R, target)[0]) if keep.any() else np.zeros(len(attraction))


# Singular values of the curvature's root below this share of the largest are rounding.
RANK = 1e-10
