"""Expected loss against the number of clusters: every partition that a search tried, and where its runs ended.

The line is the best known way through all K, the cuts of the average linkage dendrogram: a flat line around the best
partition says that the loss hardly tells one K from the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from partita.arrays import Array
from partita.partition.dendrogram import Dendrogram
from partita.partition.evidence import PartitionEvidence
from partita.partition.result import PartitionResult
from partita.plots.figures import panels, tidy, whole_numbers
from partita.plots.palette import BOUNDARY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LossesDisplay", "cut_losses"]


BEST, END, START, CUTS = "#d55e00", "#0072b2", "#56b4e9", "#999999"
# The axis of K reaches so far beyond what was tried, and the axis of losses so many times as far as what was tried.
BEYOND, TALL = 1.5, 4.0
# A start is off the axis where it is more than so many times as far from the best as three quarters of the cuts are.
FAR = 4.0
# Share of the draws whose numbers of clusters the axis of K covers, and K from which it need not begin at 1.
COVERED, MANY = 0.95, 12


class LossesDisplay:
    """Loss of each start and of each run of a search, by number of clusters.

    Parameters
    ----------
    result : PartitionResult
    cuts : array of N, optional
        Expected loss, as reported, of the dendrogram's cuts into 1..N clusters.
    cap : int, optional
        `max_clusters`.
    up_to : int
        Clusters that the axis reaches at least.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Examples
    --------
    >>> from partita import BayesianPartition
    >>> from partita.plots import LossesDisplay, blank_figure
    >>> figure, (ax,) = blank_figure()
    >>> model = BayesianPartition("binder", random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> LossesDisplay.from_estimator(model, ax=ax).ax_.get_xlabel()
    'clusters'
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self, result: PartitionResult, *, cuts: Array | None = None, cap: int | None = None, up_to: int = 1
    ) -> None:
        self.result = result
        self.cuts = cuts
        self.cap = cap
        self.up_to = up_to

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Draw a fitted `BayesianPartition`; X is ignored."""
        draws = estimator.draws_
        up_to = 1 if draws is None else int(np.quantile(draws.n_clusters, COVERED))
        return cls(estimator.result_, cuts=cut_losses(estimator), cap=estimator.max_clusters, up_to=up_to).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (9.6, 3.8))
        self.ax_ = axes[0]
        best, loss = self.result, self.result.loss
        starts = {t.method: t for t in best.tried if not t.is_end}
        widest = max([best.n_clusters, *(t.n_clusters for t in best.tried)])
        last = max(int(np.ceil(BEYOND * widest)) + 2, self.up_to)
        if self.cuts is not None:
            shown = self.cuts[:last]
            K = np.arange(1, len(shown) + 1)
            self.ax_.plot(
                K, shown, ".-" if len(K) < 40 else "-", color=CUTS, linewidth=1.2, label="cuts (average linkage)"
            )
        for run in best.runs:
            if run.start in starts:
                begin = starts[run.start]
                self.ax_.plot([begin.n_clusters, run.n_clusters], [begin.loss, run.loss], color=START, linewidth=0.9)
        self._dots([(t.n_clusters, t.loss) for t in starts.values()], "white", START, "starts of the search", 34)
        self._dots([(r.n_clusters, r.loss) for r in best.runs], END, END, "where its runs ended", 24)
        self.ax_.scatter(
            [best.n_clusters], [best.expected_loss], s=150, marker="*", color=BEST, zorder=5, label="the estimate"
        )
        if self.cap is not None and self.cap <= last:
            self.ax_.axvline(self.cap + 0.5, color=INK, linewidth=1.0, linestyle=":", label="max_clusters")
        what = "Expected score (larger is better)" if loss.is_score else "Expected loss"
        tidy(self.ax_, f"{what} against the number of clusters", "clusters", loss.says)
        fewest = min([best.n_clusters, *(t.n_clusters for t in best.tried)])
        first = 1 if fewest < MANY else fewest // 2
        self.ax_.set_xlim(first - 0.6, last + 0.4)
        self._window(first, last)
        whole_numbers(self.ax_.xaxis)
        self.ax_.grid(axis="y", color=BOUNDARY, alpha=0.2, linewidth=0.6)
        self.ax_.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return self

    def _dots(self, points: list[tuple[int, float]], face: str, edge: str, words: str, size: float) -> None:
        if points:
            x, y = zip(*points)
            self.ax_.scatter(x, y, s=size, facecolors=face, edgecolors=edge, linewidths=1.2, zorder=3, label=words)

    def _window(self, first: int, last: int) -> None:
        """End the axis of losses where bad cuts would squash what was tried."""
        sign = -1.0 if self.result.loss.is_score else 1.0
        tried = np.sort([sign * t.loss for t in self.result.tried] + [sign * self.result.expected_loss])
        bad = np.zeros(0) if self.cuts is None else np.sort(sign * self.cuts[first - 1 : last])
        if not len(bad):
            return
        start, most = min(float(tried[0]), float(bad[0])), float(np.quantile(bad, 0.75))
        starts = [sign * t.loss for t in self.result.tried if not t.is_end]
        ended = max([float(tried[0]), *(sign * run.loss for run in self.result.runs)])
        # One start that is far worse than the others and than most cuts would flatten all else.
        far = max(ended, start + TALL * (float(np.median(starts or tried)) - start), start + FAR * (most - start))
        worst = float(tried[tried <= far][-1])
        end = max(min(float(bad[-1]), max(start + TALL * (worst - start), most)), worst)
        if end > start:
            ends = sorted((sign * (start - 0.06 * (end - start)), sign * (end + 0.06 * (end - start))))
            self.ax_.set_ylim(*ends)
        beyond = tried[tried > end + 0.06 * (end - start)]
        if len(beyond) and end > start:
            whose = "1 partition" if len(beyond) == 1 else f"{len(beyond)} partitions"
            side = "below" if sign < 0 else "above"
            words = f"{whose} tried {side} this axis, up to {sign * beyond[-1]:.3g}"
            self.ax_.text(
                0.99, 0.02 if sign < 0 else 0.98, words, transform=self.ax_.transAxes, ha="right",
                va="bottom" if sign < 0 else "top", fontsize=8, color=INK,
            )  # fmt: skip


def cut_losses(estimator: Any) -> Array | None:
    """Return the expected loss of the cuts of the average linkage dendrogram into 1..N clusters.

    None where it does not fit.

    Cost: O(N^2), and O(M N log N) for losses that the similarity matrix does not determine.

    >>> from partita import BayesianPartition
    >>> model = BayesianPartition("binder").fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> cut_losses(model).round(3).tolist()
    [0.458, 0.125, 0.167, 0.292]
    """
    matrix = None if estimator.draws_ is not None else estimator.psm()
    evidence = PartitionEvidence(estimator.loss_, estimator.draws_, matrix)
    if not evidence.has_pairs:
        return None
    tree = Dendrogram.of(evidence.similarity, "average")
    return np.asarray(estimator.loss_.reported(evidence.cut_values(tree))[::-1])
