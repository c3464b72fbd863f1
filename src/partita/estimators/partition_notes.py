"""Notes on a partition found from draws: chains, the cap, ties, runs that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.partition.chains import ChainComparison
from partita.partition.modes import Modes
from partita.partition.result import PartitionResult
from partita.wording import count, items

__all__ = [
    "EQUAL",
    "FEW",
    "MODES",
    "alone_note",
    "few_note",
    "misfit_note",
    "modes_note",
    "negative_note",
    "search_notes",
]

# Draws below which they are no sample of a posterior, and the end of the note that says so.
FEW_DRAWS = 10
FEW = "too few to be a posterior sample"

# Gap between the runs of the search, relative to the loss, that is worth a word where only one found the best.
WORTH = 1e-3
# Beginning of the note on several modes.
MODES = "the posterior has"
# Losses that differ by no more are equal: sums over draws in another order.
EQUAL = 1e-9
# Share of the draws in which an item is alone that is worth a word, where the estimate has others with it.
OFTEN_ALONE = 0.25
# Labels that are looked at together.
LOOKED_AT = 1 << 23


def few_note(n_draws: int, worth: float) -> tuple[str, ...]:
    """Return the note that draws, or what their weights leave of them, are too few to be a sample of the posterior.

    Examples
    --------
    >>> few_note(1, 1.0), few_note(2, 13.0)
    (('1 draw is too few to be a posterior sample',), ())
    >>> few_note(100, 1.0)
    ('by their weights 100 draws are worth 1 of equal weight: too few to be a posterior sample',)
    """
    if worth >= FEW_DRAWS:
        return ()
    if n_draws < FEW_DRAWS:
        return (f"{count(n_draws, 'draw')} {'is' if n_draws == 1 else 'are'} {FEW}",)
    return (f"by their weights {n_draws:,} draws are worth {worth:.2g} of equal weight: {FEW}",)


def negative_note(labels: Any) -> tuple[str, ...]:
    """Return the note that labels below zero were taken for clusters; nothing where there are none.

    >>> len(negative_note([[0, 1], [-1, 1]])), negative_note([["a", "b"]])
    (1, ())
    """
    labels = labels if hasattr(labels, "shape") else np.asarray(labels)
    step = max(1, LOOKED_AT // labels.shape[1])
    blocks = (np.asarray(labels[low : low + step]) for low in range(0, labels.shape[0], step))
    if not any(block.dtype.kind in "if" and (block < 0).any() for block in blocks):
        return ()
    return (
        "a negative label was taken for a cluster like any other: if it says that a draw lacks the item, pass "
        "missing='unobserved' (command line: --missing unobserved)",
    )


def search_notes(
    result: PartitionResult, agreement: ChainComparison | None, max_clusters: int | None
) -> tuple[str, ...]:
    """Return a sentence for each thing that may be wrong with a search or its draws; nothing where all is well."""
    notes = list(result.notes)
    if agreement is not None and not agreement.agree:
        notes.append(agreement.verdict)
    if result.cap_bound:
        notes.append(
            f"max_clusters={max_clusters} keeps a better partition from being found: raise it, or leave it out"
        )
    ties = _different([run.labels for run in result.runs if abs(run.loss - result.expected_loss) <= EQUAL])
    if len(ties) > 1 and not result.exhaustive:  # which says itself how many there are
        notes.append(f"at least {len(ties)} partitions are equally good: `result_.runs` has these")
    found_again = sum(np.array_equal(run.labels, result.labels) for run in result.runs)
    far = result.gap > WORTH * max(abs(result.expected_loss), WORTH)
    if far and found_again == 1 and not result.exhaustive:
        notes.append(
            f"only one of {len(result.runs)} runs ended at the best partition (the worst is {result.gap:.2g} off): "
            "raise n_init, and there may be better ones"
        )
    return tuple(notes)


def modes_note(found: Modes) -> tuple[str, ...]:
    """Return the note that there are several modes, with their weights; empty where there is one."""
    if len(found.modes) == 1:
        return ()
    shares = ", ".join(f"{mode.weight:.0%}" for mode in found.modes)
    return (
        f"{MODES} {len(found.modes)} modes, with {shares} of the draws: no single partition stands for all of them; "
        "`modes()` has the partition of each",
    )


def alone_note(alone: Array, sizes: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the note that some items of clusters of several are often alone in the draws; nothing where none is.

    Parameters
    ----------
    alone : array of N
        Share of the draws in which each item is alone.
    sizes : array of N
        Items of its cluster.

    Examples
    --------
    >>> alone_note(np.array([0.4, 0.1, 0.9]), np.array([2, 2, 1]))
    ('1 item is alone in 25% of the draws or more, which memberships spread over the clusters: `outlier_` has it',)
    """
    n = int(((alone >= OFTEN_ALONE) & (sizes > 1)).sum())
    if not n:
        return ()
    return (
        f"{items(n)} {'is' if n == 1 else 'are'} alone in {OFTEN_ALONE:.0%} of the draws or more, which memberships "
        "spread over the clusters: `outlier_` has it",
    )


def misfit_note(misfit: float, n_clusters: int) -> str:
    """Explain why no memberships describe the draws.

    Above 1 it is the number of clusters: to say that no two items are ever together would fit better, and rows on the
    simplex of K put two together with probability 1 / K on average, whatever they are.

    Examples
    --------
    >>> misfit_note(1.5, 2)[56:]
    '2 clusters are too few for it, since memberships in so few put two items together in 50% of the draws on average, \
or more; rely on the credible ball and the modes'
    """
    told = f"no memberships describe these draws well (misfit {misfit:.2f})"
    rely = "rely on the credible ball and the modes"
    if misfit > 1 and n_clusters == 1:
        return f"{told}: in one cluster they say that all items are always together, and the draws do not; {rely}"
    if misfit > 1:
        return (
            f"{told}: {n_clusters} clusters are too few for it, since memberships in so few put two items together in "
            f"{1 / n_clusters:.0%} of the draws on average, or more; {rely}"
        )
    few = "1 cluster is" if n_clusters == 1 else f"{n_clusters} clusters are"
    return f"{told}: items move together, there are several modes, or {few} too few for memberships; {rely}"


def _different(partitions: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Each once; labels are numbered in order of appearance, so that equal partitions are equal arrays."""
    kept: list[NDArray[Any]] = []
    for labels in partitions:
        if not any(np.array_equal(labels, other) for other in kept):
            kept.append(labels)
    return kept
