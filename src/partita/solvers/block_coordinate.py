"""Row-wise block coordinate descent: one item's membership at a time, the others fixed, sweep after sweep.

A row's problem is a convex quadratic over the simplex plus the item's own diagonal entry, a quartic; how a row is
solved, and what is done about the quartic, stands in `partita.kernels.row_sweep`. G = W^T D W and Y = P D W follow
each row that moves, so a sweep over all rows costs what one product with P costs. The scale a is the objective's own
after every sweep; each of the two steps lowers the objective.

It takes the fewest products of all solvers here to come within a thousandth of the best objective, since a row sees
at once what the rows before it did; without momentum its last digits take longer. What it asks is the entries of P: a
dense affinity, or a sparse one in CSR form. Any other kind is made dense once for each restart, up to `DENSE_UP_TO`
items, and refused beyond. It costs K^3 a row besides, and it runs on one core: for a large sparse affinity with many
clusters, and wherever several cores are free, the default solver is faster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.simplex import project_rows
from partita.objectives import Point, Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.entries import Entries

__all__ = ["BlockCoordinateDescent"]

# Rows of a dense affinity between two updates of the others' products; those in a block update each other.
BLOCK = 256
# Sweeps after which Y is computed anew, because rounding adds up in it.
REFRESH = 50


@dataclass(frozen=True)
class BlockCoordinateDescent(Solver):
    """Row-wise block coordinate descent.

    Parameters
    ----------
    order : {"random", "cyclic"}
        Order of the rows in a sweep: a new permutation each time, or as they stand. A fixed order can crawl along a
        rotation of all rows that a random one breaks: on iris 26 sweeps against hundreds. The permutations are of the
        rank of the items by how far a gradient step would move them at the start, not of their numbers, so that the
        answer does not depend on the order in which the items come.
    random_state : int
        Seed of the permutations.

    Raises
    ------
    InputError
        For an unknown order, or an affinity without entries at hand and with more than 4,096 items.

    Examples
    --------
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model = SoF(2, solver=BlockCoordinateDescent(), random_state=0).fit(X)
    >>> labels = model.labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "block-coordinate"
    weighs_pairs = True
    requires = frozenset({"diagonal", "to_dense"})
    monotone = True
    cost = "1 product with P and O(N K^3) a sweep"
    guarantee = "objective falls monotonically; limit points are stationary"
    source = "block coordinate descent [bertsekas1999, section 2.7]; row problem from [zhao2015] eq. (3)"
    use = "dense affinities of moderate size on one core; the fewest sweeps to a thousandth"

    order: Literal["random", "cyclic"] = "random"
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.order not in ("random", "cyclic"):
            raise InputError(f"order={self.order!r}: expected 'random' or 'cyclic'")

    def start(self, problem: Problem, W: Array) -> State:
        entries = Entries(problem, self.name, W.shape[1])
        point = problem.evaluate(np.ascontiguousarray(W))
        gradient = problem.gradient(point)
        stored = problem.affinity.diagonal()
        diagonal = np.divide(stored, entries.own, out=np.zeros_like(stored), where=entries.own > 0)
        memory = _Memory(entries, diagonal, self._ranking(problem, point, gradient), 0)
        return State(point, optimality(problem, point, gradient), memory)

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        W, Y = state.point.W.copy(), state.point.product.copy()
        sweep, items = memory.sweep + 1, memory.items
        if self.order == "random":
            items = np.random.default_rng((self.random_state, sweep)).permutation(items)
        _sweep(memory, items, state.point, W, Y)
        problem.n_products += problem.affinity.products  # Y followed every row
        point = problem.evaluate(W) if sweep % REFRESH == 0 else problem.point_of(W, Y)
        if point.value >= state.point.value:
            point = problem.evaluate(W)
            if point.value >= state.point.value:
                return State(state.point, state.optimality, memory, stalled=True)
        gradient = problem.gradient(point)
        return State(point, optimality(problem, point, gradient), replace(memory, sweep=sweep))

    def _ranking(self, problem: Problem, point: Point, gradient: Any) -> Any:
        if self.order == "cyclic":
            return np.arange(problem.affinity.n_items)
        bound = max(problem.curvature_bound(point), np.finfo(float).tiny)
        moved = project_rows(point.W - gradient / bound) - point.W
        return np.argsort(-np.einsum("nk,nk->n", moved, moved), kind="stable")


@dataclass(frozen=True, eq=False)
class _Memory:
    entries: Entries
    diagonal: Any  # P_ii itself
    items: Any
    sweep: int


def _sweep(memory: _Memory, items: Any, point: Point, W: Any, Y: Any) -> None:
    """Move each row once, in place, in the order of `items`, with the scale of `point`."""
    from partita.kernels.row_sweep import sweep_block, sweep_csr

    entries, G = memory.entries, point.gram.copy()
    shared = (memory.diagonal, entries.own, point.scale, entries.weights, W)
    pairs = (entries.holes, entries.excess, entries.bounds, entries.rest)
    if entries.csr is not None:
        sweep_csr(items, entries.csr.indptr, entries.csr.indices, entries.csr.data, *shared, Y, G, *pairs)
        return
    assert entries.dense is not None
    for low in range(0, len(items), BLOCK):
        block = items[low : low + BLOCK]
        rows = entries.dense[block]
        changes = sweep_block(block, rows[:, block], *shared, Y[block], G, *pairs)
        Y += rows.T @ changes
