"""A saved model: `model.json` (what it is) beside `arrays.safetensors` (its numbers). Nothing is ever unpickled.

Reading believes neither file: `model.json` has a bound on its size, and the arrays are read by `partita.io.tensors`,
whose header has to agree with it in names, types and shapes before an array is made.
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as safetensors_numpy

from partita.errors import ModelError
from partita.io.files import did_you_mean
from partita.io.output import atomic_write_bytes, atomic_write_text
from partita.io.tensors import AGAIN, TYPES, is_shape, no_constant, read_tensors
from partita.memory import require_memory

__all__ = ["SCHEMA_VERSION", "read_model", "write_model"]

SCHEMA_VERSION = 1
PROGRAM = "partita"
DESCRIPTION, ARRAYS, SUBFOLDER = "model.json", "arrays.safetensors", "model"
# A description has names of columns, settings and the shapes of arrays.
LARGEST = 64 << 20
# Copies of all arrays while a file is written: the bytes of each, and of the file.
COPIES = 2


def write_model(folder: Path, *, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write `model.json` and `arrays.safetensors` into `folder`, which is made if need be.

    Parameters
    ----------
    folder : Path
        The model's folder.
    config : dict
        What JSON can hold, finite; tuples come back as lists.
    arrays : dict of str to array
        Booleans, integers and floats; contiguous copies are made where needed.

    Raises
    ------
    ModelError
        For a config that JSON cannot hold or that would be too large to be read, or an array of another type.
    InputError
        If nothing can be written there.
    MemoryLimitError
        Where the copies of the arrays that the file is made of would not fit.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(Path(folder), config={"kind": "SoF"}, arrays={"scale": np.array([0.5])})
    ...     read_model(folder)
    ({'kind': 'SoF'}, {'scale': array([0.5])})
    """
    plain = {name: _savable(name, array) for name, array in arrays.items()}
    description = {
        "program": PROGRAM,
        "schema_version": SCHEMA_VERSION,
        "partita": metadata.version(PROGRAM),
        "config": config,
        "arrays": {name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in plain.items()},
    }
    try:
        text = json.dumps(description, indent=2, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the model's config cannot be written as JSON ({error}); pass numbers and strings") from error
    if len(text.encode()) >= LARGEST:
        raise ModelError(
            f"the model's config takes {len(text.encode()):,} bytes as JSON, and at most {LARGEST:,} are read: give "
            "items or columns shorter names, or none"
        )
    n_bytes = sum(array.nbytes for array in plain.values())
    require_memory(
        COPIES * n_bytes, f"writing the model {folder}", "save it where there is more memory, or thin the draws"
    )
    folder.mkdir(parents=True, exist_ok=True)
    atomic_write_bytes(folder / ARRAYS, safetensors_numpy.save(plain))
    atomic_write_text(folder / DESCRIPTION, text + "\n")


def read_model(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read back what `write_model` wrote.

    Parameters
    ----------
    path : str or Path
        The model's folder, or an output folder with a `model/` in it.

    Raises
    ------
    ModelError
        Naming the file that is missing, corrupt, newer than this version, or not ours, and what to do; a link that
        leads out of the folder is refused.
    MemoryLimitError
        Where the arrays would not fit.

    Examples
    --------
    >>> read_model("no-such-folder")
    Traceback (most recent call last):
    ...
    partita.errors.ModelError: no-such-folder does not exist; pass an output folder of partita fit, or its model/
    """
    folder = _model_folder(Path(path))
    description = _read_description(_within(folder, DESCRIPTION))
    return description["config"], read_tensors(_within(folder, ARRAYS), description["arrays"])


def _savable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
    if str(plain.dtype) not in TYPES:
        raise ModelError(f"array {name!r} is of type {plain.dtype}; a model holds {', '.join(TYPES)}")
    return plain


def _model_folder(path: Path) -> Path:
    if not path.exists():
        folders = [p.name for p in path.parent.iterdir() if p.is_dir()] if path.parent.is_dir() else []
        near = did_you_mean(path.name, folders)
        raise ModelError(f"{path} does not exist{near}; pass an output folder of partita fit, or its model/")
    if not path.is_dir():
        raise ModelError(f"{path} is a file; pass the folder: an output folder of partita fit, or its model/")
    if (path / DESCRIPTION).is_file():
        return path
    if (path / SUBFOLDER / DESCRIPTION).is_file():
        return _within(path, SUBFOLDER)
    raise ModelError(
        f"{path} holds no model: there is neither {DESCRIPTION} nor {SUBFOLDER}/{DESCRIPTION}; "
        f"pass an output folder of partita fit, or its model/"
    )


def _read_description(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError(f"it is larger than {LARGEST:,} bytes, which no model's description is")
        description = json.loads(content.decode("utf-8"), parse_constant=no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} is not valid JSON ({error}); {AGAIN}") from error
    if not isinstance(description, dict) or description.get("program") != PROGRAM:
        raise ModelError(f'{file} was not written by Partita (it has no "program": "partita"); pass a model of Partita')
    version: Any = description.get("schema_version")
    if type(version) is not int or version < 1:
        raise ModelError(f"{file}: schema_version is {version!r}, expected a whole number; {AGAIN}")
    if version > SCHEMA_VERSION:
        raise ModelError(
            f"{file}: schema_version {version} is newer than {SCHEMA_VERSION}, the newest this version of Partita "
            f"reads (it was written by {description.get('partita', 'a later one')}); upgrade Partita"
        )
    for part in ("config", "arrays"):
        if not isinstance(description.get(part), dict):
            raise ModelError(f"{file}: {part!r} is missing or not an object; {AGAIN}")
    for name, entry in description["arrays"].items():
        if not isinstance(entry, dict) or not _is_type(entry.get("dtype")) or not is_shape(entry.get("shape")):
            raise ModelError(f"{file}: array {name!r} should have a dtype and a shape, found {entry!r}; {AGAIN}")
    return description


def _within(folder: Path, name: str) -> Path:
    """Return the file `name` in `folder`, and not elsewhere: a folder that was sent may hold links to anywhere."""
    if (folder / name).resolve().parent != folder.resolve():
        raise ModelError(f"{folder / name} is a link that leads out of the folder; put the file itself there")
    return folder / name


def _is_type(value: object) -> bool:
    return isinstance(value, str) and value in TYPES
