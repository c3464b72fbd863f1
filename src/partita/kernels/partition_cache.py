"""Compiled kernels on disk that neither break nor grow old. Importing this module loads numba.

numba keeps a file of compiled versions for each function, by the types of its arguments. Two things would go wrong:
a version for a formula defined in a script makes the file unreadable wherever that script is not imported, and a
version stays although a formula, or another kernel that was compiled into it, has changed in a file of its own. So
versions for types that are not Partita's are compiled anew in each process, and a file counts for all sources together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit, types

__all__ = ["kernel"]


class _OwnTypes:
    """numba's cache of one function, passed by for types from elsewhere."""

    def __init__(self, given: Any) -> None:
        self._given = given
        file = getattr(given, "_cache_file", None)
        if file is not None and hasattr(file, "_source_stamp"):
            file._source_stamp = (file._source_stamp, _sources())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self._given.load_overload(sig, target_context) if all(map(_is_own, sig)) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        if all(map(_is_own, data.signature.args)):
            self._given.save_overload(sig, data)


def _is_own(kind: Any) -> bool:
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        if not kind.instance_class.__module__.startswith("partita."):
            return False
    elif not isinstance(kind, types.BaseTuple):
        return True
    return all(_is_own(part) for part in kind.types)


@cache
def _sources() -> str:
    """Of all files that a kernel of the search may be compiled from."""
    here = Path(__file__).parent
    files = [here / "lanes.py", *here.glob("partition_*.py"), *(here.parent / "partition" / "losses").glob("*.py")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """`numba.njit` for kernels of the search: no interpreter lock, division as NumPy has it, kept on disk."""
    compiled = njit(cache=True, nogil=True, error_model="numpy")(function)
    if hasattr(compiled, "_cache"):
        compiled._cache = _OwnTypes(compiled._cache)
    return compiled
