"""NumPy files: .npy and the arrays of .npz, never unpickled, refused by their headers before memory is taken."""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.files import require_known
from partita.io.headers import default_names
from partita.io.tables import Columns, Table
from partita.io.text_layout import BROKEN_ZIP
from partita.memory import require_memory

__all__ = ["ArrayFile", "ArrayTable", "array_table", "as_numbers", "as_words", "open_npy", "open_npz"]

# Errors of NumPy for broken arrays, and of zipfile for the archive that they are in.
BROKEN = (*BROKEN_ZIP, ValueError, KeyError, SyntaxError)
# Bytes of the header of a .npy file at most, and of what comes before its length.
LARGEST_HEADER, MAGIC = 1 << 16, 8
# Largest number of bytes that a byte of zip's compression unpacks to, and most arrays that a file may have.
DEFLATED, MOST_ARRAYS = 1032, 10_000


@dataclass(frozen=True)
class ArrayFile:
    """Headers of a file (shape and type of each array by name), and how to load one array.

    A .npy file has a single array, called by the file's stem, and nothing to choose from.
    """

    path: Path
    headers: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]
    loader: Callable[[str], NDArray[Any]]
    single: bool = False

    def load(self, name: str) -> NDArray[Any]:
        """Return the array `name`.

        Raises
        ------
        InputError
            If there is none of that name, it holds Python objects, or its bytes are broken.
        MemoryLimitError
            If it would not fit.
        """
        require_known(self.path, name, self.headers, f"array {name!r}")
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

    def choose(self, key: str | None, *, preferred: str | None = None) -> str:
        """Return the name of the array to read: `key`, else `preferred`, else the only one of two dimensions."""
        if self.single:
            return next(iter(self.headers))
        if key is not None:
            require_known(self.path, key, self.headers, f"array {key!r}")
            return key
        if preferred in self.headers:
            return str(preferred)
        fitting = [name for name, (shape, _) in self.headers.items() if len(shape) == 2]
        if len(fitting) == 1:
            return fitting[0]
        shapes = ", ".join(f"{name} {shape}" for name, (shape, _) in self.headers.items())
        found = f"has {len(fitting)} arrays of 2 dimensions" if fitting else "has no array of 2 dimensions"
        raise InputError(f"{self.path} {found} ({shapes or 'it is empty'}); name the one to read: --key NAME")


def open_npy(path: Path) -> ArrayFile:
    """Return a .npy file by its header."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            header = _header(file, size)
    except BROKEN as error:
        raise InputError(f"{path} is not a whole .npy file ({error}); save it again with numpy.save") from error
    return ArrayFile(path, {path.stem: header}, lambda _: np.asarray(np.load(path, allow_pickle=False)), single=True)


def open_npz(path: Path) -> ArrayFile:
    """Return a .npz file by the headers of its arrays, each held against the size that the archive says it unpacks
    to.
    """
    headers: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
    members: dict[str, zipfile.ZipInfo] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > MOST_ARRAYS:
                raise ValueError(f"it has {len(archive.infolist()):,} members, more than {MOST_ARRAYS:,}")
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    _require_plain(member)
                    name = member.filename.removesuffix(".npy")
                    with archive.open(member) as file:
                        headers[name], members[name] = _header(file, member.file_size), member
    except BROKEN as error:
        raise InputError(f"{path} is not a whole .npz file ({error}); save it again with numpy.savez") from error

    def load(name: str) -> NDArray[Any]:
        with zipfile.ZipFile(path) as archive, archive.open(members[name]) as file:
            return np.asarray(npy_format.read_array(file, allow_pickle=False))

    return ArrayFile(path, headers, load)


def _require_plain(member: zipfile.ZipInfo) -> None:
    """Raise ValueError for a member that NumPy would not write, or that unpacks to more than its compression can."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename!r} is compressed in another way than NumPy's")
    if member.file_size > DEFLATED * member.compress_size + LARGEST_HEADER:
        raise ValueError(f"{member.filename!r} says that {member.compress_size} bytes unpack to {member.file_size:,}")


