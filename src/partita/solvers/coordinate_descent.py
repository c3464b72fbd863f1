"""Exact coordinate descent for nonnegative factors [vandaele2016]: each entry goes to the least of its own objective.

With all others fixed the objective of one entry is a quartic, whose derivative is a cubic with a closed form, or a
parabola where the item's own pair (i, i) is unobserved. Entries reach zero exactly, rows see at once what the rows
before them did. It asks for the entries of P: a dense affinity, or a sparse one in CSR form; any other kind is made
dense once for each restart, up to 4,096 items. It runs on one core, and far past the first digits its steps are
shorter than those of an accelerated method.
"""

from __future__ import annotations

from dataclasses import dataclass

from partita.arrays import Array
from partita.objectives import Problem
from partita.solvers.base import Solver, State
from partita.solvers.entries import start_sweeps, step_sweep

__all__ = ["CoordinateDescent"]


@dataclass(frozen=True)
class CoordinateDescent(Solver):
    """Entrywise exact coordinate descent.

    Parameters
    ----------
    random_state : int
        Seed of the order of the rows in a sweep.

    Raises
    ------
    InputError
        For an affinity without entries at hand and with more than 4,096 items.

    Examples
    --------
    >>> from partita import SymNMF
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SymNMF(2, affinity="relative", solver=CoordinateDescent(), random_state=0).fit(X).labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "coordinate-descent"
    requires = frozenset({"to_dense"})
    domains = frozenset({"nonnegative"})
    weighs_pairs = True
    monotone = True
    cost = "2 products with P and O(N K^2) a sweep, on one core"
    guarantee = "objective falls monotonically; in a limit point no entry alone can lower it"
    source = "[vandaele2016]"
    use = "nonnegative factors of a dense or sparse affinity of moderate size"

    random_state: int = 0

    def start(self, problem: Problem, W: Array) -> State:
        return start_sweeps(problem, W, solver=self.name, nonnegative=False)

    def step(self, problem: Problem, state: State) -> State:
        return step_sweep(problem, state, exact=True, random_state=self.random_state)
