"""Sheets of spreadsheets (.xlsx, .ods), which python-calamine reads.

A cell that the sheet keeps as a number is that number, whatever it looks like on the screen; one that it keeps as text
may be a number that somebody typed, and is read as the cells of a text are.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from partita.errors import InputError, require
from partita.io.around_tables import Rows
from partita.io.files import listed, require_known
from partita.io.grids import GridTable, grid_of_rows
from partita.io.number_formats import NumberCell
from partita.io.reading import AS_FOUND, Reading
from partita.io.spreadsheet_checks import require_sound
from partita.io.tables import HeaderRule, looks_like_a_header

__all__ = ["SHEET_SUFFIXES", "open_spreadsheet"]

SHEET_SUFFIXES = (".xlsx", ".ods")


def open_spreadsheet(path: Path, is_header: HeaderRule = looks_like_a_header, reading: Reading = AS_FOUND) -> GridTable:
    """Return a sheet as a table: the one that is asked for, else the first that holds one, and a note where others do.

    Raises
    ------
    InputError
        For a broken file, one with a password, an unknown sheet, no table, or rows that are none.
    MissingExtraError
        Without python-calamine.
    """
    calamine = require("python_calamine", extra="spreadsheets", purpose="reading spreadsheets")
    require_sound(path)
    book = _asked(path, lambda: calamine.CalamineWorkbook.from_path(str(path)))
    names = [str(name) for name in book.sheet_names]
    if reading.sheet is not None:
        require_known(path, reading.sheet, names, f"sheet {reading.sheet!r} for --sheet")
        return grid_of_rows(path, _rows(path, book, reading.sheet), is_header, reading)
    rows = {name: _rows(path, book, name) for name in names}
    tables = [name for name in names if _holds_a_table(rows[name])]
    if not tables:
        raise InputError(f"{path} holds no table in {listed(names)}: expected rows of at least two cells")
    notes = []
    if len(tables) > 1:
        notes.append(f"sheet {tables[0]!r} was read; {listed(map(repr, tables[1:]))} may hold a table too (--sheet)")
    return grid_of_rows(path, rows[tables[0]], is_header, reading, notes=notes)


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