@dataclass(frozen=True, kw_only=True)
class ArrayTable(Table):
    """An array of two dimensions by its columns, and the arrays of its file beside it, if there are any."""

    values: NDArray[np.float64]
    source: ArrayFile | None = None

    def read(self, numbers: Sequence[str], text: Sequence[str] = (), *, remedy: str = "") -> Columns:
        at = [self.names.index(name) for name in numbers]
        values = self.values if at == list(range(len(self.names))) else self.values[:, at]
        return values, {name: self._words(name) for name in text}

    def _words(self, name: str) -> list[str]:
        if self.source is None or name not in self.beside:
            return as_words(self.values[:, self.names.index(name)])
        array = self.source.load(name)
        if array.ndim != 1:
            raise InputError(
                f"{self.path}: array {name!r} should be 1-D, one entry per item; its shape is {array.shape}"
            )
        return as_words(array)


def array_table(source: ArrayFile, key: str | None = None) -> ArrayTable:
    """Return the array `key`, `X`, or the only one of two dimensions as a table.

    In a .npz file the others stand beside it.

    Raises
    ------
    InputError
        For an array that is not of two dimensions, is empty, or holds no real numbers.
    """
    name = source.choose(key, preferred="X")
    shape, _ = source.headers[name]
    if len(shape) != 2:
        raise InputError(
            f"{source.path}: array {name!r} should be 2-D, one row per item; its shape is {shape}"
            + ("; reshape it to (N, 1) for one feature" if len(shape) == 1 else "")
        )
    if 0 in shape:
        raise InputError(f"{source.path}: array {name!r} is empty, its shape is {shape}; expected at least one row")
    values = as_numbers(source.load(name), f"{source.path}: array {name!r}")
    beside = [] if source.single else list(source.headers)
    names = default_names(shape[1])
    return ArrayTable(path=source.path, names=names, has_header=False, beside=beside, values=values, source=source)


def as_numbers(array: NDArray[Any], where: str) -> NDArray[np.float64]:
    """Return an array as float64; `where` begins the error for one that does not hold real numbers, or would not
    fit.
    """
    if array.dtype.kind in "biuf":
        if array.dtype.itemsize < 8:
            require_memory(8 * array.size, f"{where} in double precision", "use fewer items or save it as sparse")
        return array.astype(np.float64, copy=False)
    advice = {"c": "pass its real part or its modulus", "U": "save numbers", "S": "save numbers"}
    raise InputError(
        f"{where} should hold real numbers, it is of type {array.dtype}; "
        f"{advice.get(array.dtype.kind, 'save a plain array of numbers')}"
    )


def as_words(array: NDArray[Any]) -> list[str]:
    """Return a 1-D array as strings, whole floats as integers."""
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        return [
            "" if np.isnan(value) else str(int(value)) if is_whole else str(value)
            for value, is_whole in zip(array, whole)
        ]
    if array.dtype.kind == "S":
        return [value.decode("utf-8", "replace") for value in array.tolist()]
    try:
        return [str(value) for value in array.tolist()]
    except (SystemError, ValueError) as error:  # what NumPy does not look at: numbers that are no characters
        raise InputError(f"an array of words holds what is no text ({error}); write it again") from error


def _header(file: IO[bytes], size: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of the array in a file of `size` bytes; ValueError where they do not go with the size."""
    version = npy_format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"format version {version} is for structured arrays; save a plain array of numbers")
    width = 2 if version == (1, 0) else 4
    start = file.read(width)
    length = int.from_bytes(start, "little")
    if length > LARGEST_HEADER:
        raise ValueError(f"its header has {length:,} bytes")
    head = io.BytesIO(start + file.read(length))
    try:
        read = npy_format.read_array_header_1_0 if width == 2 else npy_format.read_array_header_2_0
        shape, _, dtype = read(head)
    except (MemoryError, RecursionError, TypeError, AttributeError, IndexError, tokenize.TokenError) as error:
        raise ValueError(f"its header is no header of NumPy ({type(error).__name__})") from error
    if any(side < 0 for side in shape):
        raise ValueError(f"its header says shape {shape}")
    if dtype.itemsize == 0 and 0 not in shape:  # as many as one likes of what takes no room
        raise ValueError(f"its entries of type {dtype} have no bytes")
    n_bytes, present = math.prod(int(side) for side in shape) * dtype.itemsize, size - MAGIC - width - length
    if n_bytes > present and not dtype.hasobject:
        raise ValueError(f"its header says {n_bytes:,} bytes, and {present:,} are there")
    return shape, dtype
