"""A saved model: `model.json` (what it is) beside `arrays.safetensors` (its numbers). Nothing is ever unpickled.

Reading believes neither file: the header of the arrays has to agree with `model.json` in names, types and shapes, and
its offsets with the size of the file, before an array is made.
"""

from __future__ import annotations

import json
import math
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors_numpy

from partita.errors import ModelError
from partita.io.files import did_you_mean
from partita.io.output import atomic_write_bytes, atomic_write_text

__all__ = ["SCHEMA_VERSION", "read_model", "write_model"]

SCHEMA_VERSION = 1
PROGRAM = "partita"
DESCRIPTION, ARRAYS, SUBFOLDER = "model.json", "arrays.safetensors", "model"
AGAIN = "save the model again with partita.save or partita fit"
# NumPy's names of the types that safetensors holds and we write.
TYPES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
}


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
        For a config that JSON cannot hold, or an array of another type.
    InputError
        If nothing can be written there.

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
        Naming the file that is missing, corrupt, newer than this version, or not ours, and what to do.

    Examples
    --------
    >>> read_model("no-such-folder")
    Traceback (most recent call last):
    ...
    partita.errors.ModelError: no-such-folder does not exist; pass an output folder of partita fit, or its model/
    """
    folder = _model_folder(Path(path))
    description = _read_description(folder / DESCRIPTION)
    file = folder / ARRAYS
    _check_header(file, _read_header(file), description["arrays"])
    try:
        arrays = safetensors_numpy.load_file(file)
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise ModelError(f"{file} cannot be read ({error}); {AGAIN}") from error
    return description["config"], {name: arrays[name] for name in description["arrays"]}


def _savable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
    if str(plain.dtype) not in TYPES:
        raise ModelError(f"array {name!r} is of type {plain.dtype}; a model holds {', '.join(TYPES)}")
    return plain


def _model_folder(path: Path) -> Path:
    if not path.exists():
        near = did_you_mean(path.name, [p.name for p in path.parent.iterdir()]) if path.parent.is_dir() else ""
        raise ModelError(f"{path} does not exist{near}; pass an output folder of partita fit, or its model/")
    if not path.is_dir():
        raise ModelError(f"{path} is a file; pass the folder: an output folder of partita fit, or its model/")
    for folder in (path, path / SUBFOLDER):
        if (folder / DESCRIPTION).is_file():
            return folder
    raise ModelError(
        f"{path} holds no model: there is neither {DESCRIPTION} nor {SUBFOLDER}/{DESCRIPTION}; "
        f"pass an output folder of partita fit, or its model/"
    )


def _read_description(file: Path) -> dict[str, Any]:
    try:
        description = json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} is not valid JSON ({error}); {AGAIN}") from error
    if not isinstance(description, dict) or description.get("program") != PROGRAM:
        raise ModelError(f'{file} was not written by Partita (it has no "program": "partita"); pass a model of Partita')
    version: Any = description.get("schema_version")
    if not _is_count(version) or version < 1:
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
        if not isinstance(entry, dict) or entry.get("dtype") not in TYPES or not _is_shape(entry.get("shape")):
            raise ModelError(f"{file}: array {name!r} should have a dtype and a shape, found {entry!r}; {AGAIN}")
    return description


def _read_header(file: Path) -> dict[str, Any]:
    """The header of a safetensors file: 8 bytes of length, little-endian, then JSON."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > size - 8:
                raise ModelError(f"{file} is cut off or not a safetensors file ({size} bytes); {AGAIN}")
            header = json.loads(stream.read(length).decode("utf-8"), parse_constant=_no_constant)
    except ModelError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = "it is missing" if isinstance(error, FileNotFoundError) else str(error)
        raise ModelError(f"{file} cannot be read ({reason}); {AGAIN}") from error
    if not isinstance(header, dict):
        raise ModelError(f"{file} has no valid safetensors header; {AGAIN}")
    header.pop("__metadata__", None)
    for name, entry in header.items():
        offsets: Any = entry.get("data_offsets") if isinstance(entry, dict) else None
        if not _is_shape(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= size - 8 - length:
            raise ModelError(f"{file}: array {name!r} reaches beyond the end of the file; {AGAIN}")
    return header


def _check_header(file: Path, header: dict[str, Any], expected: dict[str, Any]) -> None:
    if header.keys() != expected.keys():
        odd = sorted(header.keys() ^ expected.keys())
        raise ModelError(f"{file} and {DESCRIPTION} do not hold the same arrays ({', '.join(odd)}); {AGAIN}")
    for name, entry in expected.items():
        found = header[name]
        if found.get("dtype") != TYPES[entry["dtype"]] or found.get("shape") != entry["shape"]:
            raise ModelError(
                f"{file}: array {name!r} is {found.get('dtype')} of shape {found.get('shape')}, "
                f"{DESCRIPTION} says {entry['dtype']} of shape {entry['shape']}; {AGAIN}"
            )
        begin, end = found["data_offsets"]
        if end - begin != math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize:
            raise ModelError(f"{file}: array {name!r} has {end - begin} bytes, too few or too many; {AGAIN}")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number JSON knows")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(_is_count(side) for side in value)
