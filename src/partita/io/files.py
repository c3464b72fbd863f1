"""Checks that every reader starts with: whether there is a file, with which fingerprint, and what it has."""

from __future__ import annotations

import csv
import hashlib
import io
import shlex
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from partita.errors import InputError
from partita.paths import require_file
from partita.registry import did_you_mean

__all__ = [
    "Place",
    "did_you_mean",
    "listed",
    "names_in_option",
    "number_label",
    "option_value",
    "require_file",
    "require_known",
    "row_place",
    "sha256_of_file",
]

# The words for the place of a row of data, counted from 0, in its file.
Place = Callable[[int], str]

BLOCK = 1 << 20


def sha256_of_file(path: str | Path) -> str:
    """Return SHA-256 of a file's bytes in hex, read in blocks.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    InputError
        If there is no file at `path` or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "empty.csv")
    ...     _ = file.write_bytes(b"")
    ...     sha256_of_file(file)[:12]
    'e3b0c44298fc'
    """
    digest = hashlib.sha256()
    with require_file(path).open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def require_known(path: Path, name: str, known: Collection[str], what: str) -> None:
    """Raise where a file has nothing of this name among what it has; `what` it is, in words.

    Raises
    ------
    InputError
        Listing the known names.
    """
    if name not in known:
        raise InputError(f"{path} has no {what}; it has {listed(known)}{did_you_mean(name, known)}")


def row_place(row: int) -> str:
    """Return the place of a row in a file that has no lines.

    >>> row_place(0)
    'row 1'
    """
    return f"row {row + 1}"


def listed(items: Iterable[object], limit: int = 8) -> str:
    """Return items with commas between them, the first few of many.

    >>> listed(range(20), limit=3)
    '0, 1, 2 and 17 more'
    """
    words = [str(item) for item in items]
    more = len(words) - limit
    return ", ".join(words) if more <= 0 else f"{', '.join(words[:limit])} and {more} more"


def option_value(*names: str) -> str:
    """Return names as a command line takes them: commas between, and quotes where a name or the shell needs them.

    >>> print(option_value("a", "bill length"), option_value("height, cm"))
    'a,bill length' '"height, cm"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


def names_in_option(text: str) -> list[str]:
    """Return the names in the value of an option, with commas between; quotes hold a name that has one.

    >>> names_in_option('a, pixel_*,"height, cm"')
    ['a', 'pixel_*', 'height, cm']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""])]


def number_label(value: object) -> str:
    """Return a value as a label: 3.0 is '3', everything else as it prints.

    >>> number_label(3.0), number_label(2.5), number_label("setosa")
    ('3', '2.5', 'setosa')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
