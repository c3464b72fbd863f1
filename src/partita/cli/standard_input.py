"""Standard input as a file, where a command is given - for one."""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partita.errors import InputError, MemoryLimitError
from partita.io.text_layout import BROKEN_ZIP, HEAD, other_file
from partita.paths import STANDARD_INPUT

__all__ = ["readable"]

# What is in a zip that is a file of a format of its own.
INSIDE = {"xl/workbook.xml": ".xlsx", "content.xml": ".ods"}


@contextmanager
def readable(file: Path) -> Iterator[Path]:
    """Yield the file; for - a file with what standard input held, of the format that it has, which is removed at the
    end.

    An error speaks of standard input and not of that file.
    """
    if file != STANDARD_INPUT:
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="partita-") as folder:
        held = Path(folder, "stdin.txt")
        with held.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        held = held.rename(held.with_name(f"stdin{_suffix_of(held)}"))
        try:
            yield held
        except (InputError, MemoryLimitError) as error:
            error.args = (str(error).replace(str(held), "standard input"), *error.args[1:])
            raise


def _suffix_of(file: Path) -> str:
    with file.open("rb") as start:
        found = other_file(start.read(HEAD))
    suffix = ".txt" if found is None else found[1][0]
    if suffix != ".zip":
        return suffix
    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
    except BROKEN_ZIP:
        return suffix  # which is told where the file is read
    if names and all(name.endswith(".npy") for name in names):
        return ".npz"
    return next((kind for name, kind in INSIDE.items() if name in names), suffix)
