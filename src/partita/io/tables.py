"""Tables: columns of numbers and words, asked for by name, whatever file they stand in; and tables of text.

A clean CSV or TSV file of numbers goes through NumPy's C parser. Whatever that refuses is read again row by row, which
knows missing cells, booleans, and the column and row of every cell that is text.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import Place, listed, option_value, row_place
from partita.io.headers import (
    HeaderRule,
    column_names,
    default_names,
    header_notes,
    looks_like_a_header,
    repeated_notes,
)
from partita.io.text_rows import as_number, data_rows, delimiter_of, first_rows, numbered_rows

__all__ = [
    "BOOLEANS",
    "Columns",
    "Faults",
    "MixedColumns",
    "NotNumbersError",
    "Table",
    "TextTable",
    "open_text",
]

Columns = tuple[NDArray[np.float64], dict[str, list[str]]]
MixedColumns = tuple[list[NDArray[Any]], dict[str, list[str]]]


BOOLEANS = {"true": 1.0, "false": 0.0}
# Rows of which cells are looked at as they are written.
LOOKED_AT = 2000


@dataclass(frozen=True, kw_only=True)
class Table(ABC):
    """Columns with names, each of them once; which are numbers and which are words is for the reader to say.

    Attributes
    ----------
    path : Path
        Path for errors.
    names : list of str
        Names of the columns, in order.
    has_header : bool
        Whether the names are the file's own.
    notes : list of str
        Decisions that a user might not expect.
    beside : list of str
        Names of ids and labels where they are no columns: other arrays of the file.
    repeated : dict of lists
        The names that several columns were given by the file, and those that these have got.
    first : list of rows
        The first two rows of a text as they stand, without blanks around cells.
    """

    path: Path
    names: list[str]
    has_header: bool = True
    notes: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    repeated: dict[str, list[str]] = field(default_factory=dict)
    first: list[list[str]] = field(default_factory=list)

    @abstractmethod
    def read(self, numbers: Sequence[str], text: Sequence[str] = (), *, remedy: str = "") -> Columns:
        """Return the columns `numbers` as N x d float64 (missing cells are NaN), and the columns `text` as words by
        name.

        Raises
        ------
        InputError
            For no rows, ragged rows, or text where numbers should be; `remedy` is added for a column that is all text,
            with `{name}` replaced by the column's.
        MemoryLimitError
            Where the columns of a binary file would not fit.
        """

    @property
    def place(self) -> Place:
        """The words for the place of a row of data, counted from 0: its line, as a text editor shows it, or its row, as
        a spreadsheet does; in other files row 1 is the first.
        """
        return row_place

    def no_rows(self) -> InputError:
        """Return the error for a table without rows of data."""
        return InputError(f"{self.path} has a header and no rows; expected at least one row of data")

    def sample(self) -> list[Sequence[str]]:
        """Return cells of each column as they are written, the first ones of many; none of a binary file."""
        return [[] for _ in self.names]

    def read_mixed(self, names: Sequence[str], text: Sequence[str] = ()) -> MixedColumns:
        """Return the columns `names` as those of a mixed table, of numbers or of words, and the columns `text` as in
        `read`.

        Raises
        ------
        InputError
            As `read` does, but for columns of words; dates and times are words here.
        MemoryLimitError
        """
        values, cells = self.read(names, text)
        return list(values.T), cells


@dataclass(frozen=True, kw_only=True)
class TextTable(Table):
    """A CSV or TSV file whose header has been decided on."""

    header_on_first_line: bool

    def read(self, numbers: Sequence[str], text: Sequence[str] = (), *, remedy: str = "") -> Columns:
        if self.has_header and len(self.first) == 1:
            raise self.no_rows()
        columns, words = ([self.names.index(name) for name in names] for names in (numbers, text))
        fast = self._fast(columns, bool(text))
        values, cells = self._slow(columns, words, remedy) if fast is None else (fast, self._words(words))
        return values, dict(zip(text, cells, strict=True))

    @property
    def place(self) -> Place:
        return partial(_line_of, self.path, len(self.names), self.has_header)

    def sample(self) -> list[Sequence[str]]:
        rows = islice(data_rows(self.path, len(self.names), skip_header=self.has_header), LOOKED_AT)
        return [[cell.strip() for cell in column] for column in zip(*rows)]

    def begins_with_words(self, names: Sequence[str], *, truths: bool = False) -> bool:
        """Return whether a cell of these columns is text in the first row of data, so that `read` would refuse it;
        `truths` says whether truth values are words too.
        """
        row = self.first[int(self.has_header) :][:1]
        cells = [row[0][at] for at in map(self.names.index, names) if row and at < len(row[0])]
        return any(as_number(cell) is None and (truths or cell.lower() not in BOOLEANS) for cell in cells)

    def _fast(self, numbers: Sequence[int], with_text: bool) -> NDArray[np.float64] | None:
        # Outside these cases loadtxt would skip blank cells or take part of a header for data.
        if len(self.names) == 1 or not numbers or not self.header_on_first_line:
            return None
        everything = not with_text and list(numbers) == list(range(len(self.names)))
        try:
            values = np.loadtxt(
                self.path,
                delimiter=delimiter_of(self.path),
                comments=None,
                quotechar='"',
                encoding="utf-8-sig",
                skiprows=int(self.has_header),
                # Without usecols loadtxt checks that every row has the same number of cells.
                usecols=None if everything else list(numbers),
                ndmin=2,
            )
        except (ValueError, OSError, EOFError, IndexError):
            return None
        if everything:
            return values if values.shape[1] == len(self.names) else None
        return values if with_text else None

    def _words(self, text: Sequence[int]) -> list[list[str]]:
        words: list[list[str]] = [[] for _ in text]
        if text:
            # This pass also finds rows of another length, which loadtxt with usecols does not see.
            for row in data_rows(self.path, len(self.names), skip_header=self.has_header):
                for at, column in zip(text, words, strict=True):
                    column.append(row[at].strip())
        return words

    def _slow(
        self, numbers: Sequence[int], text: Sequence[int], remedy: str
    ) -> tuple[NDArray[np.float64], list[list[str]]]:
        words: list[list[str]] = [[] for _ in text]
        faults = Faults(self.path, self.names)
        values = array("d")
        n_rows = 0
        for row in data_rows(self.path, len(self.names), skip_header=self.has_header):
            for at, column in zip(text, words, strict=True):
                column.append(row[at].strip())
            values.extend(faults.number(row[at], at, n_rows, as_number(row[at])) for at in numbers)
            n_rows += 1
        faults.raise_if_any(n_rows, remedy, self.place)
        # d may be 0 when only words are asked for; the rows are counted all the same.
        return np.array(values, dtype=np.float64).reshape(n_rows, len(numbers)), words


def _line_of(path: Path, width: int, has_header: bool, row: int) -> str:
    line, _ = next(islice(numbered_rows(path, width, skip_header=has_header), row, None))
    return f"line {line}"


# Words that are named together as perhaps missing cells.
FEW_WORDS = 4
# An answer of a scale with its number: "5 - strongly agree".
LABELLED = re.compile(r"\d+\s*[-–=:.)]\s*[^\W\d]")


class NotNumbersError(InputError):
    """A column that should hold numbers holds text."""


@dataclass
class Faults:
    """Cells that are not numbers, gathered per column so that one message tells about the whole file."""

    path: Path
    names: list[str]
    # column -> (row and content of the first such cell, number of them)
    text: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    words: dict[str, None] = field(default_factory=dict)
    boolean: dict[int, tuple[int, str]] = field(default_factory=dict)
    other_number: dict[int, float] = field(default_factory=dict)

    def number(self, cell: str, column: int, row: int, value: float | None) -> float:
        """Return the number of a cell, zero or one of a truth value, and NaN of a text, which is kept."""
        if value is not None:
            if value not in (0.0, 1.0) and not math.isnan(value):
                self.other_number[column] = value
            return value
        truth = BOOLEANS.get(cell.strip().lower())
        if truth is not None:
            self.boolean.setdefault(column, (row, cell))
            return truth
        first_row, first_cell, count = self.text.get(column, (row, cell.strip(), 0))
        self.text[column] = (first_row, first_cell, count + 1)
        self.words.setdefault(cell.strip())
        return math.nan

    def raise_if_any(self, n_rows: int, remedy: str, place: Place, *, na: Sequence[str] | None = None) -> None:
        """Raise `NotNumbersError` for text among numbers; `na` are words that an option calls missing, if it can."""
        for column, (row, cell) in self.boolean.items():
            if column in self.other_number and column not in self.text:
                self.text[column] = (row, cell, 1)
        if not self.text:
            return
        column, (row, cell, count) = next(iter(sorted(self.text.items())))
        name = self.names[column]
        of_text = f"{count} of {n_rows} cells {'is' if count == 1 else 'are'} text"
        message = f"{self.path}: column {name!r} should hold numbers, {of_text}, the first in {place(row)}: {cell!r}"
        others = [repr(self.names[at]) for at in sorted(self.text) if at != column]
        if others:
            message += f" (text is also in {listed(others)})"
        # A column with some numbers in it was meant to be numeric: the cell is the mistake, not the column.
        if remedy and 2 * count > n_rows:
            words = option_value(*(self.names[at] for at, (*_, n) in sorted(self.text.items()) if 2 * n > n_rows))
            raise NotNumbersError(f"{message}; {remedy.format(name=quote(name), all=words)}")
        limit = cell[:1] in "<>≤≥" and as_number(cell[1:].replace(",", ".")) is not None
        correct = f"write the number that is to stand for {cell!r}" if limit else "correct that cell"
        missing = "leave it empty and allow missing cells"
        if na is not None:
            few = cell in self.words and len(self.words) <= FEW_WORDS
            absent = [*na, *(self.words if few else [cell])]
            mean = "that means" if len(absent) == 1 else "these mean"
            missing = f"pass --na {option_value(*absent)} if {mean} missing"
            if few and count > 1 and not limit:  # no slip, but a word among codes
                hold = "columns hold" if others else "column holds"
                of_words = option_value(*(self.names[at] for at in sorted(self.text)))
                correct = f"pass --categories {of_words} if the {hold} categories"
                if LABELLED.match(cell):  # an end of a scale, not a sign for missing
                    missing = "write the number alone where it has words"
        raise NotNumbersError(f"{message}; {correct}, or {missing}")


def open_text(path: Path, is_header: HeaderRule = looks_like_a_header) -> TextTable:
    """Return a text file with its header decided by `is_header`, and notes about every decision a user might not
    expect.

    Raises
    ------
    InputError
        For an empty file, or bytes that are not UTF-8.
    """
    rows, on_first_line = first_rows(path)
    first = rows[0]
    header = is_header(rows)
    notes = header_notes(first, header)
    names, repeated = column_names(first) if header else (default_names(len(first)), {})
    return TextTable(
        path=path,
        names=names,
        has_header=header,
        notes=[*notes, *repeated_notes(repeated)],
        repeated=repeated,
        first=rows,
        header_on_first_line=on_first_line,
    )
