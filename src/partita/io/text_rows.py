"""The rows of a CSV or TSV file: opened, decoded and split, with errors that name the line.

A few kilobytes of .gz can hold gigabytes, and what such a file says of itself is not believed (gzip keeps the length
modulo 2^32): it is unpacked once, a block at a time, and nothing of that is kept. That costs about a third of a second
for each 100 MB of text.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from partita.errors import InputError
from partita.memory import require_memory
from partita.wording import count, first_words

__all__ = [
    "LINE_HELD",
    "MISSING_MARKS",
    "NotUtf8Error",
    "as_number",
    "data_rows",
    "delimiter_of",
    "first_rows",
    "is_missing",
    "numbered_rows",
    "opened_text",
    "ragged",
    "require_no_comment",
    "require_unpacked",
    "says_nothing",
    "usual_width",
]

# Words that people and programs write into a cell that holds nothing.
MISSING_WORDS = frozenset({"", "na", "n/a", "<na>", "nan", "null", "none", "?"})
# What is written where nothing was measured, and by spreadsheets for what cannot be computed: it means missing only in
# a column that otherwise holds numbers.
MISSING_MARKS = frozenset({"-", "--", ".", "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"})
BLOCK = 1 << 20
# Cells take as much memory as their text, about; a line is held as text, as cells, and as pointers to them.
LINE_HELD = 16
# Text of numbers shrinks to a fourth, of one digit over and over to a thousandth.
RATIO, FROM = 500, 64 << 20


class NotUtf8Error(InputError):
    """A text that is not UTF-8."""


def delimiter_of(path: Path) -> str:
    """Return tab for .tsv and .tab, else comma."""
    return "\t" if path.name.lower().removesuffix(".zip").removesuffix(".gz").endswith((".tsv", ".tab")) else ","


def is_missing(cell: str) -> bool:
    """Return whether a cell says that it holds nothing.

    >>> is_missing(" NA "), is_missing("0")
    (True, False)
    """
    return cell.strip().lower() in MISSING_WORDS


def says_nothing(cell: str) -> bool:
    """Return whether a cell says that it holds nothing, in a table of numbers.

    >>> says_nothing("NA"), says_nothing("-"), says_nothing("0")
    (True, True, False)
    """
    return is_missing(cell) or cell in MISSING_MARKS


def ragged(path: Path, line: int, width: int, found: int, delimiter: str) -> InputError:
    """Return the error for a row that has not as many cells as the first."""
    triangle = "; where each row has one cell more, as in a triangle of distances, write the whole square"
    return InputError(
        f"{path}, line {line}: expected {count(width, 'cell')} as in the first row, found {found}; "
        f"fill in or take out cells (a cell that contains {delimiter!r} needs quotes)"
        f"{triangle if (width, found) == (1, 2) else ''}"
    )


def require_no_comment(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Raise where the first row is a comment above a table: it begins with # and has not as many cells as the next.

    Raises
    ------
    InputError
    """
    if rows[0][0].startswith("#") and len(rows) > 1 and len(rows[0]) != len(rows[1]):
        raise InputError(
            f"{path} begins with a comment, {first_words(' '.join(rows[0]))!r}: expected a header or a first row; "
            "remove the lines above it, and any other that begins with #"
        )


def usual_width(rows: Iterable[Sequence[str]]) -> int:
    """Return the number of cells that most rows have."""
    widths = Counter(map(len, rows))
    return max(widths, key=lambda width: (widths[width] * (width > 1), width), default=1)


def as_number(cell: str) -> float | None:
    """Return the number a cell holds, NaN for a missing one, None for text.

    Python's digit separator is text here: no CSV writer means a number by 1_000.

    >>> as_number("1e3"), as_number("1_000"), as_number("red")
    (1000.0, None, None)
    """
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return float("nan") if is_missing(cell) else None


