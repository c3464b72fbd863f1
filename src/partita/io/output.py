"""Writing that leaves nothing half-written and replaces nothing silently.

A file is written beside its place and renamed; a folder is filled beside its place, as `NAME.unfinished-...`, and
renamed, or changes places with the one that stands there (`partita.io.swap`). Both are atomic within one folder of one
file system, so a reader sees the old content or the new, never a part. A process killed while it writes leaves what it
had written; the next one that writes to that place takes it away: at once on the same host, otherwise after an hour.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from partita.errors import InputError
from partita.io.swap import all_beside, is_aside, is_left_over, name_beside, recovered, replace_folder

__all__ = [
    "atomic_text_file",
    "atomic_write_bytes",
    "atomic_write_text",
    "is_partita_folder",
    "json_text",
    "output_folder",
    "require_output",
    "write_json",
]

# Seconds after which an unfinished folder that nothing was written to belongs to a process that was killed.
ABANDONED = 3600.0


def require_output(path: str | Path, *, force: bool = False, replace_if: Callable[[Path], bool] | None = None) -> None:
    """Find out whether `output_folder` could write here, before long work whose result shall go there.

    The parameters are those of `output_folder`. Nothing stays behind.

    Raises
    ------
    InputError
        If something stands at `path` that may not be replaced, or nothing can be written beside it.

    Examples
    --------
    >>> require_output("/dev/null")
    Traceback (most recent call last):
        ...
    partita.errors.InputError: /dev/null is a file; choose the name of a new folder with --out
    """
    unfinished, made = _unfinished_folder(path, force=force, replace_if=replace_if)
    _remove_empty([unfinished, *made])


@contextmanager
def output_folder(
    path: str | Path, *, force: bool = False, replace_if: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Fill a new folder beside `path`, and move it there when the block ends well.

    Any exception, an interruption too, takes that folder away and leaves what stood at `path` untouched.

    Parameters
    ----------
    path : str or Path
        Where the folder shall stand. Folders above it are made.
    force : bool
        Replace what stands there, if it is empty or carries a `manifest.json` that Partita wrote.
    replace_if : callable, optional
        Replace the folder that stands there if this is true of it.

    Yields
    ------
    Path
        The folder to write into.

    Raises
    ------
    InputError
        If something stands at `path` that may not be replaced, or nothing can be written beside it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with output_folder(Path(parent, "result")) as folder:
    ...         _ = (folder / "labels.csv").write_text("label")
    ...     sorted(str(file.relative_to(parent)) for file in Path(parent).rglob("*.csv"))
    ['result/labels.csv']
    """
    unfinished, made = _unfinished_folder(path, force=force, replace_if=replace_if)
    goal = Path(path).resolve()
    replacing = goal.exists()
    try:
        yield unfinished
        _move_into_place(unfinished, goal, replacing=replacing)
    except BaseException:  # an interruption must not leave the folder either
        shutil.rmtree(unfinished, ignore_errors=True)
        _remove_empty(made)
        raise


