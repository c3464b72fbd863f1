"""Evidence and fit side by side: P and W diag(a) W^T, items by cluster.

Blocks on the diagonal of the left picture say that there are clusters; where the right picture lacks what the left one
shows, the memberships do not explain it.

Many items are drawn as means over groups of neighbours in that order: a sample of a sparse affinity would show next to
nothing, while the means lose no evidence and W diag(a) W^T has its means in closed form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity import Affinity
from partita.arrays import Array
from partita.errors import InputError, require
from partita.membership import Membership
from partita.memory import require_pairs
from partita.plots.figures import number_clusters, panels, tidy
from partita.plots.order import as_membership, blocks, by_cluster, columns_of, membership_of, stratified_sample
from partita.plots.palette import SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CoMembershipDisplay", "affinity_between", "affinity_of_groups"]


# Share of the positive entries off the diagonal that the colours tell apart; larger ones all look alike.
SHOWN_QUANTILE = 0.99
# The panels share one scale while their ranges differ by no more than this factor.
SHARED_UP_TO = 4.0
# Arrays of all pairs shown that a picture takes at once.
COPIES = 6.0
# Rows of an affinity made dense, or groups multiplied, at a time.
ROWS = 64


class CoMembershipDisplay:
    """Affinity and co-membership side by side.

    Parameters
    ----------
    affinity : M x M array
        Affinity of the items shown, NaN for pairs that were not observed.
    membership : Membership or M x K array
        Membership of the same items.
    scale : float or array of K
        The factors a.
    factor : M x K array, optional
        W, where the fit's factor is not the membership (SymNMF, copositive factorization).
    note : str
        Words for the items where they are not all; said in the title.

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
        factor: ArrayLike | None = None,
        note: str = "",
    ) -> None:
        self.affinity = np.asarray(affinity, dtype=np.float64)
        self.membership = as_membership(membership)
        n = self.membership.n_items
        if self.affinity.shape != (n, n):
            raise InputError(f"affinity has shape {self.affinity.shape}, expected ({n}, {n}), one row an item")
        self.scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), self.membership.n_clusters)
        self.factor = self.membership.matrix if factor is None else np.asarray(factor, dtype=np.float64)
        self.note = note

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        axes: Any = None,
        max_items: int = 600,
        reduce: Literal["mean", "sample"] = "mean",
    ) -> Self:
        """Draw a fitted estimator; X is ignored.

        More than `max_items` items become means over groups of them or, with `reduce="sample"` and always where pairs
        are unobserved, a random sample with every cluster in proportion.
        """
        if reduce not in ("mean", "sample"):
            raise InputError(f"reduce={reduce!r} is unknown; use 'mean' or 'sample'")
        membership, index = membership_of(estimator), np.asarray(estimator.item_index_)
        affinity: Affinity = estimator.affinity_
        seen = np.flatnonzero(index >= 0)
        note = ""
        H: Array = getattr(estimator, "factor_", membership.matrix)
        if len(seen) <= max_items or reduce == "sample" or affinity.unobserved is not None:
            chosen = seen[stratified_sample(membership.labels[seen], max_items)]
            part = _with_labels(membership.matrix[chosen], membership.labels[chosen])
            H = H[chosen]
            require_pairs(len(chosen), "a picture of the pairs", "lower max_items", copies=COPIES)
            P = affinity_between(affinity, index[chosen])
            if len(chosen) < len(seen):
                note = f"{len(chosen):,} of {len(seen):,} items"
        else:
            shown = _with_labels(membership.matrix[seen], membership.labels[seen])
            order = by_cluster(shown)
            starts = columns_of(blocks(shown.labels, shown.n_clusters), max_items)
            sizes = np.diff(starts)
            W, H = (
                np.add.reduceat(matrix[order], starts[:-1], axis=0) / sizes[:, None]
                for matrix in (shown.matrix, H[seen])
            )
            part = _with_labels(W, shown.labels[order[starts[:-1]]])
            group = np.empty(len(seen), dtype=np.intp)
            group[order] = np.repeat(np.arange(len(sizes)), sizes)
            P = affinity_of_groups(affinity, index[seen], group)
            note = f"means of about {round(len(seen) / len(sizes)):,} items"
        return cls(P, part, scale=estimator.result_.scale, factor=H, note=note).plot(axes)

    @classmethod
    def from_arrays(
        cls, affinity: ArrayLike, membership: Membership | ArrayLike, *, axes: Any = None, **options: Any
    ) -> Self:
        """Draw an affinity and a membership of the same items."""
        return cls(affinity, membership, **options).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones."""
        remedy = "draw fewer: from_estimator(max_items=600) takes means over groups of items"
        require_pairs(self.membership.n_items, "a picture of the pairs", remedy, copies=COPIES)
        self.figure_, self.axes_ = panels(axes, 2, (11.0, 4.9))
        self.ax_ = self.axes_[0]
        self.order_ = by_cluster(self.membership)
        W = self.factor[self.order_]
        evidence, explained = self.affinity[np.ix_(self.order_, self.order_)], (W * self.scale) @ W.T
        tops = [_top(evidence), _top(explained)]
        shared = max(tops) <= SHARED_UP_TO * min(tops)
        if shared:
            tops = [max(tops)] * 2
        note = f" ({self.note})" if self.note else ""
        own = "" if shared else ", on a scale of its own"
        self._matrix(self.axes_[0], evidence, tops[0], "affinity", f"Evidence: the affinity P{note}")
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
        for lines in (ax.hlines, ax.vlines):
            lines(edges[1:-1], 0, n, colors="#0072b2", linewidths=width, alpha=0.7)
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
    """Return the affinities between some items (copies allowed), NaN where unobserved; rows are made a few at a time.

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


def affinity_of_groups(affinity: Affinity, items: NDArray[np.intp], group: NDArray[np.intp]) -> Array:
    """Return the mean affinity between groups of items (copies allowed), over all ordered pairs: as many products
    as groups.

    >>> from partita.affinity import DenseAffinity
    >>> affinity_of_groups(DenseAffinity(np.eye(3)), np.array([0, 1, 2]), np.array([0, 0, 1])).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    n_groups = int(group.max()) + 1
    share = 1.0 / np.bincount(group, minlength=n_groups)
    indicator = sp.csr_array((share[group], (items, group)), shape=(affinity.n_items, n_groups))
    means = np.empty((n_groups, n_groups))
    for low in range(0, n_groups, ROWS):
        high = min(low + ROWS, n_groups)
        means[:, low:high] = indicator.T @ (affinity @ indicator[:, low:high].toarray())
    return means


def _with_labels(W: Array, labels: NDArray[np.int64]) -> Membership:
    membership = Membership(W)
    membership.labels = labels
    return membership


def _top(matrix: Array) -> float:
    """Value of the darkest colour: the 99th percentile of the positive entries off the diagonal."""
    off = ~np.eye(len(matrix), dtype=bool)
    values = matrix[off] if len(matrix) > 1 else matrix.ravel()
    values = values[np.isfinite(values) & (values > 0)]
    return float(np.quantile(values, SHOWN_QUANTILE)) if len(values) else 1.0
