"""sum_b v_b Z_b (Z_b^T W) from the labels of draws, compiled. Importing this module loads numba.

Z_b^T W is a table: the sum of the rows of W over the items of each cluster of draw b. Every label is met twice: its
item's row of W is added to the table (`sum_items`), and the table's row to the item's row of the result (`add_shares`).

Draws are taken in groups. A group is one draw whose clusters, its cells, are the combinations of labels of its draws:
its table is made in one pass over the items, the tables of the draws are sums over its cells, and what the draws of the
group add to an item is a sum that depends on the cell alone (`share_out`). So two or three draws cost one, as long as
the cells are few beside the items. Four groups at a time keep the processor busy where neighbours have equal labels.

`bounds` are the first draws of the groups, `base` the first cell of each in the tables, both with a last entry more;
the number of groups is a multiple of four, filled up by groups without draws, of one cell each. Tables, W and the
result are flat, rows of `width` doubles, a multiple of four.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.kernels.lanes import LANES, add_four, add_fours

__all__ = ["add_shares", "grouped", "share_out", "sum_items"]

# Items whose cells are found at a time, and quads of groups whose tables are used together: they stay in the cache.
TILE = 1024
QUADS = 4


@njit(cache=True, nogil=True)
def grouped(n_clusters: Any, most: int) -> Any:
    """Return consecutive draws in groups of at most `most` cells (or one draw): `bounds` and `base`."""
    M = len(n_clusters)
    bounds = np.zeros(M + 5, dtype=np.int64)
    base = np.zeros(M + 5, dtype=np.int64)
    n, cells = 0, 1
    for b in range(M):
        if b > bounds[n] and cells * n_clusters[b] > most:
            base[n + 1] = base[n] + cells
            n += 1
            bounds[n] = b
            cells = 1
        cells *= n_clusters[b]
    base[n + 1] = base[n] + cells
    n += 1
    bounds[n] = M
    while n % 4:
        base[n + 1] = base[n] + 1
        n += 1
        bounds[n] = M
    return bounds[: n + 1], base[: n + 1]


@njit(cache=True, nogil=True)
def _cells(labels: Any, first: int, last: int, n_clusters: Any, low: int, high: int, out: Any) -> None:
    """The cell of items low..high in the group of the draws first..last."""
    n = high - low
    if first == last:
        for i in range(n):
            out[i] = 0
        return
    row = labels[first, low:high]
    for i in range(n):
        out[i] = row[i]
    for b in range(first + 1, last):
        size = np.int32(n_clusters[b])
        row = labels[b, low:high]
        for i in range(n):
            out[i] = np.int32(out[i] * size) + np.int32(row[i])


@njit(cache=True, nogil=True)
def _quad_cells(
    labels: Any, n_clusters: Any, bounds: Any, base: Any, quad: int, start_of: int, low: int, high: int, out: Any
) -> Any:
    """The cells of items low..high in the four groups of a quad, and where the table of each group begins."""
    g = 4 * quad
    for r in range(4):
        _cells(labels, bounds[g + r], bounds[g + r + 1], n_clusters, low, high, out[r])
    return base[g] - start_of, base[g + 1] - start_of, base[g + 2] - start_of, base[g + 3] - start_of


@njit(cache=True, nogil=True)
def _rows_of_cells(begins: Any, cells: Any, i: int, width: int) -> Any:
    """Positions in the tables at which the rows of the four cells of an item begin."""
    b0, b1, b2, b3 = begins
    return (
        (b0 + cells[0, i]) * width,
        (b1 + cells[1, i]) * width,
        (b2 + cells[2, i]) * width,
        (b3 + cells[3, i]) * width,
    )


@njit(cache=True, nogil=True)
def sum_items(
    labels: Any, n_clusters: Any, bounds: Any, base: Any, W: Any, width: int, tables: Any,
    low: int, high: int, first: int, last: int,
) -> None:  # fmt: skip
    """Add the rows low..high of W to the tables of the quads of groups first..last."""
    cells = np.empty((4, TILE), dtype=np.int32)
    start_of = base[4 * first]
    for start in range(low, high, TILE):
        stop = min(start + TILE, high)
        for quad in range(first, last):
            begins = _quad_cells(labels, n_clusters, bounds, base, quad, start_of, start, stop, cells)
            for i in range(stop - start):
                w = (start + i) * width
                c0, c1, c2, c3 = _rows_of_cells(begins, cells, i, width)
                for k in range(0, width, LANES):
                    add_four(tables, c0 + k, W, w + k)
                    add_four(tables, c1 + k, W, w + k)
                    add_four(tables, c2 + k, W, w + k)
                    add_four(tables, c3 + k, W, w + k)


@njit(cache=True, nogil=True)
def share_out(
    n_clusters: Any, shares: Any, bounds: Any, base: Any, tables: Any, width: int, first: int, last: int
) -> None:
    """Replace, in the tables of the quads first..last, the sums over cells by each group's contributions to an item."""
    start_of = base[4 * first]
    for g in range(4 * first, 4 * last):
        low, n = bounds[g], bounds[g + 1] - bounds[g]
        begin, end = base[g] - start_of, base[g + 1] - start_of
        rows = 0
        for b in range(low, low + n):
            rows += n_clusters[b]
        sums = np.zeros(rows * width)
        label = np.zeros(n, dtype=np.int64)
        for summing in (True, False):
            label[:] = 0
            for cell in range(begin, end):
                if not summing:
                    tables[cell * width : (cell + 1) * width] = 0.0
                at = 0
                for b in range(n):
                    row = (at + label[b]) * width
                    for k in range(0, width, LANES):
                        if summing:
                            add_four(sums, row + k, tables, cell * width + k)
                        else:
                            add_four(tables, cell * width + k, sums, row + k)
                    at += n_clusters[low + b]
                b = n - 1  # the labels of the next cell: the last draw's changes fastest
                while b >= 0:
                    label[b] += 1
                    if label[b] < n_clusters[low + b]:
                        break
                    label[b] = 0
                    b -= 1
            if summing:
                at = 0
                for b in range(low, low + n):
                    sums[at * width : (at + n_clusters[b]) * width] *= shares[b]
                    at += n_clusters[b]


@njit(cache=True, nogil=True)
def add_shares(
    labels: Any, n_clusters: Any, bounds: Any, base: Any, tables: Any, out: Any, width: int,
    low: int, high: int, first: int, last: int,
) -> None:  # fmt: skip
    """Add to the rows low..high of the result what the quads of groups first..last say."""
    cells = np.empty((4, TILE), dtype=np.int32)
    start_of = base[4 * first]
    for some in range(first, last, QUADS):
        for start in range(low, high, TILE):
            stop = min(start + TILE, high)
            for quad in range(some, min(some + QUADS, last)):
                begins = _quad_cells(labels, n_clusters, bounds, base, quad, start_of, start, stop, cells)
                for i in range(stop - start):
                    w = (start + i) * width
                    c0, c1, c2, c3 = _rows_of_cells(begins, cells, i, width)
                    for k in range(0, width, LANES):
                        add_fours(out, w + k, tables, (c0 + k, c1 + k, c2 + k, c3 + k))
