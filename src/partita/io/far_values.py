"""Cells that stand far off the rest of their column: numbers that stand for "missing", and slips.

Nothing is changed. A number such as -999 that comes again and again far from all others is a sign for "missing" in many
surveys and instruments, and one cell far from all others is often a slip; but either may be what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.ensemble.units import APART, far_cells
from partita.io.files import Place, row_place

__all__ = ["far_notes", "far_rows", "far_values"]

# Rows that say whether a column has to be looked through, and rows below which nothing is far.
SAMPLE, FEWEST = 1000, 10
# How far a number of nines is, in ranges of the other cells; others are as far as they are to an ensemble.
NINES_APART = 1.0
# A single number of nines means missing rather than a slip where it is below 0 or as large as this.
SURELY = 999
SAID = 5
# Answers that are none in surveys, the rows that have one of them and their share, and how far from the last answer it
# is, at least.
NO_ANSWERS, ROWS, OFTEN, BEYOND = (8, 9), 3, 0.01, 2


class Far(NamedTuple):
    """A value far from the rest of its column, the rows that have it, and what is said of it."""

    value: float
    rows: NDArray[np.intp]
    words: str


def far_notes(names: Sequence[str], columns: Sequence[NDArray[np.float64]], place: Place = row_place) -> list[str]:
    """Return notes about cells far from the rest of their column.

    Parameters
    ----------
    names : sequence of d str
    columns : sequence of d arrays of N
    place : callable
        The words for the place of a row.

    Examples
    --------
    >>> x = np.r_[np.linspace(0, 1, 50), -999.0, -999.0]
    >>> far_notes(["x"], [x])
    ["column 'x' has 2 cells of -999, far from the rest (0 to 1): if they mean missing, pass --na -999"]
    """
    found = [far for name, column in zip(names, columns, strict=True) for far in far_values(name, column)]
    more = len(found) - SAID if len(found) > SAID + 1 else 0
    shown = found[: len(found) - more]  # to look for the line of a row takes time
    notes = [far.words if len(far.rows) > 1 else f"{place(int(far.rows[0]))}, {far.words}" for far in shown]
    return [*notes, *[f"{more} more such cells or columns were found"] * (more > 0)]


def far_values(name: str, column: NDArray[np.float64]) -> list[Far]:
    """Return the least and the largest value of a column where it is far from the rest.

    >>> [float(far.value) for far in far_values("x", np.r_[np.linspace(0, 1, 50), -999.0, -999.0])]
    [-999.0]
    """
    ends = _ends(column)
    if ends is None:
        return []
    found = []
    with np.errstate(invalid="ignore", over="ignore"):
        for value in dict.fromkeys((ends.low, ends.high)):
            if ends.may_be_far(value) or _is_nines(value) or value == -1 or value in NO_ANSWERS:
                found += _of_value(name, column, value)
    return found


def far_rows(column: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which cells of a column are far from all others: by `far_values`, or as an ensemble sees far cells.

    >>> np.flatnonzero(far_rows(np.r_[np.linspace(0, 1, 50), 40.0, 90.0])).tolist()
    [50, 51]
    """
    out, ends = np.zeros(len(column), dtype=bool), _ends(column)
    with np.errstate(invalid="ignore", over="ignore"):
        if ends is not None and (ends.may_be_far(ends.low) or ends.may_be_far(ends.high)):
            out = far_cells(column[:, None])[:, 0]
    for far in far_values("", column):
        out[far.rows] = True
    return out


class _Ends(NamedTuple):
    """The least and the largest value of a column, and the quarters of a sample of it."""

    low: float
    high: float
    near: float
    far: float

    def may_be_far(self, value: float) -> bool:
        return bool(max(self.near - value, value - self.far) > APART * (self.far - self.near))


def _ends(column: NDArray[np.float64]) -> _Ends | None:
    """The ends of a column; None where too few of its cells are finite, or an end is not."""
    if len(column) < FEWEST:
        return None
    low, high = np.fmin.reduce(column), np.fmax.reduce(column)
    sample = column[:: max(1, len(column) // SAMPLE)][:SAMPLE]
    held = np.sort(sample[np.isfinite(sample)])
    if not np.isfinite([low, high]).all() or len(held) < FEWEST:
        return None
    return _Ends(low, high, held[len(held) // 4], held[(3 * len(held)) // 4])


def _of_value(name: str, column: NDArray[np.float64], value: float) -> list[Far]:
    """What is to be said of the smallest or largest value of a column."""
    rows = np.flatnonzero(column == value)
    rest = column[np.isfinite(column) & (column != value)]
    if len(rest) < FEWEST or 2 * len(rows) > len(column):
        return []
    low, high = rest.min(), rest.max()
    gap, spread = max(low - value, value - high), high - low
    if spread == 0:
        return []
    between = f"far from the rest ({low:.6g} to {high:.6g})"
    said = f"{value:.12g}"
    signs = _is_nines(value) and (gap > NINES_APART * spread or value < 0 <= low)
    signs = signs or (value == -1 and low >= 0 and gap > NINES_APART * spread)
    signs = signs or (len(rows) >= max(ROWS, OFTEN * len(column)) and _is_no_answer(value, rest))
    if len(rows) > 1:
        if signs or (gap > APART * spread and value % 1 == 0):
            cells = f"column {name!r} has {len(rows)} cells of {said}, {between}"
            return [Far(value, rows, f"{cells}: if they mean missing, pass --na {said}")]
        return []
    if signs and (value < 0 or value >= SURELY):
        return [Far(value, rows, f"column {name!r} is {said}, {between}: if it means missing, pass --na {said}")]
    quarters = np.quantile(rest, [0.25, 0.75])
    if gap > APART * spread and quarters[1] > quarters[0]:
        return [Far(value, rows, f"column {name!r} is {said}, {between}: a slip? It was not corrected")]
    return []


def _is_no_answer(value: float, rest: NDArray[np.float64]) -> bool:
    """Whether a number is 8 or 9, and the others are all answers from 0 or 1 to the last one, below by two or more.

    >>> _is_no_answer(9.0, np.array([1.0, 2, 3, 4, 5, 8])), _is_no_answer(9.0, np.array([1.0, 3, 4, 5]))
    (True, False)
    """
    answers = np.unique(rest[~np.isin(rest, NO_ANSWERS)])
    one_by_one = len(answers) > 1 and answers[0] in (0, 1) and bool((np.diff(answers) == 1).all())
    return one_by_one and value in NO_ANSWERS and bool(value - answers[-1] >= BEYOND)


def _is_nines(value: float) -> bool:
    """Whether a number is written with nines alone, or with eights, two digits or below 0: the signs of surveys.

    >>> [_is_nines(value) for value in (-999.0, 99.0, 9.0, -9.0, 88.0, 989.0, -9999.9)]
    [True, True, False, True, True, False, True]
    """
    digits = f"{abs(value):.6g}".replace(".", "")
    return (len(digits) > 1 or value < 0) and (set(digits) == {"9"} or set(digits) == {"8"})
