"""Partition draws in text: CSV, TSV, and what R's `write.csv` and `write.table` write.

Labels are whole numbers, or words: all those of a draw are the one or the other, so that a stray word among numbers is
an error still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from partita.errors import InputError
from partita.io import draw_labels
from partita.io.draw_labels import Labels, lacking
from partita.io.r_tables import R_TABLE_SUFFIXES, table_rows
from partita.io.text_rows import as_number, first_rows, is_missing, numbered_rows
from partita.partition.named_draws import columns_of

__all__ = ["TextDraws", "text_draws"]

# Columns from which a first row that only counts them is asked about.
COUNTED = 5
# Whole numbers beyond this are not told apart by doubles.
EXACT = 1 << 53
# What R calls columns without a name.
R_NAME = "V"

Rows = Iterator[tuple[int, list[str]]]


@dataclass
class TextDraws:
    """The rows of a file as they are read.

    Attributes
    ----------
    names : list of str, optional
        Of the columns, where there is a header.
    rows : iterator of line numbers and cells
    width : int
        Columns, without that of the names of rows.
    named : bool
        Whether the first cell of each row is its name.
    row_names : list of str, optional
        Names of the rows read so far, while they are V1, V2, ...; None as soon as one is not, or without names.
    """

    file: Path
    gaps: bool
    names: list[str] | None
    rows: Rows
    width: int
    named: bool = False
    row_names: list[str] | None = None
    words: dict[str, int] = field(default_factory=dict)

    def batches(self) -> Iterator[Labels]:
        """Batches of rows of labels; words are numbered in the order in which the file has them."""
        self.row_names = [] if self.named else None
        own = set(range(self.width) if self.names is None else columns_of(self.names)[1])
        step, first = max(1, draw_labels.BATCH // self.width), 0
        held: list[Labels] = []
        for line, cells in self.rows:
            held.append(self._row(self._without_name(cells), first + len(held), line, own))
            if len(held) == step:
                yield np.stack(held)
                first, held = first + step, []
        if held:
            yield np.stack(held)

    def _without_name(self, cells: list[str]) -> list[str]:
        if not self.named:
            return cells
        if self.row_names is not None:
            expected = f"{R_NAME}{len(self.row_names) + 1}"
            self.row_names = [*self.row_names, expected] if cells[0].strip() == expected else None
        return cells[1:]

    def _row(self, cells: list[str], draw: int, line: int, own: set[int]) -> Labels:
        try:
            return np.array(cells, dtype=np.int64)
        except (ValueError, OverflowError):
            numbers = [-1.0 if self.gaps and is_missing(cell) else as_number(cell) for cell in cells]
        if all(number is None or is_missing(cells[k]) for k, number in enumerate(numbers) if k in own):
            told = [(k, cell.strip()) for k, cell in enumerate(cells) if k in own and not is_missing(cell)]
            for k, word in told:
                numbers[k] = self.words.setdefault(word, len(self.words))
        for item, (cell, number) in enumerate(zip(cells, numbers)):
            wrong = self._wrong(cell.strip(), number, draw, item)
            if wrong:
                column = "" if self.names is None else f", column {self.names[item]!r}"
                raise InputError(f"{self.file}, line {line}{column}: {wrong}")
        return np.array(numbers, dtype=np.float64).astype(np.int64)

    def _wrong(self, cell: str, number: float | None, draw: int, item: int) -> str:
        """What is wrong with a cell; nothing if it is a label."""
        if is_missing(cell) and not self.gaps:
            return lacking(draw, item)
        where = f"draw {draw}, item {item}: {cell!r}"
        if number is None:
            return f"{where} is no whole number, and others of this draw are; labels are all numbers or all words"
        if not float(number).is_integer():
            return f"{where} is no whole number"
        return f"{where} is too large for a label; number anew" if abs(number) >= EXACT else ""


def text_draws(file: Path, gaps: bool) -> TextDraws:
    """The draws of a file of text, ready to be read."""
    if file.name.lower().endswith(R_TABLE_SUFFIXES):
        names, width, found = table_rows(file)
        return TextDraws(file, gaps, names, found, width)
    rows, _ = first_rows(file, 2)
    # R and pandas leave the name of the row numbers empty.
    named = len(rows[0]) > 1 and not rows[0][0]
    header = named or (any(as_number(cell) is None for cell in rows[0]) and not _is_draw_of_words(rows))
    if not header and len(rows[0]) >= COUNTED and rows[0] != rows[-1]:
        for first in (0, 1):
            if rows[0] == [str(first + i) for i in range(len(rows[0]))]:
                raise InputError(
                    f"{file}: its first row is {first}, {first + 1}, ..., {rows[0][-1]}: a header of column numbers, "
                    "or a draw of all singletons? Write it without that header (pandas: header=False), or add one of "
                    "names"
                )
    if header and len(rows) == 1:
        raise InputError(f"{file} has a header and no rows; expected a row for each draw")
    width = len(rows[0])
    found = numbered_rows(file, width, skip_header=header)
    if named:  # names of rows may be words
        return TextDraws(file, gaps, rows[0][1:], found, width - 1, named=True)
    return TextDraws(file, gaps, rows[0] if header else None, found, width)


def _is_draw_of_words(rows: list[list[str]]) -> bool:
    """Whether a first row of words is no header: one of them comes twice, and the second row is of words too.

    >>> _is_draw_of_words([["a", "a", "b"], ["a", "b", "b"]]), _is_draw_of_words([["V1", "V2"], ["a", "b"]])
    (True, False)
    """
    words = all(cell and as_number(cell) is None for row in rows for cell in row)
    return words and len(rows) > 1 and len(set(rows[0])) < len(rows[0])
