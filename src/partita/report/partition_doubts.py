"""What to doubt most of a partition from draws, in one sentence: the last of its headline.

A draw that is none, too few of them and a search that was kept from its end come before what the draws say: chains and
modes that differ, items without a cluster, memberships that describe nothing.
"""

from __future__ import annotations

import numpy as np

from partita.estimators.bayesian_partition import LARGE_MISFIT
from partita.estimators.partition_notes import EQUAL, FEW
from partita.partition.distances import distances_to
from partita.partition.named_draws import TURNED
from partita.report.partition_report import PartitionReport
from partita.wording import count, items

__all__ = ["CERTAIN", "DOUBTFUL", "what_to_doubt"]

# Share of the draws in which an item is in the matching cluster, from which it is certain, and that share for the
# median item below which the labels alone say too little.
CERTAIN, DOUBTFUL = 0.95, 0.7
# Doubts that are told: the worst.
TOLD = 3
# Why a search ended early.
STOPPED = {"max_seconds": "the search ran out of time", "interrupted": "the search was interrupted"}


def what_to_doubt(report: PartitionReport) -> str:
    """Return a sentence with the worst reasons to doubt a partition, the worst first.

    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(max_clusters=1, random_state=0).fit([[0, 0, 1, 1]] * 20)
    >>> what_to_doubt(PartitionReport.of(model)).partition(";")[0]
    'Max_clusters=1 keeps a better partition from being found'
    """
    doubts = [*_of_the_search(report), *_of_the_draws(report), *_of_the_items(report)][:TOLD]
    said = "; ".join(doubts) or "nothing stands out to be doubted"
    return f"{said[:1].upper()}{said[1:]}."


def _of_the_search(report: PartitionReport) -> list[str]:
    """Rows that may be items, few draws, a search that was cut short, a cap that binds."""
    model = report.estimator
    doubts = [note.partition(":")[0] for note in model.notes_ if note.startswith(TURNED)]
    doubts += [note for note in model.notes_ if note.endswith(FEW)]
    if model.result_.status in STOPPED:
        doubts.append(STOPPED[model.result_.status])
    if model.result_.cap_bound:
        doubts.append(f"max_clusters={model.max_clusters} keeps a better partition from being found")
    return doubts


def _of_the_draws(report: PartitionReport) -> list[str]:
    """Chains that differ, and modes."""
    doubts, found = [], report.estimator.agreement_
    if found is not None and not found.agree:
        doubts.append(found.verdict.partition(":")[0])
    if report.modes is not None and (n := len(report.modes.modes)) > 1:
        near = _represented(report)
        of = f"represents {'one' if near == 1 else near} of them only" if near else "lies between them, near none"
        doubts.append(f"the posterior has {n} modes" + (f", and the estimate {of}" if near < n else ""))
    return doubts


def _of_the_items(report: PartitionReport) -> list[str]:
    """Items that move between clusters, a number of clusters that no draw has then, and memberships that do not fit."""
    model, doubts = report.estimator, []
    if report.certainty is not None:
        matched = report.certainty.matched
        torn = int((matched < DOUBTFUL).sum())
        if torn:
            verb = "is" if torn == 1 else "are"
            doubts.append(f"{items(torn)} {verb} in the matching cluster in fewer than {DOUBTFUL:.0%} of the draws")
            if model.n_clusters_ not in model.n_clusters_probabilities():
                doubts.append(f"no draw has {count(model.n_clusters_, 'cluster')}")
        elif matched.max() < CERTAIN:
            doubts.append(f"no item is in the matching cluster in {CERTAIN:.0%} of the draws")
    if model.misfit_ > LARGE_MISFIT:
        doubts.append(f"soft memberships do not describe the draws (misfit {model.misfit_:.2f})")
    return doubts


def _represented(report: PartitionReport) -> int:
    """Number of modes to whose draws the estimate is as near, on average, as these are to each other."""
    model, found = report.estimator, report.modes
    own = model.draws_
    assert own is not None
    assert found is not None
    near = 0
    for mode in found.modes:
        rows = np.unique(mode.draws if own.given is None else own.given[mode.draws])
        far = distances_to(model.labels_, own.labels[rows], loss=found.loss) @ own.counts[rows]
        near += bool(far / own.counts[rows].sum() <= mode.spread + EQUAL)
    return near
