"""Kernel k-means on an affinity [dhillon2004]: batches of reassignments, refined by single moves.

A batch sends every item to the nearest cluster mean in the space of the kernel,

    argmin_k  S_k / n_k^2 - 2 y_ik / n_k,     y = P D Y,  S_k = sum of P over the cluster, n_k its weight,

which costs one product with P and lowers the objective where P is positive semidefinite. It is taken when it does so
and leaves no cluster empty. Otherwise items move one at a time, the best move first, each lowering the objective
exactly
[dhillon2002]: these leave optima of the batch that are none, and need no definiteness. A run ends where no single move
lowers the objective. Distances of items to themselves matter there: a large diagonal of P holds items where they are,
which is why adding a multiple of the identity makes batches safe and the answers worse.

Use it to get a hard partition, and to compare: SoF's memberships say how sure each item is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.objectives import Point, Problem
from partita.objectives.domain import Partitions, single_moves
from partita.solvers.base import Solver, State, optimality

__all__ = ["KernelKMeans"]

# Single moves of one step.
MOVES = 50
# A batch must lower the value by more than this share of it; less is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class KernelKMeans(Solver):
    """Kernel k-means with single-move refinement.

    Parameters
    ----------
    refine : bool
        Move single items where a batch does not lower the objective; without it this is Lloyd's batch alone.

    Raises
    ------
    InputError
        For an affinity with unobserved pairs.

    Examples
    --------
    >>> from partita.affinity import DenseAffinity
    >>> from partita.objectives import KernelKMeansObjective
    >>> from partita.solvers import Starts, drive
    >>> x = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2])
    >>> P = DenseAffinity(np.exp(-np.abs(x[:, None] - x)))
    >>> problem = Problem(P, KernelKMeansObjective())
    >>> labels = drive(problem, KernelKMeans(), Starts(P, 2), "dirichlet", seed=0).membership.labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "kernel-kmeans"
    requires = frozenset({"diagonal", "rows"})
    domains = frozenset({"partitions"})
    default_for = domains
    monotone = True
    cost = "1 product with P and O(N K) a batch; a row of P and O(N K) a single move, up to 50 a step"
    guarantee = "objective falls monotonically; ends where no single move lowers it"
    source = "[dhillon2004], single moves of [dhillon2002]"
    use = "hard partitions: kernel k-means, and normalised cut on the normalised affinity"

    refine: bool = True

    def start(self, problem: Problem, W: Array) -> State:
        if problem.affinity.pair_weights is not None:
            raise InputError(
                "kernel k-means needs every pair to count the same: this affinity has unobserved or weighted ones"
            )
        return _state(problem, problem.evaluate(W))

    def step(self, problem: Problem, state: State) -> State:
        point: Point = state.point
        after = _batch(problem, point)
        if after is None and self.refine:
            after = _single_moves(problem, point)
        return State(point, state.optimality, stalled=True) if after is None else _state(problem, after)


def _state(problem: Problem, point: Point) -> State:
    return State(point, optimality(problem, point, point.product))  # a partition has no gradient


def _batch(problem: Problem, point: Point) -> Point | None:
    """Every item to its nearest mean; None where that changes nothing, empties a cluster or raises the objective."""
    labels, K = point.W.argmax(axis=1), point.W.shape[1]
    sizes = np.bincount(labels, weights=problem.weights, minlength=K)
    distance = point.attraction / sizes - 2.0 * point.product / np.sqrt(sizes)
    # A tie keeps the item where it is.
    items = np.arange(len(labels))
    nearest = distance.argmin(axis=1)
    new = np.where(distance[items, nearest] < distance[items, labels], nearest, labels)
    if (new == labels).all() or (np.bincount(new, minlength=K) == 0).any():
        return None
    found = problem.evaluate(Partitions.of_labels(new, K, problem.weights))
    return found if found.value < point.value - ROUNDING * abs(point.value) else None


def _single_moves(problem: Problem, point: Point) -> Point | None:
    """The best single moves, one after another, each known from one row of P."""
    n, K = point.W.shape
    d = np.ones(n) if problem.weights is None else problem.weights
    first = point
    for count in range(MOVES):  # noqa: B007 - how many were made is what the products are counted by
        gain, target = single_moves(problem, point)
        i = int(gain.argmax())
        if gain[i] <= 0:
            break
        labels = point.W.argmax(axis=1)
        sizes = np.bincount(labels, weights=d, minlength=K)
        y = point.product * np.sqrt(sizes)
        row = d[i] * problem.affinity.rows([i])[0]
        y[:, labels[i]] -= row
        y[:, target[i]] += row
        labels[i] = target[i]
        sizes = np.bincount(labels, weights=d, minlength=K)
        after = problem.point_of(Partitions.of_labels(labels, K, problem.weights), y / np.sqrt(sizes))
        if after.value >= point.value:
            break
        point = after
    problem.n_products += problem.affinity.products * -(-(count + 1) // K)  # rows, K at a time
    return None if point is first else problem.evaluate(point.W)
