"""The state of a partition search on draws: tables of counts, kept up to date move by move. Loads numba.

A cell is a cluster of a draw. Cell r has a row of `width` numbers, one for each cluster of the estimate side by side:
`tables` holds n_kj, how many of its items are in cluster k, and `steps` what one more would add to f,
d(n) = f(n + 1) - f(n). Column 0 stands for all items that are placed, so that a partition of some of the items is
compared with the draws of those items. What joining each cluster would change is then a sum of M rows of `steps`.

`MeanTables` serve formulas evaluated at the means of v and w: `steps` carry the weights of the draws, and the rows are
added up, one sum for each cluster. `DrawTables` serve formulas evaluated draw by draw, once for each draw and cluster.

An evaluation costs M K, a move 2 M. Memory is 12 bytes for each cell and column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, Ints
from partita.kernels.lanes import LANES, add_fours
from partita.kernels.partition_cache import kernel
from partita.kernels.partition_formula import add_rows, evaluated
from partita.kernels.partition_state import State, StateType, define_state, growth

__all__ = ["DrawTables", "MeanTables", "empty_tables"]

# Columns that a row is made longer by, at least: whole vectors, no more than needed, since rows are read at random.
COLUMNS = 4


class MeanTables(State):
    """See above; `sums` are u, v, w and `counts` K and the number of items placed."""

    formula: Any
    labels: Ints  # N: the cluster, -1 for none
    sizes: Ints  # width: items of cluster k at k + 1, all that are placed at 0
    counts: Ints
    sums: Array
    draws: Ints  # N x M: the cluster of each item in each draw
    first: Ints  # M: the first cell
    weights: Array  # M: sum 1
    f: Array
    tables: Ints  # flat: cells x width
    steps: Array  # flat: cells x width
    rows: Ints  # M: scratch
    row: Array  # 4 x width: scratch


class MeanTablesType(StateType):
    """Type of `MeanTables` in compiled code."""


class DrawTables(State):
    """State like `MeanTables`, with `sums` 3 x M: v and w of each draw, and scratch. `u` is u, the value and 1
    where it is known.
    """

    formula: Any
    labels: Ints
    sizes: Ints
    counts: Ints
    u: Array
    sums: Array
    draws: Ints
    first: Ints
    weights: Array
    f: Array
    tables: Ints
    steps: Array
    rows: Ints
    row: Array


class DrawTablesType(StateType):
    """Type of `DrawTables` in compiled code."""


def empty_tables(formula: Any, draws: Ints, first: Ints, n_cells: int, weights: Array, f: Array, per_draw: bool) -> Any:
    """Return the state in which no item is placed; `draws` is N x M."""
    N, M = draws.shape
    width = COLUMNS
    labels = np.full(N, -1, dtype=np.int64)
    sizes, counts = np.zeros(width, dtype=np.int64), np.zeros(2, dtype=np.int64)
    tables, steps = np.zeros(n_cells * width, dtype=np.int32), np.empty(n_cells * width)
    rows, row = np.empty(M, dtype=np.int64), np.empty((4, width))
    owner = np.repeat(np.arange(M), np.diff(np.append(first, n_cells)))
    step = np.full(n_cells, f[1] - f[0]) * (1.0 if per_draw else weights[owner])
    steps.reshape(n_cells, width)[:] = step[:, None]
    shared = (draws, first, weights, f, tables, steps, rows, row)
    if per_draw:
        return DrawTables(formula, labels, sizes, counts, np.zeros(3), np.zeros((3, M)), *shared)
    return MeanTables(formula, labels, sizes, counts, np.zeros(3), *shared)


@kernel
def _find_rows(state: MeanTables | DrawTables, i: int, width: int) -> None:
    own, first, rows = state.draws[i], state.first, state.rows
    for m in range(len(rows)):
        rows[m] = (first[m] + own[m]) * width


@kernel
def _add_rows(steps: Array, rows: Ints, out: Array) -> None:
    """Let out be the sum of the rows of `steps`."""
    width, M = len(out), len(rows)
    out[:] = 0.0
    whole = M - M % 8
    for m in range(0, whole, 8):
        a, b, c, d = rows[m], rows[m + 1], rows[m + 2], rows[m + 3]
        e, g, h, j = rows[m + 4], rows[m + 5], rows[m + 6], rows[m + 7]
        for at in range(0, width, LANES):
            add_fours(out, at, steps, (a + at, b + at, c + at, d + at, e + at, g + at, h + at, j + at))
    for m in range(whole, M):
        for at in range(0, width, LANES):
            add_fours(out, at, steps, (rows[m] + at,))


@kernel
def _own_steps(state: MeanTables | DrawTables, column: int) -> Any:
    """Contribution of the item of `state.rows` to w where it is: sum of the weights times d(n - 1)."""
    f, rows, tables, weights, total = state.f, state.rows, state.tables, state.weights, 0.0
    for m in range(len(rows)):
        n = tables[rows[m] + column]
        total += weights[m] * (f[n] - f[n - 1])
    return total


@kernel
def _mean_costs(state: MeanTables, i: int, out: Array) -> None:
    width, K, own = len(state.sizes), state.counts[0], state.labels[i]
    f, sizes, formula, joined = state.f, state.sizes, state.formula, state.row[0]
    _find_rows(state, i, width)
    _add_rows(state.steps, state.rows, joined)
    u, v, w, placed = state.sums[0], state.sums[1], state.sums[2], state.counts[1]
    without = K
    if own >= 0:
        n = sizes[own + 1]
        u -= f[n] - f[n - 1]
        w -= _own_steps(state, own + 1)
        if n == 1:
            without -= 1
    else:
        v += joined[0]
        placed += 1
    t, n_placed = f[placed], float(placed)
    for k in range(K):
        if k != own:
            n = sizes[k + 1]
            step = f[n + 1] - f[n]
            out[k] = evaluated(formula, u + step, v, w + joined[k + 1], t, n_placed, float(without))
    # Alone: every cell of the new cluster goes from 0 to 1.
    one = f[1] - f[0]
    out[K] = evaluated(formula, u + one, v, w + one, t, n_placed, float(without + 1))
    if own >= 0:
        out[own] = evaluated(formula, state.sums[0], v, state.sums[2], t, n_placed, float(K))


@kernel
def _draw_costs(state: DrawTables, i: int, out: Array) -> None:
    width, K, own = len(state.sizes), state.counts[0], state.labels[i]
    f, sizes, rows, tables, steps = state.f, state.sizes, state.rows, state.tables, state.steps
    u_of, K_of, total, changed = state.row[1], state.row[2], state.row[3], state.sums[2]
    _find_rows(state, i, width)
    u, v, w, placed, without = state.u[0], state.sums[0], state.sums[1], state.counts[1], K
    if own >= 0:
        n = sizes[own + 1]
        u -= f[n] - f[n - 1]
        if n == 1:
            without -= 1
        for m in range(len(rows)):
            n = tables[rows[m] + own + 1]
            changed[m] = w[m] - (f[n] - f[n - 1])
        w = changed
    else:
        placed += 1
        for m in range(len(rows)):
            changed[m] = v[m] + steps[rows[m]]
        v = changed
    # Every column of a row is evaluated, in use or not: rows are whole vectors. The first empty one is a new cluster.
    for c in range(width):
        u_of[c] = u + f[sizes[c] + 1] - f[sizes[c]]
        K_of[c] = without if c <= K else without + 1
        total[c] = 0.0
    add_rows(state.formula, state.weights, u_of, v, w, steps, rows, f[placed], float(placed), K_of, total)
    for k in range(K + 1):
        out[k] = total[k + 1]
    if own >= 0:
        out[own] = _draw_value(state)


@kernel
def _shift(state: MeanTables | DrawTables, column: int, sign: int, scaled: bool, into: Any) -> Any:
    """One item more or less in a column of the rows; what f of each row's entry changes by is added to `into`."""
    f, rows, tables, steps, weights = state.f, state.rows, state.tables, state.steps, state.weights
    total = 0.0
    for m in range(len(rows)):
        at = rows[m] + column
        n = tables[at]
        change = f[n + sign] - f[n]
        n += sign
        tables[at] = n
        step = f[n + 1] - f[n]
        if scaled:
            total += weights[m] * change
            steps[at] = weights[m] * step
        else:
            into[m] += change
            steps[at] = step
    return total


