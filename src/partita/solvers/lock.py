"""A lock file: it names the process that has a folder, so that no second one writes there.

It names process and host. One whose process has ended, or whose number another program has meanwhile, is taken over;
one of another host cannot be asked about and is respected.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from partita.errors import InputError

__all__ = ["LOCK", "locked", "process_exists"]

LOCK = "lock.json"
# Number of readings, and seconds between them, of a lock that cannot be read yet: it is just being written.
READS, PAUSE = 5, 0.1
# Folders that this process has.
_held: set[Path] = set()
_guard = threading.Lock()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock on the folder while inside.

    Raises
    ------
    InputError
        Where another process that is alive, or another fit of this one, has it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home, locked(Path(home)):
    ...     [file.name for file in Path(home).iterdir()]
    ['lock.json']
    """
    home = folder.resolve()
    path = home / LOCK
    with _guard:
        if home in _held:
            raise InputError(f"{folder} is in use by another fit of this process: give each fit a folder of its own")
        _held.add(home)
    try:
        _take(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        _held.discard(home)


def _take(path: Path) -> None:
    mine = {"process": os.getpid(), "host": socket.gethostname(), "started": _started(os.getpid())}
    for _ in range(2):  # a second time after a dead process's lock has been put aside
        try:
            with path.open("x", encoding="utf-8") as file:
                json.dump(mine, file)
        except FileExistsError:
            _put_aside(path)
        else:
            return
    raise InputError(f"{path.parent} was just taken by another process; give each fit a folder of its own")


def _put_aside(path: Path) -> None:
    """Remove the lock of a process that is dead."""
    text = _text(path)
    for _ in range(READS):
        if _owner(text):
            break
        time.sleep(PAUSE)
        text = _text(path)
    if _alive(text):
        owner = _owner(text)
        raise InputError(
            f"{path.parent} is in use by process {owner.get('process', '?')} on {owner.get('host', '?')}: give each "
            f"fit a folder of its own, or, if that process is gone, delete {path}"
        )
    aside = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
    with suppress(FileNotFoundError):
        path.rename(aside)
        if _text(aside) != text:  # another process has been faster, and this is its lock
            aside.rename(path)
            return
        aside.unlink()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _owner(text: str) -> dict[str, Any]:
    try:
        owner = json.loads(text)
    except ValueError:
        return {}
    return owner if isinstance(owner, dict) else {}


def _alive(text: str) -> bool:
    owner = _owner(text)
    number = owner.get("process")
    if not isinstance(number, int) or owner.get("host") != socket.gethostname():
        return bool(owner)  # a file cut short by a crash is nobody's; another host cannot be asked
    if number == os.getpid():
        return False  # of a process that had our number: what we hold ourselves is in _held
    if not process_exists(number):
        return False
    started = _started(number)
    return started is None or started == owner.get("started")


def process_exists(number: int) -> bool:
    """Return whether a process of this host has the number."""
    if sys.platform == "win32":
        return _exists_on_windows(number)
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's, and alive
        return True
    return True


def _exists_on_windows(number: int) -> bool:
    import ctypes

    query, running = 0x1000, 259  # PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE
    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(query, False, number)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == running


def _started(number: int) -> str | None:
    """Start of a process in the system's ticks, which tells apart processes of the same number; None where unknown."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None
