"""How much memory is free, and a refusal that names the sparse way before too large an array is made.

`PARTITA_MEMORY_LIMIT` (bytes) overrides what the operating system reports, so that a test, or a user on a shared
machine, can set the limit.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from partita.errors import InputError, MemoryLimitError

__all__ = ["available_memory", "human_bytes", "peak_memory", "require_memory"]

LIMIT_VARIABLE = "PARTITA_MEMORY_LIMIT"
# An array may take this share of what is free: the rest is for the copies a fit makes beside it.
SHARE = 0.8


def human_bytes(n: float) -> str:
    """Bytes in the unit a person reads.

    >>> human_bytes(20_000_000_000)
    '20.0 GB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if abs(n) < 1000:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} TB"


def available_memory() -> int:
    """Bytes that can be allocated now: the least of the system's free memory and the control group's."""
    override = os.environ.get(LIMIT_VARIABLE)
    if override is not None:
        try:
            return int(override)
        except ValueError as error:
            raise InputError(f"{LIMIT_VARIABLE}={override!r} is not a whole number of bytes") from error
    candidates = [n for n in (_system_available(), _control_group_available()) if n is not None]
    return min(candidates) if candidates else sys.maxsize


def require_memory(n_bytes: int, what: str, remedy: str) -> None:
    """Raise `MemoryLimitError` when `n_bytes` are more than can be had.

    Raises
    ------
    MemoryLimitError
        Naming `what` would not fit, how large it is, how much is free, and the `remedy`.
    """
    free = available_memory()
    if n_bytes > SHARE * free:
        raise MemoryLimitError(
            f"{what} needs {human_bytes(n_bytes)} of memory and {human_bytes(free)} are available; {remedy}"
        )


def peak_memory() -> int | None:
    """Largest resident size of this process so far in bytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows has no resource module
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def _system_available() -> int | None:
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return _windows_available()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _control_group_available() -> int | None:
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    try:
        text = limit.read_text().strip()
        return None if text == "max" else max(0, int(text) - int(used.read_text()))
    except (OSError, ValueError):
        return None


def _windows_available() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *[(name, ctypes.c_ulonglong) for name in ("total", "free", "page", "free_page", "virtual", "v", "x")],
        ]

    status = Status()
    status.length = ctypes.sizeof(Status)
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # type: ignore[attr-defined,unused-ignore]
        return None
    return int(status.free)
