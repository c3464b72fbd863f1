"""The evidence beside what the fit makes of it: P and W diag(a) W^T, items by cluster.

Blocks on the diagonal of the left picture say that there are clusters; where the right picture lacks what the left one
shows, the memberships do not explain it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity import Affinity
from partita.errors import InputError, require
from partita.membership import Membership
from partita.plots.figures import number_clusters, panels, tidy
from partita.plots.order import as_membership, blocks, by_cluster, membership_of, stratified_sample
from partita.plots.palette import SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CoMembershipDisplay", "affinity_between"]

Array = NDArray[np.float64]

# Share of the positive entries off the diagonal that the colours tell apart; larger ones all look alike.
SHOWN_QUANTILE = 0.99
# The panels share one scale while their ranges differ by no more than this factor.
SHARED_UP_TO = 4.0
# Rows of an affinity made dense at a time.
ROWS = 64


class CoMembershipDisplay:
    """Affinity and co-membership side by side.

    Parameters
    ----------
    affinity : M x M array
        Of the items shown, NaN for pairs that were not observed.
    membership : Membership or M x K array
        Of the same items.
    scale : float or array of K
        The factors a.
    n_items : int, optional
        N where the items shown are a sample; the title says so.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of two Axes; `ax_` is the first
    order_ : array of M
        Items from top to bottom and from left to right.

    Examples
    --------
    >>> from partita.plots import CoMembershipDisplay, blank_figure
    >>> figure, axes = blank_figure(2)
    >>> W = np.eye(2)[[0, 1, 0]]
    >>> CoMembershipDisplay.from_arrays(W @ W.T, W, axes=axes).order_.tolist()
    [0, 2, 1]
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]
    order_: NDArray[np.intp]

    def __init__(
        self,
        affinity: ArrayLike,
        membership: Membership | ArrayLike,
        *,
        scale: ArrayLike = 1.0,
        n_items: int | None = None,
    ) -> None:
        self.affinity = np.asarray(affinity, dtype=np.float64)
        self.membership = as_membership(membership)
        n = self.membership.n_items
        if self.affinity.shape != (n, n):
            raise InputError(f"affinity has shape {self.affinity.shape}, expected ({n}, {n}), one row an item")
        self.scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), self.membership.n_clusters)
        self.n_items = n if n_items is None else n_items

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None, max_items: int = 600) -> Self:  # noqa: ARG003
        """Draw a fitted estimator; X is ignored. Of more than `max_items` items a stratified sample is drawn."""
        membership = membership_of(estimator)
        index = np.asarray(estimator.item_index_)
        seen = np.flatnonzero(index >= 0)
        chosen = seen[stratified_sample(membership.labels[seen], max_items)]
        part = Membership(membership.matrix[chosen])
        part.labels = membership.labels[chosen]
        P = affinity_between(estimator.affinity_, index[chosen])
        return cls(P, part, scale=estimator.result_.scale, n_items=membership.n_items).plot(axes)

    @classmethod
    def from_arrays(
        cls, affinity: ArrayLike, membership: Membership | ArrayLike, *, axes: Any = None, **options: Any
    ) -> Self:
        """Draw an affinity and a membership of the same items."""
        return cls(affinity, membership, **options).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, 2, (11.0, 4.9))
        self.ax_ = self.axes_[0]
        self.order_ = by_cluster(self.membership)
        W = self.membership.matrix[self.order_]
        evidence, explained = self.affinity[np.ix_(self.order_, self.order_)], (W * self.scale) @ W.T
        tops = [_top(evidence), _top(explained)]
        shared = max(tops) <= SHARED_UP_TO * min(tops)
        if shared:
            tops = [max(tops)] * 2
        n, shown = self.n_items, self.membership.n_items
        sample = f" ({shown:,} of {n:,} items)" if shown < n else ""
        own = "" if shared else ", on a scale of its own"
        self._matrix(self.axes_[0], evidence, tops[0], "affinity", f"Evidence: the affinity P{sample}")
        self._matrix(self.axes_[1], explained, tops[1], "co-membership times scale", f"Explained: W diag(a) W$^T${own}")
        return self

    def _matrix(self, ax: Axes, matrix: Array, top: float, name: str, title: str) -> None:
        n = len(matrix)
        bottom = min(0.0, float(np.nanquantile(matrix, 1 - SHOWN_QUANTILE))) if np.isfinite(matrix).any() else 0.0
        cmap = (
            require("matplotlib", extra="plot", purpose="pictures").colormaps[SEQUENTIAL].with_extremes(bad="#c8d4dc")
        )
        image = ax.imshow(matrix, cmap=cmap, vmin=bottom, vmax=top, extent=(0, n, n, 0), interpolation_stage="data")
        edges = blocks(self.membership.labels, self.membership.n_clusters)
        width = 0.6 if len(edges) <= 13 else 0.25
        for edge in edges[1:-1]:
            ax.axhline(edge, color="#0072b2", linewidth=width, alpha=0.7)
            ax.axvline(edge, color="#0072b2", linewidth=width, alpha=0.7)
        tidy(ax, title, "items by cluster", "items by cluster")
        number_clusters(ax, edges, "x")
        number_clusters(ax, edges, "y")
        above = bool(np.nanmax(matrix, initial=0.0) > top)
        below = bool(np.nanmin(matrix, initial=0.0) < bottom)
        extend = {(True, True): "both", (True, False): "max", (False, True): "min"}.get((above, below), "neither")
        bar = self.figure_.colorbar(image, ax=ax, pad=0.02, fraction=0.046, extend=extend)
        bar.set_label(name, fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.ax.ticklabel_format(axis="y", scilimits=(-3, 4))
        bar.outline.set_visible(False)


def affinity_between(affinity: Affinity, items: NDArray[np.intp]) -> Array:
    """The affinities between some items (copies allowed), NaN where unobserved; rows are made a few at a time.

    >>> from partita.affinity import DenseAffinity
    >>> affinity_between(DenseAffinity(np.eye(3)), np.array([2, 2])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    distinct, copy = np.unique(items, return_inverse=True)
    P = np.empty((len(distinct), len(distinct)))
    for low in range(0, len(distinct), ROWS):
        P[low : low + ROWS] = affinity.rows(distinct[low : low + ROWS])[:, distinct]
    if affinity.unobserved is not None:
        place = np.full(affinity.n_items, -1)
        place[distinct] = np.arange(len(distinct))
        first, second = place[affinity.unobserved.first], place[affinity.unobserved.second]
        both = (first >= 0) & (second >= 0)
        P[first[both], second[both]] = np.nan
    return P[np.ix_(copy, copy)]


def _top(matrix: Array) -> float:
    """What the darkest colour stands for: the 99th percentile of the positive entries off the diagonal."""
    off = ~np.eye(len(matrix), dtype=bool)
    values = matrix[off] if len(matrix) > 1 else matrix.ravel()
    values = values[np.isfinite(values) & (values > 0)]
    return float(np.quantile(values, SHOWN_QUANTILE)) if len(values) else 1.0
