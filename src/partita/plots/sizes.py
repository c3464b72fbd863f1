"""Sizes of the clusters, and how certain their items are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from partita.membership import Membership
from partita.plots.figures import panels, tidy
from partita.plots.order import as_membership, membership_of
from partita.plots.palette import BOUNDARY, INK, cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SizesDisplay"]


class SizesDisplay:
    """One bar a cluster: full colour for sure items, pale and hatched for boundary items (margin below `margin`).

    Parameters
    ----------
    membership : Membership or N x K array
    margin : float
        An item whose two largest memberships differ by less is at the boundary.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Examples
    --------
    >>> from partita.plots import SizesDisplay, blank_figure
    >>> figure, (ax,) = blank_figure()
    >>> SizesDisplay.from_membership([[0.9, 0.1], [0.45, 0.55], [0.2, 0.8]], ax=ax).ax_.get_xlabel()
    'items'
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, membership: Membership | ArrayLike, *, margin: float = 0.2) -> None:
        self.membership = as_membership(membership)
        self.margin = margin

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None, margin: float = 0.2) -> Self:
        """Draw a fitted estimator; X is ignored."""
        return cls(membership_of(estimator), margin=margin).plot(ax)

    @classmethod
    def from_membership(cls, membership: Membership | ArrayLike, *, ax: Any = None, margin: float = 0.2) -> Self:
        """Draw a membership."""
        return cls(membership, margin=margin).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        K = self.membership.n_clusters
        self.figure_, axes = panels(ax, 1, (8.0, 1.1 + 0.3 * K))
        self.ax_ = axes[0]
        sizes, certainty = self.membership.sizes, self.membership.certainty()
        unsure = np.bincount(self.membership.labels[self.membership.margin < self.margin], minlength=K)
        colors, y = cluster_colors(K), np.arange(K)
        self.ax_.barh(y, sizes - unsure, color=colors, height=0.72)
        pale = [(*_rgb(color), 0.28) for color in colors]
        self.ax_.barh(
            y, unsure, left=sizes - unsure, color=pale, hatch="////", edgecolor=colors, linewidth=0, height=0.72
        )
        for k in range(K):
            words = "empty" if not sizes[k] else f"{sizes[k]:,}   mean membership {certainty[k]:.2f}"
            if unsure[k]:
                words += f",  {unsure[k]:,} at the boundary"
            self.ax_.annotate(
                words, (sizes[k], k), (5, 0), textcoords="offset points", va="center", fontsize=8.5, color=INK
            )
        tidy(
            self.ax_,
            f"Sizes; hatched: boundary items (margin below {self.margin:g})",
            "items",
            "cluster",
        )
        self.ax_.set_xlabel("items", loc="left")
        self.ax_.set_yticks(y, [str(k) for k in y])
        self.ax_.tick_params(axis="y", length=0)
        # Room for the words behind the longest bar.
        self.ax_.set(xlim=(0, 1.62 * max(int(sizes.max()), 1)), ylim=(K - 0.4, -0.6))
        ticks = [t for t in self.ax_.get_xticks() if t <= 1.05 * sizes.max() and float(t).is_integer()]
        self.ax_.set_xticks(ticks, [f"{int(t):,}" for t in ticks])
        self.ax_.spines["bottom"].set_bounds(0, max(ticks, default=0))
        self.ax_.spines["left"].set_color(BOUNDARY)
        return self


def _rgb(color: str) -> tuple[float, float, float]:
    return (int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255)
