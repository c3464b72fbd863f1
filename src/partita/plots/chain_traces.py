"""The number of clusters and the distance to a draw in the middle of all, along each chain.

Traces that keep to different levels are chains that have not come to one posterior. They are drawn at their values,
the first the widest, so that one that lies below another still shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.partition.chains import ChainComparison
from partita.plots.figures import panels, tidy, whole_numbers
from partita.plots.palette import INK, cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ChainTracesDisplay"]

# Points drawn of all traces of a panel together, and chains named.
POINTS, NAMED = 2000, 8
# Widths of the first and of the last line.
WIDEST, THINNEST = 3.4, 0.8
# R-hat from which its size says nothing more: chains that hardly move have one without bound.
LARGE = 100.0


class ChainTracesDisplay:
    """Traces of each chain: clusters at the left, distances to a draw in the middle at the right.

    Parameters
    ----------
    agreement : ChainComparison
    estimate : int, optional
        Clusters of the estimate, marked.
    unit : {"bits", "nats"}, optional
        Unit of the distances.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of two Axes; `ax_` is the first

    Examples
    --------
    >>> from partita.partition.chains import compare_chains
    >>> from partita.plots import ChainTracesDisplay, blank_figure
    >>> found = compare_chains([[0, 0, 1], [0, 1, 1]] * 8, [0] * 8 + [1] * 8)
    >>> figure, axes = blank_figure(2)
    >>> len(ChainTracesDisplay(found, estimate=2).plot(axes).axes_[1].lines)
    2
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(self, agreement: ChainComparison, *, estimate: int | None = None, unit: str | None = None) -> None:
        self.agreement = agreement
        self.estimate = estimate
        self.unit = unit

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None) -> Self:
        """Draw a fitted `BayesianPartition` of several chains; X is ignored."""
        unit = estimator.loss_.unit or "bits"
        return cls(estimator.agreement_, estimate=estimator.n_clusters_, unit=unit).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, 2, (11.0, 3.4))
        self.ax_ = self.axes_[0]
        found = self.agreement
        unit = f" ({self.unit})" if self.unit else ""
        counts = [np.asarray(trace, dtype=np.float64) for trace in found.n_clusters]
        self._traces(self.axes_[0], counts, f"Clusters{_hat(found, 'n_clusters')}", "clusters")
        said = f"Distance to a central draw{_hat(found, 'distance')}"
        self._traces(self.axes_[1], found.distances, said, f"distance{unit}")
        low, high = min(t.min() for t in counts), max(t.max() for t in counts)
        self.axes_[0].set_ylim(low - 0.6, high + 0.6)
        whole_numbers(self.axes_[0].yaxis)
        if self.estimate is not None:
            self.axes_[0].axhline(self.estimate, color=INK, linewidth=0.8, linestyle=":", zorder=0)
        if len(found.chains) <= NAMED:
            handles = self.axes_[1].lines
            names = [f"chain {name}" for name in found.chains]
            self.axes_[1].legend(
                handles, names, fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5)
            )
        return self

    def _traces(self, ax: Axes, traces: list[NDArray[np.float64]], title: str, ylabel: str) -> None:
        each = max(2, POINTS // len(traces))
        widths = np.linspace(WIDEST, THINNEST, len(traces))
        for trace, color, width in zip(traces, cluster_colors(len(traces)), widths, strict=True):
            at = np.unique(np.linspace(0, len(trace) - 1, each).astype(np.int64))
            ax.plot(at + 1, trace[at], color=color, linewidth=width, alpha=0.8)
        tidy(ax, title, "draw of its chain", ylabel)


def _hat(found: ChainComparison, what: str) -> str:
    """R-hat as a title has it; nothing where it is not known."""
    hat = found.r_hat[what]
    return "" if np.isnan(hat) else f", R-hat above {LARGE:g}" if hat > LARGE else f", R-hat {hat:.2f}"
