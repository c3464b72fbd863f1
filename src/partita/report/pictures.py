"""The report's pictures: each display drawn by Agg in matplotlib's own default style, with its caption and alt text."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from partita.affinity import DiffusedAffinity
from partita.errors import MissingExtraError, require
from partita.n_clusters import Agreement, is_of_classes
from partita.plots import (
    CoMembershipDisplay,
    CoverageDisplay,
    PartitionDisplay,
    ReliabilityDisplay,
    TraceDisplay,
    VerdictDisplay,
    blank_figure,
    png,
)
from partita.plots.order import count, membership_of
from partita.plots.projection import Projection
from partita.report.fit_report import FitReport
from partita.report.headline import certainty_counts, verdict_on
from partita.report.layout import Layout

__all__ = ["DPI", "Picture", "draw_picture", "draw_pictures", "drawn"]

# Dots an inch: sharp on a dense screen at the page's width.
DPI = 150


@dataclass(frozen=True)
class Picture:
    """A PNG with what to say about it."""

    name: str
    content: bytes
    alt: str
    caption: str

    @property
    def address(self) -> str:
        """The picture itself as a data address."""
        return "data:image/png;base64," + base64.b64encode(self.content).decode("ascii")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, from the header of the PNG."""
        return int.from_bytes(self.content[16:20], "big"), int.from_bytes(self.content[20:24], "big")


def draw_pictures(report: FitReport, layout: Layout | None) -> tuple[dict[str, Picture], str | None]:
    """Return all pictures of a fit by name, or none and the sentence that says what is missing."""
    return drawn(lambda: _all(report, layout))


def drawn(make: Callable[[], Iterable[Picture]]) -> tuple[dict[str, Picture], str | None]:
    """Return pictures by name, made in matplotlib's own style, or none and the sentence that says what is missing."""
    try:
        style = require("matplotlib.style", extra="plot", purpose="pictures")
        with style.context("default"):
            return {picture.name: picture for picture in make()}, None
    except MissingExtraError as error:
        said = str(error)
        return {}, f"{said[:1].upper()}{said[1:]}. This report was written without them."


def _all(report: FitReport, layout: Layout | None) -> list[Picture]:
    return [
        *_verdict(report),
        *_partition(report, layout),
        *_coverage(report),
        *_reliability(report),
        *_evidence(report),
        *_trace(report),
    ]


def _verdict(report: FitReport) -> list[Picture]:
    """One picture of a fit whose number of clusters was chosen or examined, none of another."""
    verdict = verdict_on(report.estimator)
    if verdict is None:
        return []
    asked = report.estimator.n_clusters
    given = isinstance(asked, Integral)
    display = VerdictDisplay(verdict, n_clusters=int(asked) if given else report.estimator.n_clusters_)
    scored = display.n_panels - 1
    whose = "that was asked for" if given else "of the answer"
    has = "asked for were" if given else "the answer has"
    line = "the dotted line the number that was asked for" if given else "the dotted line the number of the fit"
    caption = (
        f"How probable each number of clusters is: the number {whose} stands out, and dark bars are those that "
        "together have a probability of at least 80%."
    )
    if [judgement.criterion for judgement in display.scored] == [Agreement.name]:
        caption += (
            " Beside it, how far labels drawn by the memberships agree with the labels, at each number."
            if is_of_classes(verdict)
            else " Beside it, how far clusterings of different methods at each number agree."
        )
        if display.n_clusters > 1:
            caption += (
                f" The dot is {'what would be found' if given else 'the answer'}, which need not lie "
                f"highest{f'; {line}' * given}."
            )
    elif scored:
        caption += (
            " Beside it, the scores that criteria or the agreement of methods give to each number: a dot is the answer "
            f"of each, {line}. A flat curve supports no number more than others."
        )
    return [
        draw_picture(
            "verdict",
            (9.6 if scored > 1 else 3.2 * (1 + scored), 2.8),
            display.plot,
            f"Bar chart of the probability of each number of clusters; {has} {display.n_clusters}. The table in the "
            "last section, under \u201cWhat is behind the number\u201d, has the figures.",
            caption,
            panels=1 + scored,
        )
    ]


