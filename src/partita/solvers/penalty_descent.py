"""Algorithm 1 of the SoF paper: a sequence of unconstrained problems with growing penalties [zhao2015, eqs. (4)-(7)].

    minimise_W  f(W) + lambda1 sum_ik hinge(w_ik) + lambda2 ||W 1 - 1||^2

with lambda1 = lambda2 = lambda growing by mu from level to level, each level from where the last one ended. The
penalties:

    "printed"      max(0, -w), eq. (4), with gradient -1 where w < 0, eq. (6): not smooth, and a fixed step chatters
    "squared"      max(0, -w)^2: smooth, so that conjugate gradients and L-BFGS are justified
    "log-barrier"  -log w, which the paper mentions; lambda1 then falls by mu while lambda2 grows. Below
                   delta = sqrt(lambda1 / curvature of f) the parabola that continues it is taken, so that it is
                   finite everywhere

The sum is over W of any sign and size, so iterates leave the simplex, and the paper's output does too (on glass row
sums are off by .02). What a state hands out is the projection of the level's last iterate onto the simplex, row by
row; the iterate itself stays in its memory, and the next level begins with it.

Algorithm 1's step has one length for a level, made for the curvature at the start of the run. Where the entries of P
are large beside the penalties, 4 and more at a scale of one, iterates leave the simplex for where W W^T is near P: f is
many times as curved there, and the printed step diverges. A step that ends where the curvature is more than `LOOSE`
times what its length was made for is taken back and halved, and so are those that follow it in the level; steps that
the paper's runs take never are.

With item weights the sums over rows carry them. Where the scale is learned the penalties are in units of its square, so
that the units of P do not matter. The gradient is then that of min_a f (see `partita.objectives.problem`).

Use it to reproduce the paper. Algorithm 1 takes ten times the products of the default solver or more, L-BFGS on the
squared hinge two to seven times. The objective does not fall at every step, and it ends near a stationary point, not
at one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.simplex import project_rows
from partita.objectives import Point, Problem
from partita.solvers.base import Solver, State, optimality

__all__ = ["PenaltyDescent"]

# An entry is negative below this; above it, it is zero up to rounding.
NEGATIVE = -1e-12
# L-BFGS ends a level where the value, relative to itself, falls by less.
VALUE_TOLERANCE = 1e-12
# Largest curvature allowed where a gradient step ends, in units of the curvature that its length was made for. Runs
# that come near the optimum with the printed length reach 3.4, and those that diverge any number.
LOOSE = 4.0
SCIPY = {"cg": "CG", "lbfgs": "L-BFGS-B"}


@dataclass(frozen=True)
class PenaltyDescent(Solver):
    """Sequential penalties; `PenaltyDescent()` is [zhao2015] Algorithm 1.

    Parameters
    ----------
    hinge : {"printed", "squared", "log-barrier"}
        Penalty of negative entries.
    method : {"gradient", "cg", "lbfgs"}
        How a level is minimised: gradient steps of fixed length (Algorithm 1), or SciPy's nonlinear conjugate
        gradients or L-BFGS, which the paper names too.
    lambda0 : float
        First penalty, > 0.
    mu : float
        Factor on the penalties, and on 1 / step of the gradient, from level to level; > 1.
    lambda_max : float
        1 / epsilon2: the level before lambda exceeds it is the last.
    inner_tol : float
        epsilon1: a level ends when a gradient step moves an item by at most this (root mean square) or, for "cg" and
        "lbfgs", when no entry of the gradient, in units of f's curvature at the start, is above it.
    inner_iter : int
        Most iterations of a level.

    Raises
    ------
    InputError
        For an option out of range.

    Notes
    -----
    One step of the solver is one level. After the last level the run ends with status "converged": the schedule is
    over. `optimality` says how near a stationary point that was.

    Examples
    --------
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SoF(2, solver=PenaltyDescent(), random_state=0).fit(X).labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "penalty"
    weighs_pairs = True
    cost = "1 product with P and O(N K^2) a gradient, up to some hundred gradients a step"
    guarantee = "none at a finite penalty: iterates are infeasible and what is handed out is their projection"
    source = "[zhao2015] eqs. (4)-(7), Algorithm 1"
    use = "to reproduce the paper"
    precision = 2e-2

    hinge: Literal["printed", "squared", "log-barrier"] = "printed"
    method: Literal["gradient", "cg", "lbfgs"] = "gradient"
    lambda0: float = 1.0
    mu: float = 2.0
    lambda_max: float = 1000.0
    inner_tol: float = 1e-4
    inner_iter: int = 200

    def __post_init__(self) -> None:
        if self.hinge not in ("printed", "squared", "log-barrier"):
            raise InputError(f"hinge={self.hinge!r}: expected 'printed', 'squared' or 'log-barrier'")
        if self.method not in ("gradient", *SCIPY):
            raise InputError(f"method={self.method!r}: expected 'gradient', 'cg' or 'lbfgs'")
        if not 0 < self.lambda0 <= self.lambda_max < np.inf or not 1 < self.mu < np.inf:
            raise InputError(
                f"lambda0={self.lambda0}, mu={self.mu}, lambda_max={self.lambda_max}: expected "
                "0 < lambda0 <= lambda_max, finite, and mu > 1"
            )
        if not self.inner_tol >= 0 or self.inner_iter < 1:
            raise InputError(
                f"inner_tol={self.inner_tol}, inner_iter={self.inner_iter}: expected at least 0 and at least 1"
            )

    def start(self, problem: Problem, W: Array) -> State:
        point = problem.evaluate(W)
        unit = float(np.mean(point.scale**2)) or 1.0
        memory = _Memory(W, 0, unit, problem.curvature_bound(point) or 1.0)
        return State(point, optimality(problem, point, problem.gradient(point)), memory)

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        if self._over(memory.level):
            return State(state.point, state.optimality, memory, stalled=True)
        minimised = self._by_gradient if self.method == "gradient" else self._by_scipy
        W = minimised(problem, memory, self._penalty(memory))
        point = problem.evaluate(project_rows(W))
        after = _Memory(W, memory.level + 1, memory.unit, memory.curvature)
        stalled = self._over(after.level)
        return State(point, optimality(problem, point, problem.gradient(point)), after, stalled)

    def _over(self, level: int) -> bool:
        return self.lambda0 * self.mu**level > self.lambda_max

    def _penalty(self, memory: _Memory) -> _Penalty:
        lambda2 = memory.unit * self.lambda0 * self.mu**memory.level
        lambda1 = memory.unit * self.lambda0 / self.mu**memory.level if self.hinge == "log-barrier" else lambda2
        return _Penalty(self.hinge, lambda1, lambda2, np.sqrt(lambda1 / memory.curvature))

    def _by_gradient(self, problem: Problem, memory: _Memory, penalty: _Penalty) -> Any:
        """Algorithm 1, lines 6 to 9; line 13 divides the step by mu at every level."""
        first = self._penalty(_Memory(memory.W, 0, memory.unit, memory.curvature))
        # The first: 1 / (4 lambda_max(A G A) + 2 lambda0 K), the inverse of the largest curvature.
        step = 1.0 / (memory.curvature + first.curvature(memory.W.shape[1])) / self.mu**memory.level
        W, curved = memory.W, penalty.curvature(memory.W.shape[1])
        before: tuple[Any, Any] | None = None  # where the last step began, and its direction
        for _ in range(self.inner_iter):
            point = problem.evaluate(W)
            excess = step * (_curvature(problem, point) + curved) / LOOSE
            if excess > 1.0 and before is not None:
                step /= 2.0
                W = before[0] - step * before[1]
                continue
            step /= max(excess, 1.0)  # at the first, where the last level ended
            slope = problem.gradient(point) + penalty.gradient(W)
            before, move = (W, slope), step * slope
            W = W - move
            if problem.inner(move, move) <= self.inner_tol**2 * problem.total_weight:
                break
        return W

    def _by_scipy(self, problem: Problem, memory: _Memory, penalty: _Penalty) -> Any:
        """A level by SciPy, in the coordinates sqrt(d_i) w_i, where the metric of the weights is Euclidean."""
        shape = memory.W.shape
        root = np.ones((shape[0], 1)) if problem.weights is None else np.sqrt(problem.weights)[:, None]

        def value_and_slope(x: Any) -> tuple[float, Any]:
            W = x.reshape(shape) / root
            point = problem.evaluate(W)
            value = point.value + problem.inner(penalty.values(W), np.ones(shape))
            slope = root * (problem.gradient(point) + penalty.gradient(W))
            return value / memory.curvature, slope.ravel() / memory.curvature

        options = {"maxiter": self.inner_iter, "gtol": self.inner_tol}
        if self.method == "lbfgs":
            options |= {"ftol": VALUE_TOLERANCE, "maxfun": 2 * self.inner_iter}
        start = (root * memory.W).ravel()
        found = minimize(value_and_slope, start, jac=True, method=SCIPY[self.method], options=options).x
        return found.reshape(shape) / root


