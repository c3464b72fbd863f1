"""What a reader of a partition found from draws should know: chains, the cap, ties, runs that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.partition.chains import ChainComparison
from partita.partition.result import PartitionResult

__all__ = ["search_notes"]

# Gap between the runs of the search, relative to the loss, that is worth a word where only one found the best.
WORTH = 1e-3
# Losses that differ by no more are equal: sums over draws in another order.
EQUAL = 1e-9


def search_notes(
    result: PartitionResult, agreement: ChainComparison | None, max_clusters: int | None
) -> tuple[str, ...]:
    """One sentence for each thing that may be wrong with a search or its draws; nothing where all is well."""
    notes = list(result.notes)
    if agreement is not None and not agreement.agree:
        notes.append(agreement.verdict)
    if result.cap_bound:
        notes.append(
            f"max_clusters={max_clusters} keeps a better partition from being found: raise it, or leave it out"
        )
    ties = _different([run.labels for run in result.runs if abs(run.loss - result.expected_loss) <= EQUAL])
    if len(ties) > 1:
        notes.append(f"{len(ties)} partitions found are equally good: `result_.runs` has them")
    found_again = sum(np.array_equal(run.labels, result.labels) for run in result.runs)
    if result.gap > WORTH * max(abs(result.expected_loss), WORTH) and found_again == 1:
        notes.append(
            f"only one of {len(result.runs)} runs ended at the best partition (the worst is {result.gap:.2g} off): "
            "raise n_init, and there may be better ones"
        )
    return tuple(notes)


def _different(partitions: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Each once; labels are numbered in order of appearance, so that equal partitions are equal arrays."""
    kept: list[NDArray[Any]] = []
    for labels in partitions:
        if not any(np.array_equal(labels, other) for other in kept):
            kept.append(labels)
    return kept
