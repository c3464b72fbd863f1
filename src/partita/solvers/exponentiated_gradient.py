"""Exponentiated gradient: w_ik <- w_ik exp(-g_ik / L) / (its row's sum) [kivinen1997], with an adaptive L.

It is the proximal step in the Kullback-Leibler divergence: the minimiser over memberships V of the model

    f(W) + <g, V - W> + L sum_i d_i KL(v_i || w_i).

Where f stays below its model, f is smooth relative to the entropy with constant L [bauschke2017] and the step is
taken; L equal to the curvature in the Euclidean norm is enough, since KL(v || w) >= ||v - w||^2 / 2. Where f does
not, L grows and the lowest point of the segment from W to V is taken, which costs no product.

Use it where memberships must stay inside the simplex and every entry is to keep a chance. Not for speed, and not for
sparse memberships: entries only come near zero, and where the gradient of such an entry is zero too convergence is
slower than linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.objectives import Point, Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.interior import interior

__all__ = ["ExponentiatedGradient"]

# The model may fail by rounding of this share of the value.
ROUNDING = 1e-13
# Step attempts before the state is taken for stationary to working precision.
MAX_TRIALS = 60


@dataclass(frozen=True)
class ExponentiatedGradient(Solver):
    """Exponentiated gradient (mirror descent in the entropy).

    Parameters
    ----------
    growth : float
        Factor on L after a step that f did not follow, > 1.
    decay : float
        Factor on L after one that it did, in (0, 1].

    Raises
    ------
    InputError
        For factors out of range.

    Notes
    -----
    Entries never become exactly zero: they stay at or above 1e-16, also those that the start has at zero.

    Examples
    --------
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model = SoF(2, solver=ExponentiatedGradient(), random_state=0).fit(X)
    >>> labels = model.labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    >>> bool(model.membership_.min() > 0)
    True
    """

    name = "exponentiated-gradient"
    weighs_pairs = True
    monotone = True
    cost = "1 product with P and O(N K^2) an iteration"
    guarantee = "objective falls monotonically; limit points inside the simplex are stationary"
    source = "[kivinen1997], [bauschke2017]"
    use = "memberships that are to stay inside the simplex"
    precision = 1e-3

    growth: float = 2.0
    decay: float = 0.8

    def __post_init__(self) -> None:
        if not self.growth > 1 or not 0 < self.decay <= 1:
            raise InputError(f"growth={self.growth} and decay={self.decay}: expected growth > 1 and 0 < decay <= 1")

    def start(self, problem: Problem, W: Array) -> State:
        point = problem.evaluate(interior(W))
        return _state(problem, point, max(problem.curvature_bound(point), np.finfo(float).tiny))

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        point, gradient, L = state.point, memory.gradient, memory.L
        for _ in range(MAX_TRIALS):
            exponent = gradient / -L
            exponent -= exponent.max(axis=1, keepdims=True)
            V = point.W * np.exp(exponent)
            sums = V.sum(axis=1, keepdims=True)
            candidate = problem.evaluate(interior(V / sums))
            move = candidate.W - point.W
            # KL(v || w) of rows: sum_k v log(v / w) = sum_k v exponent - log(sums)
            divergence = problem.inner(candidate.W, exponent - np.log(sums))
            model = point.value + problem.inner(gradient, move) + L * divergence
            slack = ROUNDING * (abs(point.value) + abs(candidate.value))
            if candidate.value <= model + slack:
                L *= self.decay
            else:
                L *= self.growth
                candidate = min(candidate, problem.best_between(point, candidate), key=lambda end: end.value)
            if candidate.value < point.value:
                return _state(problem, candidate, L)
            L = max(L, memory.L) * self.growth
        return State(point, state.optimality, memory, stalled=True)


@dataclass(frozen=True, eq=False)
class _Memory:
    gradient: Any
    L: float


def _state(problem: Problem, point: Point, L: float) -> State:
    gradient = problem.gradient(point)
    return State(point, optimality(problem, point, gradient), _Memory(gradient, L))
