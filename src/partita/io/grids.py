"""Tables whose cells are all held: texts that are not as plain as a program writes them, and sheets of spreadsheets.

What stands around the rows is taken away (`partita.io.around_tables`), and how the numbers of each column are written
is found (`partita.io.number_formats`), each with a note. It costs a few microseconds a cell; plain text does not come
here.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.mixed_table import words
from partita.io.around_tables import (
    Rows,
    without_comments,
    without_repeated_header,
    without_second_header,
    without_surroundings,
)
from partita.io.bare_numbers import number_in
from partita.io.files import Place
from partita.io.headers import (
    HeaderRule,
    column_names,
    default_names,
    header_notes,
    is_number,
    looks_like_a_header,
    repeated_notes,
)
from partita.io.number_formats import NumberFormat, formats_of
from partita.io.reading import AS_FOUND, Decimal, Reading
from partita.io.tables import BOOLEANS, Columns, Faults, MixedColumns, Table
from partita.io.text_layout import (
    MARKS,
    SAMPLE,
    decoded,
    guessed_delimiter,
    parted,
    raw_bytes,
    require_delimiter,
)
from partita.io.text_rows import delimiter_of, is_missing, ragged, usual_width

__all__ = ["GridTable", "grid_of_rows", "grid_of_text"]


@dataclass(frozen=True, kw_only=True)
class GridTable(Table):
    """Cells that are held, a list for each column, and how the numbers of each are written.

    `lines` are the numbers of the rows in the file, which calls a row `line` or `row`. In numbers and columns of a
    mixed table the cells `na` are missing (`Reading.na`), in words by name they stand as they are.
    """

    cells: list[list[str]]
    formats: list[NumberFormat]
    lines: list[int]
    called: str = "line"
    na: tuple[str, ...] = ()

    @property
    def decimal(self) -> Decimal | None:
        """The decimal mark of all columns that have one; None where they differ."""
        marks = {form.decimal for form in self.formats if form.decimal is not None}
        return marks.pop() if len(marks) == 1 else None

    @property
    def units(self) -> dict[str, str]:
        """The unit, or sign of money or percent, that the numbers of a column stand by; of columns that have one."""
        return {name: form.stands_by for name, form in zip(self.names, self.formats, strict=True) if form.stands_by}

    @property
    def place(self) -> Place:
        return partial(_numbered, self.called, self.lines)

    def sample(self) -> list[Sequence[str]]:
        return [*self.cells]

    def read(self, numbers: Sequence[str], text: Sequence[str] = (), *, remedy: str = "") -> Columns:
        self._require_rows()
        faults = Faults(self.path, self.names)
        columns = [self._numbers(self.names.index(name), faults) for name in numbers]
        n_rows = len(self.cells[0])
        faults.raise_if_any(n_rows, remedy, self.place)
        values = np.column_stack(columns) if columns else np.empty((n_rows, 0))
        return values, self._text(text)

    def read_mixed(self, names: Sequence[str], text: Sequence[str] = ()) -> MixedColumns:
        self._require_rows()
        faults = Faults(self.path, self.names)
        columns = [self._mixed(self.names.index(name), faults) for name in names]
        faults.raise_if_any(len(self.cells[0]), "", self.place, na=self.na)
        return columns, self._text(text)

    def _require_rows(self) -> None:
        if not self.cells[0]:
            raise self.no_rows()

    def _text(self, names: Sequence[str]) -> dict[str, list[str]]:
        return {name: [str(cell) for cell in self.cells[self.names.index(name)]] for name in names}

    def n_blank(self, names: Sequence[str]) -> int:
        """Return how many cells of these columns stand for missing."""
        return sum(cell in self.na for name in names for cell in self.cells[self.names.index(name)]) if self.na else 0

    def _held(self, at: int) -> list[str]:
        return _blanked(self.cells[at], self.na)

    def _mixed(self, at: int, faults: Faults) -> NDArray[np.float64] | NDArray[np.object_]:
        """A column: words where more than half of the cells that are not empty are no numbers.

        Truth values alone are words too, spelled as those of a frame; beside zeros and ones they are numbers.
        """
        cells, form = self._held(at), self.formats[at]
        values = form.array(cells)
        if values is not None:
            return values
        held = [cell for cell in cells if not is_missing(cell)]
        told = [cell.lower() in BOOLEANS for cell in held]
        if held and all(told):
            return words(None if is_missing(cell) else cell.capitalize() for cell in cells)
        if 2 * sum(not truth and form.number(cell) is None for cell, truth in zip(held, told)) > len(held):
            return words(None if is_missing(cell) else str(cell) for cell in cells)
        return self._numbers(at, faults)

    def _numbers(self, at: int, faults: Faults) -> NDArray[np.float64]:
        cells, form = self._held(at), self.formats[at]
        values = form.array(cells)
        if values is not None:
            return values
        return np.array([faults.number(cell, at, row, form.number(cell)) for row, cell in enumerate(cells)])


def _blanked(cells: list[str], na: Sequence[str]) -> list[str]:
    """Return cells, empty where they stand for missing."""
    return ["" if cell in na else cell for cell in cells] if na else cells


def _numbered(called: str, lines: Sequence[int], row: int) -> str:
    return f"{called} {lines[row]}"


def grid_of_text(path: Path, is_header: HeaderRule = looks_like_a_header, reading: Reading = AS_FOUND) -> GridTable:
    """Return a text as a table whose cells are held, with notes about what was found and left out.

    Raises
    ------
    InputError
        For no rows, rows of several lengths, broken quotes, or bytes that are no text.
    MemoryLimitError
    """
    data, inside = raw_bytes(path)
    text, encoding = decoded(data, path, reading.encoding)
    notes = [] if inside is None else [f"the file {inside!r} in the zip was read"]
    if reading.encoding is None and encoding not in ("utf-8", "utf-8-sig"):
        notes.append(f"the text was read as {encoding}; --encoding names another encoding")
    lines = io.StringIO(text, newline="").readlines()
    if reading.skip_rows:
        lines[: reading.skip_rows] = ["\n"] * min(reading.skip_rows, len(lines))  # so that lines keep their numbers
    if reading.skip_rows is None:
        lines, said = without_comments(lines, reading.delimiter or delimiter_of(path))
        notes += said
    delimiter = reading.delimiter
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip("\r\n")) == 5:  # as Excel reads it
        delimiter = delimiter or lines[0][4]
        lines[0] = "\n"
    if delimiter is None:
        own = delimiter_of(path)
        delimiter = guessed_delimiter([line for line in lines if line.strip()][:SAMPLE], own)
        if delimiter != own:
            notes.append(f"cells are separated by {MARKS[delimiter]}; --delimiter names another mark")
    elif len(delimiter) != 1:
        raise InputError(f"--delimiter {delimiter!r}: expected one character, as in --delimiter ';'")
    else:
        require_delimiter([line for line in lines if line.strip()][:SAMPLE], delimiter, delimiter_of(path), path)
    rows = list(parted(lines, delimiter, path))
    return grid_of_rows(path, rows, is_header, reading, notes=notes, delimiter=delimiter)


def grid_of_rows(
    path: Path,
    rows: Rows,
    is_header: HeaderRule = looks_like_a_header,
    reading: Reading = AS_FOUND,
    *,
    notes: Sequence[str] = (),
    delimiter: str = ",",
    place: str = "line",
) -> GridTable:
    """Return rows of cells, each after the number of its line (or of what `place` calls it), as a table.

    Raises
    ------
    InputError
        For no rows, or rows of several lengths.
    """
    width = usual_width(row for _, row in rows if any(row))
    if reading.skip_rows:
        rows = [(line, row) for line, row in rows if line > reading.skip_rows]
    rows = _without_blank_lines(rows, width)
    if not rows:
        raise InputError(f"{path} is empty; expected at least one row")
    if delimiter in " \t":
        rows = _with_corner(rows, width)
    if delimiter == "," and reading.delimiter is None and reading.skip_rows is None:
        _require_one_reading(path, rows)
    as_they_are = reading.skip_rows is not None
    rows, said = without_surroundings(rows, width, as_they_are=as_they_are, place=place)
    rows = _rectangular(path, rows, delimiter)
    first = [row for _, row in rows[:2]]
    header = is_header([[_plainly(cell) for cell in row] for row in first])
    all_notes = [*notes, *said, *header_notes(first[0], header)]
    if header and not as_they_are:
        rows, more = without_second_header(rows)
        numbers = any(is_number(cell) for _, row in rows[1:] for cell in row)
        # Among words alone it may be a row like any other.
        rows, again = without_repeated_header(rows, place) if numbers else (rows, [])
        first = [row for _, row in rows[:2]]
        all_notes += [*more, *again]
    names, repeated = column_names(first[0]) if header else (default_names(len(first[0])), {})
    body = [row for _, row in rows[int(header) :]]
    cells: list[list[str]] = [list(column) for column in zip(*body)] if body else [[] for _ in names]
    # Of a column of categories nothing is asked: its cells are words as they stand.
    held = [[] if reading.is_category(name) else _blanked(column, reading.na) for name, column in zip(names, cells)]
    formats, more = formats_of(names, held, decimal=reading.decimal, likely=reading.likely, comma=delimiter == ";")
    return GridTable(
        path=path,
        names=names,
        has_header=header,
        notes=[*all_notes, *repeated_notes(repeated), *more],
        repeated=repeated,
        first=first,
        cells=cells,
        formats=formats,
        lines=[line for line, _ in rows[int(header) :]],
        called=place,
        na=tuple(reading.na),
    )


def _with_corner(rows: Rows, width: int) -> Rows:
    """The rows, with a cell more at the left of a header that R has written: it has no name for the names of rows."""
    (line, header), *below = rows
    lacks_one = len(header) == width - 1 and len(below) > 1 and all(len(row) == width for _, row in below)
    return [(line, ["", *header]), *below] if lacks_one and not any(map(number_in, header)) else rows


def _require_one_reading(path: Path, rows: Rows) -> None:
    """Raise for a name above rows of two whole numbers each, which may as well be one with a decimal comma.

    Raises
    ------
    InputError
    """
    (line, head), *below = rows
    alone = len(head) == 1 and number_in(head[0]) is None and below and below[0][0] == line + 1
    if alone and all(len(row) == 2 and row[1].isdecimal() and row[0].lstrip("+-").isdecimal() for _, row in below):
        cell = ",".join(below[0][1])
        raise InputError(
            f"{path}: {cell} below {head[0]!r} may be one number with a decimal comma or two numbers below a title; "
            "pass --delimiter ';' for one, --skip-rows 1 for two"
        )


def _without_blank_lines(rows: Rows, width: int) -> Rows:
    """The rows without blank lines, which in a single column are cells between others."""
    held = [k for k, (_, row) in enumerate(rows) if any(row)]
    if width > 1 or not held:
        return [(line, row) for line, row in rows if any(row) or (len(row) > 1 and held)]
    return [(line, row or [""]) for line, row in rows[held[0] : held[-1] + 1]]


def _rectangular(path: Path, rows: Rows, delimiter: str) -> Rows:
    """The rows, after a check that each has as many cells as the first."""
    width = len(rows[0][1])
    for line, row in rows:
        if len(row) != width:
            raise ragged(path, line, width, len(row), delimiter)
    return rows


def _plainly(cell: str) -> str:
    """A cell, as Python writes it where it is a number that Python does not read."""
    value = None if is_number(cell) else number_in(cell)
    return cell if value is None else repr(value)
