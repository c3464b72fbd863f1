"""Membership profiles: every item a column, every cluster a colour, as the Baum-Eagon paper's Figs. 1c and 2c.

Items stand by cluster and, within one, by falling membership. "bands" stacks each item's memberships to one, its own
cluster at the bottom, so that the top of the bottom band is the certainty and the colours above say which clusters the
doubt goes to; it stays readable for any K. "curves" draws one line a cluster, the papers' way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.membership import Membership
from partita.plots.figures import number_clusters, panels, tidy
from partita.plots.order import as_membership, blocks, by_cluster, columns_of, count, membership_of
from partita.plots.palette import INK, cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ProfilesDisplay"]

# A band that is nowhere in its block this thick is not drawn: it would not be seen.
INVISIBLE = 0.002


class ProfilesDisplay:
    """Memberships of all items, side by side.

    Parameters
    ----------
    membership : Membership or N x K array
    kind : {"bands", "curves"}
    max_columns : int
        More items than this are averaged in columns of neighbours in the order shown; the axis says of how many.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    order_ : array of N
        Items from left to right.

    Examples
    --------
    >>> from partita.plots import ProfilesDisplay, blank_figure
    >>> figure, (ax,) = blank_figure()
    >>> ProfilesDisplay.from_membership([[0.1, 0.9], [0.8, 0.2]], ax=ax).order_.tolist()
    [1, 0]
    """

    figure_: Figure
    ax_: Axes
    order_: NDArray[np.intp]

    def __init__(
        self,
        membership: Membership | ArrayLike,
        *,
        kind: Literal["bands", "curves"] = "bands",
        max_columns: int = 800,
    ) -> None:
        if kind not in ("bands", "curves"):
            raise InputError(f"kind={kind!r} is unknown; use 'bands' or 'curves'")
        self.membership = as_membership(membership)
        self.kind = kind
        self.max_columns = max_columns

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Draw a fitted estimator; X is ignored."""
        return cls(membership_of(estimator), **options).plot(ax)

    @classmethod
    def from_membership(cls, membership: Membership | ArrayLike, *, ax: Any = None, **options: Any) -> Self:
        """Draw a membership."""
        return cls(membership, **options).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (11.0, 3.4))
        self.ax_ = axes[0]
        n, K = self.membership.n_items, self.membership.n_clusters
        self.order_ = by_cluster(self.membership)
        edges = blocks(self.membership.labels, K)
        columns = columns_of(edges, self.max_columns)
        W = self.membership.matrix[self.order_]
        heights = np.add.reduceat(W, columns[:-1], axis=0) / np.diff(columns)[:, None]
        if self.kind == "bands":
            self._bands(heights, columns, edges)
        else:
            self._curves(heights, columns)
        for edge in edges[1:-1]:
            self.ax_.axvline(edge, color=INK if self.kind == "curves" else "white", linewidth=0.8)
        each = (
            ""
            if len(columns) > n
            else f"; a column is the mean of about {count(round(n / (len(columns) - 1)), 'item')}"
        )
        tidy(
            self.ax_,
            "Membership profiles, one column per item" if not each else f"Membership profiles of {n:,} items",
            f"items by cluster, the surest of each first{each}",
            "membership",
        )
        self.ax_.set(xlim=(0, n), ylim=(0, 1) if self.kind == "bands" else (-0.02, 1.04))
        number_clusters(self.ax_, edges)
        return self

    def _bands(self, heights: Array, columns: NDArray[np.intp], edges: NDArray[np.intp]) -> None:
        colors = cluster_colors(self.membership.n_clusters)
        for own in range(len(colors)):
            inside = np.flatnonzero((columns[:-1] >= edges[own]) & (columns[:-1] < edges[own + 1]))
            if not len(inside):
                continue
            own_edges = columns[inside[0] : inside[-1] + 2]
            block = heights[inside]
            others = [k for k in np.argsort(-block.mean(axis=0), kind="stable") if k != own]
            base = np.zeros(len(inside))
            for k in [own, *others]:
                if k != own and block[:, k].max() < INVISIBLE:
                    continue
                top = base + block[:, k]
                low, high = (np.append(edge, edge[-1]) for edge in (base, top))
                self.ax_.fill_between(own_edges, low, high, step="post", color=colors[k], linewidth=0)
                base = top

    def _curves(self, heights: Array, columns: NDArray[np.intp]) -> None:
        for k, color in enumerate(cluster_colors(self.membership.n_clusters)):
            self.ax_.stairs(heights[:, k], columns, baseline=None, color=color, linewidth=1.4, label=f"cluster {k}")
        if self.membership.n_clusters <= 10:
            self.ax_.legend(fontsize=8, frameon=False, ncols=5, loc="lower left", bbox_to_anchor=(0.35, 1.0))
