"""Mixed tables: columns of numbers beside columns of words, with cells that are missing.

It is what a frame or a file holds before it is evidence. An array of one type cannot hold it, and which words a column
has is for the fit to learn (`partita.estimators.encoding`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.registry import did_you_mean
from partita.wording import listed

__all__ = [
    "BLANK",
    "DATES",
    "MANY",
    "REPLACE_DATES",
    "MixedTable",
    "are_too_many",
    "blanks_told",
    "column_of_values",
    "gaps_of",
    "is_marks",
    "lacking_names",
    "nested",
    "units_of",
    "words",
]

Column = NDArray[Any]

# Different words from which a column is hardly one of categories, where they are more than half of its cells.
MANY = 20
# The category of blank cells in a column of marks, and the share of its cells of which there are fewer neither of marks
# nor of blanks.
BLANK, OF_MARKS = "(blank)", 0.05
# A number and what stands behind it, and the most units that numbers of one column stand by.
WITH_UNIT, MOST_UNITS = re.compile(r"[+-]?\d[\d.,]*\s*([^\d\s.,][^\d]*)"), 4
REPLACE_DATES = "replace them by numbers that matter, such as the days since a date or the hour of the day"
DATES = f"leave the column out, or {REPLACE_DATES}"


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Columns of numbers and of words, all of one length.

    Attributes
    ----------
    names : tuple of d str, or None
        None for the columns of an array, which are known by their places.
    columns : tuple of d arrays of N
        Numbers are float64, NaN where a cell is missing; words are objects, None where a cell is missing.
    place : callable
        The words by which a note names a row, counted from 0: "item 0" is the first, or its line in a file.
    source : str
        The name by which an error calls the table: that of a file, or of the argument.
    categories : frozenset of str
        Columns of words that somebody said are categories, whatever is written in them: dates too.

    Examples
    --------
    >>> table = MixedTable(("x", "colour"), (np.array([1.0, np.nan]), words(["red", None])))
    >>> table.shape, table.numeric
    ((2, 2), [True, False])
    """

    names: tuple[str, ...] | None
    columns: tuple[Column, ...]
    place: Callable[[int], str] = "item {}".format
    source: str = "X"
    categories: frozenset[str] = frozenset()

    @classmethod
    def of_array(cls, X: NDArray[np.float64]) -> MixedTable:
        """Return the columns of an array, which have no names."""
        return cls(None, tuple(np.asarray(X, dtype=np.float64).T))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.columns[0]), len(self.columns)

    @property
    def numeric(self) -> list[bool]:
        """Return whether each column holds numbers."""
        return [column.dtype.kind == "f" for column in self.columns]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The columns of numbers as an array."""
        found = [column for column, numeric in zip(self.columns, self.numeric, strict=True) if numeric]
        return np.column_stack(found) if found else np.empty((self.shape[0], 0))

    def as_numbers(self) -> NDArray[np.float64]:
        """Return the N x d array of numbers, NaN in the columns of words."""
        unknown = np.full(self.shape[0], np.nan)
        return np.column_stack([column if column.dtype.kind == "f" else unknown for column in self.columns])

    def share_with_gaps(self) -> float:
        """Return the share of the rows that lack a cell of a column that has any.

        >>> MixedTable.of_array(np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])).share_with_gaps()
        0.5
        """
        found = [gaps for gaps in map(gaps_of, self.columns) if not gaps.all()]
        return float(np.any(found, axis=0).mean()) if found else 0.0

    def called(self, at: int) -> str:
        """Return the words by which an error names a column."""
        return f"column {at if self.names is None else repr(self.names[at])} of {self.source}"

    def rows(self, index: NDArray[np.intp]) -> MixedTable:
        """Return these rows."""
        return self._holding(column[index] for column in self.columns)

    def followed_by(self, other: MixedTable) -> MixedTable:
        """Return these rows and then those of another table with the same columns.

        A column of words may go on with numbers, which are words there; one of numbers only with numbers and gaps.

        >>> table = MixedTable(("x", "c"), (np.array([1.0]), words(["a"])))
        >>> more = MixedTable(("x", "c"), (words([None]), np.array([2.0])))
        >>> [column.tolist() for column in table.followed_by(more).columns]
        [[1.0, nan], ['a', '2']]
        """
        joined: list[Column] = []
        for column, new in zip(self.columns, other.ordered(self.names).columns, strict=True):
            if column.dtype.kind == "f":
                new = np.array([np.nan if value is None else value for value in new], dtype=np.float64)
            elif new.dtype.kind == "f":
                new = words(new)
            joined.append(np.concatenate([column, new]))
        return self._holding(joined)

    def require_finite(self) -> None:
        """Raise `InputError` for an infinite number."""
        for at, column in enumerate(self.columns):
            if column.dtype.kind == "f" and np.isinf(column).any():
                row = int(np.isinf(column).argmax())
                raise InputError(f"{self.called(at)} is infinite in row {row}: replace that cell, or drop the row")

    def ordered(self, names: Sequence[str] | None) -> MixedTable:
        """Return the columns in the order of these names; columns without names are taken by their places.

        Raises
        ------
        InputError
            For columns that are lacking or that nobody asked for.
        """
        if names is None or self.names is None or tuple(names) == self.names:
            return self
        lacking = [name for name in names if name not in self.names]
        extra = [name for name in self.names if name not in names]
        if lacking:
            raise InputError(
                f"X lacks {len(lacking)} of the {len(names)} columns of the fit: {lacking_names(lacking, extra)}"
            )
        if extra:
            raise InputError(
                f"X has columns that the fit did not have: {', '.join(map(repr, extra[:5]))}; leave them out"
            )
        columns = tuple(self.columns[self.names.index(name)] for name in names)
        return replace(self, names=tuple(names), columns=columns)

    def with_marks(self) -> MixedTable:
        """Return the table with blank cells as a category in its columns of marks (`is_marks`)."""
        return replace(self, columns=tuple(blanks_told(own) if is_marks(own) else own for own in self.columns))

    def _holding(self, columns: Iterable[Column]) -> MixedTable:
        """The table with other rows, whose places are not those of these."""
        return replace(self, columns=tuple(columns), place=MixedTable.place)


def nested(called: str, name: object) -> str:
    """Return the error of a column of lists or arrays, as of embeddings."""
    return (
        f"{called} holds a list in each cell: make each dimension of an embedding a column, as "
        f"numpy.stack(frame[{name!r}]) does, or leave it out"
    )


def lacking_names(lacking: Sequence[str], others: Sequence[str]) -> str:
    """Return the first names that are lacking, each with the most similar of others that may stand for it.

    >>> lacking_names(["income", "age"], ["Income", "town"])
    "'income' (did you mean 'Income'?), 'age'"
    """
    near = [did_you_mean(name, others).removeprefix("; ") for name in lacking[:5]]
    return ", ".join(f"{name!r}{f' ({each})' if each else ''}" for name, each in zip(lacking, near))


def gaps_of(column: Column) -> NDArray[np.bool_]:
    """Return which cells are missing.

    >>> gaps_of(words(["a", None])).tolist()
    [False, True]
    """
    return np.isnan(column) if column.dtype.kind == "f" else np.array([word is None for word in column], dtype=bool)


def is_marks(column: Column) -> bool:
    """Return whether a column holds one word, or the number 1, or nothing, as boxes that were ticked or not do.

    At least one cell in twenty has the value, and one in twenty has none.

    >>> is_marks(words(["x", None, "x"])), is_marks(words(["x", None, "y"])), is_marks(np.array([1.0, np.nan]))
    (True, False, True)
    """
    gaps = gaps_of(column)
    if not OF_MARKS <= gaps.mean() <= 1.0 - OF_MARKS:
        return False
    held = column[~gaps]
    return bool((held == (1.0 if column.dtype.kind == "f" else held[0])).all())


def blanks_told(column: Column) -> Column:
    """Return a column as words, `BLANK` where a cell is missing.

    >>> blanks_told(np.array([1.0, np.nan])).tolist()
    ['1', '(blank)']
    """
    return np.array([BLANK if word is None else word for word in words(column)], dtype=object)


def words(values: Iterable[Any]) -> Column:
    """Return values as words, None where a value is missing or blank; whole floats are written as whole numbers.

    >>> words(["red", None, " ", float("nan"), 2.0, True]).tolist()
    ['red', None, None, None, '2', 'True']
    """
    out: list[str | None] = []
    for value in values:
        if is_nothing(value):
            out.append(None)
            continue
        whole = isinstance(value, float) and value.is_integer()
        out.append(str(int(value) if whole else value).strip() or None)
    return np.array(out, dtype=object)


def is_nothing(value: Any) -> bool:
    """Return whether a cell's value says that it is missing: None, NaN, or pandas' NA or NaT.

    >>> is_nothing(None), is_nothing(float("nan")), is_nothing(0)
    (True, True, False)
    """
    if isinstance(value, (Real, Decimal)):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def are_too_many(n_words: int, n_cells: int) -> bool:
    """Return whether so many different words in so many cells are hardly categories.

    >>> are_too_many(30, 50), are_too_many(30, 100), are_too_many(12, 12)
    (True, False, False)
    """
    return n_words > max(MANY, n_cells / 2)


def units_of(words: Sequence[str | None]) -> str:
    """Return the few units that the numbers of a column stand by, quoted; empty where they are names of rows.

    >>> units_of(["900 g", "1.2 kg", "2 kg", None, "80 g"]), units_of(["12a", "7b", "9a", "8c"])
    ("units 'g' and 'kg'", '')
    """
    matches = [WITH_UNIT.fullmatch(word) for word in words if word is not None]
    found = Counter(match[1] if match else "" for match in matches)
    several = 1 < len(found) <= MOST_UNITS and "" not in found and min(found.values()) > 1
    return f"units {listed(sorted(map(repr, found)))}" if several else ""


def column_of_values(values: Sequence[Any], called: str) -> Column:
    """Return a column of Python's objects: of numbers where each is one, of words where each is one or a truth value.

    Parameters
    ----------
    values : sequence
    called : str
        The words by which an error names the column.

    Raises
    ------
    InputError
        For dates, values of several kinds, and anything else.

    Examples
    --------
    >>> column_of_values([1, Decimal("2.5"), None], "column 'x'").tolist()
    [1.0, 2.5, nan]
    """
    held = [value for value in values if not is_nothing(value)]
    if all(isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_)) for value in held):
        return np.array([np.nan if is_nothing(value) else float(value) for value in values], dtype=np.float64)
    if all(isinstance(value, (bool, np.bool_)) for value in held) or all(isinstance(value, str) for value in held):
        return words(values)
    if all(isinstance(value, (date, time, timedelta, np.datetime64, np.timedelta64)) for value in held):
        raise InputError(f"{called} holds dates or times: {DATES}")
    kinds = sorted({type(value).__name__ for value in held})
    raise InputError(
        f"{called} holds values of type {', '.join(kinds)}, expected numbers alone or words alone: write all of them "
        "as words or as numbers, or leave it out"
    )
