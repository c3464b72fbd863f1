"""Data of the interactive map: which items it shows, where they lie, and what is said of each, as JSON.

Up to 10,000 items all are on the map. Beyond, all uncertain items up to half of that are, and a random share of each
cluster for the rest; the counts of certain items are of all. Ids are shortened where together they would be long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity
from partita.arrays import Array, Index, Labels
from partita.plots.order import stratified_sample
from partita.plots.projection import limits
from partita.report.html import Markup, printable
from partita.report.layout import Layout
from partita.report.nearest import nearest_items

__all__ = ["GRID", "ItemMap", "Standing", "as_json", "certain_counts", "item_map", "shortened", "thinned"]


# Items on the map at most, and of these uncertain ones at most where not all items are; what is uncertain.
MOST, MOST_UNCERTAIN, UNCERTAIN = 10_000, 5_000, 0.8
# Places an axis is divided into, shares listed of an item, and steps of the certainty from 0 to 1.
GRID = 10_000
SHAPE = 4 / 3  # of the map, width over height
LARGEST = 4
STEPS = 100
# Bytes of all ids together, and lengths tried until they fit.
ID_BYTES = 600_000
LENGTHS = (200, 100, 50, 25, 12)


@dataclass(frozen=True, eq=False)
class Standing:
    """Labels, memberships and certainties of the items of a map.

    Attributes
    ----------
    labels : array of N
    shares : array, N x K, in [0, 1]
        Bars of each item, one a cluster.
    certainty : array of N, in [0, 1]
        An item is drawn the fainter the less certain it is.
    outlier : array of N bool
        These are drawn hollow.
    meaning, bars : str
        What the certainty is, in one phrase; the heading of the bars.
    cells : callable, optional
        From item numbers to names of columns and a list of cells for each item: what else its panel says.
    """

    labels: Labels
    shares: Array
    certainty: Array
    outlier: NDArray[np.bool_]
    meaning: str
    bars: str
    cells: Callable[[Sequence[int]], tuple[list[str], list[list[str]]]] | None = None


@dataclass(frozen=True)
class ItemMap:
    """Data of an interactive map.

    Attributes
    ----------
    content : dict
        Data for the page's script; see `item_map`.
    n_items, n_shown, n_outside, n_nowhere : int
        All items; those on the map; those drawn at its edge as they lie far off; those that have no place on it.
    shortened : bool
        Whether ids were cut.
    nearest, layout : str
        Words for the nearest items, and for how places were chosen.
    meaning : str
        What the certainty is.
    """

    content: dict[str, Any]
    n_items: int
    n_shown: int
    n_outside: int
    n_nowhere: int
    shortened: bool
    nearest: str
    layout: str
    meaning: str


def item_map(
    layout: Layout,
    standing: Standing,
    ids: Sequence[str],
    affinity: Affinity | None,
    item_index: Index | None = None,
    *,
    most: int = MOST,
) -> ItemMap | None:
    """Return the map of a clustering, or None where no item has a place; without an affinity no item is near another.

    Its content, with one entry an item shown unless said otherwise: `row`, `id` (null for row numbers), `x` and `y` on
    a grid of 0 to 10,000, `label`, `top` (cluster and thousandths in turn, the largest shares first), `certainty` in
    thousandths, `outlier` (0 or 1), `level` (the largest hundredth that the certainty reaches), `near` (places in these
    lists; -1 - j for the j-th entry of `beyond`, items off the map), `cells` (in the order of `columns`).

    `certain[t]`: how many of all items have a certainty of at least t/100. `centre`: where each cluster's number
    stands, null for none. `columns`: names of the columns of the items' table, if there is one.

    Cost: O(N K), and `nearest_items`.
    """
    labels, n = standing.labels, len(standing.labels)
    placed = np.flatnonzero(np.isfinite(layout.points).all(axis=1))
    if not len(placed):
        return None
    shown = placed[thinned(labels[placed], standing.certainty[placed], most)]
    grid, outside = _grid(layout, placed, labels)
    near, says = np.full((len(shown), 1), -1, dtype=np.intp), ""
    if affinity is not None:
        nearest = nearest_items(shown, layout.points, affinity, item_index)
        near, says = nearest.items, nearest.says
    places, beyond = _places(near, shown, n)
    names = [str(ids[i]) for i in (*shown, *beyond)] if len(ids) else None
    short, cut = (None, False) if names is None else shortened(names)
    certainty = standing.certainty[shown]
    n_clusters = standing.shares.shape[1]
    columns, cells = ([], []) if standing.cells is None else standing.cells(shown.tolist())
    content = {
        "items": n,
        "clusters": n_clusters,
        "bars": standing.bars,
        "certain": certain_counts(standing.certainty).tolist(),
        "centre": _centres(grid[shown], labels[shown], n_clusters),
        "row": shown.tolist(),
        "id": None if short is None else short[: len(shown)],
        "x": grid[shown, 0].tolist(),
        "y": grid[shown, 1].tolist(),
        "label": labels[shown].tolist(),
        "top": _largest(standing.shares[shown]),
        "certainty": np.rint(1000 * certainty).astype(int).tolist(),
        "outlier": standing.outlier[shown].astype(int).tolist(),
        "level": (np.searchsorted(_levels(), certainty, side="right") - 1).tolist(),
        "columns": [printable(name) for name in columns],
        "cells": [[printable(cell[: LENGTHS[1]]) for cell in row] for row in cells],
        "near": places,
        "beyond": {
            "row": beyond.tolist(),
            "id": None if short is None else short[len(shown) :],
            "label": labels[beyond].tolist(),
        },
    }
    return ItemMap(
        content,
        n_items=n,
        n_shown=len(shown),
        n_outside=int(outside[shown].sum()),
        n_nowhere=n - len(placed),
        shortened=cut,
        nearest=says,
        layout=layout.says,
        meaning=standing.meaning,
    )


def thinned(labels: Labels, certainty: Array, most: int = MOST) -> Index:
    """Return items that a map shows: all, or uncertain ones first and then of every cluster in proportion; increasing.

    >>> thinned(np.repeat([0, 1], 50), np.r_[np.full(99, 0.9), 0.1], 10)[-1]
    np.int64(99)
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    unsure, sure = np.flatnonzero(certainty < UNCERTAIN), np.flatnonzero(certainty >= UNCERTAIN)
    kept = unsure[stratified_sample(labels[unsure], max(most * MOST_UNCERTAIN // MOST, most - len(sure)))]
    return np.asarray(np.union1d(kept, sure[stratified_sample(labels[sure], most - len(kept))]))


def certain_counts(certainty: Array) -> NDArray[np.int64]:
    """Return numbers of items with a certainty of at least 0, 0.01, ..., 1.

    >>> certain_counts(np.array([0.0, 0.2, 1.0]))[[0, 1, 20, 21, 100]].tolist()
    [3, 2, 2, 1, 1]
    """
    return np.asarray(len(certainty) - np.searchsorted(np.sort(certainty), _levels(), side="left"))


def shortened(names: Sequence[str]) -> tuple[list[str], bool]:
    """Return ids that together are not too long, and whether any was cut; what is cut ends in three dots.

    >>> shortened(["a" * 300, "b"])[0][0][-2:]
    'a…'
    """
    names = [printable(name[: LENGTHS[0] + 1]) for name in names]
    out: list[str] = []
    for length in LENGTHS:
        out = [name if len(name) <= length else name[: length - 1] + "…" for name in names]
        if sum(len(as_json(name).encode()) for name in out) <= ID_BYTES:
            break
    return out, out != names


def as_json(content: object) -> Markup:
    """Return JSON that no HTML parser can take for anything else: <, > and & are escapes."""
    said = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        said = said.replace(character, f"\\u{ord(character):04x}")
    return Markup(said)


def _levels() -> Array:
    return np.arange(STEPS + 1) / STEPS


def _largest(matrix: Array) -> list[list[int]]:
    """Clusters and their memberships in thousandths in turn, row by row, largest first; only the first may be zero."""
    order = np.argsort(-matrix, axis=1, kind="stable")[:, :LARGEST]
    value = np.rint(1000 * np.take_along_axis(matrix, order, axis=1)).astype(int)
    return [
        [int(x) for k, v in zip(clusters, values, strict=True) if v or k == clusters[0] for x in (k, v)]
        for clusters, values in zip(order.tolist(), value.tolist(), strict=True)
    ]


def _grid(layout: Layout, placed: Index, labels: Labels) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Points as whole numbers from 0 to `GRID`, and which lie off the axes and were put at their ends."""
    points = layout.points[placed]
    ends = np.array([(points[:, j].min(), points[:, j].max()) for j in (0, 1)])
    if layout.square:
        half = max(float(np.ptp(ends[0])) / SHAPE, float(np.ptp(ends[1]))) / 2
        ends = ends.mean(axis=1)[:, None] + np.outer([SHAPE, 1.0], [-half, half])
    else:
        ends = np.array([limits(points[:, j], labels[placed]) or ends[j] for j in (0, 1)])
    low, high = ends[:, 0], ends[:, 1]
    outside = np.zeros(len(layout.points), dtype=np.bool_)
    outside[placed] = ((points < low) | (points > high)).any(axis=1) & (not layout.square)
    extent = high / 2 - low / 2
    share = np.where(extent > 0, (points / 2 - low / 2) / np.where(extent > 0, extent, 1.0), 0.5)
    grid = np.zeros(layout.points.shape, dtype=np.int64)
    grid[placed] = np.rint(GRID * np.clip(share, 0, 1))
    return grid, outside


def _centres(grid: NDArray[np.int64], labels: NDArray[np.int64], n_clusters: int) -> list[list[int] | None]:
    """The medians of each cluster's places."""
    order = np.argsort(labels, kind="stable")
    parts = np.split(grid[order], np.cumsum(np.bincount(labels, minlength=n_clusters))[:-1])
    return [[int(v) for v in np.median(part, axis=0)] if len(part) else None for part in parts]


def _places(near: Index, shown: Index, n_items: int) -> tuple[list[list[int]], Index]:
    """The nearest items as places in `shown`, or as -1 - j for the j-th item beyond; and the items beyond."""
    place = np.full(n_items, -1, dtype=np.intp)
    place[shown] = np.arange(len(shown))
    found = np.unique(near[near >= 0])
    beyond = found[place[found] < 0]
    place[beyond] = -1 - np.arange(len(beyond))
    return [[int(place[j]) for j in row if j >= 0] for row in near], beyond
