"""The spectral relaxation in one step: the K leading eigenvectors.

min ||P - W W^T||^2 over W^T D W = I is attained by W = D^-1/2 V, V the leading eigenvectors of D^1/2 P D^1/2 (Ky Fan).
The partition read off it is cluster_qr's [damle2019], which has no random start, so every restart gives the same
answer. `n_products` counts the two evaluations of the objective, not the products inside the eigensolver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.objectives import Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.spectral import leading_eigenvectors

__all__ = ["LeadingEigenvectors"]

# Of the eigenvectors of 20,000 items or more; fewer are solved to rounding.
RESIDUAL = 1e-6


@dataclass(frozen=True)
class LeadingEigenvectors(Solver):
    """The K leading eigenvectors.

    Raises
    ------
    InputError
        For an affinity with unobserved pairs.

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
    monotone = True
    cost = (
        "one step: a dense eigenproblem up to 1,200 items (of a sparse piece 400); Lanczos, some tens of products with "
        "a vector, below 20,000; from there on a Chebyshev-filtered block, coarse to fine where P is sparse"
    )
    guarantee = "the global optimum, to the precision of the eigenvectors"
    source = "Ky Fan's theorem; [damle2019]"
    use = "a lower bound of kernel k-means, and its partition as a start"

    def start(self, problem: Problem, W: Any) -> State:
        if problem.affinity.pair_weights is not None:
            raise InputError("eigenvectors need every pair: this affinity has unobserved or weighted ones")
        point = problem.evaluate(W)
        return State(point, optimality(problem, point, problem.gradient(point)))

    def step(self, problem: Problem, state: State) -> State:
        K = state.point.W.shape[1]
        if problem.weights is None:
            V = leading_eigenvectors(problem.affinity, K, residual=RESIDUAL)[1]
        else:
            root = np.sqrt(problem.weights)
            V = leading_eigenvectors(problem.affinity.scaled(root), K, residual=RESIDUAL)[1] / root[:, None]
        point = problem.evaluate(np.ascontiguousarray(V))
        if point.value > state.point.value:  # the start was as good
            return State(state.point, state.optimality, stalled=True)
        return State(point, optimality(problem, point, problem.gradient(point)), stalled=True)
