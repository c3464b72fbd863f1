"""What another reading of the sizes would have said: the same evidence, start and solver under other scales.

No criterion tells without labels whether clusters should be of similar size (benchmarks/README.md), so a fit that was
not told says where the answer would be another one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita import metrics
from partita.objectives import Objective, Problem
from partita.solvers import Solver, Starts, drive

__all__ = ["other_answers"]

# Items beyond which no second fit is made to compare with, and the share of items that must move to be worth a word.
UP_TO = 50_000
WORTH = 0.02


def other_answers(
    problem: Problem,
    objectives: Mapping[str, Objective],
    solver: Solver,
    starts: Starts,
    labels: NDArray[np.int64],
    **options: Any,
) -> tuple[str, ...]:
    """A note for each objective under which more than a few items would be in another cluster."""
    notes = []
    if problem.affinity.n_items > UP_TO:
        return ()
    for name, objective in objectives.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            other = drive(problem.fresh(objective), solver, starts, n_init=1, **options).membership.labels
        moved = 1.0 - metrics.accuracy(other, labels)
        if moved > WORTH:
            ari = metrics.adjusted_rand_index(other, labels)
            notes.append(
                f"sizes={name!r} would put {100 * moved:.0f}% of the items into another cluster (adjusted Rand index "
                f"{ari:.2f}): no criterion without labels tells which is right, so judge by what you know of the sizes"
            )
    return tuple(notes)
