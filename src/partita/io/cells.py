"""Checks that every reader shares: cells are finite, ids name each item once, labels are there for every item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import Place, row_place

__all__ = ["FILL_IN", "label_array", "require_finite", "require_ids", "require_observed"]

SHOWN = 5
FILL_IN = "fill {it} in, leave out {rows}, or pass --missing unobserved"


def require_finite(
    values: NDArray[np.float64],
    columns: Sequence[str],
    file: Path,
    *,
    allow_missing: bool = False,
    remedy: str = FILL_IN,
    place: Place = row_place,
) -> None:
    """Raise `InputError` naming place and column of the first cells that are infinite, or missing (NaN).

    `remedy` says what to do about missing ones, with {it} for the cells and {rows} for their rows.

    The sum is finite for clean values of moderate size, so the second pass over N x d is made only when in doubt.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    infinite = np.isinf(values)
    if infinite.any():
        advice = "replace {it}, or leave out {rows}".format(**_words(infinite))
        raise InputError(f"{file}: {_places(infinite, columns, 'infinite', place)}; {advice}")
    missing = np.isnan(values)
    if missing.any() and not allow_missing:
        raise InputError(
            f"{file}: {_places(missing, columns, 'missing (empty or NaN)', place)}; {remedy.format(**_words(missing))}"
        )


def require_ids(
    ids: Sequence[str] | None, n: int, file: Path, column: str | None, place: Place = row_place
) -> list[str]:
    """Return the given ids, or "0".."N-1", after a check that there is one for each item and none twice."""
    if ids is None:
        return [str(at) for at in range(n)]
    _require_one_each(ids, n, file, f"id column {column!r}", place)
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        if name in first:
            raise InputError(
                f"{file}: id {name!r} of column {column!r} stands in {place(first[name])} and in {place(row)}; "
                f"give every item its own id, or leave out --id-column"
            )
        first[name] = row
    return list(ids)


def require_observed(values: NDArray[np.float64], file: Path, place: Place = row_place) -> None:
    """Raise `InputError` naming the rows that have no value at all, of which nothing could be said."""
    empty = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(empty):
        which = "has no value: leave it" if len(empty) == 1 else "have no value: leave them"
        raise InputError(f"{file}: {_listed_places(empty, place)} {which} out, or fill cells in")


def label_array(
    labels: Sequence[str] | None, n: int, file: Path, column: str | None, place: Place = row_place
) -> NDArray[np.str_] | None:
    """Return the given labels as an array of strings, after a check that there is one for each item."""
    if labels is None:
        return None
    _require_one_each(labels, n, file, f"label column {column!r}", place)
    return np.array(labels, dtype=np.str_)


def _require_one_each(words: Sequence[str], n: int, file: Path, what: str, place: Place) -> None:
    if len(words) != n:
        raise InputError(f"{file}: {what} has {len(words)} entries for {n} items; give one for each")
    empty = [row for row, word in enumerate(words) if not word]
    if empty:
        these = "this row" if len(empty) == 1 else "these rows"
        raise InputError(f"{file}: {what} is empty in {_listed_places(empty, place)}; fill it in, or leave {these} out")


def _listed_places(rows: Sequence[int] | NDArray[np.intp], place: Place) -> str:
    more = len(rows) - SHOWN
    said = ", ".join(place(int(row)) for row in rows[:SHOWN])
    return said if more <= 0 else f"{said} and {more:,} more"


def _words(bad: NDArray[np.bool_]) -> dict[str, str]:
    alone = bad.sum() == 1
    return {"it": "it" if alone else "them", "rows": "this row" if alone else "these rows"}


def _places(bad: NDArray[np.bool_], columns: Sequence[str], what: str, place: Place) -> str:
    rows, at = np.nonzero(bad)
    n = len(rows)
    places = ", ".join(f"{place(int(row))}, column {columns[k]!r}" for row, k in zip(rows[:SHOWN], at[:SHOWN]))
    more = f" and {n - SHOWN:,} more" if n > SHOWN else ""
    return f"{n:,} {'cell is' if n == 1 else 'cells are'} {what}: {places}{more}"
