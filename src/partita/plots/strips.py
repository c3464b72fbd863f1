"""Partitions one below the other, every item a column: a credible ball by its bounds, or modes by their partitions.

Items stand by the clusters of the first row. Each other row has the colours of what its clusters overlap there
(`partita.plots.strips`): a row that looks like the first agrees with it, shades of one colour are pieces of a cluster,
and a colour in another's place is items that moved. The same is written into each run of items: the number of the
cluster of the first row, and a letter for its pieces but the largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Array, Index, Labels
from partita.errors import InputError
from partita.partition.credible_ball import BallPartition, CredibleBall
from partita.partition.modes import Modes
from partita.plots.figures import number_clusters, panels, tidy
from partita.plots.order import blocks, count
from partita.plots.palette import INK, cluster_colors, ink_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Strip", "StripsDisplay"]


# Height of a row of 1; size of the numbers in it and what is left free beside them, in points, and width of a digit as
# a share of that size.
THICK = 0.74
NUMBERS, FREE, WIDE = 7.0, 1.5, 0.6
# Clusters up to which white lines part them.
PARTED_UP_TO = 60
# Columns from which pixels are averaged, not picked.
AVERAGED_FROM = 800


@dataclass(frozen=True, eq=False)
class Strip:
    """A partition with what is said of it: before the row and after it. Labels are 0..K-1."""

    name: str
    labels: NDArray[np.int64]
    note: str = ""


class StripsDisplay:
    """One strip a partition; the first is what the others are compared with.

    Parameters
    ----------
    strips : sequence of Strip
    order : array of N, optional
        Items from left to right, before they are set by cluster; such as those of a heat map.
    title : str

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    order_ : array of N
        Items from left to right: by the clusters of the first strip, within one by those of the last and then the
        others, so that pieces stand together.

    Examples
    --------
    >>> from partita.plots import StripsDisplay, blank_figure
    >>> from partita.partition.credible_ball import credible_ball
    >>> figure, (ax,) = blank_figure()
    >>> ball = credible_ball([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 2, 2]], level=1.0)
    >>> drawn = StripsDisplay.from_ball([0, 0, 1, 1], ball, ax=ax)
    >>> [strip.name for strip in drawn.strips]
    ['estimate', 'horizontal bound', 'upper bound', 'lower bound']
    """

    figure_: Figure
    ax_: Axes
    order_: Index

    def __init__(self, strips: Sequence[Strip], *, order: ArrayLike | None = None, title: str = "Partitions") -> None:
        n = len(strips[0].labels)
        for strip in strips:
            if len(strip.labels) != n:
                raise InputError(f"{strip.name!r} has {len(strip.labels)} labels, {strips[0].name!r} has {n}")
        self.strips = tuple(strips)
        self.order = np.arange(n) if order is None else np.asarray(order, dtype=np.intp)
        self.title = title

    @classmethod
    def from_ball(
        cls, labels: ArrayLike, ball: CredibleBall, *, order: ArrayLike | None = None, ax: Any = None
    ) -> Self:
        """Draw an estimate above the bounds of its credible ball, of ties the one that most draws are."""
        codes = np.asarray(labels, dtype=np.int64)
        bounds = {"horizontal": ball.horizontal, "upper": ball.upper, "lower": ball.lower}
        strips = [Strip("estimate", codes, f"K = {int(codes.max()) + 1}")]
        strips += [Strip(f"{side} bound", ties[0].labels, _note(ties, ball.loss.unit)) for side, ties in bounds.items()]
        title = f"{ball.level:.0%} credible ball"
        return cls(strips, order=order, title=title).plot(ax)

    @classmethod
    def from_modes(cls, labels: ArrayLike, modes: Modes, *, order: ArrayLike | None = None, ax: Any = None) -> Self:
        """Draw an estimate above the partitions of the modes, heaviest first."""
        codes = np.asarray(labels, dtype=np.int64)
        strips = [Strip("estimate", codes, f"K = {int(codes.max()) + 1}")]
        strips += [
            Strip(f"mode {m}", mode.labels, f"K = {mode.n_clusters}, {mode.weight:.1%} of the draws")
            for m, mode in enumerate(modes.modes, 1)
        ]
        return cls(strips, order=order, title="Modes of the posterior").plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (11.0, 1.2 + 0.45 * len(self.strips)))
        self.ax_ = axes[0]
        reference = self.strips[0].labels
        n, K = len(reference), int(reference.max()) + 1
        self.order_ = self._ordered(reference)
        how = "antialiased" if n > AVERAGED_FROM else "nearest"
        for row, strip in enumerate(self.strips):
            colors = overlap_colors(strip.labels, reference)
            extent = (0, n, row + THICK / 2, row - THICK / 2)
            pixels = colors[strip.labels[self.order_]][None]
            self.ax_.imshow(pixels, extent=extent, aspect="auto", interpolation=how, interpolation_stage="rgba")
            self._number(row, strip.labels, reference, colors)
        edges = blocks(reference, K)
        if K <= PARTED_UP_TO:
            for edge in edges[1:-1]:
                self.ax_.axvline(edge, color="white", linewidth=1.0 if K <= 12 else 0.5)
        tidy(self.ax_, self.title, "items by cluster of the estimate", "")
        self.ax_.set(xlim=(0, n), ylim=(len(self.strips) - 0.5, -0.5))
        number_clusters(self.ax_, edges)
        self.ax_.tick_params(axis="x", labelsize=8.5 if K <= 10 else 7.0)
        rows = np.arange(len(self.strips))
        self.ax_.set_yticks(rows, [strip.name for strip in self.strips])
        right = self.ax_.twinx()
        right.set(ylim=self.ax_.get_ylim())
        right.set_yticks(rows, [strip.note for strip in self.strips])
        right.tick_params(length=0, labelsize=8.5, labelcolor=INK)
        self.ax_.tick_params(length=0)
        for both in (self.ax_, right):
            both.spines[:].set_visible(False)
        return self

    def _number(self, row: int, labels: Labels, reference: Labels, colors: Array) -> None:
        """Write into each run of items that is wide enough which cluster of the first strip it has the colour of."""
        names = overlap_names(labels, reference)
        points = 72 * self.figure_.get_size_inches()[0] * self.ax_.get_position().width / len(labels)
        placed, block = labels[self.order_], reference[self.order_]
        starts = np.flatnonzero(np.r_[True, (placed[1:] != placed[:-1]) | (block[1:] != block[:-1])])
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(placed)], strict=True):
            k = int(placed[start])
            if (end - start) * points < len(names[k]) * WIDE * NUMBERS + FREE:
                continue
            ink = ink_on("#" + "".join(f"{round(255 * c):02x}" for c in colors[k]))
            place = ((start + end) / 2, row)
            self.ax_.text(*place, names[k], ha="center", va="center", fontsize=NUMBERS, color=ink)

    def _ordered(self, reference: NDArray[np.int64]) -> Index:
        """Order items by cluster of the first strip, then by pieces of the last strip, of the others, and as given."""
        place = np.empty(len(self.order), dtype=np.intp)
        place[self.order] = np.arange(len(self.order))
        keys: list[NDArray[Any]] = [place]
        for strip in self.strips[1:]:
            parent, rank = parents(strip.labels, reference)
            keys.append(np.where(parent[strip.labels] == reference, -1, strip.labels))
            keys.append(rank[strip.labels])
        return np.asarray(np.lexsort([*keys, reference]))


def _note(ties: list[BallPartition], unit: str | None) -> str:
    first = ties[0]
    tied = "" if len(ties) == 1 else f"\n1 of {count(len(ties), 'tied partition')}"
    return f"K = {first.n_clusters}, at {first.distance:.3g}{f' {unit}' if unit else ''}{tied}"


# Colours for a partition beside another one: each cluster takes that of its parent there.
#
# A cluster that holds the majority of one of the other's has it for its parent, of several the one it shares most
# items with; any other cluster is a piece of what it overlaps most (of ties, of what no other is a piece of yet). The
# first of a parent has its colour, the others lighter and darker shades. So a merged cluster has the colour of what
# it mostly is, and a split one that of its larger half.


# Shades of a piece, in turn: towards white (positive) or black, and how far.
SHADES = (0.0, 0.55, -0.4, 0.78, -0.65)


def parents(labels: Labels, reference: Labels) -> tuple[Labels, Labels]:
    """Return the parent in `reference` of each cluster of `labels`, and its rank among the clusters of that parent:
    0 for the one that holds most of it, where there is one, then by the items shared.

    >>> parents(np.array([0, 0, 1, 2, 2]), np.array([0, 0, 0, 1, 1]))
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    shared = np.zeros((int(labels.max()) + 1, int(reference.max()) + 1), dtype=np.int64)
    np.add.at(shared, (labels, reference), 1)
    holds = 2 * shared > shared.sum(axis=0)
    whole = holds.any(axis=1)
    parent = np.where(holds, shared, 0).argmax(axis=1)
    taken = set(parent[whole].tolist())
    most = shared.max(axis=1)
    for j in sorted(np.flatnonzero(~whole).tolist(), key=lambda j: -int(most[j])):
        tied = np.flatnonzero(shared[j] == most[j]).tolist()
        parent[j] = next((k for k in tied if k not in taken), tied[0])
        taken.add(int(parent[j]))
    rank = np.empty(len(shared), dtype=np.int64)
    for p in np.unique(parent):
        own = np.flatnonzero(parent == p)
        rank[own[np.lexsort((-shared[own, p], ~holds[own, p]))]] = np.arange(len(own))
    return parent.astype(np.int64), rank


