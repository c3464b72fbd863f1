"""What every output folder records: the manifest that replays it, and results as plain JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from partita.io import sha256_of_file, write_json

__all__ = ["SCHEMA_VERSION", "as_json", "finite", "write_manifest"]

SCHEMA_VERSION = 1


def as_json(result: dict[str, Any]) -> dict[str, Any]:
    """As it is read back from a file: arrays as lists, anything else as words.

    >>> as_json({"sizes": np.array([2, 3]), "path": Path("a")})
    {'sizes': [2, 3], 'path': 'a'}
    """
    return json.loads(json.dumps(result, default=_plain))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return str(value)


def finite(values: dict[str, float]) -> dict[str, float | None]:
    """As JSON has it: no NaN.

    >>> finite({"r_hat": float("nan"), "other": 1.0})
    {'r_hat': None, 'other': 1.0}
    """
    return {name: float(value) if np.isfinite(value) else None for name, value in values.items()}


def write_manifest(
    folder: Path,
    command: str,
    result: dict[str, Any],
    *,
    source: str,
    kind: str,
    replay: dict[str, Any] | None = None,
) -> None:
    """`manifest.json`: what is needed to replay, and the SHA-256 of every file of the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    write_json(
        folder / "manifest.json",
        {
            "program": "partita",
            "schema_version": SCHEMA_VERSION,
            "command": command,
            "input": {"name": source, "sha256": result["input_sha256"], "kind": kind},
            "parameters": result["parameters"],
            "replay": replay,
            "seed": result["seed"],
            "versions": result["versions"],
            "files": {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in files},
        },
    )
