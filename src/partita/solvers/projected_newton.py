"""Projected Newton for nonnegative factors [kuang2012]: H <- max(H - t S g, 0) with S the inverse of a part of the
Hessian.

The Hessian of ||A - H H^T||^2 in all N K entries is out of reach; its diagonal blocks are not. For column k, and for
row i,

    columns    4 (H H^T - A + h_k h_k^T + ||h_k||^2 I)           N x N, as in [kuang2012]: N^3 K an iteration, dense
    rows       4 (G + h_i h_i^T + max(||h_i||^2 - A_ii, 0) I)    K x K: N K^3 an iteration, products alone

A column's block that is not positive definite loses the residual H H^T - A and is then the Gauss-Newton block. With
item weights both are those of D^1/2 A D^1/2, and unobserved pairs drop out of them.

The active set [bertsekas1982]: entries near zero whose gradient points outwards are left out of the equations and get a
gradient step; without that max(., 0) could turn a Newton step uphill. The step length t is found by Armijo's rule on
the arc of projected steps, each at one product; first the lowest point of the segment to the full step is looked at,
which costs none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.linalg

from partita.arrays import Array
from partita.errors import InputError
from partita.memory import require_memory, require_pairs
from partita.objectives import Point, Problem
from partita.solvers.base import OfProblem, Solver, State, optimality

__all__ = ["ProjectedNewton"]

# Items up to which the N x N blocks of the columns are made.
DENSE_UP_TO = 4096
# Armijo: least share of the decrease that the slope promises, and the factor on t after a failure [kuang2012].
ARMIJO, SHORTER = 0.1, 0.1
MAX_TRIALS = 12
# Entries of at most this share of a row's root mean square size are near zero.
NEAR = 1e-3
# Ridge that makes a singular block solvable, as a share of its trace.
RIDGE = 1e-12


@dataclass(frozen=True)
class ProjectedNewton(Solver):
    """Projected Newton-like method for SymNMF.

    Parameters
    ----------
    blocks : {"rows", "columns"}
        The part of the Hessian that is inverted. "columns" is [kuang2012]'s and needs N x N arrays, for up to 4,096
        items; "rows" needs products with P alone.

    Raises
    ------
    InputError
        For an unknown name, or "columns" with more than 4,096 items.

    Examples
    --------
    >>> from partita import SymNMF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SymNMF(2, affinity="relative", solver=ProjectedNewton(), random_state=0).fit(X).labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "projected-newton"
    requires = frozenset({"diagonal"})
    domains = frozenset({"nonnegative"})
    weighs_pairs = True
    monotone = True
    cost = "1 to 3 products with P and O(N K^3) an iteration; with blocks='columns' O(N^3 K)"
    guarantee = "objective falls monotonically; limit points are stationary"
    source = "[kuang2012], active set of [bertsekas1982]"
    use = "to reproduce SymNMF"

    blocks: Literal["rows", "columns"] = "rows"

    def __post_init__(self) -> None:
        if self.blocks not in ("rows", "columns"):
            raise InputError(f"blocks={self.blocks!r}: expected 'rows' or 'columns'")

    def start(self, problem: Problem, W: Array) -> State:
        affinity = problem.affinity
        dense = None
        if self.blocks == "columns":
            if affinity.n_items > DENSE_UP_TO:
                raise InputError(
                    f"blocks='columns' makes N x N arrays for up to {DENSE_UP_TO:,} items, and this affinity has "
                    f"{affinity.n_items:,}; use blocks='rows'"
                )
            require_pairs(affinity.n_items, "blocks='columns'", "use blocks='rows'", copies=5)
            dense = _Dense(problem)
            problem.n_products += affinity.products * -(-affinity.n_items // W.shape[1])
        n, K = W.shape
        require_memory(
            3 * 8 * n * K * K,
            f"a {K:,} x {K:,} block for each of {n:,} items",
            "use ProjectedGradient(), or fewer clusters",
        )
        point = problem.evaluate(np.ascontiguousarray(W))
        gradient = problem.gradient(point)
        return State(point, optimality(problem, point, gradient), _Memory(gradient, dense))

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        point, g = state.point, memory.gradient
        H, bound = point.W, problem.curvature_bound(point)
        if bound <= 0:
            return State(point, state.optimality, memory, stalled=True)
        size = np.sqrt(problem.inner(H, H) / problem.total_weight)
        free = (g <= 0) | (min(NEAR, state.optimality) * size < H)
        newton = _by_rows(problem, point, g, free) if memory.dense is None else memory.dense.direction(point, g, free)
        direction = np.where(free, newton, -g / bound)
        promised = -problem.inner(g, np.where(free, direction, 0.0))
        t = 1.0
        for _ in range(MAX_TRIALS):
            far = problem.evaluate(np.maximum(H + t * direction, 0.0))
            outward = problem.inner(np.where(free, 0.0, g), H - far.W)
            if far.value < point.value and far.value <= point.value - ARMIJO * (t * promised + outward):
                return self._arrived(problem, far, memory)
            move = far.W - H
            slope = problem.inner(g, move)
            if slope < 0:
                best = problem.best_between(point, far)
                share = problem.inner(best.W - H, move) / problem.inner(move, move)
                if best.value < point.value and best.value <= point.value + ARMIJO * share * slope:
                    return self._arrived(problem, best, memory)
            t *= SHORTER
        return State(point, state.optimality, memory, stalled=True)

    @staticmethod
    def _arrived(problem: Problem, point: Point, memory: _Memory) -> State:
        gradient = problem.gradient(point)
        return State(point, optimality(problem, point, gradient), _Memory(gradient, memory.dense))


@dataclass(frozen=True, eq=False)
class _Memory:
    gradient: Any
    dense: _Dense | None


def _by_rows(problem: Problem, point: Point, gradient: Any, free: Any) -> Any:
    """The Newton step of each row with the others fixed, in its free entries."""
    H, n, K = point.W, *point.W.shape
    d = np.ones(n) if problem.weights is None else problem.weights
    own = np.ones(n)
    outer = H[:, :, None] * H[:, None, :]
    blocks = np.broadcast_to(point.gram, (n, K, K)).copy()
    pairs = problem.affinity.pair_weights
    if pairs is not None:
        blocks *= pairs.rest
        diagonal = pairs.first == pairs.second
        own[:] = pairs.rest
        own[pairs.first[diagonal]] = pairs.weight[diagonal]
        more = d[pairs.second] * (pairs.weight - pairs.rest)
        np.add.at(blocks, pairs.first, more[:, None, None] * outer[pairs.second])
    excess = np.maximum(own * np.einsum("nk,nk->n", H, H) - problem.affinity.diagonal(), 0.0)
    blocks += (own * d)[:, None, None] * outer
    trace = np.einsum("nkk->n", blocks)
    shift = d * excess + RIDGE * np.where(trace > 0, trace, 1.0)
    blocks *= 4.0 * (free[:, :, None] & free[:, None, :])
    blocks[:, np.arange(K), np.arange(K)] += np.where(free, 4.0 * shift[:, None], 1.0)
    return np.linalg.solve(blocks, np.where(free, -gradient, 0.0)[:, :, None])[:, :, 0]


class _Dense(OfProblem):
    """D^1/2 A D^1/2 and what each of its entries counts."""

    def __init__(self, problem: Problem) -> None:
        self.root = np.ones(problem.affinity.n_items) if problem.weights is None else np.sqrt(problem.weights)
        self.A = self.root[:, None] * problem.affinity.to_dense() * self.root
        self.counts = np.ones_like(self.A)
        pairs = problem.affinity.pair_weights
        if pairs is not None:
            self.counts[:] = pairs.rest
            self.counts[pairs.first, pairs.second] = pairs.weight

    def direction(self, point: Point, gradient: Any, free: Any) -> Any:
        """The Newton step of each column with the others fixed, in its free entries."""
        X, g = self.root[:, None] * point.W, self.root[:, None] * gradient
        residual = self.counts * (X @ X.T) - self.A
        out = np.zeros_like(X)
        for k in range(X.shape[1]):
            x, F = X[:, k], np.flatnonzero(free[:, k])
            if not len(F) or not x.any():
                continue
            block = self.counts[np.ix_(F, F)] * np.outer(x[F], x[F])
            curvature = self.counts[F] @ (x * x)
            block[np.diag_indices(len(F))] += curvature + RIDGE * curvature.sum()
            for matrix in (block + residual[np.ix_(F, F)], block):  # the second is the Gauss-Newton block
                try:
                    factor = scipy.linalg.cho_factor(4.0 * matrix)
                except scipy.linalg.LinAlgError:
                    continue
                out[F, k] = -scipy.linalg.cho_solve(factor, g[F, k])
                break
        return out / self.root[:, None]
