"""Nystrom majorization on the subspace of the memberships seen so far: the fewest products with P.

Every product that was paid for tells more than one gradient: with B an orthonormal basis of the memberships multiplied
so far, M = P + tau I is known on all of span(B), and its Nystrom approximation [williams2001]

    M^ = (M B) (B^T M B)^-1 (M B)^T

agrees with M on span(B) and lies below it everywhere, as long as M is positive semidefinite. The affinity enters every
objective here as -2 sum_k a_k w_k^T P w_k with a >= 0, so the objective of P^ = M^ - tau I lies above that of P and
touches it, with its gradient, at every membership multiplied so far: a majorizer, tighter with each product. A step
minimises it from where it stands, by accelerated projected gradient on N x m arrays that costs no product with P, and
pays one product to see the answer and to learn P there [lange2016].

tau is the bound on the negative eigenvalues of P: as far as span(B) shows them, and doubled when a step failed to lower
the objective. Where that keeps happening, projected gradient takes over: a strongly indefinite P is not for this
method. After a step the basis is cut back to the last membership and the leading Ritz vectors.

Dirichlet starts come within a thousandth of the best objective after 4 to 6 products where accelerated projected
gradient needs 16 to 105. A step costs some tens of inner iterations of 4 N m K operations: use this where a product
with P is dear (dense, long diffusions, several machines), and `ProjectedGradient` where P is a sparse graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from partita.affinity.base import Affinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.eigen import singular_vectors, symmetric_eigen
from partita.objectives import Point, Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.projected_gradient import ProjectedGradient

__all__ = ["SubspaceMajorization"]


# A direction whose part outside the basis is below this share of the largest is inside it.
INSIDE = 1e-10
# The Nystrom core is inverted with tau of at least this share of the largest Ritz value, so that rounding in the
# model's gradient stays below 1e-16 / FLOOR.
FLOOR = 1e-7
# A model is minimised until its optimality is this share of the objective's, but not below what rounding leaves.
INNER = 1e-2
LEAST = 1e-13
# Values that differ by less than this share are told apart by their optimality.
ROUNDING = 1e-14
# Steps that may fail to lower the objective, tau at least doubled after each, before projected gradient takes over: P
# has negative eigenvalues that span(B) does not show, and a tau that covers them makes steps shorter than its own. What
# tau begins with when it had been zero.
PATIENCE = 4
FIRST = 1e-3
# Optimality below which a model that does not fall says that nothing is left to gain.
FLAT = 1e-6
# tau for a negative Ritz value of minus one: those that span(B) does not show are a little larger.
SAFETY = 1.5


@dataclass(frozen=True)
class SubspaceMajorization(Solver):
    """Nystrom majorization on the subspace of the memberships seen so far.

    Parameters
    ----------
    memory : int
        Size of the basis in blocks of K columns, >= 2.
    probes : int
        Products spent on the powers P W, P^2 W of the first membership before the first model is trusted: without them
        the first steps run far on what one product knows, and end in poorer valleys.
    max_inner : int
        Iterations on one model.

    Raises
    ------
    InputError
        For parameters out of range.

    Examples
    --------
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SoF(2, solver=SubspaceMajorization(), random_state=0).fit_predict(X)
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "subspace"
    weighs_pairs = True
    domains = frozenset({"simplex", "nonnegative"})
    monotone = True
    cost = "1 product with P and some tens of inner iterations of O(N K^2) a step; 2 products more at the start"
    guarantee = "objective falls monotonically; limit points are stationary"
    use = "the default on dense evidence and wherever a product with P is dear: a tenth of the products of the others"
    source = "majorization [lange2016] by a Nystrom approximation [williams2001]; Partita"

    memory: int = 4
    probes: int = 2
    max_inner: int = 200

    def __post_init__(self) -> None:
        if self.memory < 2 or self.probes < 0 or self.max_inner < 1:
            raise InputError(
                f"memory={self.memory}, probes={self.probes} and max_inner={self.max_inner}: expected a memory of at "
                "least 2, probes of at least 0 and at least 1 inner iteration"
            )

    def start(self, problem: Problem, W: Array) -> State:
        n = problem.affinity.n_items
        point, basis = _Basis(np.empty((n, 0)), np.empty((n, 0))).evaluate(problem, W)
        return State(point, optimality(problem, point, problem.gradient(point)), _Memory(basis, 0.0, self.probes, 0))

    def step(self, problem: Problem, state: State) -> State:
        if isinstance(state.memory, _HandedOver):
            return _handed_over(problem, state.memory.state)
        memory: _Memory = state.memory
        basis, point, tau, failures = memory.basis, state.point, memory.tau, memory.failures
        K = point.W.shape[1]
        for _ in range(memory.probes):
            basis = basis.extended(problem, basis.image[:, -K:])
        while failures < PATIENCE:
            model = _Model.of(problem, basis, tau)
            inner, fall = self._minimised(Problem(cast(Affinity, model), problem.objective, problem.weights), state)
            if fall <= ROUNDING * abs(point.value) and state.optimality <= FLAT:
                return State(point, state.optimality, memory, stalled=True)
            candidate, basis = basis.evaluate(problem, inner)
            after = optimality(problem, candidate, problem.gradient(candidate))
            slack = ROUNDING * abs(point.value)
            if candidate.value < point.value or (
                candidate.value <= point.value + slack and after < 0.5 * state.optimality
            ):
                if basis.size > self.memory * K:
                    basis = basis.cut(problem, candidate.W, (self.memory - 2) * K)
                return State(candidate, after, _Memory(basis, tau, 0, failures))
            tau, failures = max(2.0 * tau, FIRST * model.top), failures + 1
        return _handed_over(problem, ProjectedGradient().start(problem, point.W))

    def _minimised(self, model: Problem, state: State) -> tuple[Array, float]:
        """Minimiser of a model, from the state's membership, as well as it is worth; and by how much the model fell."""
        method = ProjectedGradient()
        first = inner = method.start(model, state.point.W)
        for _ in range(self.max_inner):
            if inner.stalled or inner.optimality <= max(INNER * state.optimality, LEAST):
                break
            inner = method.step(model, inner)
        return inner.point.W, first.point.value - inner.point.value


