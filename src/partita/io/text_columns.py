"""Columns of a CSV or TSV file: numbers at the speed of `numpy.loadtxt`, and a slow pass that says what is wrong.

A clean file of numbers goes through NumPy's C parser. Whatever that refuses is read again row by row, which knows
missing cells, booleans, and the column and row of every cell that is text.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import listed
from partita.io.text_rows import as_number, data_rows, delimiter_of

__all__ = ["TextTable"]

BOOLEANS = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class TextTable:
    """A CSV or TSV file whose header has been decided on."""

    path: Path
    names: list[str]
    has_header: bool
    header_on_first_line: bool
    has_rows: bool
    notes: list[str] = field(default_factory=list)

    def read(
        self, numbers: Sequence[int], text: Sequence[int] = (), *, remedy: str = ""
    ) -> tuple[NDArray[np.float64], dict[int, list[str]]]:
        """The columns `numbers` as N x d float64 (missing cells are NaN), and the columns `text` as stripped cells.

        Raises
        ------
        InputError
            For ragged rows, no rows, or text where numbers should be; `remedy` is added for a column that is all text,
            with `{name}` replaced by the column's.
        """
        if not self.has_rows:
            raise InputError(f"{self.path} has a header and no rows; expected at least one row of data")
        fast = self._fast(numbers, text)
        if fast is None:
            return self._slow(numbers, text, remedy)
        return fast, self._words(text)

    def _fast(self, numbers: Sequence[int], text: Sequence[int]) -> NDArray[np.float64] | None:
        # Outside these cases loadtxt would skip blank cells or take part of a header for data.
        if len(self.names) == 1 or not numbers or not self.header_on_first_line:
            return None
        everything = not text and list(numbers) == list(range(len(self.names)))
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
        return values if text else None

    def _words(self, text: Sequence[int]) -> dict[int, list[str]]:
        words: dict[int, list[str]] = {at: [] for at in text}
        if text:
            # This pass also finds rows of another length, which loadtxt with usecols does not see.
            for row in data_rows(self.path, len(self.names), skip_header=self.has_header):
                for at, column in words.items():
                    column.append(row[at].strip())
        return words

    def _slow(
        self, numbers: Sequence[int], text: Sequence[int], remedy: str
    ) -> tuple[NDArray[np.float64], dict[int, list[str]]]:
        words: dict[int, list[str]] = {at: [] for at in text}
        faults = _Faults(self.path, self.names)
        values = array("d")
        n_rows = 0
        for row in data_rows(self.path, len(self.names), skip_header=self.has_header):
            n_rows += 1
            for at, column in words.items():
                column.append(row[at].strip())
            values.extend(faults.number(row[at], at, n_rows) for at in numbers)
        faults.raise_if_any(n_rows, remedy)
        # d may be 0 when only words are asked for; the rows are counted all the same.
        return np.array(values, dtype=np.float64).reshape(n_rows, len(numbers)), words


@dataclass
class _Faults:
    """Cells that are not numbers, gathered per column so that one message tells about the whole file."""

    path: Path
    names: list[str]
    # column -> (row and content of the first such cell, number of them)
    text: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    boolean: dict[int, tuple[int, str]] = field(default_factory=dict)
    other_number: dict[int, float] = field(default_factory=dict)

    def number(self, cell: str, column: int, row: int) -> float:
        value = as_number(cell)
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
        return math.nan

    def raise_if_any(self, n_rows: int, remedy: str) -> None:
        for column, (row, cell) in self.boolean.items():
            if column in self.other_number and column not in self.text:
                self.text[column] = (row, cell, 1)
        if not self.text:
            return
        column, (row, cell, count) = next(iter(sorted(self.text.items())))
        name = self.names[column]
        message = (
            f"{self.path}: column {name!r} should hold numbers, {count} of {n_rows} cells are text, "
            f"the first in row {row}: {cell!r}"
        )
        others = [repr(self.names[at]) for at in sorted(self.text) if at != column]
        if others:
            message += f" (text is also in {listed(others)})"
        # A column with some numbers in it was meant to be numeric: the cell is the mistake, not the column.
        if remedy and 2 * count > n_rows:
            raise InputError(f"{message}; {remedy.format(name=name)}")
        raise InputError(f"{message}; correct that cell, or leave it empty and allow missing cells")
