"""`manifest.json`: what a command was given and wrote, so that `partita verify` can run it again and compare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from partita.cli.early import require_manifest
from partita.cli.options import OUTSIDE, DrawsOptions, FitOptions, PartitionOptions, options_that_count
from partita.errors import InputError
from partita.io import is_partita_folder, json_text, sha256_of_file, write_json
from partita.io.settings import fits
from partita.paths import STANDARD_INPUT

__all__ = [
    "SCHEMA_VERSION",
    "as_json",
    "files_read",
    "options_recorded",
    "options_untouched",
    "read_manifest",
    "write_manifest",
]

SCHEMA_VERSION = 1
# A manifest is a few kilobytes.
LARGEST = 16 << 20

Given = FitOptions | PartitionOptions | DrawsOptions
Kind = TypeVar("Kind", FitOptions, PartitionOptions, DrawsOptions)


def as_json(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result as its file holds it: arrays are lists, NaN is None, any other object is its text.

    >>> import numpy as np
    >>> as_json({"sizes": np.array([2, 3]), "path": Path("a"), "r_hat": float("nan")})
    {'sizes': [2, 3], 'path': 'a', 'r_hat': None}
    """
    return json.loads(json_text(result, default=str))  # type: ignore[no-any-return]


def options_untouched(options: Given) -> list[str]:
    """Return the names of the options that have their defaults.

    >>> "loss" in options_untouched(PartitionOptions(Path("draws.csv"), loss="binder"))
    False
    """
    return [each.name for each in fields(options) if getattr(options, each.name) == each.default]


def write_manifest(
    folder: Path,
    result: dict[str, Any],
    *,
    source: str,
    kind: str,
    options: Given | None = None,
    found: dict[str, Any] | None = None,
) -> None:
    """Write what is needed to run the command again, and the SHA-256 of every file that it read and wrote.

    `found` is what was found out of the input, for files that are alike.
    """
    written = sorted(path for path in folder.rglob("*") if path.is_file())
    write_json(
        folder / "manifest.json",
        {
            "program": "partita",
            "schema_version": SCHEMA_VERSION,
            "command": result["command"],
            "input": {"name": source, "sha256": result["input_sha256"], "kind": kind} | (found or {}),
            "parameters": result["parameters"],
            "replay": None if options is None else _replay(options, result["input_sha256"]),
            "seed": result["seed"],
            "versions": result["versions"],
            "files": {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in written},
        },
    )


def _replay(options: Given, of_input: str) -> dict[str, Any]:
    """The options that change a number, and the SHA-256 of every file that they name, or of standard input."""
    given = options_that_count(options)
    paths = {name: getattr(options, name) for name in given}
    files = {name: sha256_of_file(path) for name, path in paths.items() if isinstance(path, Path) and path.is_file()}
    if options.file == STANDARD_INPUT:
        files["file"] = of_input
    return {"options": given, "files": files}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of an output folder.

    Raises
    ------
    InputError
        Where there is none, or it is not one of ours, not whole, or of a later version.
    """
    path = require_manifest(folder)
    if path.stat().st_size > LARGEST:
        raise InputError(f"{path} is larger than any manifest of Partita ({path.stat().st_size:,} bytes)")
    if not is_partita_folder(folder):
        raise InputError(f"{path} was not written by Partita")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    version = manifest.get("schema_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise InputError(f"{path} has schema version {version!r}; this Partita reads up to {SCHEMA_VERSION}")
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
        raise InputError(f"{path} lists no files; it is not whole")
    if not isinstance(manifest.get("versions", {}), dict) or not isinstance(manifest.get("replay", {}), dict | None):
        raise InputError(f"{path} does not say what it was made with and how; it is not whole")
    return manifest  # type: ignore[no-any-return]


def files_read(replay: dict[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """Yield every file that the command read: the option, the path as it was given, its SHA-256.

    Raises
    ------
    InputError
        For a manifest that is not whole.
    """
    options, files = replay.get("options"), replay.get("files")
    if not isinstance(options, dict) or not isinstance(files, dict):
        raise InputError("the manifest does not say which options and files its command was given; it is not whole")
    for name, digest in files.items():
        if not isinstance(options.get(name), str):
            raise InputError(f"the manifest has a checksum of {name!r}, and no file of that name among the options")
        yield name, Path(options[name]), digest


def options_recorded(kind: type[Kind], given: dict[str, Any], places: dict[str, Path], out: Path) -> Kind:
    """Return the options of a manifest, with output elsewhere and files where they are now; nothing is printed.

    Options that came later have their defaults.

    Raises
    ------
    InputError
        For options that this version does not know, or that lack one it needs.
    """
    known = {field.name for field in fields(kind)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(f"the manifest has options that this version does not know: {', '.join(unknown)}")
    lacking = [field.name for field in fields(kind) if field.default is MISSING and field.name not in given]
    if lacking:
        raise InputError(f"the manifest is not whole: it does not say what {', '.join(lacking)} was")
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for name, value in given.items():
        path = hints[name] is Path or Path in getattr(hints[name], "__args__", ())
        if not path and not fits(value, hints[name]):
            raise InputError(f"the manifest has {name}={value!r}, expected {hints[name]}")
        if name not in OUTSIDE:
            values[name] = Path(value) if isinstance(value, str) and path else value
    return kind(**(values | places | {"out": out, "quiet": True}))