def _partition(report: FitReport, layout: Layout | None) -> list[Picture]:
    """The map for a reader without scripts."""
    if layout is None:
        return []
    n, K = len(report.estimator.labels_), report.estimator.n_clusters_
    projection = Projection(layout.points, "", "", meaningless_y=True)
    return [
        draw_picture(
            "partition",
            (9.6, 4.4),
            lambda axes: PartitionDisplay.from_projection(projection, membership_of(report.estimator), axes=axes),
            f"Two scatter plots of {count(n, 'item')}: by cluster ({K}), and by the entropy of memberships.",
            "Left: each cluster's number in its midst. Right: the entropy of each item's membership; bright items lie "
            "between clusters.",
            panels=2,
        )
    ]


def _coverage(report: FitReport) -> list[Picture]:
    """How many labels can be relied on, where there is more than one cluster."""
    if report.estimator.n_clusters_ == 1 or not report.estimator._knows_doubt:
        return []
    return [
        draw_picture(
            "coverage",
            (4.6, 3.6),
            lambda axes: CoverageDisplay.from_estimator(report.estimator, ax=axes[0]),
            "Line chart: expected share of wrong labels among the surest items against the share of items that they "
            "are.",
            "Items are taken from the surest on. The curve is the share of their labels that is expected to be wrong: "
            "where it crosses the dashed line, 5% are. Overlap between clusters is counted, as are "
            f"{certainty_counts(report.estimator)}.",
        )
    ]


def _reliability(report: FitReport) -> list[Picture]:
    """One picture of a calibrated fit, none of another."""
    calibration = getattr(report.estimator, "calibration_", None)
    if calibration is None or calibration.reliability is None:
        return []
    return [
        draw_picture(
            "reliability",
            (4.6, 4.2),
            lambda axes: ReliabilityDisplay.from_estimator(report.estimator, ax=axes[0]),
            "Reliability diagram: predicted co-membership against that in fits that have not seen the items.",
            "Reliability: pairs of items by the predicted probability that they belong together, against how probably "
            "fits to other items put them together; larger dots hold more pairs. On the dashed line the two agree; "
            "below it the memberships are too sure that items belong together. Clusters that every fit gets wrong in "
            "the same way do not show here.",
        )
    ]


def _evidence(report: FitReport) -> list[Picture]:
    affinity = getattr(report.estimator, "affinity_", None)
    if affinity is None:
        return []
    what = "the affinity between items"
    if isinstance(affinity, DiffusedAffinity):
        what = f"the normalised neighbour graph after {affinity.steps} steps of diffusion"
    return [
        draw_picture(
            "evidence",
            (9.6, 4.4),
            lambda axes: CoMembershipDisplay.from_estimator(report.estimator, axes=axes, max_items=400),
            "Two matrices side by side, items ordered by cluster: the affinity, and the scaled co-membership.",
            f"Left: the evidence, {what}. Right: what the memberships make of it. Both are ordered by cluster, and "
            "colours end at the 99th percentile. What is dark outside the diagonal blocks on the left only are ties "
            "between clusters that the memberships do not express; spots inside a block are detail that no clustering "
            "shows.",
            panels=2,
        )
    ]


def _trace(report: FitReport) -> list[Picture]:
    """Where restarts ended, and the course of a single one that did not converge."""
    found = getattr(report.estimator, "result_", None)
    if found is None or (len(found.restarts) == 1 and found.status == "converged"):
        return []
    n = len(found.restarts)
    caption = "How far the fit was above its final objective, iteration by iteration."
    if n > 1:
        caption = (
            "Left: how far each restart was above the best objective found, iteration by iteration. Right: where the "
            "restarts ended; hollow dots found another partition than the best one. Where hollow and filled dots are "
            "at the same height, the evidence does not settle the partition."
        )
    display = TraceDisplay(found)
    return [
        draw_picture(
            "trace",
            (4.8 * display.n_panels, 3.4),
            display.plot,
            f"Line chart of the objective against the iteration, and where the fit ended; restarts: {n}.",
            caption,
            panels=display.n_panels,
        )
    ]


def draw_picture(
    name: str,
    size: tuple[float, float],
    draw: Callable[[Any], Any],
    alt: str,
    caption: str | Callable[[Any], str],
    panels: int = 1,
    dpi: int = DPI,
) -> Picture:
    """Return a picture by what draws it on axes; a caption may depend on the display that was drawn."""
    figure, axes = blank_figure(panels, size)
    display = draw(axes)
    return Picture(name, png(figure, dpi), alt, caption if isinstance(caption, str) else caption(display))
