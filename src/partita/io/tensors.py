"""The arrays of a model from a safetensors file that nobody vouches for: all of its header is checked before an array.

A file is 8 bytes of length (little-endian), a header of JSON with type, shape and byte range of each array, and bytes.
The ranges have to lie in the file, follow each other without gaps or overlaps, and be as long as type and shape say;
what they come to together has to fit into memory. Arrays are read from the same open file as the header.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError
from partita.memory import require_memory

__all__ = ["TYPES", "is_shape", "no_constant", "read_tensors"]

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
AGAIN = "save the model again with partita.save or partita fit"
# A header has a line for each array, and a model has tens of them.
LARGEST_HEADER = 1 << 20
# NumPy's limit.
MOST_DIMENSIONS = 64


def read_tensors(file: Path, expected: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of `file`, in the order of `expected`.

    Parameters
    ----------
    file : Path
    expected : dict of str to {"dtype": NumPy's name, "shape": list of int}
        What the file has to hold, no more and no less.

    Raises
    ------
    ModelError
        For a file that is missing, cut off, no safetensors file, or that holds anything else.
    MemoryLimitError
        Where the arrays would not fit, before any is made.
    """
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            header, start = _header(file, stream, size)
            ranges = _ranges(file, header, expected, size - start)
            require_memory(size - start, f"the model {file.parent}", "load it where there is more memory")
            return {name: _array(stream, start + ranges[name], entry, file, name) for name, entry in expected.items()}
    except OSError as error:
        reason = "it is missing" if isinstance(error, FileNotFoundError) else str(error)
        raise ModelError(f"{file} cannot be read ({reason}); {AGAIN}") from error


def is_shape(value: object) -> bool:
    """Return whether a value of JSON is a list of whole numbers that are not negative."""
    return isinstance(value, list) and all(type(side) is int and side >= 0 for side in value)


def no_constant(word: str) -> NoReturn:
    """Refuse what `json.loads(parse_constant=...)` comes upon: NaN and infinities are no JSON."""
    raise ValueError(f"{word} is not a number JSON knows")


def _header(file: Path, stream: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    """The header without its remarks, and where the bytes begin."""
    stream.seek(0)
    length = int.from_bytes(stream.read(8), "little")
    if size < 8 or length > size - 8:
        raise ModelError(f"{file} is cut off or not a safetensors file ({size} bytes); {AGAIN}")
    if length > LARGEST_HEADER:
        raise ModelError(f"{file} has a header of {length:,} bytes, and a model's is at most {LARGEST_HEADER:,}")
    try:
        header = json.loads(stream.read(length).decode("utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read ({error}); {AGAIN}") from error
    if not isinstance(header, dict):
        raise ModelError(f"{file} has no valid safetensors header; {AGAIN}")
    header.pop("__metadata__", None)
    return header, 8 + length


def _ranges(file: Path, header: dict[str, Any], expected: dict[str, Any], n_bytes: int) -> dict[str, int]:
    """Return where each array begins, after all that can be wrong has been looked at."""
    if header.keys() != expected.keys():
        odd = sorted(header.keys() ^ expected.keys())
        raise ModelError(f"{file} and model.json do not hold the same arrays ({', '.join(odd)}); {AGAIN}")
    ranges: dict[str, tuple[int, int]] = {}
    for name, entry in expected.items():
        found = header[name] if isinstance(header[name], dict) else {}
        if found.get("dtype") != TYPES[entry["dtype"]] or found.get("shape") != entry["shape"]:
            raise ModelError(
                f"{file}: array {name!r} is {found.get('dtype')} of shape {found.get('shape')}, "
                f"model.json says {entry['dtype']} of shape {entry['shape']}; {AGAIN}"
            )
        offsets: Any = found.get("data_offsets")
        if not is_shape(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= n_bytes:
            raise ModelError(f"{file}: array {name!r} reaches beyond the end of the file; {AGAIN}")
        begin, end = ranges[name] = (offsets[0], offsets[1])
        if end - begin != math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize:
            raise ModelError(f"{file}: array {name!r} has {end - begin} bytes, too few or too many; {AGAIN}")
        if len(entry["shape"]) > MOST_DIMENSIONS:
            raise ModelError(f"{file}: array {name!r} has {len(entry['shape'])} dimensions, more than any of a model")
    at = 0
    for begin, end in sorted(ranges.values()):
        if begin != at:
            raise ModelError(f"{file}: arrays overlap or leave gaps at byte {min(begin, at)}; {AGAIN}")
        at = end
    if at != n_bytes:
        raise ModelError(f"{file} has {n_bytes - at} bytes behind its arrays; {AGAIN}")
    return {name: begin for name, (begin, _) in ranges.items()}


def _array(stream: BinaryIO, start: int, entry: dict[str, Any], file: Path, name: str) -> NDArray[Any]:
    """One array, from byte `start` on; truth values are 0 or 1 and nothing else."""
    stream.seek(start)
    dtype, count = np.dtype(entry["dtype"]), math.prod(entry["shape"])
    array = np.fromfile(stream, dtype=dtype.newbyteorder("<"), count=count)
    if len(array) != count:
        raise ModelError(f"{file} became shorter while it was read; {AGAIN}")
    if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ModelError(f"{file}: array {name!r} holds truth values other than 0 and 1; {AGAIN}")
    return array.astype(dtype, copy=False).reshape(entry["shape"])
