"""Products with the posterior similarity matrix of hard draws, its rows and its norm, from the labels.

    P @ W = sum_b v_b Z_b (Z_b^T W)             2 M N K additions, fewer where draws are taken together
    P_ij = sum_b v_b [z_bi = z_bj]              M N comparisons a row
    ||P||^2 = sum_ij P_ij^2                     M N^2 / 2 comparisons, by rows, or
            = sum_ab v_a v_b ||Z_a^T Z_b||^2    M^2 N / 2 increments, by the contingency tables between draws

`partita.kernels.draws` has the loops. Whatever is summed is cut into parts that depend on the sizes alone, so that the
bits do not depend on the number of threads.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from partita.affinity.base import ROW_BLOCK
from partita.affinity.label_blocks import LabelBlocks, Labels
from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["comparisons_of_norm", "label_product", "label_rows", "label_squared_norm"]

# Columns of W that are taken at a time at most.
COLUMNS = 32
# Bytes of the table of a group of draws, and of all tables at a time: they are met at random, so they have to stay in
# the caches.
GROUP_BYTES, TABLE_BYTES = 1 << 15, 1 << 22
# A group has at most one cell for this many items: beyond, sums over cells cost what they save.
ITEMS_A_CELL = 16
# Quads of groups in a chunk of work; chunks of work there should be; and the fewest items in one.
QUADS, CHUNKS, ITEMS = 8, 8, 1 << 14
# Items in a chunk of the second half.
ITEM_CHUNK = 4096
# Comparisons of two labels that take the time of one increment of a contingency table, or of one weighted comparison.
INCREMENT, WEIGHTED = 35, 8


def label_product(labels: LabelBlocks, shares: Array, W: Array) -> Array:
    """Return sum_b v_b Z_b (Z_b^T W), N x K."""
    from partita.kernels.draws import grouped
    from partita.kernels.lanes import LANES

    N, K = W.shape
    if K > COLUMNS:
        parts = np.array_split(np.arange(K), -(-K // COLUMNS))
        return np.hstack([label_product(labels, shares, W[:, part[0] : part[-1] + 1]) for part in parts])
    width = -(-K // LANES) * LANES
    padded, out = _aligned(N * width), _aligned(N * width)
    padded.reshape(N, width)[:, :K] = W
    most = min(GROUP_BYTES // (8 * width), N // ITEMS_A_CELL)
    room: list[Array] = []
    for first, block in labels:
        own = slice(first, first + len(block))
        bounds, base = grouped(labels.n_clusters[own], most)
        for low, high in _runs(base[::4], TABLE_BYTES // (8 * width)):
            groups = slice(4 * low, 4 * high + 1)
            _add_run(block, labels.n_clusters[own], shares[own], bounds[groups], base[groups], padded, out, width, room)
    out = out.reshape(N, width)
    return out if width == K else np.ascontiguousarray(out[:, :K])


def _add_run(
    block: Labels,
    n_clusters: NDArray[np.int64],
    shares: Array,
    bounds: NDArray[np.int64],
    base: NDArray[np.int64],
    W: Array,
    out: Array,
    width: int,
    room: list[Array],
) -> None:
    """Add what the draws of these groups say; `room` holds tables from one run to the next."""
    from partita.kernels.draws import add_shares, share_out, sum_items

    N, n_quads = block.shape[1], (len(bounds) - 1) // 4
    quads = row_bounds(n_quads, QUADS)
    # Few draws of many items: parts of the items have tables of their own, added in order.
    n_parts = max(1, min(CHUNKS // len(quads), N // ITEMS))
    items = row_bounds(N, -(-N // n_parts))
    tables = _tables(room, len(items), int(base[-1] - base[0]) * width)

    def place(low: int, high: int) -> slice:
        return slice(int(base[4 * low] - base[0]) * width, int(base[4 * high] - base[0]) * width)

    def summed(low: int, high: int) -> None:
        for chunk in range(low, high):
            part, own = divmod(chunk, len(quads))
            table = tables[part][place(*quads[own])]
            table[:] = 0.0
            sum_items(block, n_clusters, bounds, base, W, width, table, *items[part], *quads[own])
            if len(items) == 1:
                share_out(n_clusters, shares, bounds, base, table, width, *quads[own])

    def shared(low: int, high: int) -> None:
        own = place(low, high)
        for other in tables[1:]:
            tables[0][own] += other[own]
        share_out(n_clusters, shares, bounds, base, tables[0][own], width, low, high)

    def added(low: int, high: int) -> None:
        add_shares(block, n_clusters, bounds, base, tables[0], out, width, low, high, 0, n_quads)

    run_chunks(summed, row_bounds(len(items) * len(quads), 1))
    if len(items) > 1:
        run_chunks(shared, quads)
    run_chunks(added, row_bounds(N, ITEM_CHUNK))


def _runs(base: NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """Consecutive quads whose tables together have at most `most` cells (or one quad)."""
    cuts = [0]
    for quad in range(1, len(base) - 1):
        if base[quad + 1] - base[cuts[-1]] > most:
            cuts.append(quad)
    return list(pairwise([*cuts, len(base) - 1]))


def _tables(room: list[Array], n: int, size: int) -> list[Array]:
    """`n` arrays of `size` numbers, whatever numbers; those of before where they are large enough."""
    if len(room) < n or len(room[0]) < size:
        room[:] = [_aligned(size) for _ in range(max(n, len(room)))]
    return [held[:size] for held in room[:n]]


def _aligned(n: int) -> Array:
    """Zeros that begin on a cache line: no vector then lies across two."""
    raw = np.zeros(n + 8)
    skip = (-raw.ctypes.data % 64) // 8
    return raw[skip : skip + n]


def label_rows(labels: LabelBlocks, shares: Array, index: NDArray[np.intp], low: int = 0) -> Array:
    """Return P[index, low:] as a dense array; the shares need not sum to one, for there may be other draws."""
    from partita.kernels.agreement import add_counts, add_shares_together

    N = labels.n_items
    equal = bool((shares == shares[0]).all())
    out = np.zeros((len(index), N - low), dtype=np.int64 if equal else np.float64)
    for first, block in labels:

        def work(start: int, stop: int, block: Labels = block, first: int = first) -> None:
            part = out[:, start:stop]
            if equal:
                add_counts(block, index, low + start, low + stop, part)
            else:
                add_shares_together(block, shares[first : first + len(block)], index, low + start, low + stop, part)

        run_chunks(work, row_bounds(N - low, 2048))
    return np.asarray(out / _one_over(float(shares[0])) if equal else out, dtype=np.float64)


def _one_over(share: float) -> float:
    """1 / share, and M itself where the share is 1 / M: then counts of draws become shares without rounding twice."""
    inverse = 1.0 / share
    whole = float(round(inverse))
    return whole if abs(inverse - whole) <= 4.0 * np.finfo(np.float64).eps * whole else inverse


def comparisons_of_norm(labels: LabelBlocks, shares: Array) -> tuple[float, float]:
    """Return costs of ||P||^2 by rows and by contingency tables, in comparisons of two labels."""
    M, N = float(labels.n_draws), float(labels.n_items)
    by_rows = M * N**2 / 2 * (1 if (shares == shares[0]).all() else WEIGHTED)
    cells = float(labels.n_clusters.sum()) ** 2 / 2
    return by_rows, INCREMENT * (M**2 * N / 2 + cells)


def label_squared_norm(labels: LabelBlocks, shares: Array, weights: Array | None) -> float:
    """Return sum_ij w_i w_j P_ij^2, exactly, by rows or by contingency tables, whichever is cheaper."""
    w = np.ones(labels.n_items) if weights is None else np.asarray(weights, dtype=np.float64)
    by_rows, by_tables = comparisons_of_norm(labels, shares)
    return _by_tables(labels, shares, w) if by_tables < by_rows else _by_rows(labels, shares, w)


def _by_rows(labels: LabelBlocks, shares: Array, w: Array) -> float:
    total = 0.0
    for low, high in row_bounds(labels.n_items, ROW_BLOCK):
        rows = label_rows(labels, shares, np.arange(low, high), low)
        rows *= rows
        sums = rows @ w[low:] + rows[:, high - low :] @ w[high:]  # entries right of the block stand for two
        total += float(w[low:high] @ sums)
    return total


def _by_tables(labels: LabelBlocks, shares: Array, w: Array) -> float:
    from partita.kernels.agreement import squared_tables

    total = 0.0
    for first, block in labels:
        own = slice(first, first + len(block))
        for other, before in labels:
            if other > first:
                break
            those = slice(other, other + len(before))
            itself = other == first
            sums = np.zeros(len(block))

            def work(low: int, high: int, before: Labels = before, those: slice = those, itself: bool = itself) -> None:
                given = (before, labels.n_clusters[those], shares[those])
                mine = (block, labels.n_clusters[own], shares[own])  # noqa: B023 - runs at once
                sums[low] = squared_tables(*given, *mine, w, low, high, itself)  # noqa: B023 - runs at once

            run_chunks(work, row_bounds(len(block), 1))
            total += float(sums.sum()) * (1.0 if itself else 2.0)
    return total