def overlap_names(labels: Labels, reference: Labels) -> list[str]:
    """Return a name for each cluster of `labels`: the number of its parent in `reference`, and a letter where another
    has the parent's own colour.

    >>> overlap_names(np.array([1, 1, 0, 2]), np.array([0, 0, 1, 1]))
    ['1', '0', '1b']
    """
    parent, rank = parents(labels, reference)
    return [f"{p}{'' if r == 0 else _letters(r)}" for p, r in zip(parent.tolist(), rank.tolist(), strict=True)]


def _letters(rank: int) -> str:
    """The letter of a piece, from b on; numbers after z.

    >>> _letters(1), _letters(40)
    ('b', '.40')
    """
    return chr(ord("a") + rank) if rank < 26 else f".{rank}"


def overlap_colors(labels: Labels, reference: Labels) -> Array:
    """Return a colour for each cluster of `labels`, K x 3 in [0, 1].

    >>> overlap_colors(np.array([1, 1, 0]), np.array([0, 0, 1])).round(2).tolist()
    [[0.84, 0.37, 0.0], [0.0, 0.45, 0.7]]
    """
    base = [[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in cluster_colors(int(reference.max()) + 1)]
    parent, rank = parents(labels, reference)
    shade = np.take(SHADES, rank % len(SHADES))[:, None]
    towards = np.where(shade > 0, 1.0, 0.0)
    return np.asarray((1 - np.abs(shade)) * np.take(np.array(base), parent, axis=0) + np.abs(shade) * towards)
