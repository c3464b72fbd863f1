"""The posterior similarity matrix as a heat map, and where a membership fails to describe it.

Blocks on the diagonal are clusters that recur in the draws; colour between two blocks says how often they are one. The
scale is that of probabilities, from 0 to 1, in every picture. Along the left and the upper side every cluster has a
strip of its colour, with its number where there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.plots.figures import panels, tidy
from partita.plots.order import count
from partita.plots.pair_means import PairMeans
from partita.plots.palette import INK, SEQUENTIAL, cluster_colors, ink_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MisfitDisplay", "SimilarityDisplay"]


# Colour-blind eyes tell its two ends apart; white is no difference.
DIVERGING = "PuOr"
# Differences end at this quantile of their absolute values, and not below that probability.
SHOWN_QUANTILE, SMALLEST_TOP = 0.995, 0.1
# Names of items are written up to this many, and cut to so many letters.
NAMED_UP_TO, LETTERS = 100, 14
# Strips of cluster colours and their distance from the matrix, as shares of its side, which is so many points long: a
# strip is at least as thick as its numbers.
STRIP, GAP, THINNEST = 0.024, 0.006, 10.0
# Borders are drawn where clusters have so many rows on average, and not between two that are narrower than this share
# of the side: lines would cover them.
BORDERED, NARROWEST = 5, 0.008


class SimilarityDisplay:
    """Share of the draws in which two items are together, items by cluster.

    Parameters
    ----------
    pairs : PairMeans
    names : sequence of N words, optional
        Written along the axes for up to 100 items.
    title : str
        Such as "Share of runs that join a pair" for an ensemble, which has no posterior.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Examples
    --------
    >>> from partita import BayesianPartition
    >>> from partita.plots import SimilarityDisplay, blank_figure
    >>> figure, (ax,) = blank_figure()
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> SimilarityDisplay.from_estimator(model, ax=ax).pairs.order.tolist()
    [0, 1, 2, 3]
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, pairs: PairMeans, *, names: Sequence[str] = (), title: str = "Posterior similarity") -> None:
        if len(names) not in (0, pairs.n_items):
            raise InputError(f"names has {len(names)} entries for {pairs.n_items} items")
        self.pairs = pairs
        self.names = names
        self.title = title

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        ax: Any = None,
        max_items: int = 400,
        names: Sequence[str] = (),
        title: str = "Posterior similarity",
    ) -> Self:
        """Draw a fitted `BayesianPartition`; X is ignored. More than `max_items` items are drawn as means."""
        return cls(PairMeans.of(estimator, max_rows=max_items), names=names, title=title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (9.6, 8.4))
        self.ax_ = axes[0]
        side = 72 * 0.82 * min(self.figure_.get_size_inches())
        image = _matrix(self.ax_, self.pairs, self.pairs.similarity, (SEQUENTIAL, 0.0, 1.0), side)
        tidy(self.ax_, self.title, "", _rows(self.pairs))
        _bar(self.figure_, self.ax_, image, "share of the draws in which two items are together")
        if len(self.names) and self.pairs.n_items <= NAMED_UP_TO and self.pairs.items_a_row == 1:
            self._write_names()
        return self

    def _write_names(self) -> None:
        n = self.pairs.n_items
        words = [_cut(str(self.names[i])) for i in self.pairs.order]
        points = 72 * 0.8 * self.figure_.get_size_inches()[1] / n
        size = min(8.5, 0.88 * points)
        at = np.arange(n) + 0.5
        self.ax_.set_yticks(at, words, fontsize=size)
        self.ax_.set_xticks(at, words, fontsize=size, rotation=90)
        self.ax_.tick_params(length=0, pad=1.5)