def _curvature(problem: Problem, point: Point) -> float:
    """Curvature of f at a point; infinite where it is too far off for numbers."""
    return problem.curvature_bound(point) if np.isfinite(point.value) else np.inf


@dataclass(frozen=True, eq=False)
class _Memory:
    W: Any  # where the last level ended, off the simplex
    level: int
    unit: float
    curvature: float  # of f, at the start


@dataclass(frozen=True)
class _Penalty:
    hinge: str
    lambda1: float
    lambda2: float
    delta: float

    def values(self, W: Any) -> Any:
        """An array of the shape of W whose sum, rows weighted, is the penalty."""
        excess = W.sum(axis=1, keepdims=True) - 1.0
        out = np.broadcast_to(self.lambda2 * excess**2 / W.shape[1], W.shape)
        below = np.minimum(W, 0.0)
        if self.hinge == "printed":
            return out - self.lambda1 * below  # [zhao2015] eq. (4)
        if self.hinge == "squared":
            return out + self.lambda1 * below**2
        # -log, and its parabola at delta below delta
        inside = -np.log(np.maximum(W, self.delta))
        outside = 0.5 * ((W / self.delta - 2.0) ** 2 - 1.0)
        return out + self.lambda1 * np.where(self.delta < W, inside, outside - np.log(self.delta))

    def gradient(self, W: Any) -> Any:
        out = 2.0 * self.lambda2 * (W.sum(axis=1, keepdims=True) - 1.0)  # [zhao2015] eq. (7)
        if self.hinge == "printed":
            return out - self.lambda1 * (W < NEGATIVE)  # [zhao2015] eq. (6)
        if self.hinge == "squared":
            return out + 2.0 * self.lambda1 * np.minimum(W, 0.0)
        inside = -1.0 / np.maximum(W, self.delta)
        return out + self.lambda1 * np.where(self.delta < W, inside, (W / self.delta - 2.0) / self.delta)

    def curvature(self, K: int) -> float:
        """Largest second derivative."""
        largest = {"printed": 0.0, "squared": 2.0 * self.lambda1, "log-barrier": self.lambda1 / self.delta**2}
        return 2.0 * self.lambda2 * K + largest[self.hinge]
