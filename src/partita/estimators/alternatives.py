"""What another reading of the sizes would say: the same evidence and solver under other scales, from the fit on.

No criterion tells without labels whether clusters should be of similar size (benchmarks/README.md), so a fit that was
not told says where the answer would be another one. A few steps show that; a second fit would cost as much as the
first. Over the 29 development sets they leave the note out on four where a whole fit, from the common start, would end
elsewhere although no item of the first fit wants to move.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from partita import metrics
from partita.membership import Membership
from partita.objectives import Objective, Problem
from partita.solvers import Solver, Starts, drive

__all__ = ["other_answers"]

# Items beyond which nothing is compared, and the share of items that must move to be worth a word.
UP_TO = 50_000
WORTH = 0.02
# Steps at most, and the optimality that is enough.
STEPS = 20
ENOUGH = 1e-3


def other_answers(
    problem: Problem,
    objectives: Mapping[str, Objective],
    solver: Solver,
    starts: Starts,
    membership: Membership,
    **options: Any,
) -> tuple[str, ...]:
    """A note for each objective under which more than a few items would be in another cluster."""
    notes = []
    options |= {"start": membership.matrix, "max_iter": STEPS, "tol": max(ENOUGH, options["tol"])}
    if problem.affinity.n_items > UP_TO:
        return ()
    for name, objective in objectives.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            other = drive(problem.fresh(objective), solver, starts, n_init=1, **options)
        moved = 1.0 - metrics.accuracy(other.membership.labels, membership.labels)
        if moved > WORTH:
            ari = metrics.adjusted_rand_index(other.membership.labels, membership.labels)
            least = "" if other.status == "converged" else "at least "
            notes.append(
                f"sizes={name!r} would put {least}{100 * moved:.0f}% of the items into another cluster (adjusted Rand "
                f"index {ari:.2f}): no criterion without labels tells which is right, so judge by what you know of the "
                "sizes"
            )
    return tuple(notes)
