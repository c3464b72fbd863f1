"""Checks that every reader shares: cells are finite, ids name each item once, labels are there for every item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import listed

__all__ = ["FILL_IN", "label_array", "require_finite", "require_ids", "require_observed"]

SHOWN = 5
FILL_IN = "fill them in, leave out these rows, or pass --missing unobserved"


def require_finite(
    values: NDArray[np.float64],
    columns: Sequence[str],
    file: Path,
    *,
    allow_missing: bool = False,
    remedy: str = FILL_IN,
) -> None:
    """Raise `InputError` naming row (from 1) and column of the first cells that are infinite, or missing (NaN).

    `remedy` says what to do about missing ones.

    The sum is finite for clean values of moderate size, so the second pass over N x d is made only when in doubt.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    infinite = np.isinf(values)
    if infinite.any():
        raise InputError(f"{file}: {_places(infinite, columns, 'infinite')}; replace or leave out these cells")
    missing = np.isnan(values)
    if missing.any() and not allow_missing:
        raise InputError(f"{file}: {_places(missing, columns, 'missing (empty or NaN)')}; {remedy}")


def require_ids(ids: Sequence[str] | None, n: int, file: Path, column: str | None) -> list[str]:
    """Return the given ids, or "0".."N-1", after a check that there is one for each item and none twice."""
    if ids is None:
        return [str(at) for at in range(n)]
    _require_one_each(ids, n, file, f"id column {column!r}")
    first: dict[str, int] = {}
    for row, name in enumerate(ids, start=1):
        if name in first:
            raise InputError(
                f"{file}: id {name!r} of column {column!r} stands in row {first[name]} and in row {row}; "
                f"give every item its own id, or leave out --id-column"
            )
        first[name] = row
    return list(ids)


def require_observed(values: NDArray[np.float64], file: Path) -> None:
    """Raise `InputError` naming the rows (from 1) that have no value at all, of which nothing could be said."""
    empty = np.flatnonzero(np.isnan(values).all(axis=1)) + 1
    if len(empty):
        which = "row {} has no value: leave it" if len(empty) == 1 else "rows {} have no values: leave them"
        raise InputError(f"{file}: {which.format(listed(map(str, empty), SHOWN))} out, or fill cells in")


def label_array(labels: Sequence[str] | None, n: int, file: Path, column: str | None) -> NDArray[np.str_] | None:
    """Return the given labels as an array of strings, after a check that there is one for each item."""
    if labels is None:
        return None
    _require_one_each(labels, n, file, f"label column {column!r}")
    return np.array(labels, dtype=np.str_)


def _require_one_each(words: Sequence[str], n: int, file: Path, what: str) -> None:
    if len(words) != n:
        raise InputError(f"{file}: {what} has {len(words)} entries for {n} items; give one for each")
    empty = [row for row, word in enumerate(words, start=1) if not word]
    if empty:
        raise InputError(f"{file}: {what} is empty in row {listed(empty, SHOWN)}; fill it in or leave out these rows")


def _places(bad: NDArray[np.bool_], columns: Sequence[str], what: str) -> str:
    rows, at = np.nonzero(bad)
    count = len(rows)
    places = listed((f"row {row + 1}, column {columns[k]!r}" for row, k in zip(rows[:SHOWN], at[:SHOWN])), SHOWN)
    more = f" and {count - SHOWN} more" if count > SHOWN else ""
    return f"{count} {'cell is' if count == 1 else 'cells are'} {what}: {places}{more}"
