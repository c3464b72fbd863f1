"""The folder where sets lie: named by the caller, by `PARTITA_DATA`, or a cache folder of this user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["dataset_home"]


def dataset_home(home: str | Path | None = None) -> Path:
    """Return the folder in which sets are looked for, and into which `fetch_dataset` puts them.

    The first of: `home`; the environment's `PARTITA_DATA`; its `PARTITA_CACHE`; the platform's cache folder /
    `partita` (Windows: `LOCALAPPDATA`; macOS: `~/Library/Caches`; else `XDG_CACHE_HOME` or `~/.cache`). Nothing is
    made.

    Examples
    --------
    >>> dataset_home("sets").name
    'sets'
    """
    for given in (home, os.environ.get("PARTITA_DATA"), os.environ.get("PARTITA_CACHE")):
        if given:
            return Path(given).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "partita"