def is_partita_folder(path: str | Path) -> bool:
    """Return whether a folder carries a `manifest.json` that Partita wrote.

    >>> is_partita_folder("/")
    False
    """
    try:
        manifest = json.loads(Path(path, "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("program") == "partita"


@contextmanager
def atomic_text_file(path: str | Path) -> Iterator[TextIO]:
    """Yield a UTF-8 file to write to, that takes its place only when the block ends well.

    Raises
    ------
    InputError
        If nothing can be written there.
    """
    goal = Path(path)
    if goal.is_dir():
        raise InputError(f"{goal} is a folder; pass the name of a file in it")
    unfinished = name_beside(goal)
    try:
        file = unfinished.open("x", encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(
            f"{goal} cannot be written ({error.strerror}); check that {goal.parent} is a folder you may write in"
        ) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(goal)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def atomic_write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 file whole or not at all; line ends are written as they are.

    Raises
    ------
    InputError
        If nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write_text(Path(folder, "note.txt"), "done")
    ...     Path(folder, "note.txt").read_text()
    'done'
    """
    with atomic_text_file(path) as file:
        file.write(text)


def atomic_write_bytes(path: str | Path, content: bytes) -> None:
    """Write a binary file whole or not at all.

    Raises
    ------
    InputError
        If nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write_bytes(Path(folder, "arrays.bin"), b"1234")
    ...     Path(folder, "arrays.bin").stat().st_size
    4
    """
    with atomic_text_file(path) as file:
        file.buffer.write(content)


def write_json(path: str | Path, obj: object) -> None:
    """Write an object as JSON, whole or not at all.

    NumPy scalars and arrays become numbers and lists, paths become strings; NaN and infinities, which JSON has no word
    for, become null. Keys keep their order.

    Raises
    ------
    InputError
        If nothing can be written there.
    TypeError
        For an object that JSON cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_json(Path(folder, "result.json"), {"sizes": np.array([3, 2]), "misfit": np.nan})
    ...     json.loads(Path(folder, "result.json").read_text())
    {'sizes': [3, 2], 'misfit': None}
    """
    atomic_write_text(path, json_text(obj))


def json_text(obj: object, *, default: Callable[[Any], Any] | None = None) -> str:
    """Return the text that `write_json` writes; `default` converts objects that JSON cannot hold.

    >>> json_text(["a", Path("b"), np.float64("nan")]).split()
    ['[', '"a",', '"b",', 'null', ']']
    """
    return json.dumps(_plain(obj), indent=2, ensure_ascii=False, allow_nan=False, default=default) + "\n"


def _plain(value: object) -> Any:
    match value:
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(_plain(key)): _plain(entry) for key, entry in value.items()}
        case list() | tuple():
            return [_plain(entry) for entry in value]
        case Path():
            return str(value)
        case _:
            return value


def _unfinished_folder(
    path: str | Path, *, force: bool, replace_if: Callable[[Path], bool] | None
) -> tuple[Path, list[Path]]:
    """Make the folder to fill; it, and the folders above it that were not there."""
    goal = Path(path).resolve()
    recovered(goal)
    _require_replaceable(goal, Path(path), force=force, replace_if=replace_if)
    made = _make_parents(goal, Path(path))
    _remove_abandoned(goal)
    unfinished = name_beside(goal)
    try:
        unfinished.mkdir()
    except OSError as error:
        _remove_empty(made)
        raise InputError(
            f"nothing can be written in {goal.parent} ({error.strerror}); choose another place with --out"
        ) from error
    return unfinished, made


def _remove_abandoned(goal: Path) -> None:
    """Remove what processes that were killed while they wrote to `goal` have left beside it."""
    for folder in all_beside(goal):
        with suppress(OSError):  # another process has been faster
            idle = time.time() - folder.stat().st_mtime > ABANDONED
            if not is_aside(folder) and (idle or is_left_over(folder)):
                shutil.rmtree(folder)


def _require_replaceable(goal: Path, given: Path, *, force: bool, replace_if: Callable[[Path], bool] | None) -> None:
    if not goal.exists():
        return
    if not goal.is_dir():
        raise InputError(f"{given} is a file; choose the name of a new folder with --out")
    if replace_if is not None and replace_if(goal):
        return
    if not force:
        way = "pass --force to replace it, or " if replace_if is None else "it is not of the kind that is replaced; "
        raise InputError(f"{given} already exists; {way}choose another folder with --out")
    if any(goal.iterdir()) and not is_partita_folder(goal):
        raise InputError(
            f"{given} was not written by Partita (no manifest.json of Partita in it) and is not deleted, not even with "
            f"--force; choose another folder with --out, or delete it yourself"
        )


def _make_parents(goal: Path, given: Path) -> list[Path]:
    """Make the folders above `goal`; those that were not there, the deepest first."""
    missing = [folder for folder in goal.parents if not folder.exists()]
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {goal.parent} for {given} cannot be made ({error.strerror}); choose another place with --out"
        ) from error
    return missing


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # somebody else has put something there meanwhile
            folder.rmdir()


def _move_into_place(unfinished: Path, goal: Path, *, replacing: bool) -> None:
    if not replacing:
        if goal.exists():
            raise InputError(f"{goal} has appeared meanwhile; nothing was replaced, choose another folder with --out")
        unfinished.rename(goal)
        return
    shutil.rmtree(replace_folder(unfinished, goal), ignore_errors=True)
