"""The state of a run as a safetensors file, and back: arrays beside a JSON tree that says what each is part of.

Written are frozen dataclasses of Partita's own modules, arrays, numbers, words, None, and tuples, lists and
dictionaries of these; nothing else, and no pickle, so reading runs no code from the file. An array or a dataclass that
occurs twice is written once and is one object again when read. Arrays come back with the memory layout they had, since
a BLAS product of a transposed array may differ from that of its copy in the last bit; arrays of another package than
NumPy come back as what the problem's affinity applies to.

What the problem determines anyway (`partita.solvers.base.OfProblem`: the entries of P) is left out and made again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from partita.errors import InputError
from partita.kernels.namespace import is_foreign, to_numpy
from partita.objectives import Problem
from partita.solvers.base import OfProblem

__all__ = ["PARTIAL", "VERSION", "check_tree", "read_tree", "write_tree"]

VERSION = 1
KEY = "partita"
OWN = "partita."
PARTIAL = ".partial"
# Types of arrays: booleans, whole numbers and floats.
KINDS = "biuf"


def write_tree(path: Path, tree: object) -> None:
    """Write a tree, whole or not at all: a kill at any moment leaves what stood at `path`.

    Parameters
    ----------
    path : Path
        A file; the one beside it with `.partial` behind its name is written first.
    tree : dataclasses of arrays, numbers, words, None, tuples, lists and dictionaries

    Raises
    ------
    InputError
        For an object that cannot be written; its type is named.
    OSError, safetensors.SafetensorError
        Where the disk does not take it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tree(Path(folder, "a"), {"W": np.eye(2), "steps": (1, None)})
    ...     read_tree(Path(folder, "a"))
    {'W': array([[1., 0.],
           [0., 1.]]), 'steps': (1, None)}
    """
    writing = _Writing()
    text = json.dumps({"version": VERSION, "tree": writing.plain(tree), "crc32": _crc32(writing.arrays)})
    partial = path.with_name(path.name + PARTIAL)
    save_file(writing.arrays, partial, metadata={KEY: text})
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.replace(path)
    _sync_folder(path.parent)


def read_tree(path: Path, problem: Problem | None = None) -> Any:
    """Read back what `write_tree` wrote.

    Parameters
    ----------
    path : Path
    problem : Problem, optional
        Where the tree has parts that are made of the problem again.

    Raises
    ------
    InputError
        For a file that is corrupt, of another version, or names a class that is not a dataclass of this Partita.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            text = json.loads((file.metadata() or {})[KEY])
            if text["version"] != VERSION:
                raise InputError(
                    f"{path} has version {text['version']} of the checkpoint's format, and this Partita reads version "
                    f"{VERSION}: go on with the Partita that wrote it, or delete the checkpoint"
                )
            arrays = {name: np.array(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is corrupt ({error}): delete it and run the fit again") from error
    if _crc32(arrays) != text["crc32"]:
        raise InputError(f"{path} is corrupt (its numbers do not match their check sum): delete it, and run again")
    try:
        return _Reading(arrays, problem).revived(text["tree"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(
            f"{path} does not hold what this Partita expects ({error}): go on with the Partita that wrote it, or "
            "delete the checkpoint"
        ) from error


def check_tree(tree: object) -> None:
    """Raise `InputError` for a tree that could not be written."""
    _Writing(check_only=True).plain(tree)


class _Writing:
    """From objects to a JSON tree, gathering the arrays."""

    def __init__(self, *, check_only: bool = False) -> None:
        self._check_only = check_only
        self.arrays: dict[str, NDArray[Any]] = {}
        self._places: dict[Any, str] = {}
        self._objects: dict[int, int] = {}
        self._kept: list[Any] = []  # what has been seen must live on, so that no id comes twice

    def plain(self, value: object) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        if is_foreign(value):
            return self._array(to_numpy(value)) | {"native": True}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
            return {"tuple" if isinstance(value, tuple) else "list": [self.plain(entry) for entry in value]}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.plain(entry) for key, entry in value.items()}}
        if isinstance(value, OfProblem):
            return {"remade": _name(value), "arguments": [self.plain(entry) for entry in value.arguments]}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value)
        raise InputError(f"a checkpoint cannot hold {type(value).__qualname__}: only arrays, numbers and dataclasses")

    def _dataclass(self, value: Any) -> Any:
        if id(value) in self._objects:
            return {"same": self._objects[id(value)]}
        self._objects[id(value)] = number = len(self._objects)
        self._kept.append(value)
        given = {field.name: self.plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"class": _name(value), "fields": given, "number": number}

    def _array(self, value: object) -> dict[str, Any]:
        array = np.asarray(value)
        if array.dtype.kind not in KINDS:
            raise InputError(f"a checkpoint cannot hold an array of {array.dtype}: only booleans and numbers")
        if self._check_only:
            return {}
        place = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        name = self._places.get(place) if array.size else None
        turned = not array.flags.c_contiguous and array.flags.f_contiguous
        if name is None:
            name = self._places[place] = f"a{len(self.arrays)}"
            self.arrays[name] = np.asarray(array.T if turned else array, order="C")
            self._kept.append(array)
        out: dict[str, Any] = {"array": name}
        if isinstance(value, np.generic):
            out["scalar"] = True
        elif turned:
            out["turned"] = True
        elif not array.flags.c_contiguous:
            out["strides"] = list(array.strides)
        return out


class _Reading:
    """From a JSON tree and arrays to objects."""

    def __init__(self, arrays: dict[str, NDArray[Any]], problem: Problem | None) -> None:
        self._arrays = arrays
        self._problem = problem
        self._laid_out: dict[str, Any] = {}
        self._objects: dict[int, Any] = {}

    def revived(self, value: object) -> Any:
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return self._array(value)
        if "tuple" in value:
            return tuple(self.revived(entry) for entry in value["tuple"])
        if "list" in value:
            return [self.revived(entry) for entry in value["list"]]
        if "dict" in value:
            return {key: self.revived(entry) for key, entry in value["dict"].items()}
        if "same" in value:
            return self._objects[value["same"]]
        if "remade" in value:
            kind = _own_class(value["remade"])
            if not issubclass(kind, OfProblem) or self._problem is None:
                raise TypeError(f"{value['remade']} is nothing that is made again of a problem")
            make: Any = kind
            return make(self._problem, *(self.revived(entry) for entry in value["arguments"]))
        kind = _own_class(value["class"])
        if not dataclasses.is_dataclass(kind):
            raise TypeError(f"{value['class']} is no dataclass")
        out = kind(**{name: self.revived(entry) for name, entry in value["fields"].items()})
        self._objects[value["number"]] = out
        return out

    def _array(self, value: dict[str, Any]) -> Any:
        name = value["array"]
        array = self._arrays[name]
        if value.get("scalar"):
            return array[()]
        if value.get("native"):
            if self._problem is None:
                raise TypeError("an array of another package than NumPy, and no affinity to make it for")
            return self._problem.affinity.native(array)
        if name not in self._laid_out:
            if value.get("turned"):
                array = array.T
            elif "strides" in value:
                array = _with_strides(array, tuple(value["strides"]))
            self._laid_out[name] = array
        return self._laid_out[name]


def _with_strides(array: NDArray[Any], strides: tuple[int, ...]) -> NDArray[Any]:
    """The same numbers with gaps between them, as a view of a larger array has."""
    reach = [stride * (length - 1) for stride, length in zip(strides, array.shape, strict=True)]
    first = -sum(min(r, 0) for r in reach)
    buffer = np.empty(first + sum(max(r, 0) for r in reach) + array.itemsize, dtype=np.uint8)
    out: NDArray[Any] = np.ndarray(array.shape, array.dtype, buffer, first, strides)
    out[...] = array
    return out


def _name(value: object) -> str:
    kind = type(value)
    name = f"{kind.__module__}:{kind.__qualname__}"
    if not kind.__module__.startswith(OWN):
        raise InputError(
            f"a checkpoint holds dataclasses of Partita's own modules only, not {name}: pass checkpoint=None"
        )
    return name


def _own_class(name: str) -> type:
    """A class of a module of Partita that is loaded already: nothing is imported because a file says so."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module) if module.startswith(OWN) else None
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or found.__module__ != module:
        raise TypeError(f"unknown class {name}")
    return found


def _crc32(arrays: dict[str, NDArray[Any]]) -> int:
    total = 0
    for name in sorted(arrays):
        if arrays[name].size:
            total = zlib.crc32(arrays[name].reshape(-1).view(np.uint8).data, total)
    return total


def _sync_folder(folder: Path) -> None:
    """Let the new name of a file outlive a crash of the machine too, where the system can."""
    with suppress(OSError):  # Windows opens no folders
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
