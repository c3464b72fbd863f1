"""NumPy files: .npy and the arrays of .npz, never unpickled, refused by their headers before memory is taken."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import did_you_mean, listed
from partita.memory import require_memory

__all__ = ["ArrayFile", "as_numbers", "as_words", "open_npy", "open_npz"]

BROKEN = (OSError, EOFError, ValueError, KeyError, SyntaxError, zipfile.BadZipFile, zlib.error, NotImplementedError)


@dataclass(frozen=True)
class ArrayFile:
    """What the headers say (shape and type of each array by name) and how to load one array."""

    path: Path
    headers: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]
    loader: Callable[[str], NDArray[Any]]

    def load(self, name: str) -> NDArray[Any]:
        """The array `name`.

        Raises
        ------
        InputError
            If there is none of that name, it holds Python objects, or its bytes are broken.
        MemoryLimitError
            If it would not fit.
        """
        if name not in self.headers:
            raise InputError(
                f"{self.path} has no array {name!r}; it has {listed(self.headers)}{did_you_mean(name, self.headers)}"
            )
        shape, dtype = self.headers[name]
        if dtype.hasobject:
            raise InputError(
                f"{self.path}: array {name!r} holds Python objects, which are never unpickled; "
                f"save it as numbers or strings"
            )
        n_bytes = dtype.itemsize
        for side in shape:
            n_bytes *= side
        require_memory(n_bytes, f"array {name!r} of {self.path}", "use fewer items or save it as sparse")
        try:
            return self.loader(name)
        except BROKEN as error:
            raise InputError(f"{self.path}: array {name!r} cannot be read ({error}); save the file again") from error

    def choose(self, key: str | None, *, preferred: str | None = None, n_dim: int = 2) -> str:
        """The name of the array to read: `key`, else `preferred`, else the only one of `n_dim` dimensions."""
        if key is not None:
            if key not in self.headers:
                self.load(key)
            return key
        if preferred in self.headers:
            return str(preferred)
        fitting = [name for name, (shape, _) in self.headers.items() if len(shape) == n_dim]
        if len(fitting) == 1:
            return fitting[0]
        shapes = ", ".join(f"{name} {shape}" for name, (shape, _) in self.headers.items())
        found = f"has {len(fitting)} arrays of {n_dim} dimensions" if fitting else f"has no array of {n_dim} dimensions"
        raise InputError(f"{self.path} {found} ({shapes or 'it is empty'}); name the one to read: --key NAME")


def open_npy(path: Path) -> ArrayFile:
    """A .npy file as an `ArrayFile` with one array, called by the file's stem."""
    try:
        with path.open("rb") as file:
            header = _header(file)
    except BROKEN as error:
        raise InputError(f"{path} is not a whole .npy file ({error}); save it again with numpy.save") from error
    return ArrayFile(path, {path.stem: header}, lambda _: np.asarray(np.load(path, allow_pickle=False)))


def open_npz(path: Path) -> ArrayFile:
    """A .npz file by the headers of its arrays."""
    headers: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.endswith(".npy"):
                    with archive.open(member) as file:
                        headers[member.removesuffix(".npy")] = _header(file)
    except BROKEN as error:
        raise InputError(f"{path} is not a whole .npz file ({error}); save it again with numpy.savez") from error

    def load(name: str) -> NDArray[Any]:
        with np.load(path, allow_pickle=False) as archive:
            return np.asarray(archive[name])

    return ArrayFile(path, headers, load)


def as_numbers(array: NDArray[Any], where: str) -> NDArray[np.float64]:
    """An array as float64; `where` begins the error for one that does not hold real numbers."""
    if array.dtype.kind in "biuf":
        return array.astype(np.float64, copy=False)
    advice = {"c": "pass its real part or its modulus", "U": "save numbers", "S": "save numbers"}
    raise InputError(
        f"{where} should hold real numbers, it is of type {array.dtype}; "
        f"{advice.get(array.dtype.kind, 'save a plain array of numbers')}"
    )


def as_words(array: NDArray[Any]) -> list[str]:
    """A 1-D array as strings, whole floats as integers."""
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        return [
            "" if np.isnan(value) else str(int(value)) if is_whole else str(value)
            for value, is_whole in zip(array, whole)
        ]
    if array.dtype.kind == "S":
        return [value.decode("utf-8", "replace") for value in array.tolist()]
    return [str(value) for value in array.tolist()]


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy_format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = npy_format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = npy_format.read_array_header_2_0(file)
    else:
        raise ValueError(f"format version {version} is for structured arrays; save a plain array of numbers")
    return shape, dtype
