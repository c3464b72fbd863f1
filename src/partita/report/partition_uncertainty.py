"""What the posterior holds beside the estimate: its modes, the bounds of the credible ball, and the items whose
relations hold all at once.
"""

from __future__ import annotations

import numpy as np

from partita.partition.expected import partition_distance
from partita.report.document import chip
from partita.report.html import Markup, element, join, table
from partita.report.partition_report import PartitionReport, sizes_said
from partita.report.partition_verdict import weight_words
from partita.wording import count, items, percent

__all__ = ["ball_table", "modes_table", "what_holds"]

# Sets of certain items that are listed, and items of each that are named.
SETS, NAMED = 20, 8


def modes_table(report: PartitionReport) -> Markup:
    """Return a row for each mode; nothing where there is one."""
    found = report.modes
    if found is None or len(found.modes) == 1:
        return Markup("")
    labels = report.estimator.labels_
    rows = [
        [
            f"{m}",
            percent(mode.weight),
            f"{mode.n_clusters}",
            f"{mode.spread:.3f}",
            f"{partition_distance(mode.labels, labels, loss=found.loss):.3f}",
            sizes_said(mode.labels),
        ]
        for m, mode in enumerate(found.modes, 1)
    ]
    heads = ["Mode", "Share of the draws", "Clusters", "Spread", "Distance from the estimate", "Sizes"]
    said = (
        "A mode is a group of draws that are close to each other, with few draws between it and the next group; its "
        f"partition is the best one for its own draws. Distances are by {found.loss.says}. Spread: the mean distance "
        f"between two draws of the mode; draws of the first two modes are {found.distances[0, 1]:.3f} apart on average."
    )
    listed = table(heads, rows, numeric=(1, 2, 3, 4), long=(5,), label="Modes")
    return join([listed, element("p", said, class_="caption")])


def ball_table(report: PartitionReport) -> Markup:
    """Return a row for each bound of the credible ball; nothing where the draws lack items."""
    ball = report.ball
    if ball is None:
        return Markup("")
    unit = f" ({ball.loss.unit})" if ball.loss.unit else ""
    bounds = {"Horizontal": ball.horizontal, "Upper": ball.upper, "Lower": ball.lower}
    rows = [
        [
            side,
            f"{len(ties):,}",
            f"{ties[0].n_clusters}",
            f"{ties[0].distance:.4f}",
            percent(ties[0].share),
            sizes_said(ties[0].labels),
        ]
        for side, ties in bounds.items()
    ]
    heads = ["Bound", "Tied partitions", "Clusters", f"Distance{unit}", "Share of the draws", "Sizes"]
    own = weight_words(report.estimator.loss_)
    plain = f", both errors weighed alike, though the loss was minimised{own}" if own else ""
    said = (
        f"The credible ball is the smallest set of partitions around the estimate that holds {ball.level:.0%} of the "
        "draws. Its horizontal bound is the draw furthest from the estimate, its upper bound the one of fewest "
        f"clusters and its lower bound the one of most clusters, of these the furthest. Distances are by "
        f"{ball.loss.says}{plain}. Of tied partitions, the most frequent among the draws is shown."
    )
    listed = table(heads, rows, numeric=(1, 2, 3, 4), long=(5,), label="Credible ball")
    return join([listed, element("p", said, class_="caption")])


def what_holds(report: PartitionReport) -> Markup:
    """Return the items whose relations hold all at once, and in which clusters they are; nothing where none were
    looked for.
    """
    cores = report.cores
    if cores is None or report.n_items == 1:
        return Markup("")
    if len(cores.kept) < 2:
        said = f"There are no two items of which the draws say the same with a probability of {cores.level:.2f}."
        return element("p", said)
    sizes = np.bincount(cores.labels[cores.kept])
    which = f"these {items(len(cores.kept))}" if len(cores.kept) < report.n_items else f"all {items(report.n_items)}"
    said = (
        f"In {percent(cores.probability)} of the draws {which} are together or apart exactly as shown, all at once: "
        "every two of them are in one cluster where they are so below, and in two where not."
    )
    order = np.argsort(-sizes, kind="stable")
    rows = [_core(report, np.flatnonzero(cores.labels == core)) for core in order[:SETS].tolist()]
    more = f" ({count(len(sizes) - SETS, 'more cluster')}: cores.csv has all)" if len(sizes) > SETS else ""
    listed = table(["Cluster", "Items that hold", "Which"], rows, numeric=(1,), long=(2,), label="What holds")
    return join([element("p", said + more), listed])


def _core(report: PartitionReport, own: np.ndarray) -> list[object]:
    cluster = int(report.estimator.labels_[own[0]])
    more = f" and {len(own) - NAMED:,} more" if len(own) > NAMED else ""
    named = ", ".join(report.id_of(int(i)) for i in own[:NAMED])
    return [chip(cluster), f"{len(own):,} of {report.sizes[cluster]:,}", named + more]
