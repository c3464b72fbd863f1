"""The entrywise update of copositive factorization, as [rotabulo2010] section 3 prints it after [zass2005]:

    g_ir <- g_ir  (sum_{j != i} f_ij g_jr) / (sum_s g_is sum_{j != i} g_js g_jr),

entry after entry, each with the newest values of the others. The sums leave out j = i, so what falls is the sum over
pairs of two different items, which is the objective where the diagonal of the affinity is unobserved. It falls at every
entry: with A = sum_{j != i} g_jr^2 the objective is a parabola of curvature A in g_ir, and the update is a gradient
step for the curvature (sum_s g_is sum_{j != i} g_js g_jr) / g_ir, which is at least A.

Where the diagonal is observed the sums take in j = i, the parabola becomes a quartic, and the ratio is taken to the
power 1/3, with which the objective falls again (`partita.kernels.entry_sweep`).

Item weights multiply the terms of the sums. Updates are sequential, as the paper complains; zeros are approached and
never reached, which takes very many sweeps. Use it to reproduce the paper, and `CoordinateDescent`, which moves the
same entries to their exact minimum, for anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from partita.arrays import Array
from partita.objectives import Problem
from partita.solvers.base import Solver, State
from partita.solvers.entries import start_sweeps, step_sweep

__all__ = ["CopositiveUpdate"]


@dataclass(frozen=True)
class CopositiveUpdate(Solver):
    """Entrywise multiplicative update of Zass and Shashua.

    Parameters
    ----------
    random_state : int
        Seed of the order of the rows in a sweep.

    Raises
    ------
    InputError
        For an affinity with negative entries, or one without entries at hand and with more than 4,096 items.

    Notes
    -----
    Entries stay at or above 1e-16 of the largest, so that none is lost for ever; a row of such entries is read as zero,
    and its item as unassigned.

    Examples
    --------
    >>> from partita import CopositiveFactorization
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model = CopositiveFactorization(2, solver=CopositiveUpdate(), random_state=0).fit(X)
    >>> labels = model.labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "copositive-update"
    requires = frozenset({"to_dense"})
    domains = frozenset({"nonnegative"})
    weighs_pairs = True
    monotone = True
    cost = "2 products with P and O(N K^2) a sweep, on one core; very many sweeps"
    guarantee = "objective falls monotonically for P >= 0; limit points with positive entries are stationary"
    source = "[zass2005], as printed in [rotabulo2010] section 3"
    use = "to reproduce the paper"
    precision = 1e-2

    random_state: int = 0

    def start(self, problem: Problem, W: Array) -> State:
        return start_sweeps(problem, W, solver=self.name, nonnegative=True)

    def step(self, problem: Problem, state: State) -> State:
        return step_sweep(problem, state, exact=False, random_state=self.random_state)
