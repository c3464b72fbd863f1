"""Whether a text is as programs write it, so that it need not be looked at cell by cell."""

from __future__ import annotations

import io
from pathlib import Path

from partita.errors import InputError
from partita.io.around_tables import (
    says_total,
    without_comments,
    without_second_header,
    without_surroundings,
)
from partita.io.bare_numbers import number_in
from partita.io.headers import is_number
from partita.io.reading import Reading
from partita.io.text_layout import HEAD, encoding_of, guessed_delimiter, parted
from partita.io.text_rows import delimiter_of, usual_width

__all__ = ["is_plain"]

# The last bytes of a text that are looked at for a row of totals.
TAIL = 4096


def is_plain(path: Path, reading: Reading) -> bool:
    """Return whether a text is as programs write it, by its first and last lines: UTF-8, cells parted as its name
    says, a header or none, and rows of one length.
    """
    if reading.of_text or path.suffix.lower() == ".zip" or any(number_in(word) is None for word in reading.na):
        return False
    if path.suffix.lower() == ".gz":
        return _is_plain_head(path, *_gzip_head(path))
    with path.open("rb") as file:
        head = file.read(HEAD)
        size = path.stat().st_size
        file.seek(max(0, size - TAIL))
        tail = file.read(TAIL)
    return _is_plain_head(path, head, size > HEAD) and _is_plain_tail(path, tail)


def _gzip_head(path: Path) -> tuple[bytes, bool]:
    import gzip
    import zlib

    try:
        with gzip.open(path, "rb") as file:
            head = file.read(HEAD)
            return head, len(head) == HEAD
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return b"", False  # an error with its own words where the file is read


def _is_plain_head(path: Path, head: bytes, cut: bool) -> bool:
    if not head:
        return True
    if cut:  # within a line, and perhaps within a letter
        head = head[: head.rfind(b"\n") + 1] or head[: head.rfind(b",") + 1] or head
    encoding = encoding_of(head)
    if encoding not in ("utf-8", "utf-8-sig"):
        return False
    lines = io.StringIO(head.decode("utf-8-sig", errors="replace"), newline="").readlines()
    own = delimiter_of(path)
    if not lines:
        return True
    if guessed_delimiter(lines, own) != own or lines[0].lower().startswith("sep="):
        return False
    try:
        rows = [(line, row) for line, row in parted(lines, own, path) if row]
    except InputError:
        return True  # an error with its own words where the file is read
    if without_comments(lines, own)[1] or (rows and len(rows[0][1]) > 1 and not any(rows[0][1])):
        return False
    rows = [(line, row) for line, row in rows if any(row)]
    if any(not is_number(cell) and number_in(cell) is not None for _, row in rows[:2] for cell in row):
        return False  # whether the first row is a header depends on how such numbers are read
    rows, said = without_surroundings(rows, usual_width(row for _, row in rows))
    return not said and not (len(rows) > 3 and without_second_header(rows)[1])


def _is_plain_tail(path: Path, tail: bytes) -> bool:
    """Whether a text ends in a row like others: none of totals, none that is empty, no line below."""
    lines = tail.decode("utf-8", errors="replace").rstrip().splitlines()
    if len(lines) < 3:
        return True
    before, last = ([cell.strip('" ') for cell in line.split(delimiter_of(path))] for line in lines[-2:])
    told = says_total(next((cell for cell in last if cell), ""))
    below = len(last) == 1 and number_in(last[0]) is None and (len(before) > 1 or not before[0])
    below = below or (len(before) > 1 and not any(before))
    return not (told or below or (len(last) > 1 and not any(last)))
