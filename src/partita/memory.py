"""Free memory, peak memory of a run, and a refusal before too large an array is made.

`PARTITA_MEMORY_LIMIT` (bytes) overrides what the operating system reports, so that a test, or a user on a shared
machine, can set the limit.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from partita.errors import InputError, MemoryLimitError

__all__ = ["SPARSE_WAY", "available_memory", "fits", "human_bytes", "peak_memory", "require_memory", "require_pairs"]

LIMIT_VARIABLE = "PARTITA_MEMORY_LIMIT"
# Advice where N x N does not fit.
SPARSE_WAY = "use a neighbour graph: affinity='neighbors' (command line: --affinity neighbors)"
# An array may take this share of what is free: the rest is for the copies a fit makes beside it.
SHARE = 0.8
# Bytes for which the system is not asked: a fit of a small table asked it a hundred times.
SMALL = 1 << 24


def human_bytes(n: float) -> str:
    """Return bytes in the unit a person reads.

    >>> human_bytes(20_000_000_000)
    '20.0 GB'
    """
    if n >= 1e18:  # what a broken file asks for may be beyond a float
        return f"{min(n, 1e300):.0e} B"
    for unit in ("B", "kB", "MB", "GB"):
        if abs(n) < 1000:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} TB"


def available_memory() -> int:
    """Return bytes that can be allocated now: the least of the system's free memory and the control group's."""
    override = os.environ.get(LIMIT_VARIABLE)
    if override is not None:
        try:
            return int(override)
        except ValueError as error:
            raise InputError(f"{LIMIT_VARIABLE}={override!r} is not a whole number of bytes") from error
    candidates = [n for n in (_system_available(), _control_group_available()) if n is not None]
    return min(candidates) if candidates else sys.maxsize


def fits(n_bytes: int) -> bool:
    """Return whether so much may be allocated: at most 80% of what is free, which leaves room for copies."""
    if n_bytes <= SMALL and LIMIT_VARIABLE not in os.environ:
        return True
    return n_bytes <= SHARE * available_memory()


def require_memory(n_bytes: int, what: str, remedy: str) -> None:
    """Raise `MemoryLimitError` when `n_bytes` are more than can be had.

    Raises
    ------
    MemoryLimitError
        Naming `what` would not fit, how large it is, how much is free, and the `remedy`.
    """
    if not fits(n_bytes):
        free = human_bytes(available_memory())
        raise MemoryLimitError(f"{what} needs {human_bytes(n_bytes)} of memory and {free} are available; {remedy}")


def require_pairs(n_items: int, what: str, remedy: str, *, copies: float = 1.0) -> None:
    """Call `require_memory` for N x N arrays of double precision, `copies` of them at once."""
    require_memory(int(copies * 8 * n_items**2), f"{what} of {n_items:,} x {n_items:,} items", remedy)


def peak_memory() -> int | None:
    """Return the largest resident size of this process so far in bytes; None where the system does not tell.

    Of this process alone, from its start: memory mapped files count as far as they were read, and processes that joblib
    or Dask started count for themselves.
    """
    own = _high_water_mark()
    if own is not None:
        return own
    try:
        import resource
    except ImportError:  # Windows has no resource module
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def _high_water_mark() -> int | None:
    """Linux's own figure: unlike `ru_maxrss` it does not begin with what the process was forked from."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), None)


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
