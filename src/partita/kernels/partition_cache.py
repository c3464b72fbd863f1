"""Compiled kernels of the partition search, kept on disk. Importing this module loads numba.

numba keeps a file of compiled versions for each function and holds it against the function's own source file alone. A
version would stay although a formula, or another kernel that was compiled into it, has changed in a file of its own. So
the names of the files hold a digest of all sources together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

__all__ = ["kernel", "versioned"]


@cache
def _sources() -> str:
    """A digest of all files that a kernel of the search may be compiled from."""
    here = Path(__file__).parent
    files = [here / "lanes.py", *here.glob("partition_*.py"), *(here.parent / "partition" / "losses").glob("*.py")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:12]


def versioned(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function under a name that holds the digest of all sources."""
    function.__qualname__ += f"-{_sources()}"
    return function


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel of the search by `numba.njit`: without interpreter lock, NumPy's division, kept on disk."""
    return njit(cache=True, nogil=True, error_model="numpy")(versioned(function))
