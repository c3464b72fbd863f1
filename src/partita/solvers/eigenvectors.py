"""The spectral relaxation in one step: the K leading eigenvectors.

min ||P - W W^T||^2 over W^T D W = I is attained by W = D^-1/2 V, V the leading eigenvectors of D^1/2 P D^1/2 (Ky Fan).
The partition is read off it by k-means begun at cluster_qr's clusters [damle2019], not at random ones, so that every
restart gives the same answer. `n_products` counts the two evaluations of the objective, not the products inside the
eigensolver.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity
from partita.arrays import Array
from partita.errors import InputError
from partita.objectives import Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.spectral import leading_eigenvectors
from partita.solvers.start import COARSE_FROM

__all__ = ["LeadingEigenvectors"]


@dataclass(frozen=True)
class LeadingEigenvectors(Solver):
    """The K leading eigenvectors.

    Parameters
    ----------
    residual : float in (0, 1)
        ||P v - theta v|| / theta of the eigenvectors of a component of 8,000 items or more where P is sparse, and
        of 20,000 items where it is not; of a diffused affinity, those of its base. Fewer are solved to rounding. Of
        five normalised graphs of 9,000 to 58,000 items 1e-4 put at most 2 in 1,000 into another cluster than 1e-9; of
        the same graphs as they are at most 3 in 10,000, but 17% of one (shuttle) whose eigenvalues all but coincide,
        where 1e-6 moves 3% too (`benchmarks/eigenvectors.py`).

    Raises
    ------
    InputError
        For a residual out of range, and for an affinity with unobserved pairs.

    Examples
    --------
    >>> from partita.affinity import DenseAffinity
    >>> from partita.objectives import SpectralObjective
    >>> from partita.solvers import Starts, drive
    >>> P = DenseAffinity(np.diag([3.0, 2.0, 1.0]))
    >>> result = drive(Problem(P, SpectralObjective()), LeadingEigenvectors(), Starts(P, 2), "dirichlet", seed=0)
    >>> round(result.objective, 9)  # 14 + 2 - 2 (3 + 2)
    6.0
    """

    name = "eigenvectors"
    domains = frozenset({"orthonormal"})
    default_for = domains
    monotone = True
    cost = (
        "one step: a dense eigenproblem up to 1,200 items (of a sparse piece 400); Lanczos, some tens of products with "
        "a vector, below 20,000; from there on a Chebyshev-filtered block, coarse to fine and from 8,000 on where P is "
        "sparse"
    )
    guarantee = "the global optimum, to the precision of the eigenvectors"
    source = "Ky Fan's theorem; [damle2019]"
    use = "a lower bound of kernel k-means, and its partition as a start"

    residual: float = 1e-4

    def __post_init__(self) -> None:
        residual: Any = self.residual
        if isinstance(residual, bool) or not isinstance(residual, Real) or not 0 < float(residual) < 1:
            raise InputError(f"residual={residual!r}: expected a number in (0, 1)")
        object.__setattr__(self, "residual", float(residual))

    def start(self, problem: Problem, W: Array) -> State:
        if problem.affinity.pair_weights is not None:
            raise InputError("eigenvectors need every pair: this affinity has unobserved or weighted ones")
        point = problem.evaluate(W)
        return State(point, optimality(problem, point, problem.gradient(point)))

    def step(self, problem: Problem, state: State) -> State:
        K = state.point.W.shape[1]
        if problem.weights is None:
            V = self._leading(problem.affinity, K)
        else:
            root = np.sqrt(problem.weights)
            V = self._leading(problem.affinity.scaled(root), K) / root[:, None]
        point = problem.evaluate(np.ascontiguousarray(V))
        if point.value > state.point.value:  # the start was as good
            return State(state.point, state.optimality, stalled=True)
        return State(point, optimality(problem, point, problem.gradient(point)), stalled=True)

    def _leading(self, affinity: Affinity, K: int) -> NDArray[np.float64]:
        return leading_eigenvectors(affinity, K, residual=self.residual, coarse_from=COARSE_FROM)[1]