@kernel
def _vacate(state: MeanTables | DrawTables, k: int) -> None:
    """The last cluster takes the place of an empty one."""
    labels, sizes, tables, steps = state.labels, state.sizes, state.tables, state.steps
    width, last = len(sizes), state.counts[0] - 1
    if k != last:
        for i in range(len(labels)):
            if labels[i] == last:
                labels[i] = k
        sizes[k + 1] = sizes[last + 1]
        sizes[last + 1] = 0
        for r in range(0, len(tables), width):
            empty = steps[r + k + 1]
            tables[r + k + 1], steps[r + k + 1] = tables[r + last + 1], steps[r + last + 1]
            tables[r + last + 1], steps[r + last + 1] = 0, empty
    state.counts[0] = last


@kernel
def _leave_sizes(state: MeanTables | DrawTables, k: int) -> Any:
    n = state.sizes[k]
    state.sizes[k] = n - 1
    return state.f[n - 1] - state.f[n]


@kernel
def _join_sizes(state: MeanTables | DrawTables, k: int) -> Any:
    n = state.sizes[k]
    state.sizes[k] = n + 1
    return state.f[n + 1] - state.f[n]


@kernel
def _mean_place(state: MeanTables, i: int, k: int) -> None:
    own, nowhere = state.labels[i], np.empty(0)
    _find_rows(state, i, len(state.sizes))
    if own >= 0:
        state.sums[0] += _leave_sizes(state, own + 1)
        state.sums[2] += _shift(state, own + 1, -1, True, nowhere)
    if k >= 0:
        if k == state.counts[0]:
            state.counts[0] += 1
        state.sums[0] += _join_sizes(state, k + 1)
        state.sums[2] += _shift(state, k + 1, 1, True, nowhere)
    if (own < 0) != (k < 0):
        sign = 1 if own < 0 else -1
        state.counts[1] += sign
        state.sums[1] += _shift(state, 0, sign, True, nowhere)
    state.labels[i] = k
    if own >= 0 and state.sizes[own + 1] == 0:
        _vacate(state, own)


