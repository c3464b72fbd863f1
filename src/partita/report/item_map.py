"""Data of the interactive map: which items it shows, where they lie, and what is said of each, as JSON.

Up to 10,000 items all are on the map. Beyond, all boundary items up to half of that are, and a random share of each
cluster for the rest; the counts of sure items are of all. Ids are shortened where together they would be long.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity
from partita.membership import Membership
from partita.plots.order import stratified_sample
from partita.plots.projection import Projection, limits
from partita.report.html import Markup, printable
from partita.report.nearest import nearest_items
from partita.report.standing import Standing, by_margin
from partita.report.verdict import SURE_MARGIN

__all__ = ["GRID", "ItemMap", "as_json", "item_map", "shortened", "side_by_side", "sure_counts", "thinned"]

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Items on the map at most, and of these boundary items at most where not all items are.
MOST, MOST_BOUNDARY = 10_000, 5_000
# Places an axis is divided into, memberships listed of an item, and steps of the threshold from 0 to 1.
GRID = 10_000
LARGEST = 4
STEPS = 100
# Places of the map: the size of a cell in which places count as the same, the distance at which its items are then
# drawn, and the radius of the largest heap.
CELL, APART, WIDEST = 100, 180, 2500
# Bytes of all ids together, and lengths tried until they fit.
ID_BYTES = 600_000
LENGTHS = (200, 100, 50, 25, 12)


@dataclass(frozen=True)
class ItemMap:
    """Data of an interactive map.

    Attributes
    ----------
    content : dict
        Data for the page's script; see `item_map`.
    n_items, n_shown, n_boundary, n_outside, n_nowhere : int
        All items; those on the map and how many of them are boundary items; those drawn at its edge as they lie far
        off; those that have no place on it.
    spread, shortened : bool
        Whether items in the same place are drawn side by side, and whether ids were cut.
    xlabel, ylabel, nearest : str
        Words for the axes and the nearest items; no axes where `layout` says how places were chosen.
    standing : Standing
        Values by which items are divided.
    layout : str
    """

    content: dict[str, Any]
    n_items: int
    n_shown: int
    n_boundary: int
    n_outside: int
    n_nowhere: int
    spread: bool
    shortened: bool
    xlabel: str
    ylabel: str
    nearest: str
    standing: Standing
    layout: str = ""


def item_map(
    projection: Projection,
    membership: Membership,
    ids: Sequence[str],
    affinity: Affinity,
    item_index: Index | None = None,
    *,
    spread: bool = False,
    most: int = MOST,
    standing: Standing | None = None,
    layout: str = "",
) -> ItemMap | None:
    """Return the map of a membership, or None where no item has a place; what it divides the items by is the margin.

    Its content, with one entry an item shown unless said otherwise: `row`, `id` (null for row numbers), `x` and `y` on
    a grid of 0 to 10,000, `label`, `top` (cluster and thousandths in turn, the largest shares first), `margin` (the
    standing's value) and `entropy` (null for none) in thousandths, `level` (the largest hundredth that the value
    reaches), `near` (places in these lists; -1 - j for the j-th entry of `beyond`, items off the map). `sure[t]`: how
    many of all items have a value of at least t/100. `centre`: where each cluster's number stands, null for none.
    `says`: the standing's words.

    With `spread` items in the same place are drawn side by side: eigenvectors put all items of a sure cluster in one.

    Cost: O(N K), and `nearest_items`.
    """
    labels, n = membership.labels, membership.n_items
    by = by_margin(membership) if standing is None else standing
    placed = np.flatnonzero(np.isfinite(projection.points).all(axis=1))
    if not len(placed):
        return None
    shown = placed[thinned(labels[placed], by.values[placed], most, by.threshold)]
    grid, outside = _grid(projection.points, placed, labels)
    if spread:
        grid[shown] = side_by_side(grid[shown])
    nearest = nearest_items(shown, projection.points, affinity, item_index)
    near, beyond = _places(nearest.items, shown, n)
    names = [str(ids[i]) for i in (*shown, *beyond)] if len(ids) else None
    short, cut = (None, False) if names is None else shortened(names)
    value, top = by.values[shown], _largest(by.shares[shown])
    content = {
        "items": n,
        "clusters": membership.n_clusters,
        "threshold": by.threshold,
        "says": {"name": by.name, "counted": by.counted, "unsure": by.unsure, "bars": by.bars},
        "ownColour": by.own_colour,
        "sure": sure_counts(by.values).tolist(),
        "centre": _centres(grid[shown], labels[shown], membership.n_clusters),
        "row": shown.tolist(),
        "id": None if short is None else short[: len(shown)],
        "x": grid[shown, 0].tolist(),
        "y": grid[shown, 1].tolist(),
        "label": labels[shown].tolist(),
        "top": top,
        "margin": np.rint(1000 * value).astype(int).tolist(),
        "entropy": None if by.entropy is None else np.rint(1000 * by.entropy[shown]).astype(int).tolist(),
        "level": (np.searchsorted(_levels(), value, side="right") - 1).tolist(),
        "near": near,
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
        n_boundary=int((value < by.threshold).sum()),
        n_outside=int(outside[shown].sum()),
        n_nowhere=n - len(placed),
        spread=spread,
        shortened=cut,
        xlabel=projection.xlabel,
        ylabel=projection.ylabel,
        nearest=nearest.says,
        standing=by,
        layout=layout,
    )


def thinned(labels: NDArray[np.int64], margin: Array, most: int = MOST, threshold: float = SURE_MARGIN) -> Index:
    """Return items that a map shows: all, or boundary items first and then of every cluster in proportion; increasing.

    >>> thinned(np.repeat([0, 1], 50), np.r_[np.full(99, 0.9), 0.1], 10)[-1]
    np.int64(99)
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    unsure, sure = np.flatnonzero(margin < threshold), np.flatnonzero(margin >= threshold)
    kept = unsure[stratified_sample(labels[unsure], max(most * MOST_BOUNDARY // MOST, most - len(sure)))]
    return np.asarray(np.union1d(kept, sure[stratified_sample(labels[sure], most - len(kept))]))


def side_by_side(grid: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return items of the same cell of a hundredth of the map on a sunflower's spiral, and all within the map again.

    >>> len(np.unique(side_by_side(np.zeros((50, 2), dtype=np.int64)), axis=0))
    50
    """
    _, cell, counts = np.unique(grid // CELL, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(cell.ravel(), kind="stable")
    rank = np.empty(len(grid))
    rank[order] = np.arange(len(grid)) - np.repeat(np.cumsum(counts) - counts, counts)
    radius = min(APART, WIDEST / np.sqrt(counts.max())) * np.sqrt(rank)
    angle = rank * np.pi * (3 - np.sqrt(5))
    moved = grid + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    low = np.minimum(moved.min(axis=0), 0)
    share = (moved - low) / (np.maximum(moved.max(axis=0), GRID) - low)
    return np.asarray(np.rint(GRID * share), dtype=np.int64)


def sure_counts(margin: Array) -> NDArray[np.int64]:
    """Return numbers of items with a margin of at least 0, 0.01, ..., 1.

    >>> sure_counts(np.array([0.0, 0.2, 1.0]))[[0, 1, 20, 21, 100]].tolist()
    [3, 2, 2, 1, 1]
    """
    return np.asarray(len(margin) - np.searchsorted(np.sort(margin), _levels(), side="left"))


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


def _grid(points: Array, placed: Index, labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Points as whole numbers from 0 to `GRID`, and which lie off the axes and were put at their ends."""
    grid = np.zeros(points.shape, dtype=np.int64)
    outside = np.zeros(len(points), dtype=np.bool_)
    for j in (0, 1):
        value = points[placed, j]
        low, high = limits(value, labels[placed]) or (float(value.min()), float(value.max()))
        outside[placed] |= (value < low) | (value > high)
        half = high / 2 - low / 2
        share = np.clip((value / 2 - low / 2) / half, 0, 1) if half > 0 else np.full(len(value), 0.5)
        grid[placed, j] = np.rint(GRID * share)
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
