"""Rows of a text table as R's `write.table` writes it: cells parted by spaces, rows that may begin with their name.

A header then has one cell less than the rows below it. `write.csv` names that column by nothing, which readers of .csv
know; `write.table` leaves it out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from partita.errors import InputError
from partita.io.text_rows import as_number, opened_text, require_no_comment

__all__ = ["table_rows"]


def table_rows(path: Path) -> tuple[list[str] | None, int, Iterator[tuple[int, list[str]]]]:
    r"""Return names of the columns where there is a header, their number, and the rows with their lines.

    No names of rows.

    Parameters
    ----------
    path : Path
        Cells parted by spaces, or by tabulators or commas where the first line has any. Quotes are double.

    Raises
    ------
    InputError
        For a file without rows, or naming the line of a row with another number of cells, broken quotes, or bytes that
        are not UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "draws.txt")
    ...     _ = file.write_text('"V1" "V2"\n"1" 1 1\n"2" 1 2\n')
    ...     names, width, rows = table_rows(file)
    ...     names, width, list(rows)
    (['V1', 'V2'], 2, [(2, ['1', '1']), (3, ['1', '2'])])
    """
    head, mark = _first_line(path)
    rows = _rows(path, mark)
    first = next(rows, None)
    if first is None:
        raise InputError(f"{path} is empty; expected at least one row")
    _, cells = first
    second = next(rows, None)
    require_no_comment(path, [cells, *([] if second is None else [second[1]])])
    quoted = head.count('"') == 2 * len(cells)
    shorter = second is not None and len(second[1]) == len(cells) + 1
    header = shorter or any(as_number(cell) is None for cell in cells) or not cells[0]
    header = header or (quoted and second is not None and len(second[1]) == len(cells))
    if header and second is None:
        raise InputError(f"{path} has a header and no rows; expected a row for each draw")
    named = shorter or (header and not cells[0]) or (not header and head.startswith('"') and not quoted)
    names = None
    if header:
        names = cells if shorter else cells[int(named) :]
    width = len(cells) + shorter
    body = (each for each in ((None if header else first), second) if each is not None)
    return names, width - named, _checked(chain(body, rows), width, int(named), path)


def _checked(
    rows: Iterator[tuple[int, list[str]]], width: int, drop: int, path: Path
) -> Iterator[tuple[int, list[str]]]:
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"{path}, line {line}: expected {width} cells as in the rows before, found {len(row)}; fill in or take "
                "out cells"
            )
        yield line, row[drop:]


def _first_line(path: Path) -> tuple[str, str]:
    """The first line that is not blank, and what parts its cells."""
    with opened_text(path) as file:
        head = next((line.strip() for line in file if line.strip()), "")
    return head, next((mark for mark in "\t," if mark in head), " ")


def _rows(path: Path, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each row that is not blank."""
    with opened_text(path) as file:
        reader = csv.reader((line.rstrip(" \r\n") for line in file), delimiter=mark, skipinitialspace=True, strict=True)
        try:
            for row in reader:
                cells = row[1:] if mark == " " and len(row) > 1 and not row[0] else row
                if any(cell.strip() for cell in cells):
                    yield reader.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(
                f"{path}, line {reader.line_num}: not a well-formed row ({error}); check the quotes"
            ) from error
