"""Standard input as a file, where a command is given - for one."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partita.paths import STANDARD_INPUT

__all__ = ["readable"]


@contextmanager
def readable(file: Path) -> Iterator[Path]:
    """Yield the file; for - a text file with what standard input held, which is removed at the end."""
    if file != STANDARD_INPUT:
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="partita-") as folder:
        held = Path(folder, "stdin.txt")
        with held.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        yield held
