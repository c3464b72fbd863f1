"""The pictures of a report on a partition from draws, with captions and alternative texts."""

from __future__ import annotations

from collections.abc import Iterator

from partita.plots import (
    ChainTracesDisplay,
    ClusterCountsDisplay,
    LossesDisplay,
    SimilarityDisplay,
    StripsDisplay,
)
from partita.plots.pair_means import PairMeans
from partita.report.partition_report import PartitionReport
from partita.report.partition_verdict import expected_words
from partita.report.pictures import Picture, draw_picture, drawn

__all__ = ["draw_partition_pictures"]

# Rows of a heat map at most.
ROWS = 400
WIDTH = 9.6


def draw_partition_pictures(report: PartitionReport) -> tuple[dict[str, Picture], str | None]:
    """Return all pictures by name, or none and the sentence that says what is missing."""
    return drawn(lambda: _all(report))


def _all(report: PartitionReport) -> Iterator[Picture]:
    pairs = PairMeans.of(report.estimator, max_rows=ROWS)
    yield _similarity(report, pairs)
    yield _losses(report)
    if report.ball is not None:
        yield _ball(report, pairs)
    if report.modes is not None and len(report.modes.modes) > 1:
        yield _modes(report, pairs)
    if report.estimator.draws_ is not None:
        yield _counts(report)
    if report.estimator.agreement_ is not None:
        yield _chains(report)


def _similarity(report: PartitionReport, pairs: PairMeans) -> Picture:
    each = pairs.items_a_row
    means = f" Every cell is the mean over pairs of up to {each} x {each} items." if each > 1 else ""
    return draw_picture(
        "similarity",
        (WIDTH, 8.6),
        lambda axes: SimilarityDisplay(pairs, names=report.ids).plot(axes),
        f"Heat map of the posterior similarity of {report.n_items:,} items, ordered by {report.estimator.n_clusters_} "
        "clusters: the share of the draws in which two items are together.",
        "How often the draws put two items together, items by cluster and within a cluster by similarity; the strips "
        "at the left and on top are the clusters. A dark block is a cluster that recurs in the draws, a block inside "
        "a block a part that is often a cluster of its own; colour off the diagonal says how often items "
        f"of two clusters are together.{means}",
    )


def _losses(report: PartitionReport) -> Picture:
    model = report.estimator
    said = expected_words(model.loss_)
    return draw_picture(
        "losses",
        (WIDTH, 3.7),
        lambda axes: LossesDisplay.from_estimator(model, ax=axes[0]),
        f"{said[:1].upper()}{said[1:]} of every partition tried against its number of clusters; the best has "
        f"{model.n_clusters_}.",
        "Every partition that was tried: the cuts of a dendrogram into K clusters, the starts of the search, and where "
        "each run ended (the star is the estimate). A flat line around the star says that the loss hardly tells one K "
        "from the next.",
    )


def _ball(report: PartitionReport, pairs: PairMeans) -> Picture:
    ball = report.ball
    assert ball is not None
    return draw_picture(
        "ball",
        (WIDTH, 2.7),
        lambda axes: StripsDisplay.from_ball(report.estimator.labels_, ball, order=pairs.order, ax=axes[0]),
        "Strips of the items coloured by cluster: the estimate, and the horizontal, upper and lower bound of its "
        "credible ball; the table below has their figures.",
        "The estimate above the bounds of its credible ball: of the draws in it the furthest (horizontal), those with "
        "the fewest clusters (upper) and with the most (lower), of these the furthest. A cluster has the colour and "
        "the number of the estimate's cluster that it overlaps most; a lighter or darker shade, and a letter after the "
        "number, is another part of that cluster. The rows are a few draws at the edge of the ball: what they share "
        "the other draws need not share, which is what the certainties of items say.",
    )


def _modes(report: PartitionReport, pairs: PairMeans) -> Picture:
    modes = report.modes
    assert modes is not None
    return draw_picture(
        "modes",
        (WIDTH, 1.2 + 0.38 * (1 + len(modes.modes))),
        lambda axes: StripsDisplay.from_modes(report.estimator.labels_, modes, order=pairs.order, ax=axes[0]),
        f"Strips of the items coloured by cluster: the estimate and the partitions of {len(modes.modes)} modes.",
        "The estimate above the best partition of each mode's own draws, with the mode's share of the draws; colours "
        "and numbers as in the picture of the ball.",
    )


def _counts(report: PartitionReport) -> Picture:
    return draw_picture(
        "counts",
        (WIDTH, 3.1),
        lambda axes: ClusterCountsDisplay.from_estimator(report.estimator, ax=axes[0]),
        "Bar chart of the number of clusters of the draws.",
        "How many clusters the draws have; the estimate's number is marked.",
    )


def _chains(report: PartitionReport) -> Picture:
    found = report.estimator.agreement_
    assert found is not None
    n = len(found.chains)
    return draw_picture(
        "chains",
        (WIDTH, 3.1),
        lambda axes: ChainTracesDisplay.from_estimator(report.estimator, axes=axes),
        f"Traces of the number of clusters and of the distance to a draw in the middle along {n} chains.",
        "The number of clusters, and the variation of information to one draw in the middle of all, along each chain, "
        "at their values; a line that lies below others is wider, and long chains are thinned. Chains "
        "that keep to different levels in either, or that "
        "stay for long where others are not, have not come to one posterior; traces alike do not prove that they have.",
        panels=2,
    )
