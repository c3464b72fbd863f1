"""The nearest items of some items: those of largest affinity, or, where its rows cost too much, the nearest on the map.

Of a diffused affinity the graph that was diffused is looked at: its largest entries are the neighbours that were found.
Copies of an item (and items linked to it) share a row of the affinity; they come first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from partita.affinity import Affinity, DenseAffinity, DiffusedAffinity
from partita.arrays import Array, Index

__all__ = ["NEAREST", "Nearest", "cost_of_row", "nearest_items"]


# Nearest items of each.
NEAREST = 5
# Multiplications that rows of an affinity may take: some seconds of one core.
AFFORDABLE = 1e10
# Rows made dense at a time.
ROW_BLOCK = 256


@dataclass(frozen=True)
class Nearest:
    """Nearest items of each item asked for, the nearest first, -1 where there are fewer; and what near means."""

    items: Index
    says: str


def nearest_items(
    index: Index, points: Array, affinity: Affinity, item_index: Index | None = None, number: int = NEAREST
) -> Nearest:
    """Return the nearest items of the items `index`.

    Parameters
    ----------
    index : array of int
    points : N x 2 array
        Where the items are on the map; may have NaN.
    affinity : Affinity
        Affinity of n rows.
    item_index : array of N, optional
        The row of each item, -1 for none; by default item i has row i.
    number : int

    Cost: O(nonzeros) where the affinity is sparse, else len(index) of its rows, or a k-d tree of the points.

    Examples
    --------
    >>> P = DenseAffinity(np.array([[1.0, 0.2, 0.9], [0.2, 1.0, 0.0], [0.9, 0.0, 1.0]]))
    >>> nearest_items(np.array([0, 1]), np.zeros((3, 2)), P, number=2).items.tolist()
    [[2, 1], [0, -1]]
    """
    if item_index is None:
        item_index = np.arange(affinity.n_items)
    shown = affinity
    while isinstance(shown, DiffusedAffinity):
        shown = shown.base
    rows = np.unique(item_index[index])
    rows = rows[rows >= 0]
    says = "in the neighbour graph before its diffusion" if shown is not affinity else "in the affinity that was fitted"
    matrix = None if shown.foreign else shown.as_sparse()
    if matrix is not None:
        near = _of_sparse(matrix, rows, number)
    elif not shown.foreign and len(rows) * cost_of_row(shown) <= AFFORDABLE:
        near = _of_rows(shown, rows, number)
    else:
        return Nearest(_on_the_map(index, points, number), "on the map, as rows of the affinity would take long")
    return Nearest(_expanded(index, item_index, rows, near, number), f"those of largest affinity, {says}")


def cost_of_row(affinity: Affinity) -> float:
    """Return the multiplications that a row of an affinity takes."""
    return affinity.n_items if isinstance(affinity, DenseAffinity) else affinity.multiplications


def _of_sparse(matrix: object, rows: Index, number: int) -> Index:
    """Columns of the largest positive entries of each row off the diagonal; ties by column."""
    part = matrix[rows].tocoo()  # type: ignore[index]
    row, column, value = part.row, part.col, part.data
    keep = (value > 0) & (rows[row] != column)
    row, column, value = row[keep], column[keep], value[keep]
    order = np.lexsort((column, -value, row))
    row, column = row[order], column[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    out = np.full((len(rows), number), -1, dtype=np.intp)
    first = rank < number
    out[row[first], rank[first]] = column[first]
    return out


def _of_rows(affinity: Affinity, rows: Index, number: int) -> Index:
    """Columns as in `_of_sparse`, from dense rows, a block at a time."""
    out = np.full((len(rows), number), -1, dtype=np.intp)
    for low in range(0, len(rows), ROW_BLOCK):
        block = np.array(affinity.rows(rows[low : low + ROW_BLOCK]))
        each = np.arange(len(block))
        block[each, rows[low : low + len(block)]] = 0.0
        block[~(block > 0)] = 0.0
        for j in range(min(number, block.shape[1])):
            best = block.argmax(axis=1)
            found = block[each, best] > 0
            out[low + each[found], j] = best[found]
            block[each, best] = 0.0
    return out


def _expanded(index: Index, item_index: Index, rows: Index, near: Index, number: int) -> Index:
    """Expand rows of the affinity to items: the items that share the row, then those of the nearest rows."""
    order = np.argsort(item_index, kind="stable")
    sorted_rows = item_index[order]
    place = np.full(int(item_index.max(initial=-1)) + 2, -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    out = np.full((len(index), number), -1, dtype=np.intp)
    for i, item in enumerate(index):
        own = item_index[item]
        if own < 0:
            continue
        found: list[int] = []
        for row in (own, *near[place[own]]):
            if row < 0 or len(found) >= number:
                break
            low, high = np.searchsorted(sorted_rows, (row, row + 1))
            found += [int(j) for j in order[low : min(high, low + number + 1)] if j != item]
        out[i, : len(found[:number])] = found[:number]
    return out


def _on_the_map(index: Index, points: Array, number: int) -> Index:
    """The nearest by Euclidean distance of the points."""
    drawn = np.flatnonzero(np.isfinite(points).all(axis=1))
    out = np.full((len(index), number), -1, dtype=np.intp)
    there = np.flatnonzero(np.isfinite(points[index]).all(axis=1))
    wanted = min(number + 1, len(drawn))
    if wanted < 2:
        return out
    _, found = cKDTree(points[drawn]).query(points[index[there]], k=wanted)
    near = drawn[np.asarray(found)]
    other = near != index[there, None]
    other[other.all(axis=1), -1] = False  # more copies than were asked for: the item itself is not among them
    out[there, : wanted - 1] = near[other].reshape(len(there), wanted - 1)
    return out
