"""Certainty of the items that a map shows, and the words for it.

Of a fit it is the margin of the membership. Of a partition it is what the draws say of an item's place: a soft
membership fitted to the same draws may be sure of another cluster than the partition has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.membership import Membership
from partita.report.partition_report import PartitionReport
from partita.report.partition_verdict import CERTAIN
from partita.report.verdict import SURE_MARGIN

__all__ = ["Standing", "by_draws", "by_margin"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Standing:
    """Certainty of the items, by which a map divides them.

    Attributes
    ----------
    values : array of N, in [0, 1]
    shares : array, N x K, in [0, 1]
        Bars of each item in the panel, one a cluster.
    entropy : array of N, or None
    threshold : float
        From which value an item is sure at first.
    name, slider, counted, unsure, bars, meaning : str
        The value; the label of the slider; what is counted (it goes before the threshold); what is said of an item
        below it; the heading of the bars; what the value is, in one phrase.
    own_colour : bool
        Whether items below the threshold keep the colour of their cluster, hollow, or are grey.
    """

    values: Array
    shares: Array
    entropy: Array | None
    threshold: float
    name: str
    slider: str
    counted: str
    unsure: str
    bars: str
    meaning: str
    own_colour: bool


def by_margin(membership: Membership) -> Standing:
    """Return the standing of the items of a fit: the largest minus the second largest membership.

    >>> by_margin(Membership([[0.9, 0.1], [0.4, 0.6]])).values.round(1).tolist()
    [0.8, 0.2]
    """
    return Standing(
        values=membership.margin,
        shares=membership.matrix,
        entropy=membership.entropy,
        threshold=SURE_MARGIN,
        name="margin",
        slider="At a boundary below a margin of",
        counted="items with a margin",
        unsure="at a boundary",
        bars="",
        meaning="margin (largest minus second largest membership)",
        own_colour=False,
    )


def by_draws(report: PartitionReport) -> Standing:
    """Return the standing of the items of a partition: the share of draws in which each is in the cluster that
    matches its own.

    Where draws lack items, the mean share of the draws in which it is with the other items of its cluster.

    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> report = PartitionReport("", "", [], model, model.credible_ball(), {}, 0.0, {}, None)
    >>> by_draws(report).values.round(2).tolist()
    [1.0, 1.0, 0.67, 1.0]
    """
    certainty = report.certainty
    meaning = "share of the draws in which it is in the cluster that stands for its own"
    if certainty is None:
        meaning = "mean share of the draws in which it is with the other items of its cluster"
    return Standing(
        values=np.clip(report.within if certainty is None else certainty.matched, 0.0, 1.0),
        shares=report.closeness,
        entropy=None,
        threshold=CERTAIN,
        name="certainty",
        slider="Certain from a share of the draws of",
        counted="items certain: in their place in a share of the draws",
        unsure="not certain",
        bars="Share of the draws with the items of a cluster",
        meaning=f"certainty ({meaning})",
        own_colour=True,
    )
