"""Distribution of the number of clusters over the draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from partita.arrays import Array
from partita.plots.figures import panels, tidy, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ClusterCountsDisplay"]


BARS, MARKED = "#56b4e9", "#d55e00"
# Bars that the axis has room for at least.
FEWEST_SHOWN = 8
# A mark stands so far above its bar, as a share of the largest.
ABOVE = 0.05
# The axis reaches so many times as far as the largest bar.
HEADROOM = 1.22


class ClusterCountsDisplay:
    """Posterior of the number of clusters; `ChainTracesDisplay` has their course along the chains.

    Parameters
    ----------
    n_clusters : array of M
        Number of clusters of each draw.
    weights : array of M, optional
        How much each draw counts.
    estimate : int, optional
        Clusters of the estimate, marked.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    shares_ : array
        Share of the draws with 0, 1, 2, ... clusters.

    Examples
    --------
    >>> from partita.plots import ClusterCountsDisplay, blank_figure
    >>> figure, (ax,) = blank_figure(1)
    >>> ClusterCountsDisplay([2, 2, 3, 2], estimate=2).plot(ax).shares_.tolist()
    [0.0, 0.0, 0.75, 0.25]
    """

    figure_: Figure
    ax_: Axes
    shares_: Array

    def __init__(
        self,
        n_clusters: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        estimate: int | None = None,
    ) -> None:
        self.n_clusters = np.asarray(n_clusters, dtype=np.int64)
        self.weights = np.ones(len(self.n_clusters)) if weights is None else np.asarray(weights, dtype=np.float64)
        self.estimate = estimate

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Draw a fitted `BayesianPartition`; X is ignored."""
        draws = estimator.draws_
        return cls(draws.n_clusters, weights=draws.counts, estimate=estimator.n_clusters_).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (6.4, 3.2))
        self.ax_ = axes[0]
        self.shares_ = np.bincount(self.n_clusters, weights=self.weights) / self.weights.sum()
        self._bars()
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
        self.ax_.set(xlim=(max(ends[0] - free, 0.3), ends[1] + free), ylim=(0, HEADROOM * float(self.shares_.max())))
        ticks = self.ax_.get_yticks()
        top = min(1.0, self.ax_.get_ylim()[1])  # the room above is for the mark: no share exceeds 1
        self.ax_.set_yticks(ticks[(ticks >= 0) & (ticks <= top)])
        whole_numbers(self.ax_.xaxis)
