"""How many clusters the draws have: their distribution, and the trace of each chain.

Traces that keep to different levels are chains that have not come to one posterior. Each is drawn a little aside, so
that chains with the same number do not hide one another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.plots.figures import panels, tidy, whole_numbers
from partita.plots.palette import BOUNDARY, INK, cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from partita.partition.chains import ChainComparison

__all__ = ["ClusterCountsDisplay"]

Array = NDArray[np.float64]

BARS, MARKED = "#56b4e9", "#d55e00"
# Points drawn of all traces together, and chains named.
POINTS, NAMED = 2000, 8
# Bars that the axis has room for at least, and the height in which the traces of equal chains lie side by side.
FEWEST_SHOWN, LANES = 8, 0.5
# A mark stands so far above its bar, as a share of the largest.
ABOVE = 0.05


class ClusterCountsDisplay:
    """Posterior of the number of clusters; with several chains, their traces beside it.

    Parameters
    ----------
    n_clusters : array of M
        Of each draw.
    weights : array of M, optional
        How much each draw counts.
    estimate : int, optional
        Clusters of the estimate, marked.
    agreement : ChainComparison, optional

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of Axes, two of them with several chains; `ax_` is the first
    shares_ : array
        Share of the draws with 0, 1, 2, ... clusters.

    Examples
    --------
    >>> from partita.plots import ClusterCountsDisplay, blank_figure
    >>> figure, axes = blank_figure(1)
    >>> ClusterCountsDisplay([2, 2, 3, 2], estimate=2).plot(axes).shares_.tolist()
    [0.0, 0.0, 0.75, 0.25]
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]
    shares_: Array

    def __init__(
        self,
        n_clusters: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        estimate: int | None = None,
        agreement: ChainComparison | None = None,
    ) -> None:
        self.n_clusters = np.asarray(n_clusters, dtype=np.int64)
        self.weights = np.ones(len(self.n_clusters)) if weights is None else np.asarray(weights, dtype=np.float64)
        self.estimate = estimate
        self.agreement = agreement

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None) -> Self:  # noqa: ARG003
        """Draw a fitted `BayesianPartition`, on two axes where it has several chains, else on one; X is ignored."""
        draws = estimator.draws_
        return cls(
            draws.n_clusters, weights=draws.counts, estimate=estimator.n_clusters_, agreement=estimator.agreement_
        ).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        n_panels = 1 if self.agreement is None else 2
        self.figure_, self.axes_ = panels(axes, n_panels, (9.6, 3.2))
        self.ax_ = self.axes_[0]
        self.shares_ = np.bincount(self.n_clusters, weights=self.weights) / self.weights.sum()
        self._bars()
        if self.agreement is not None:
            self._traces(self.agreement)
        return self

    def _bars(self) -> None:
        K = np.flatnonzero(self.shares_)
        colors = [MARKED if k == self.estimate else BARS for k in K]
        self.ax_.bar(K, self.shares_[K], color=colors, width=0.85)
        ends = [int(K.min()), int(K.max())]
        if self.estimate is not None:
            share = self.shares_[self.estimate] if self.estimate < len(self.shares_) else 0.0
            words = f"the estimate's K = {self.estimate}"
            self.ax_.plot(
                [self.estimate],
                [share + ABOVE * self.shares_.max()],
                "v",
                color=MARKED,
                markersize=7,
                clip_on=False,
                label=words,
            )
            self.ax_.legend(fontsize=8, frameon=False, loc="upper right")
            ends = [min(ends[0], self.estimate), max(ends[1], self.estimate)]
        tidy(self.ax_, "Clusters of the draws", "clusters", "share of the draws")
        free = max(0.7, (FEWEST_SHOWN - 1 - (ends[1] - ends[0])) / 2)
        self.ax_.set(xlim=(max(ends[0] - free, 0.3), ends[1] + free), ylim=(0, 1.22 * float(self.shares_.max())))
        whole_numbers(self.ax_.xaxis)

    def _traces(self, found: ChainComparison) -> None:
        ax, chains = self.axes_[1], found.n_clusters
        each = max(2, POINTS // len(chains))
        colors = cluster_colors(len(chains))
        for c, (trace, color) in enumerate(zip(chains, colors)):
            at = np.unique(np.linspace(0, len(trace) - 1, each).astype(np.int64))
            name = f"chain {found.chains[c]}" if len(chains) <= NAMED else None
            aside = LANES * ((c + 0.5) / len(chains) - 0.5)
            ax.plot(at + 1, trace[at] - aside, color=color, linewidth=0.8, alpha=0.75, label=name)
        hat = found.r_hat["n_clusters"]
        said = f" (R-hat {hat:.2f})" if np.isfinite(hat) else ""
        if self.estimate is not None:
            ax.axhline(self.estimate, color=INK, linewidth=0.8, linestyle=":")
        tidy(ax, f"Clusters along {len(chains)} chains{said}", "draw of its chain", "clusters")
        ax.set_ylim(min(t.min() for t in chains) - 0.6, max(t.max() for t in chains) + 0.6)
        whole_numbers(ax.yaxis)
        ax.spines["left"].set_color(BOUNDARY)
        if len(chains) <= NAMED:
            ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
