"""How a text is encoded and parted into cells, found from its first lines; and its rows, read by that.

The mark between cells is the one by which the first rows have one number of cells, two or more, and cells that are
numbers or words without another mark in them. csv.Sniffer and clevercsv answer the same question; on the messy files of
tests/unit/test_messy_tables.py and on the public tables this rule is wrong less often (docs/decisions/0035).
"""

from __future__ import annotations

import codecs
import csv
import gzip
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from partita.errors import InputError
from partita.io.bare_numbers import bare_number
from partita.io.text_rows import LINE_HELD, is_missing, require_unpacked, usual_width
from partita.memory import require_memory

__all__ = [
    "BROKEN_ZIP",
    "HEAD",
    "MARKS",
    "SAMPLE",
    "decoded",
    "encoding_of",
    "guessed_delimiter",
    "other_file",
    "parted",
    "raw_bytes",
    "require_delimiter",
]

MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes", " ": "spaces"}
# What is looked at to find encoding and delimiter: enough for the lines above a table and some of its rows.
HEAD = 1 << 16
SAMPLE = 200
BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Bytes that no text of Windows' or ISO's Latin alphabet holds.
NO_TEXT = frozenset({*range(9), 11, *range(14, 26), 27, 28, 29, 30, 31, 127})
# How files begin that are no text: what they are, and the endings of their names, first that of one nobody has named.
OTHER_FILES = {
    b"PK\x03\x04": ("a workbook or a zip", (".zip", ".xlsx", ".ods")),
    b"\xd0\xcf\x11\xe0": ("an old workbook of Excel", (".xls",)),
    b"\x93NUMPY": ("an array of NumPy", (".npy",)),
    b"PAR1": ("a Parquet file", (".parquet",)),
    b"\x1f\x8b": ("packed by gzip", (".txt.gz", ".csv.gz")),
}
# What zipfile raises of an archive that breaks off or has a wrong checksum or place; NotImplementedError is of a
# compression or version that it does not have, RuntimeError of a member that is encrypted.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, IndexError)


def raw_bytes(path: Path) -> tuple[bytes, str | None]:
    """Return the bytes of a text, unpacked where it is packed by gzip or is the one file in a zip, and the name of
    that file.

    Raises
    ------
    InputError
        For a zip with several files, or one that is broken.
    MemoryLimitError
        Where the text does not fit.
    """
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return _unzipped(path)
    if suffix == ".gz":
        require_unpacked(path)
        with gzip.open(path, "rb") as file:
            return file.read(), None
    require_memory(LINE_HELD * path.stat().st_size, f"{path}", "leave out rows or columns, or save it as parquet")
    return path.read_bytes(), None