@kernel
def _draw_place(state: DrawTables, i: int, k: int) -> None:
    own = state.labels[i]
    state.u[2] = 0.0
    _find_rows(state, i, len(state.sizes))
    if own >= 0:
        state.u[0] += _leave_sizes(state, own + 1)
        _shift(state, own + 1, -1, False, state.sums[1])
    if k >= 0:
        if k == state.counts[0]:
            state.counts[0] += 1
        state.u[0] += _join_sizes(state, k + 1)
        _shift(state, k + 1, 1, False, state.sums[1])
    if (own < 0) != (k < 0):
        sign = 1 if own < 0 else -1
        state.counts[1] += sign
        _shift(state, 0, sign, False, state.sums[0])
    state.labels[i] = k
    if own >= 0 and state.sizes[own + 1] == 0:
        _vacate(state, own)


@kernel
def _add_merge_gains(state: MeanTables | DrawTables, a: int, m: int, weight: float, gain: Array) -> None:
    """Add to `gain` the change of w of draw m, times a weight, when cluster a is merged with each other."""
    width, K, f, first, tables = len(state.sizes), state.counts[0], state.f, state.first, state.tables
    low = first[m] * width
    high = len(tables) if m + 1 == len(first) else first[m + 1] * width
    for r in range(low, high, width):
        own = tables[r + a + 1]
        if own > 0:
            table, lost = tables[r + 1 : r + 1 + K], f[own]
            for b in range(K):
                n = table[b]
                gain[b] += weight * (f[own + n] - f[n] - lost)