class MisfitDisplay:
    """Co-membership W W^T of pairs, and the residual of the draws, P - W W^T.

    Parameters
    ----------
    pairs : PairMeans
    misfit : float, optional
        Said in the title.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of two Axes; `ax_` is the first

    Examples
    --------
    >>> from partita import BayesianPartition
    >>> from partita.plots import MisfitDisplay, blank_figure
    >>> figure, axes = blank_figure(2)
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> MisfitDisplay.from_estimator(model, axes=axes).ax_.get_title(loc="left")
    'Explained: the co-membership W W$^T$'
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(self, pairs: PairMeans, *, misfit: float | None = None) -> None:
        self.pairs = pairs
        self.misfit = misfit

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None, max_items: int = 200) -> Self:
        """Draw a fitted `BayesianPartition`; X is ignored. More than `max_items` items are drawn as means."""
        return cls(PairMeans.of(estimator, max_rows=max_items), misfit=estimator.misfit_).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, 2, (11.0, 4.9))
        self.ax_ = self.axes_[0]
        pairs, said = self.pairs, "" if self.misfit is None else f" (misfit {self.misfit:.3f})"
        side = 72 * 0.37 * self.figure_.get_size_inches()[0]
        image = _matrix(self.ax_, pairs, pairs.explained, (SEQUENTIAL, 0.0, 1.0), side)
        tidy(self.ax_, "Explained: the co-membership W W$^T$", "", _rows(pairs))
        _bar(self.figure_, self.ax_, image, "co-membership")
        rest = pairs.similarity - pairs.explained
        top = max(SMALLEST_TOP, float(np.quantile(np.abs(rest), SHOWN_QUANTILE)))
        image = _matrix(self.axes_[1], pairs, rest, (DIVERGING, -top, top), side)
        tidy(self.axes_[1], f"Not explained: P $-$ W W$^T${said}", "", _rows(pairs))
        _bar(self.figure_, self.axes_[1], image, "together more (+) or less ($-$) than explained")
        return self


def _matrix(ax: Axes, pairs: PairMeans, matrix: Array, colors: tuple[str, float, float], side: float) -> Any:
    """The matrix with the borders and the strips of the clusters, on a side of so many points."""
    n, edges, (cmap, low, high) = len(matrix), pairs.edges, colors
    _strips(ax, edges, n, side)
    image = ax.imshow(matrix, cmap=cmap, vmin=low, vmax=high, extent=(0, n, n, 0), interpolation_stage="data")
    K = len(edges) - 1
    if n >= BORDERED * K:
        wide = np.diff(edges) >= NARROWEST * n
        seen = edges[1:-1][wide[:-1] | wide[1:]]
        for lines in (ax.hlines, ax.vlines):
            lines(seen, 0, n, color="#0072b2", linewidth=min(0.7, 0.02 * side / K), alpha=0.7)
    thick = _thick(side) + GAP
    ax.set(xlim=(-thick * n, n), ylim=(n, -thick * n), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return image


def _thick(side: float) -> float:
    return max(STRIP, THINNEST / side)


def _strips(ax: Axes, edges: NDArray[np.intp], n: int, side: float) -> None:
    """The clusters' colours outside of the matrix, at its left and on top of it, with numbers where they fit."""
    colors = cluster_colors(len(edges) - 1)
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colors])
    each = np.repeat(rgb, np.diff(edges), axis=0)
    thick = _thick(side)
    far, near = -(thick + GAP) * n, -GAP * n
    ax.imshow(each[:, None], extent=(far, near, n, 0), aspect="equal", interpolation="nearest")
    ax.imshow(each[None], extent=(0, n, near, far), aspect="equal", interpolation="nearest")
    size = min(8.5, 0.72 * thick * side)
    letters = len(str(len(colors) - 1))
    for k, (middle, width) in enumerate(zip((edges[:-1] + edges[1:]) / 2, np.diff(edges) / n * side)):
        style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": size, "color": ink_on(colors[k])}
        if width > 1.1 * size + 1.0:
            ax.text((near + far) / 2, middle, str(k), **style)
        if width > 0.62 * size * letters + 1.0:
            ax.text(middle, (near + far) / 2, str(k), **style)


def _rows(pairs: PairMeans) -> str:
    each = pairs.items_a_row
    return "items by cluster" + (f"; a row is the mean of up to {count(each, 'item')}" if each > 1 else "")


def _bar(figure: Figure, ax: Axes, image: Any, words: str) -> None:
    bar = figure.colorbar(image, ax=ax, pad=0.02, fraction=0.046)
    bar.set_label(words, fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


def _cut(word: str) -> str:
    return word if len(word) <= LETTERS else word[: LETTERS - 1] + "\u2026"
