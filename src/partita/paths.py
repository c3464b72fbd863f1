"""Files and folders that a command is given, looked at before anything heavy is imported."""

from __future__ import annotations

import difflib
from pathlib import Path

from partita.errors import InputError

__all__ = ["STANDARD_INPUT", "name_of", "require_file", "require_input"]

STANDARD_INPUT = Path("-")
COMPRESSED = (".gz", ".zip")


def name_of(file: Path) -> str:
    """Return the name of a file without the endings that say its format.

    >>> name_of(Path("a/crabs.csv.gz")), name_of(Path("crabs.2024.v2.csv")), name_of(Path("-"))
    ('crabs', 'crabs.2024.v2', 'stdin')
    """
    if file == STANDARD_INPUT:
        return "stdin"
    whole = Path(file.name)
    plain = Path(whole.stem) if whole.suffix.lower() in COMPRESSED else whole
    return plain.stem


def require_input(path: str | Path) -> Path:
    """Return the path, if something that can be read is there: a folder too, as some formats are.

    Raises
    ------
    InputError
        Naming the path: there is nothing, or a file without permission to read.
    """
    file = Path(path)
    return file if file.is_dir() else require_file(file)


def _near(stem: str, folder: Path) -> str:
    """A clause with the file of a folder whose name, without its ending, is close to one."""
    names = {entry.stem: entry.name for entry in folder.iterdir() if entry.is_file()}
    close = difflib.get_close_matches(stem, names, n=1)
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def require_file(path: str | Path) -> Path:
    """Return the path, if a file that can be opened is there.

    Raises
    ------
    InputError
        Naming the path: there is nothing, a folder, an empty file, or a file without permission to read.
    """
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; pass a file in it")
    if not file.exists():
        parent = file.parent
        near = _near(file.stem, parent) if parent.is_dir() else ""
        raise InputError(f"{file} does not exist{near or '; check the path'}")
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        raise InputError(f"{file} cannot be opened ({error.strerror}); check its permissions") from error