@kernel
def _mean_merge_costs(state: MeanTables, a: int, out: Array) -> None:
    K, f, sizes, sums, weights, gain = state.counts[0], state.f, state.sizes, state.sums, state.weights, state.row[0]
    gain[:] = 0.0
    for m in range(len(weights)):
        _add_merge_gains(state, a, m, weights[m], gain)
    n_a, placed = sizes[a + 1], state.counts[1]
    for b in range(K):
        n_b = sizes[b + 1]
        u = sums[0] + f[n_a + n_b] - f[n_a] - f[n_b]
        w = sums[2] + gain[b]
        out[b] = evaluated(state.formula, u, sums[1], w, f[placed], float(placed), float(K - 1))
    out[a] = state.value()


@kernel
def _draw_merge_costs(state: DrawTables, a: int, out: Array) -> None:
    K, f, sizes, row = state.counts[0], state.f, state.sizes, state.row
    gain, u, left = row[0, :K], row[1, :K], row[2, :K]
    n_a, placed, here = sizes[a + 1], state.counts[1], np.zeros(1, dtype=np.int64)
    for b in range(K):
        n_b = sizes[b + 1]
        u[b], left[b], out[b] = state.u[0] + f[n_a + n_b] - f[n_a] - f[n_b], K - 1, 0.0
    for m in range(len(state.first)):
        gain[:] = 0.0
        _add_merge_gains(state, a, m, 1.0, gain)
        by, v, w = state.weights[m : m + 1], state.sums[0, m : m + 1], state.sums[1, m : m + 1]
        add_rows(state.formula, by, u, v, w, gain, here, f[placed], float(placed), left, out[:K])
    out[a] = state.value()


@kernel
def _mean_value(state: MeanTables) -> Any:
    K, placed = state.counts[0], state.counts[1]
    return evaluated(
        state.formula, state.sums[0], state.sums[1], state.sums[2], state.f[placed], float(placed), float(K)
    )


@kernel
def _draw_value(state: DrawTables) -> Any:
    if state.u[2] > 0.0:
        return state.u[1]
    K, placed, weights, sums, u = state.counts[0], state.counts[1], state.weights, state.sums, state.u[0]
    t, total = state.f[placed], 0.0
    for m in range(len(weights)):
        total += weights[m] * evaluated(state.formula, u, sums[0, m], sums[1, m], t, float(placed), float(K))
    state.u[1], state.u[2] = total, 1.0
    return total


@kernel
def _widen(state: MeanTables | DrawTables, scaled: bool) -> None:
    """Make the rows longer where no column but the last is empty: one stays so, for `_draw_costs`."""
    old, sizes, tables, steps = len(state.sizes), state.sizes, state.tables, state.steps
    if state.counts[0] + 2 < old:
        return
    first, weights, one = state.first, state.weights, state.f[1] - state.f[0]
    width, M, n_cells = growth(old, COLUMNS), len(first), len(tables) // old
    wider = np.zeros(width, dtype=np.int64)
    wider_tables, wider_steps = np.zeros(n_cells * width, dtype=np.int32), np.empty(n_cells * width)
    for k in range(old):  # element by element: assigning slices takes seconds to compile
        wider[k] = sizes[k]
    for m in range(M):
        empty = one * weights[m] if scaled else one
        for r in range(first[m], n_cells if m + 1 == M else first[m + 1]):
            for k in range(old):
                wider_tables[r * width + k] = tables[r * old + k]
                wider_steps[r * width + k] = steps[r * old + k]
            for k in range(old, width):
                wider_steps[r * width + k] = empty
    state.sizes, state.tables, state.steps, state.row = wider, wider_tables, wider_steps, np.empty((4, width))


@kernel
def _mean_make_room(state: MeanTables) -> None:
    _widen(state, True)


@kernel
def _draw_make_room(state: DrawTables) -> None:
    _widen(state, False)


define_state(
    MeanTables, MeanTablesType,
    value=_mean_value, costs=_mean_costs, place=_mean_place, merge_costs=_mean_merge_costs, make_room=_mean_make_room,
)  # fmt: skip
define_state(
    DrawTables, DrawTablesType,
    value=_draw_value, costs=_draw_costs, place=_draw_place, merge_costs=_draw_merge_costs, make_room=_draw_make_room,
)  # fmt: skip