@dataclass(frozen=True, eq=False)
class _Memory:
    basis: _Basis
    tau: float
    probes: int  # still to be spent
    failures: int


@dataclass(frozen=True, eq=False)
class _HandedOver:
    state: State  # of projected gradient


def _handed_over(problem: Problem, state: State) -> State:
    """A step of projected gradient."""
    after = ProjectedGradient().step(problem, state)
    return State(after.point, after.optimality, _HandedOver(after), after.stalled)


@dataclass(frozen=True, eq=False)
class _Basis:
    """Orthonormal B (N x m) for memberships as D^1/2 W, and `image` = D^1/2 P D^1/2 B."""

    B: Array
    image: Array

    @property
    def size(self) -> int:
        return int(self.B.shape[1])

    def evaluate(self, problem: Problem, W: Array) -> tuple[Point, _Basis]:
        """The membership W, and the basis with it: one product, with what of W lies outside the basis."""
        root = _root(problem)
        basis = self.extended(problem, root * W)
        Y = basis.image @ (basis.B.T @ (root * W))
        return problem.point_of(W, np.divide(Y, root, out=np.zeros_like(Y), where=root > 0)), basis

    def extended(self, problem: Problem, X: Array) -> _Basis:
        """Extend the basis by the columns of X, for one product; return it unchanged where they lie inside already."""
        size = np.linalg.norm(X)
        for _ in range(2):  # twice is enough [giraud2005]
            X = X - self.B @ (self.B.T @ X)
        U, s, _ = singular_vectors(X)
        Q = U[:, s > INSIDE * size]
        if not Q.shape[1]:
            return self
        root = _root(problem)
        problem.n_products += problem.affinity.products
        return _Basis(np.hstack([self.B, Q]), np.hstack([self.image, root * (problem.affinity @ (root * Q))]))

    def cut(self, problem: Problem, W: Array, n_ritz: int) -> _Basis:
        """The subspace of W and the leading Ritz vectors: no product."""
        core = self.B.T @ self.image
        ritz = symmetric_eigen((core + core.T) / 2.0)[1][:, ::-1][:, :n_ritz]
        kept, _ = np.linalg.qr(np.hstack([self.B.T @ (_root(problem) * W), ritz]))
        return _Basis(self.B @ kept, self.image @ kept)


class _Model:
    """P^ as an affinity: what a `Problem` asks of one."""

    products = 0
    rounding = 1.0
    native = staticmethod(np.asarray)

    def __init__(self, factor: Array, shift: Any, problem: Problem, top: float) -> None:
        self.factor, self.shift = factor, shift
        self.n_items, self.shape = problem.affinity.n_items, problem.affinity.shape
        self.pair_weights = problem.affinity.pair_weights
        self.top = top

    @classmethod
    def of(cls, problem: Problem, basis: _Basis, tau: float) -> _Model:
        core = basis.B.T @ basis.image
        values, vectors = symmetric_eigen((core + core.T) / 2.0)
        top = float(np.abs(values).max())
        tau = max(tau, FLOOR * top, SAFETY * -values[0])
        root = _root(problem)
        roots = np.sqrt(np.maximum(values + tau, FLOOR * top)) if top > 0 else np.ones(len(values))
        factor = ((basis.image + tau * basis.B) @ vectors) / roots
        factor = np.divide(factor, root, out=np.zeros_like(factor), where=root > 0)
        weights = problem.weights
        shift = tau if weights is None else tau / np.where(weights > 0, weights, np.inf)[:, None]
        return cls(factor, shift, problem, top)

    def __matmul__(self, U: Array) -> Array:
        return np.asarray(self.factor @ (self.factor.T @ U) - self.shift * U)


def _root(problem: Problem) -> Any:
    return 1.0 if problem.weights is None else np.sqrt(problem.weights)[:, None]
