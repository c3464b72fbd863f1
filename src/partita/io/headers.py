"""Is the first row of a text file a header, and what are its columns called."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from partita.errors import InputError
from partita.io.files import listed
from partita.io.text_columns import TextTable
from partita.io.text_rows import as_number, first_rows, is_missing

__all__ = ["column_names", "default_names", "is_number", "looks_like_a_header", "open_text"]

HeaderRule = Callable[[Sequence[list[str]]], bool]


def looks_like_a_header(rows: Sequence[list[str]], known: Sequence[str] = ()) -> bool:
    """Whether the first of the given rows names columns.

    Words only: yes. Numbers only: no, except 0, 1, 2, ... in a row of three cells or more, which is how pandas writes
    an array. Numbers and words mixed: if they count like that, a word is one of the `known` names, or a number stands
    below a word.

    >>> looks_like_a_header([["height", "width"]]), looks_like_a_header([["1.5", "setosa"]])
    (True, False)
    """
    cells = rows[0]
    numeric = [cell for cell in cells if is_number(cell)]
    if not numeric:
        return True
    words = [at for at, cell in enumerate(cells) if not is_number(cell) and not is_missing(cell)]
    if any(cells[at] in known for at in words):
        return True
    if len(cells) >= 3 and numeric == [str(k) for k in range(len(numeric))]:
        return True
    below = rows[1] if len(rows) > 1 else []
    return any(at < len(below) and is_number(below[at]) for at in words)


def open_text(path: Path, is_header: HeaderRule = looks_like_a_header) -> TextTable:
    """A text file with its header decided by `is_header`, and notes about every decision a user might not expect.

    Raises
    ------
    InputError
        For an empty file, bytes that are not UTF-8, or column names given twice.
    """
    rows, on_first_line = first_rows(path)
    first = rows[0]
    has_numbers = any(is_number(cell) for cell in first)
    if is_header(rows):
        names = column_names(path, first)
        notes = [f"the first row ({listed(first, 4)}) was read as a header, though there are numbers in it"]
        return TextTable(path, names, True, on_first_line, len(rows) > 1, notes if has_numbers else [])
    kind = "is numeric" if all(is_number(cell) or is_missing(cell) for cell in first) else "names no columns"
    note = (
        f"the first row {kind}, so it was read as data, not as a header; the columns are called column_0, column_1, ..."
    )
    return TextTable(path, default_names(len(first)), False, on_first_line, True, [note])


def column_names(path: Path, names: Sequence[str]) -> list[str]:
    """Names as they stand, column_<position> for one without, after a check that none is given twice."""
    filled = [name.strip() or f"column_{at}" for at, name in enumerate(names)]
    twice = [repr(name) for name, count in Counter(filled).items() if count > 1]
    if twice:
        raise InputError(f"{path}: column name {', '.join(twice)} occurs more than once; give each column its own name")
    return filled


def default_names(n: int) -> list[str]:
    """Names for columns that have none.

    >>> default_names(2)
    ['column_0', 'column_1']
    """
    return [f"column_{at}" for at in range(n)]


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, NaN included, and not just nothing."""
    value = as_number(cell)
    return value is not None and (not math.isnan(value) or cell.strip().lower() == "nan")
