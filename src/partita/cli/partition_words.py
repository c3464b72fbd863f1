"""What `partita partition` prints when it is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.estimators.partition_notes import MODES
from partita.membership import Membership
from partita.report.loss_words import expected_words, weight_words
from partita.report.partition_verdict import CERTAIN
from partita.report.words import items, percent

if TYPE_CHECKING:
    from partita.partition.losses import PartitionLoss
    from partita.report import PartitionReport

__all__ = ["print_partition"]

# Sizes that are listed.
LISTED = 8


def print_partition(report: PartitionReport, result: dict[str, Any], out: Path) -> None:
    """The partition, its ball, modes, certainties, memberships, notes and files, a line each."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    for line in _lines(report, result):
        console.print(line)
    names = sorted(path.name for path in out.iterdir())
    console.print(f"written to {out}: {', '.join(sorted(names, key=lambda name: name != 'report.html'))}")


def _lines(report: PartitionReport, result: dict[str, Any]) -> list[str]:
    model = report.estimator
    K, M = result["n_clusters"], result["n_draws"]
    drawn = f" from {_count(M, 'draw')}" if M else ""
    out = [
        f"{items(result['n_items'])} in {_count(K, 'cluster')}{drawn}; {expected_words(model.loss_)} "
        f"{result['expected_loss']:.6g}; sizes {sizes_words(report.sizes)}"
    ]
    ball = report.ball
    if ball is not None:
        few, many = ball.upper[0].n_clusters, ball.lower[0].n_clusters
        have = _count(few, "cluster") if few == many else f"{few} to {many} clusters"
        radius = f"{ball.radius:.4g}"
        unit = f" {ball.loss.unit.removesuffix('s' if radius == '1' else '')}" if ball.loss.unit else ""
        metric = _metric_words(report.estimator.loss_, ball.loss)
        out.append(f"{percent(ball.share)} of the draws are within {radius}{unit} of it{metric}; they have {have}")
    modes = report.modes
    if modes is not None and len(modes.modes) > 1:
        told = ", ".join(f"{mode.weight:.0%} (K = {mode.n_clusters})" for mode in modes.modes)
        out.append(f"the posterior has {len(modes.modes)} modes, with shares {told}: modes.csv and the page have each")
    certainty = report.certainty
    if certainty is not None and K > 1:
        out.append(
            f"{int((certainty.matched >= CERTAIN).sum()):,} of {items(report.n_items)} certain: in their place in at "
            f"least {CERTAIN:.0%} of the draws, the median item in {percent(float(np.median(certainty.matched)))} "
            "(item_certainty.csv)"
        )
    out.append(
        f"labels.csv is the partition; memberships.csv is the soft answer to the same draws (misfit "
        f"{result['misfit']:.3f}){_otherwise(report)}"
    )
    out.append(f"{result['status']}, {result['seconds']:.1f} s")
    return out + [f"note: {note}" for note in result["notes"] if not note.startswith(MODES)]  # told above


def sizes_words(sizes: NDArray[np.int64]) -> str:
    """Sizes of the clusters, the largest first, clusters of one item counted.

    >>> sizes_words(np.array([1, 7, 1, 72])), sizes_words(np.ones(82, dtype=int)), sizes_words(np.array([1, 5]))
    ('72, 7 and 2 of a single item', '82 of a single item', '5, 1')
    """
    several, single = np.sort(sizes[sizes > 1])[::-1], int((sizes == 1).sum())
    said = [f"{size:,}" for size in several[:LISTED].tolist()]
    if len(several) > LISTED:
        said.append(f"... ({len(several) - LISTED:,} more)")
    if single == 1:
        said.append("1")
    if single < 2:
        return ", ".join(said)
    alone = f"{single:,} of a single item"
    return f"{', '.join(said)} and {alone}" if said else alone


def _metric_words(loss: PartitionLoss, metric: PartitionLoss) -> str:
    """By what a ball is measured, where it is not what was minimised.

    >>> from partita.partition.losses import Binder, LowerBound, VariationOfInformation
    >>> _metric_words(VariationOfInformation(a=1.5), VariationOfInformation())
    ' by the symmetric variation of information (a = 1)'
    >>> _metric_words(LowerBound(), VariationOfInformation()), _metric_words(Binder(), Binder())
    (' by variation of information', '')
    """
    if weight_words(loss):
        return f" by the symmetric {metric.title} (a = 1)"
    return "" if loss.name == metric.name else f" by {metric.title}"


def _otherwise(report: PartitionReport) -> str:
    """For how many items the largest membership is not the label."""
    model = report.estimator
    n = int((Membership(model.membership_).labels != model.labels_).sum())
    return f", whose label is another one for {items(n)}" if n else ""


def _count(n: int, thing: str) -> str:
    """So many of a thing.

    >>> _count(1, "draw"), _count(1000, "draw")
    ('1 draw', '1,000 draws')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
