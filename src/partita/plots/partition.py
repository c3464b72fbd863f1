"""The partition and how sure it is, on two axes: [zhao2015] Figs. 1 and 2.

Left: colour (and marker beyond ten clusters) is the cluster, its number stands in its midst. Right: the entropy of
each item's membership, the brighter the less certain, the least certain drawn on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError, require
from partita.membership import Membership
from partita.plots.figures import panels, tidy
from partita.plots.order import as_membership, count, membership_of, stratified_sample
from partita.plots.palette import INK, PAPER, UNCERTAIN, cluster_colors, cluster_markers
from partita.plots.projection import Projection, limits, project

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PartitionDisplay"]

# Ticks of an axis at most, so that their labels do not touch, and the share of the axis left free at either end.
TICKS = 5
MARGIN = 0.05

# The ground of the entropy map, and where its colour map begins so that certain items still stand out from it.
GROUND = "#1c1b22"
DARKEST = 0.35


class PartitionDisplay:
    """Partition and entropy map side by side.

    Parameters
    ----------
    points : N x 2 array
        Rows with NaN are not drawn.
    membership : Membership or N x K array
    xlabel, ylabel : str
        Names of the two coordinates.
    meaningless_y : bool
        Leave out the ticks of the second axis.
    max_points : int
        A larger N is thinned to so many items, every cluster in proportion; the title says so.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of two Axes; `ax_` is the first
    shown_ : array of int
        The items drawn.
    outside_ : int
        Items outside of the axes, which end where a few items far off would squash all others.

    Examples
    --------
    >>> from partita.plots import PartitionDisplay, blank_figure
    >>> figure, axes = blank_figure(2)
    >>> W = [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]
    >>> PartitionDisplay.from_membership([[0, 0], [1, 0], [2, 1]], W, axes=axes).ax_.get_title(loc="left")
    'Partition: 3 items, 2 clusters'
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]
    shown_: NDArray[np.intp]
    outside_: int

    def __init__(
        self,
        points: ArrayLike,
        membership: Membership | ArrayLike,
        *,
        xlabel: str = "x",
        ylabel: str = "y",
        meaningless_y: bool = False,
        max_points: int = 10_000,
    ) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.membership = as_membership(membership)
        if self.points.shape != (self.membership.n_items, 2):
            raise InputError(f"points has shape {self.points.shape}, expected ({self.membership.n_items}, 2)")
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.meaningless_y = meaningless_y
        self.max_points = max_points

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        axes: Any = None,
        columns: Sequence[str] | None = None,
        max_points: int = 10_000,
    ) -> Self:
        """Draw a fitted estimator on its features X (their first two principal components where there are more than
        two), or on eigenvectors of its affinity where X is None or pairwise.
        """
        projection = project(estimator, X, columns)
        return cls.from_projection(projection, membership_of(estimator), axes=axes, max_points=max_points)

    @classmethod
    def from_projection(
        cls, projection: Projection, membership: Membership | ArrayLike, *, axes: Any = None, max_points: int = 10_000
    ) -> Self:
        """Draw a membership on coordinates that `partita.plots.projection` made."""
        return cls(
            projection.points,
            membership,
            xlabel=projection.xlabel,
            ylabel=projection.ylabel,
            meaningless_y=projection.meaningless_y,
            max_points=max_points,
        ).plot(axes)

    @classmethod
    def from_membership(
        cls, points: ArrayLike, membership: Membership | ArrayLike, *, axes: Any = None, **options: Any
    ) -> Self:
        """Draw a membership on coordinates of your own."""
        return cls(points, membership, **options).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, 2, (11.0, 4.8))
        self.ax_ = self.axes_[0]
        drawable = np.flatnonzero(np.isfinite(self.points).all(axis=1))
        labels = self.membership.labels
        self.shown_ = drawable[stratified_sample(labels[drawable], self.max_points)]
        n, K, shown = self.membership.n_items, self.membership.n_clusters, len(self.shown_)
        thinned = f" ({shown:,} drawn)" if shown < n else ""
        size = float(np.clip(12_000 / max(shown, 1), 4.0, 36.0))
        self._partition(size)
        tidy(
            self.axes_[0],
            f"Partition: {count(n, 'item')}, {count(K, 'cluster')}{thinned}",
            self.xlabel,
            self.ylabel,
        )
        self._entropy(size)
        tidy(self.axes_[1], "Uncertainty: the brighter, the less sure", self.xlabel, self.ylabel)
        self._window(drawable)
        return self

    def _window(self, drawable: NDArray[np.intp]) -> None:
        """End both axes where the items end, a few that lie far off left out and counted."""
        outside = np.zeros(len(drawable), dtype=bool)
        for c, axis in enumerate("xy"):
            values = self.points[drawable, c]
            found = limits(values, self.membership.labels[drawable])
            for ax in self.axes_:
                if c == 1 and self.meaningless_y:
                    ax.set_yticks([])
                    continue
                ax.locator_params(axis=axis, nbins=TICKS)
                if found is not None:
                    low, high = found
                    free = MARGIN * (high - low)
                    (ax.set_xlim if c == 0 else ax.set_ylim)(low - free, high + free)
            if found is not None:
                outside |= (values < found[0]) | (values > found[1])
        self.outside_ = int(outside.sum())
        if self.outside_:
            said = f"{count(self.outside_, 'item')} outside"
            self.ax_.text(0.99, 0.01, said, transform=self.ax_.transAxes, ha="right", fontsize=8, color=INK)

    def _partition(self, size: float) -> None:
        ax, K = self.axes_[0], self.membership.n_clusters
        effects = require("matplotlib.patheffects", extra="plot", purpose="pictures")
        labels = self.membership.labels[self.shown_]
        colors, markers = cluster_colors(K), cluster_markers(K)
        for k in range(K):
            own = self.points[self.shown_[labels == k]]
            ax.scatter(own[:, 0], own[:, 1], s=size, c=colors[k], marker=markers[k], alpha=0.75, linewidths=0)
        halo = [effects.withStroke(linewidth=3, foreground=PAPER)]
        for k in range(K):
            own = self.points[self.shown_[labels == k]]
            if len(own):
                x, y = _midst(own)
                ax.text(
                    x,
                    y,
                    str(k),
                    ha="center",
                    va="center",
                    fontsize=11 if K <= 12 else 9,
                    fontweight="bold",
                    color=INK,
                    path_effects=halo,
                    zorder=5,
                )

    def _entropy(self, size: float) -> None:
        ax, K = self.axes_[1], self.membership.n_clusters
        entropy = self.membership.entropy[self.shown_]
        top = max(np.log(2), min(np.log(max(K, 2)), float(entropy.max(initial=0.0))))
        order = np.argsort(entropy, kind="stable")
        own = self.points[self.shown_[order]]
        colors = require("matplotlib.colors", extra="plot", purpose="pictures")
        maps = require("matplotlib", extra="plot", purpose="pictures").colormaps
        cmap = colors.ListedColormap(maps[UNCERTAIN](np.linspace(DARKEST, 1, 256)))
        ax.set_facecolor(GROUND)
        drawn = ax.scatter(own[:, 0], own[:, 1], s=size, c=entropy[order], cmap=cmap, vmin=0, vmax=top, linewidths=0)
        bar = self.figure_.colorbar(drawn, ax=ax, pad=0.02)
        ticks = {0.0: "0\ncertain", float(np.log(2)): "log 2\ntorn between\ntwo clusters"}
        if K > 2 and np.log(K) <= top + 1e-9:
            ticks[float(np.log(K))] = f"log {K}\nno idea"
        elif top > 1.15 * np.log(2):
            ticks[top] = f"{top:.2f}\nlargest"
        bar.set_ticks(list(ticks), labels=list(ticks.values()))
        bar.ax.tick_params(labelsize=8, length=3)
        bar.set_label("entropy of the membership (nats)", fontsize=9)
        bar.outline.set_visible(False)


def _midst(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point nearest to the median of all: inside the cluster even where the cluster is bent."""
    centre = np.median(points, axis=0)
    scale = np.ptp(points, axis=0)
    apart = (points - centre) / np.where(scale > 0, scale, 1.0)
    return np.asarray(points[(apart**2).sum(axis=1).argmin()])
