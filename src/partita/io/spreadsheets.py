"""Sheets of spreadsheets (.xlsx, .ods), which python-calamine reads.

A cell that the sheet keeps as a number is that number, whatever it looks like on the screen; one that it keeps as text
may be a number that somebody typed, and is read as the cells of a text are.

The reader holds a sheet as a rectangle from its first cell to its last, so that one cell in the last corner is
seventeen thousand million of them; and it does not come back from some .ods files that break off. Both are found out
first, by a pass over the XML, which costs about a microsecond a cell.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.parsers import expat

from partita.errors import InputError, require
from partita.io.around_tables import Rows
from partita.io.bare_numbers import NumberCell
from partita.io.files import listed, require_known
from partita.io.grids import GridTable, grid_of_rows
from partita.io.headers import HeaderRule, looks_like_a_header
from partita.io.reading import AS_FOUND, Reading
from partita.io.text_layout import BROKEN_ZIP
from partita.memory import require_memory

__all__ = ["open_spreadsheet"]


BLOCK = 1 << 20
# Bytes that a cell takes as an object of Python and as text, about, and a byte of XML in the reader.
CELL_HELD, XML_HELD = 100, 4


def open_spreadsheet(path: Path, is_header: HeaderRule = looks_like_a_header, reading: Reading = AS_FOUND) -> GridTable:
    """Return a sheet as a table: the one that is asked for, else the first that holds one, and a note where others do;
    and one about columns that are empty beside formulas, whose results not every program stores.

    Raises
    ------
    InputError
        For a broken file, one with a password, an unknown sheet, no table, or rows that are none.
    MissingExtraError
        Without python-calamine.
    """
    calamine = require("python_calamine", extra="spreadsheets", purpose="reading spreadsheets")
    has_formulas = _require_sound(path)
    book = _asked(path, lambda: calamine.CalamineWorkbook.from_path(str(path)))
    names = [str(name) for name in book.sheet_names]
    if reading.sheet is not None:
        require_known(path, reading.sheet, names, f"sheet {reading.sheet!r} for --sheet")
        table = grid_of_rows(path, _rows(path, book, reading.sheet), is_header, reading, place="row")
        return _formulas_told(table) if has_formulas else table
    rows = {name: _rows(path, book, name) for name in names}
    tables = [name for name in names if _holds_a_table(rows[name])]
    if not tables:
        raise InputError(f"{path} holds no table in {listed(names)}: expected rows of at least two cells")
    notes = []
    if len(names) > 1:
        others = listed(map(repr, tables[1:] or [name for name in names if name != tables[0]]))
        what = "may hold a table too" if len(tables) > 1 else "holds none" if len(names) == 2 else "hold none"
        notes.append(f"the table of sheet {tables[0]!r} was read; {others} {what} (--sheet names another)")
    table = grid_of_rows(path, rows[tables[0]], is_header, reading, notes=notes, place="row")
    return _formulas_told(table) if has_formulas else table


def _formulas_told(table: GridTable) -> GridTable:
    empty = [repr(name) for name, cells in zip(table.names, table.cells, strict=True) if cells and not any(cells)]
    if not empty:
        return table
    which = f"column {empty[0]} is" if len(empty) == 1 else f"columns {listed(empty)} are"
    note = (
        f"{which} empty: results of formulas may not be stored in the file; open and save it in a spreadsheet program"
    )
    return replace(table, notes=[*table.notes, note])


def _rows(path: Path, book: Any, name: str) -> Rows:
    held = _asked(path, lambda: book.get_sheet_by_name(name).to_python(skip_empty_area=False))
    return [(at, [_written(cell) for cell in row]) for at, row in enumerate(held, start=1)]


def _asked(path: Path, ask: Callable[[], Any]) -> Any:
    """What the reader answers; its errors share no class, and those of broken files are no exceptions of Python's."""
    try:
        return ask()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        raise InputError(f"{path} is not a whole spreadsheet ({error}); save it again, without a password") from error


def _holds_a_table(rows: Rows) -> bool:
    return sum(sum(map(bool, row)) > 1 for _, row in rows) > 1


def _written(cell: Any) -> str:
    """A cell as text: what the sheet has as a number stays known as one.

    >>> _written(3.0), _written(1.234), _written(True), _written(date(2024, 1, 5)), _written(" red ")
    ('3', '1.234', 'true', '2024-01-05', 'red')
    """
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, (int, float)):
        whole = float(cell).is_integer() and abs(cell) < 1e15
        return NumberCell(int(cell) if whole else repr(cell))
    if isinstance(cell, (date, datetime)):
        return cell.isoformat()
    if isinstance(cell, (time, timedelta)):
        return str(cell)
    return str(cell).strip()


@dataclass
class _Extent:
    """The rectangle that the cells of a sheet fill, as far as its XML has been read."""

    row: int = 0
    column: int = 0
    more_rows: int = 1
    cells: int = 0
    last_row: int = 0
    last_column: int = 0
    has_formulas: bool = False

    def element(self, name: str, attributes: dict[str, str]) -> None:
        """Take an element of .xlsx (row, c) or .ods (table, table-row, table-cell)."""
        match name.rpartition(":")[2]:
            case "table":
                self.row = self.last_row = self.last_column = 0
            case "row":
                self.row, self.column = int(attributes.get("r", self.row + 1)), 0
            case "c":
                place = attributes.get("r", "")
                letters = place.rstrip("0123456789")
                self.column = _place(letters) if letters else self.column + 1
                self._held(int(place[len(letters) :] or self.row), self.column)
            case "f":
                self.has_formulas = True
            case "table-row":
                self.row, self.column = self.row + self.more_rows, 0
                self.more_rows = int(attributes.get("table:number-rows-repeated", 1))
            case "table-cell" | "covered-table-cell":
                self.column += int(attributes.get("table:number-columns-repeated", 1))
                if "office:value-type" in attributes:
                    self._held(self.row + self.more_rows, self.column)

    def _held(self, row: int, column: int) -> None:
        self.last_row, self.last_column = max(self.last_row, row), max(self.last_column, column)
        self.cells = max(self.cells, self.last_row * self.last_column)


def _place(letters: str) -> int:
    """The number of a column by its letters.

    >>> _place("A"), _place("XFD")
    (1, 16384)
    """
    at = 0
    for letter in letters.upper():
        at = 26 * at + ord(letter) - 64
    return at


def _require_sound(path: Path) -> bool:
    """Raise for a spreadsheet that is not whole, or whose cells would not fit; return whether .xlsx has formulas.

    Raises
    ------
    InputError
    MemoryLimitError
    """
    remedy = "take out cells far from the table, or save it as .csv or parquet"
    has_formulas = False
    try:
        with zipfile.ZipFile(path) as packed:
            members = [each for each in packed.infolist() if each.filename.lower().endswith(".xml")]
            require_memory(XML_HELD * sum(each.file_size for each in members), f"{path}", remedy)
            for member in members:
                extent = _Extent()
                parser = expat.ParserCreate()
                parser.StartElementHandler = extent.element
                with packed.open(member) as file:
                    while block := file.read(BLOCK):
                        parser.Parse(block, False)
                        require_memory(CELL_HELD * extent.cells, f"{path} ({extent.cells:,} cells)", remedy)
                parser.Parse(b"", True)
                has_formulas = has_formulas or extent.has_formulas
    except (expat.ExpatError, *BROKEN_ZIP) as error:
        raise InputError(f"{path} is not a whole spreadsheet ({error}); save it again, without a password") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole spreadsheet ({error}); save it again") from error
    return has_formulas