def _unzipped(path: Path) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(path) as packed:
            inside = [each for each in packed.infolist() if not each.is_dir() and not _of_a_system(each.filename)]
            if len(inside) != 1:
                held = ", ".join(each.filename for each in inside[:5]) or "none"
                raise InputError(f"{path} should hold one file, it holds {len(inside)} ({held}): unpack it, pass one")
            said = inside[0].file_size
            require_memory(LINE_HELD * said, f"what {path} unpacks to", "leave out rows or columns")
            with packed.open(inside[0]) as file:  # zipfile reads no more than the file's entry says
                return file.read(said), inside[0].filename
    except (*BROKEN_ZIP, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole zip file ({error}); pack it again, without a password") from error


def _of_a_system(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")


def require_delimiter(lines: Sequence[str], delimiter: str, own: str, path: Path) -> None:
    """Raise where a mark that was given is in no line, and another one is in each.

    Raises
    ------
    InputError
    """
    if any(delimiter in line for line in lines):
        return
    found = guessed_delimiter(lines, own)
    if lines and found != " " and all(found in line for line in lines):
        raise InputError(
            f"{path}: the mark of --delimiter is not in it; its cells seem to be separated by {MARKS[found]}"
        )


def encoding_of(data: bytes) -> str | None:
    """Return the encoding of a text; None for bytes that are none.

    >>> encoding_of(b"a,b"), encoding_of("größe".encode("cp1252")), encoding_of("a;b".encode("utf-16-le"))
    ('utf-8', 'cp1252', 'utf-16-le')
    """
    for mark, name in BOMS:
        if data.startswith(mark):
            return name
    head = data[: HEAD // 16]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.3 * len(head) / 2 and min(even, odd) <= 0.1 * max(even, odd):
        return "utf-16-le" if odd > even else "utf-16-be"
    if NO_TEXT.intersection(head):
        return None
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        data.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


def other_file(head: bytes) -> tuple[str, tuple[str, ...]] | None:
    r"""Return what a file is that begins so and is no text, and the endings of its name; None for any other.

    >>> other_file(b"PAR1\x15\x04"), other_file(b"PAR1;PAR2")
    (('a Parquet file', ('.parquet',)), None)
    """
    found = next((what for begun, what in OTHER_FILES.items() if head.startswith(begun)), None)
    return found if NO_TEXT.intersection(head) else None


def decoded(data: bytes, path: Path, encoding: str | None) -> tuple[str, str]:
    """Return the text of a file, and the encoding that it is read in.

    Raises
    ------
    InputError
        For an encoding that there is not, and bytes that are not of it or are no text.
    """
    found = encoding or encoding_of(data)
    if (other := other_file(data[:HEAD])) is not None:
        kind, endings = other
        raise InputError(f"{path} is {kind} and no text: rename it so that its name ends in {' or '.join(endings)}")
    if found is None:
        raise InputError(
            f"{path} holds bytes that are no text: expected a table as text; --encoding names its encoding"
        )
    try:
        text = data.decode("utf-8-sig" if found == "utf-8" else found)
    except LookupError as error:
        raise InputError(
            f"--encoding {found}: expected the name of an encoding, such as utf-8, cp1252 or utf-16"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: byte 0x{data[error.start]:02x} is not {found} text; name its encoding with --encoding"
        ) from error
    if encoding is not None and "\n" not in text and b"\n" in data.rstrip() and encoding_of(data) == "utf-8":
        raise InputError(
            f"{path} has a single line when it is read as {found}, and its bytes are utf-8; correct --encoding"
        )
    return text.removeprefix("\ufeff").replace("\x00", ""), found


def parted(lines: Sequence[str], delimiter: str, path: Path, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of lines that keep their ends, each after the number of the line that it ends on.

    Raises
    ------
    InputError
        For broken quotes where these matter, naming the line.
    """
    given = (" ".join(line.split()) + "\n" for line in lines) if delimiter == " " else iter(lines)
    reader = csv.reader(given, delimiter=delimiter, strict=strict)
    try:
        for row in reader:
            yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise InputError(
            f"{path}, line {reader.line_num}: not a well-formed row ({error}); check the quotes"
        ) from error


def guessed_delimiter(lines: Sequence[str], own: str) -> str:
    r"""Return what parts the cells of these lines; `own` is what the name of the file says, if that will do as well.

    >>> guessed_delimiter(["a;b\n", "1,5;2,5\n", "3,5;4\n"], ","), guessed_delimiter(["x\n", "1\n"], ",")
    (';', ',')
    """
    wanted = [own, *(mark for mark in MARKS if mark != own)]
    scores = {mark: _score(lines, mark) for mark in wanted if any(mark in line for line in lines)}
    if not scores:
        return own
    best = max(scores, key=lambda mark: scores[mark])
    return best if scores[best] > scores.get(own, 0.0) else own


def _score(lines: Sequence[str], mark: str) -> float:
    """How well a mark parts lines: the share of rows with the usual number of cells, times that of cells which are one.

    Blanks part words as well, so they count only where all rows below the first are alike and a column is of numbers.
    """
    try:
        rows = [row for _, row in parted(lines, mark, Path(), strict=False) if any(row)][:SAMPLE]
    except InputError:
        return 0.0
    width = usual_width(rows)
    if width < 2:
        return 0.0
    alike = [row for row in rows if len(row) == width]
    below = alike[1:]
    if mark == " " and (len(alike) < max(3, len(rows) - 1) or not any(all(map(_value, each)) for each in zip(*below))):
        return 0.0
    cells = [cell for row in alike for cell in row]
    share = sum(_one(cell) for cell in cells) / len(cells)
    return len(alike) / len(rows) * share


def _value(cell: str) -> bool:
    return is_missing(cell) or bare_number(cell) is not None


def _one(cell: str) -> bool:
    """Whether a cell is a number, or words without a mark that parts cells."""
    return _value(cell) or not any(mark in cell for mark in ";\t|,")
