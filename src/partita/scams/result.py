"""Result of a run of SCAMS by ADMM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.runs import Status

__all__ = ["ADMMResult"]

# K0 counts the eigenvalues above this share of the largest.
SHARE = 1e-2


@dataclass(frozen=True, eq=False)
class ADMMResult:
    """Result of Algorithm 1.

    Attributes
    ----------
    pattern : N x N array of bool
        H > .5, symmetric with ones on the diagonal: what is factorized into groups.
    factor : N x rank array
        G = factor factor^T, columns by falling eigenvalue.
    eigenvalues : array of rank
        Eigenvalues of G, falling.
    objective : array of n_iter
        tr(W^T G) + lambda rank(G) + gamma ||H||_0 after each iteration, with the affinity as `ADMM.prepare` returns it:
        what `partition_objective` is of labels and that affinity. Its diagonal, which `ADMM.paper` keeps, adds -tr(A)
        whatever the partition; `SCAMS.objective_` is without.
    rank : array of n_iter
        Rank of G.
    residual : array of n_iter
        Largest |G - H|.
    n_iter : int
    status : {"converged", "max_iter", "max_seconds", "interrupted"}
    seconds : float
    n_exact, n_partial, n_none : int
        Iterations whose eigenpairs LAPACK found, the warm search found, or the norm of the matrix excluded.
    lam, gamma : float
        As used, in units of the affinity as scaled.
    """

    pattern: NDArray[np.bool_]
    factor: Array
    eigenvalues: Array
    objective: Array
    rank: NDArray[np.int64]
    residual: Array
    n_iter: int
    status: Status
    seconds: float
    n_exact: int
    n_partial: int
    n_none: int
    lam: float
    gamma: float

    @property
    def G(self) -> Array:
        """The N x N matrix itself."""
        return np.asarray(self.factor @ self.factor.T)

    @cached_property
    def max_clusters(self) -> int:
        """K0, the most groups to look for: eigenvalues of the pattern above 1e-2 of the largest.

        [li2014] takes the rank of G, which the pattern equals in the end. Until then clusters come and go in G from one
        iteration to the next while the pattern stands: at an early stop the rank of G would lose some.
        """
        from scipy.linalg import eigvalsh

        values = eigvalsh(self.pattern.astype(np.float64), overwrite_a=True, check_finite=False)
        return int((values > SHARE * values[-1]).sum())