def first_rows(path: Path, n: int = 2) -> tuple[list[list[str]], bool]:
    """Return the first `n` rows that are not blank, and whether the first of them is exactly the first line of the
    file.

    Raises
    ------
    InputError
        For no rows at all, a wrong delimiter, bytes that are not UTF-8, or broken quotes or compression.
    MemoryLimitError
        Where a compressed file unpacks to more than can be had.
    """
    rows: list[list[str]] = []
    on_first_line = False
    if path.name.lower().endswith(".gz"):
        require_unpacked(path)
    for line, row in _rows(path):
        if _is_blank(row):
            continue
        on_first_line = on_first_line or (not rows and line == 1)
        rows.append([cell.strip() for cell in row])
        if len(rows) == n:
            break
    if not rows:
        raise InputError(f"{path} is empty; expected at least one row")
    if len(rows[0]) == 1:
        _require_delimiter(path, rows[0][0])
    return rows, on_first_line


def data_rows(path: Path, width: int, *, skip_header: bool) -> Iterator[list[str]]:
    """Yield the data rows in order; blank lines are left out, except inside a file of one column, where they are cells.

    Raises
    ------
    InputError
        Naming the line of a row that has not `width` cells.
    """
    return (row for _, row in numbered_rows(path, width, skip_header=skip_header))


def numbered_rows(path: Path, width: int, *, skip_header: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that `data_rows` gives, each after the number of the line that it ends on."""
    pending = not skip_header
    blank: list[int] = []
    for line, row in _rows(path):
        if _is_blank(row):
            blank += [line] * pending
            continue
        if not pending:
            pending = True
            continue
        if width == 1:
            yield from ((at, [""]) for at in blank)
        blank = []
        if len(row) != width:
            raise ragged(path, line, width, len(row), delimiter_of(path))
        yield line, row


def _require_delimiter(path: Path, line: str) -> None:
    """Raise where a first line has no delimiter of its format, and one of another."""
    own = delimiter_of(path)
    other = next((mark for mark in ";\t," if mark in line and mark != own), None)
    if other is not None and own not in line:
        raise InputError(
            f"{path}: the cells of line 1 are separated by {other!r}, expected {own!r}; write it with commas as .csv "
            "(R: write.csv, not write.csv2) or with tabs as .tsv"
        )


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    with opened_text(path) as file:
        reader = csv.reader(file, delimiter=delimiter_of(path), strict=True)
        try:
            for row in reader:
                yield reader.line_num, row
        except csv.Error as error:
            if reader.line_num == 1:
                with opened_text(path) as again:
                    _require_delimiter(path, again.readline())
            raise InputError(
                f"{path}, line {reader.line_num}: not a well-formed row ({error}); check the quotes"
            ) from error


@contextmanager
def opened_text(path: Path) -> Iterator[TextIO]:
    """Open a text, unpacked where it is packed by gzip; what is no UTF-8 or no whole gzip file is an `InputError`."""
    try:
        if path.name.lower().endswith(".gz"):
            with _gzip_errors(path), gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
                yield cast("TextIO", file)
        else:
            with path.open(encoding="utf-8-sig", newline="") as file:
                yield file
    except UnicodeDecodeError as error:
        raise NotUtf8Error(
            f"{path}: byte 0x{error.object[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        ) from error


@contextmanager
def _gzip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a whole gzip file ({error}); compress it again") from error


def require_unpacked(path: Path) -> None:
    """Raise where the text in a gzip file or its longest line would not fit, or is too much for the file's size.

    Raises
    ------
    InputError
        Where the file is not whole, too.
    MemoryLimitError
    """
    with _gzip_errors(path):
        _require_unpacked(path)


def _require_unpacked(path: Path) -> None:
    packed = path.stat().st_size
    total = line = 0
    with gzip.open(path, "rb") as file:
        while block := file.read(BLOCK):
            total += len(block)
            first, last = block.find(b"\n"), block.rfind(b"\n")
            line = line + len(block) if last < 0 else len(block) - 1 - last
            longest = max(line, first)
            if total > FROM and total > RATIO * packed:
                raise InputError(
                    f"{path} has {packed:,} bytes and unpacks to more than {total:,}: no table does that; unpack it "
                    "and pass the text if it is one"
                )
            require_memory(max(total, LINE_HELD * longest), f"what {path} unpacks to", "leave out rows or columns")
