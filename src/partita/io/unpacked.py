"""How much text a .gz file unpacks to, counted before a reader sees it: a few kilobytes can hold gigabytes.

What a file says of itself is not believed (gzip keeps the length modulo 2^32); it is unpacked once, a block at a time,
and nothing of it is kept. That costs about a third of a second for each 100 MB of text.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from partita.errors import InputError
from partita.memory import require_memory

__all__ = ["require_unpacked"]

BLOCK = 1 << 20
# Cells take as much memory as their text, about; a line is held as text, as cells, and as pointers to them.
LINE_HELD = 16
# Text of numbers shrinks to a fourth, of one digit over and over to a thousandth.
RATIO, FROM = 500, 64 << 20


def require_unpacked(path: Path) -> None:
    """Raise where the text in a gzip file would not fit into memory, or is too much for the size of the file.

    Raises
    ------
    InputError
        For more than 500 times the file's size, from 64 MiB on.
    MemoryLimitError
        Where the text, or the longest line sixteen-fold, is more than can be had.
    OSError, EOFError, zlib.error
        For a file that is not a whole gzip file.
    """
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
