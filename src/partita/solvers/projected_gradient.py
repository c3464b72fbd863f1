"""Accelerated projected gradient with exact row projection, adaptive step and restart: the default on sparse graphs.

Nesterov's extrapolation V = W + beta (W - W_before), a gradient step from V, and the exact projection of each row onto
the simplex [beck2009]. Since P V = P W + beta (P W - P W_before), value and
gradient at V cost no product: a step costs one product with P, and one more when it was too long or when the objective
rose and the momentum is dropped [odonoghue2015]. Besides the product an iteration is two passes over the rows: the sums
of the new membership, alone and with the last one, which give everything K x K at V; and its optimality together with
the step from V that is tried next, V itself never being kept. (Searching the segment back to the last membership
instead, where the objective is known without a product, was tried and changes the count by less than 2%.)

Where clusters have scales of their own, columns of the membership have steps of their own as soon as they overlap
little (`partita.objectives.curvature`). Over 36 data sets, from the spectral start, that takes 17% fewer products with
P to the default tolerance and ends nearer to the optimum: memberships are off by .0004 in the median and .0035 at most,
where steps of one length left them off by .0009 and .19 (`benchmarks/column_steps.py`).

The objective is not convex: the guarantee is a monotone objective and stationary limit points. Use it where a product
with P is cheap (a sparse graph, a factor of low rank): it is the fastest there by the clock. Where products are dear,
`SubspaceMajorization` needs a tenth of them.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from partita.arrays import Array
from partita.errors import InputError
from partita.objectives import Between, Cross, Descent, Point, Problem
from partita.solvers.base import Solver, State, optimality_and_step, optimality_by_rows

__all__ = ["ProjectedGradient"]


# The sufficient-decrease test may fail by rounding of this share of the value.
ROUNDING = 1e-13
# Step attempts before the state is taken for stationary to working precision.
MAX_TRIALS = 60


@dataclass(frozen=True)
class ProjectedGradient(Solver):
    """Accelerated projected gradient.

    Parameters
    ----------
    accelerate : bool
        Extrapolate; without it this is plain projected gradient.
    growth : float
        Factor on the curvature estimate after a rejected step, > 1.
    decay : float
        Factor on it after an accepted one, in (0, 1].

    Examples
    --------
    >>> ProjectedGradient(accelerate=False).name
    'projected-gradient'
    """

    name = "projected-gradient"
    weighs_pairs = True
    domains = frozenset({"simplex", "nonnegative"})
    monotone = True
    any_arrays = True
    cost = "1 product with P and O(N K^2) an iteration; 1 product more for each rejected step"
    guarantee = "objective falls monotonically; limit points are stationary"
    source = "[beck2009], [odonoghue2015]"
    use = "the default on sparse graphs, where a product is cheap; any other affinity too"

    accelerate: bool = True
    growth: float = 2.0
    decay: float = 0.95

    def __post_init__(self) -> None:
        if not self.growth > 1 or not 0 < self.decay <= 1:
            raise InputError(f"growth={self.growth} and decay={self.decay}: expected growth > 1 and 0 < decay <= 1")

    def start(self, problem: Problem, W: Array) -> State:
        point = problem.evaluate(W)
        return State(point, optimality_by_rows(problem, point), _Memory(point, None, 0.0, 1.0, None))

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        point, momentum, curvature = state.point, memory.momentum, memory.curvature
        base, after = self._base(problem, memory.before, point, memory.cross, momentum)
        u = problem.squared_units(base)
        curvature = curvature or _bound(problem, base, u)
        trial = memory.trial or problem.descend(base, curvature, u=u)
        for _ in range(MAX_TRIALS):
            candidate, cross = problem.evaluate_beside(trial.W, point)
            model = base.value + trial.slope + 0.5 * curvature * trial.square
            slack = ROUNDING * problem.rounding * (abs(base.value) + abs(candidate.value))
            if candidate.value > model + slack:
                curvature *= self.growth
            elif candidate.value > point.value:
                if base is point:
                    break  # no descent left above rounding
                base, after = point, 1.0  # the momentum carried it past the valley
                u, curvature = self._units(problem, base, u, curvature)
            else:
                curvature *= self.decay
                following, _ = self._base(problem, point, candidate, cross, after)
                u, curvature = self._units(problem, following, u, curvature)
                reached, trial = optimality_and_step(problem, candidate, following, curvature, u)
                return State(candidate, reached, _Memory(point, cross, curvature, after, trial))
            trial = problem.descend(base, curvature, u=u)
        return State(point, state.optimality, memory, stalled=True)

    @staticmethod
    def _units(
        problem: Problem, base: Point | Between, before: Array | None, curvature: float
    ) -> tuple[Array | None, float]:
        """Units of the columns, and the curvature in them: the bound where they are no longer those of before."""
        u = problem.squared_units(base)
        return u, curvature if (u is None) == (before is None) else _bound(problem, base, u)

    def _base(
        self, problem: Problem, before: Point, point: Point, cross: Cross | None, momentum: float
    ) -> tuple[Point | Between, float]:
        """Point from which a step starts, and the momentum after it."""
        after = (1.0 + math.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        beta = (momentum - 1.0) / after if self.accelerate else 0.0
        return (problem.line(before, point, cross, 1.0 + beta) if beta > 0 else point), after


def _bound(problem: Problem, base: Point | Between, u: Array | None) -> float:
    return max(problem.curvature_bound(base, u), sys.float_info.min)


@dataclass(frozen=True, eq=False)
class _Memory:
    before: Point
    cross: Cross | None  # of `before` and the point
    curvature: float
    momentum: float
    trial: Descent | None  # the step that is tried next
