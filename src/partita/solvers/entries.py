"""Sweeps over the entries of a nonnegative factor: common parts of the two solvers that move one entry at a time.

Rows take their turns in a new random order each sweep, a permutation of their rank by how far a gradient step would
move them at the start, not of their numbers, so that the answer does not depend on the order in which the items come;
the entries of a row go by the size of their columns, so that it does not depend on the numbers of the clusters either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.affinity import DenseAffinity, SparseAffinity
from partita.errors import InputError
from partita.objectives import Problem
from partita.solvers.base import OfProblem, State, optimality

__all__ = ["FLOOR", "Entries", "start_sweeps", "step_sweep"]

# Items up to which an affinity that is neither dense nor sparse is made dense.
DENSE_UP_TO = 4096
# Least entry under a multiplicative rule, as a share of the largest: where it would stay at zero for ever.
FLOOR = 1e-16


@dataclass(frozen=True, eq=False)
class _Memory:
    entries: Entries
    items: Any
    sweep: int


class Entries(OfProblem):
    """P entry by entry, and what each counts, as the kernels read them."""

    def __init__(self, problem: Problem, solver: str, K: int) -> None:
        self.arguments = (solver, K)
        affinity = problem.affinity
        n = affinity.n_items
        self.csr, self.dense = None, None
        if isinstance(affinity, SparseAffinity):
            self.csr = affinity.matrix
        elif isinstance(affinity, DenseAffinity):
            self.dense = affinity.to_dense()
        elif n <= DENSE_UP_TO:
            self.dense = np.ascontiguousarray(affinity.to_dense())
            problem.n_products += affinity.products * -(-n // K)  # the N columns of the identity, K at a time
        else:
            raise InputError(
                f"solver {solver!r} reads the entries of the affinity, and a {affinity.name!r} one has none at hand: "
                f"it is made dense for up to {DENSE_UP_TO:,} items, and this one has {n:,}; use ProjectedGradient()"
            )
        self.weights = np.ones(n) if problem.weights is None else problem.weights
        self.own, self.rest = np.ones(n), 1.0
        self.holes, self.excess, self.bounds = np.empty(0, dtype=np.intp), np.empty(0), np.zeros(n + 1, dtype=np.intp)
        pairs = affinity.pair_weights
        if pairs is not None:
            self.rest, self.own[:] = pairs.rest, pairs.rest
            diagonal = pairs.first == pairs.second
            self.own[pairs.first[diagonal]] = pairs.weight[diagonal]
            order = np.argsort(pairs.first, kind="stable")
            self.holes, self.excess = pairs.second[order], (pairs.weight - pairs.rest)[order]
            self.bounds[1:] = np.cumsum(np.bincount(pairs.first, minlength=n))

    def least(self) -> tuple[float, int]:
        """Return the least entry of P and its row."""
        if self.dense is not None:
            i = int(self.dense.min(axis=1).argmin())
            return float(self.dense[i].min()), i
        assert self.csr is not None
        if not self.csr.nnz:
            return 0.0, 0
        s = int(self.csr.data.argmin())
        return float(self.csr.data[s]), int(np.searchsorted(self.csr.indptr, s, side="right")) - 1


def start_sweeps(problem: Problem, H: Any, *, solver: str, nonnegative: bool) -> State:
    """Return the state at a first factor; `nonnegative` says that the rule needs P >= 0."""
    entries = Entries(problem, solver, H.shape[1])
    least, row = entries.least()
    if nonnegative and least < 0:
        raise InputError(
            f"the affinity has negative entries in row {row}, and a multiplicative update needs P >= 0; use "
            "CoordinateDescent() or ProjectedGradient()"
        )
    point = problem.evaluate(np.maximum(H, FLOOR * H.max()) if nonnegative else np.ascontiguousarray(H))
    gradient = problem.gradient(point)
    moved = np.zeros_like(point.W)
    bound = problem.curvature_bound(point)
    if bound > 0:
        moved = problem.objective.domain.moved(problem, point, gradient, bound)
    items = np.argsort(-np.einsum("nk,nk->n", moved, moved), kind="stable")
    return State(point, optimality(problem, point, gradient), _Memory(entries, items, 0))


def step_sweep(problem: Problem, state: State, *, exact: bool, random_state: int) -> State:
    """Return one sweep over all entries, then one product to see where it led."""
    from partita.kernels.entry_sweep import sweep_csr, sweep_dense

    memory: _Memory = state.memory
    entries, sweep = memory.entries, memory.sweep + 1
    W, G = state.point.W.copy(), state.point.gram.copy()
    items = np.random.default_rng((random_state, sweep)).permutation(memory.items)
    floor = FLOOR * float(W.max())
    columns = np.argsort(-G.diagonal(), kind="stable")
    shared: tuple[Any, ...] = (entries.own, exact, floor, columns, entries.weights, W, G)
    shared += (entries.holes, entries.excess, entries.bounds, entries.rest)
    if entries.csr is not None:
        sweep_csr(items, entries.csr.indptr, entries.csr.indices, entries.csr.data, *shared)
    elif entries.dense is not None:
        sweep_dense(items, entries.dense, *shared)
    problem.n_products += problem.affinity.products  # every row of P was read once
    point = problem.evaluate(W)
    if point.value >= state.point.value:
        return State(state.point, state.optimality, memory, stalled=True)
    gradient = problem.gradient(point)
    return State(point, optimality(problem, point, gradient), _Memory(entries, memory.items, sweep))
