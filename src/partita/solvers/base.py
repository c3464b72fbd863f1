"""The interface of solvers: frozen configuration, a start and a step. The loop is the driver's (`drive`).

A solver adds one file with a subclass and is then tested by `tests/contract/test_solver.py`: factors stay feasible,
relabelling the clusters relabels the answer, a stationary point stays, the same seed gives the same answer, dense =
sparse = low rank, and the objective falls monotonically if `monotone` says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.objectives import Between, Descent, Point, Problem
from partita.registry import enrol

__all__ = ["OfProblem", "Solver", "State", "optimality", "optimality_and_step", "optimality_by_rows"]


@dataclass(frozen=True, eq=False)
class State:
    """State of a solver: its best membership so far, and what else its next step needs.

    `stalled` says that no step lowers the objective above rounding: the run has converged to working precision.
    """

    point: Point
    optimality: float
    memory: Any = None
    stalled: bool = False


class OfProblem:
    """A part of a solver's memory that the problem determines: a checkpoint leaves it out, and makes it again.

    A subclass is built as `cls(problem, *arguments)`, and keeps its `arguments`: numbers and words.
    """

    arguments: tuple[Any, ...] = ()


class Solver(ABC):
    """A way to minimise an objective over memberships.

    Class attributes
    ----------------
    requires : methods that the affinity must offer beyond products, checked before the first step
    domains : constraint sets of the objective's factor, by the names of `partita.objectives.Domain`; checked first too
    default_for : those of them on which it is the default; of several solvers that say so, the first registered
    weighs_pairs : whether pairs may count with any weight; without it they may only be left out
    monotone : whether the objective never rises from one step to the next
    any_arrays : whether it works on the affinity's own kind of arrays, whichever they are; without it on NumPy's, and
        each product with an affinity of another kind copies to and fro
    precision : relative residual that thousands of steps reach where a perfect one exists; above 1e-6 for methods whose
        convergence is slower than linear, or whose answer is approximate
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset()
    domains: ClassVar[frozenset[str]] = frozenset({"simplex"})
    default_for: ClassVar[frozenset[str]] = frozenset()
    weighs_pairs: ClassVar[bool] = False
    monotone: ClassVar[bool] = False
    any_arrays: ClassVar[bool] = False
    precision: ClassVar[float] = 1e-6
    cost: ClassVar[str]
    guarantee: ClassVar[str]
    source: ClassVar[str]
    use: ClassVar[str] = ""
    registry: ClassVar[dict[str, type[Solver]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Solver.registry, cls)

    @abstractmethod
    def start(self, problem: Problem, W: Array) -> State:
        """Return the state at a first membership."""

    @abstractmethod
    def step(self, problem: Problem, state: State) -> State:
        """Return the state after one iteration."""


def optimality(problem: Problem, point: Point, gradient: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return the stationarity: RMS move of the items in a natural gradient step, sqrt(mean_i ||proj(w_i - g_i / B)
    - w_i||^2).

    B is the largest curvature of one row's quadratic, in units of the columns where they have their own
    (`Problem.squared_units`): by one length for all, the step of a column that is hardly curved seems small far from
    where it leads. The figure has no unit, is 0 at a stationary point and does not change with the scale of P. On the
    simplex it is at most sqrt(2). Factors that are only nonnegative are measured in units of their root mean square
    row, an orthonormal one by what P moves out of its span, and for a partition it is sqrt(2 x the share of items that
    lower the objective by changing cluster alone).
    """
    u = problem.squared_units(point)
    bound = problem.curvature_bound(point, u)
    if bound <= 0:
        return 0.0
    moved = problem.objective.domain.moved(problem, point, gradient, bound, u)
    return float(np.sqrt(problem.inner(moved, moved) / problem.total_weight))


def optimality_by_rows(problem: Problem, point: Point) -> float:
    """Return `optimality` in one pass over the rows, for domains that project row by row; no gradient is kept."""
    u = problem.squared_units(point)
    bound, unit = problem.curvature_bound(point, u), problem.objective.domain.unit(problem, point)
    if bound <= 0 or unit <= 0:
        return 0.0
    moved = problem.descend(point, bound, u=u, keep=False).moved
    return float(np.sqrt(moved / problem.total_weight)) / unit


def optimality_and_step(
    problem: Problem, point: Point, base: Point | Between, curvature: float, u: NDArray[np.float64] | None
) -> tuple[float, Descent]:
    """Return `optimality_by_rows` of a point and a step from another one, in the same pass."""
    own = problem.squared_units(point)
    bound, unit = problem.curvature_bound(point, own), problem.objective.domain.unit(problem, point)
    if bound <= 0 or unit <= 0:
        return 0.0, problem.descend(base, curvature, u=u)
    step = problem.descend(base, curvature, u=u, measured=(point, bound, own))
    return float(np.sqrt(step.moved / problem.total_weight)) / unit, step
