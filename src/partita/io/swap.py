"""Two folders that change places in one step, so that a kill at any moment leaves the old one or the new one whole.

Linux has `renameat2` with RENAME_EXCHANGE (3.15, most file systems), macOS `renamex_np` with RENAME_SWAP (APFS). Where
there is neither (Windows, NFS), the old folder is renamed aside and the new one into its place. A kill between the two
leaves nothing there, and the old one whole beside it as `NAME.replaced-...`; `recovered` puts it back when that place
is written to again. What is being written stands beside its place as `NAME.unfinished-...`.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import secrets
import socket
import sys
from pathlib import Path

from partita.solvers.lock import process_exists

__all__ = ["all_beside", "exchange", "is_aside", "is_left_over", "name_beside", "recovered", "replace_folder"]

# Constants of linux/fs.h and fcntl.h, and of sys/stdio.h on macOS.
RENAME_EXCHANGE, AT_FDCWD, RENAME_SWAP = 2, -100, 2
# What a name beside a place says of what it has: is being written, or is about to be replaced.
UNFINISHED, REPLACED = "unfinished", "replaced"
# Digits of such a name: of the process, of its host, and random ones.
PROCESS, HOST, RANDOM = 8, 8, 4
# Such names, and those of 0.1.0, which were hidden ones.
NAME = rf"\.({UNFINISHED}|{REPLACED})-[0-9a-f]{{{PROCESS + HOST + RANDOM}}}"
EARLIER = r"\.[0-9a-f]{12}(\.old)?"
ASIDE = rf".*(\.{REPLACED}-[0-9a-f]+|\.old)"


def name_beside(goal: Path, kind: str = UNFINISHED) -> Path:
    """Return a name beside `goal` that nothing has, and that says which process of which host made it.

    >>> name_beside(Path("items-partita")).name.partition("-0")[0]
    'items-partita.unfinished'
    """
    made_by = f"{os.getpid():0{PROCESS}x}{_host()}{secrets.token_hex(RANDOM // 2)}"
    return goal.with_name(f"{goal.name}.{kind}-{made_by}")


def is_left_over(folder: Path) -> bool:
    """Return whether a name of `name_beside` is of a process of this host that has ended."""
    made_by = folder.name.rpartition("-")[2]
    if len(made_by) != PROCESS + HOST + RANDOM or made_by[PROCESS : PROCESS + HOST] != _host():
        return False
    return not process_exists(int(made_by[:PROCESS], 16))


def is_aside(folder: Path) -> bool:
    """Return whether a name beside a place is of a folder that stood there whole, about to be replaced."""
    return re.fullmatch(ASIDE, folder.name) is not None


def _host() -> str:
    return hashlib.blake2b(socket.gethostname().encode(), digest_size=HOST // 2).hexdigest()


def replace_folder(new: Path, goal: Path) -> Path:
    """Put `new` in the place of the folder `goal`; where the old one is now.

    Raises
    ------
    OSError
        Where it cannot be; both are then where they were.
    """
    if exchange(new, goal):
        return new
    aside = name_beside(goal, REPLACED)
    goal.rename(aside)
    try:
        new.rename(goal)
    except BaseException:
        aside.rename(goal)
        raise
    old = name_beside(goal)  # a name that is not put back, since what has it is about to be removed
    aside.rename(old)
    return old


def exchange(one: Path, other: Path) -> bool:
    """Let two names of one file system change places in one step; whether the system can.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     a, b = Path(home, "a"), Path(home, "b")
    ...     _ = a.write_text("1"), b.write_text("2")
    ...     able = exchange(a, b)
    ...     a.read_text() == ("2" if able else "1")
    True
    """
    if sys.platform == "win32":
        return False
    names = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, ctypes.c_uint(RENAME_SWAP)) == 0)
        return bool(library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], ctypes.c_uint(RENAME_EXCHANGE)) == 0)
    except (OSError, AttributeError):  # a C library without the call
        return False


def recovered(goal: Path) -> bool:
    """Put a folder back that a kill left aside while it was replaced, where nothing stands in its place.

    Of several the newest is taken. Returns whether there was one.
    """
    if goal.exists() or not goal.parent.is_dir():
        return False
    aside = [folder for folder in all_beside(goal) if is_aside(folder)]
    if not aside:
        return False
    try:
        max(aside, key=lambda folder: folder.stat().st_mtime_ns).rename(goal)
    except OSError:  # another process has been faster
        return False
    return True


def all_beside(goal: Path) -> list[Path]:
    """Return the folders beside `goal` that have names of `name_beside`, or of the earlier version's.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     name_beside(Path(home, "a")).mkdir()
    ...     len(all_beside(Path(home, "a"))), len(all_beside(Path(home, "b")))
    (1, 0)
    """
    own = re.escape(goal.name)
    named = re.compile(rf"{own}{NAME}|\.{own}{EARLIER}")
    return [folder for folder in goal.parent.iterdir() if named.fullmatch(folder.name) and folder.is_dir()]
