"""Partition draws in text: CSV, TSV, and what R's `write.csv` and `write.table` write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from partita.errors import InputError
from partita.io import draw_labels
from partita.io.draw_labels import Labels, lacking
from partita.io.r_tables import R_TABLE_SUFFIXES, table_rows
from partita.io.text_rows import as_number, data_rows, first_rows, is_missing

__all__ = ["text_draws"]

# Columns from which a first row that only counts them is asked about.
COUNTED = 5
# Whole numbers beyond this are not told apart by doubles.
EXACT = 1 << 53


def text_draws(file: Path, gaps: bool) -> tuple[list[str] | None, Iterator[Labels]]:
    """Names of the columns, where there is a header, and batches of rows of numbers."""
    if file.name.lower().endswith(R_TABLE_SUFFIXES):
        names, width, found = table_rows(file)
        return names, _batches(found, file, width, gaps=gaps)
    rows, _ = first_rows(file, 2)
    # R and pandas leave the name of the row numbers empty.
    header = any(as_number(cell) is None for cell in rows[0]) or (len(rows[0]) > 1 and not rows[0][0])
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
    found, width = data_rows(file, len(rows[0]), skip_header=header), len(rows[0])
    if header and width > 1 and not rows[0][0]:  # names of rows may be words
        return rows[0][1:], _batches((row[1:] for row in found), file, width - 1, gaps=gaps)
    return (rows[0] if header else None), _batches(found, file, width, gaps=gaps)


def _batches(rows: Iterator[list[str]], file: Path, width: int, *, gaps: bool) -> Iterator[Labels]:
    step, first = max(1, draw_labels.BATCH // width), 0
    held: list[Labels] = []
    for row in rows:
        held.append(_row(row, first + len(held), file, gaps))
        if len(held) == step:
            yield np.stack(held)
            first, held = first + step, []
    if held:
        yield np.stack(held)


def _row(cells: list[str], draw: int, file: Path, gaps: bool) -> Labels:
    try:
        return np.array(cells, dtype=np.int64)
    except (ValueError, OverflowError):
        numbers = [-1.0 if gaps and is_missing(cell) else as_number(cell) for cell in cells]
    for item, (cell, number) in enumerate(zip(cells, numbers)):
        if is_missing(cell) and not gaps:
            raise InputError(f"{file}: {lacking(draw, item)}")
        if number is None or not float(number).is_integer():
            raise InputError(f"{file}: draw {draw}, item {item}: {cell.strip()!r} is no whole number")
        if abs(number) >= EXACT:
            raise InputError(
                f"{file}: draw {draw}, item {item}: {cell.strip()!r} is too large for a label; number anew"
            )
    return np.array(numbers, dtype=np.float64).astype(np.int64)
