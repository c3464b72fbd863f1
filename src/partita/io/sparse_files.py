"""Sparse matrices in .npz files, as `scipy.sparse.save_npz` writes them.

SciPy's conversions write where the indices of a file say, so indices are looked through before anything is converted:
here, since SciPy's own `check_format` passes pointers that end in 0, or whose differences wrap around. And a few bytes
can say a shape that takes any amount of memory, so shapes are held against it first.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray
from scipy import sparse

from partita.errors import InputError
from partita.io.arrays import BROKEN, ArrayFile
from partita.io.market import ENTRY, REMEDY, ROW
from partita.memory import require_memory

__all__ = ["is_stored_sparse", "stored_sparse"]

# Arrays beside `data` of each format of save_npz.
PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}


def is_stored_sparse(source: ArrayFile) -> bool:
    """Return whether a .npz file is a sparse matrix of SciPy."""
    return {"format", "shape", "data"} <= source.headers.keys()


def stored_sparse(source: ArrayFile) -> Any:
    """Return the matrix that `scipy.sparse.save_npz` wrote, with indices that are all within it.

    Raises
    ------
    InputError
        For a format that is not known, parts that are missing, or indices outside the matrix.
    MemoryLimitError
        Where it would not fit.
    """
    path = source.path
    n_bytes = sum(math.prod(shape) * dtype.itemsize for shape, dtype in source.headers.values())
    require_memory(2 * n_bytes, f"{path}", REMEDY)
    try:
        word: Any = source.load("format").item()
        form = word.decode("ascii", "replace") if isinstance(word, bytes) else word
        if form not in PARTS:
            raise ValueError(f"format {form!r} is none of {', '.join(PARTS)}")
        shape = _shape(source.load("shape"))
        values = source.load("data")
        if values.dtype.kind not in "biufc":
            raise ValueError(f"its entries are of type {values.dtype}")
        require_memory(ROW * max(shape) + ENTRY * values.size, f"{path} ({shape[0]} x {shape[1]})", REMEDY)
        parts = [source.load(name) for name in PARTS[form]]
        if any(part.dtype.kind not in "iu" for part in parts):
            raise ValueError("its indices are no whole numbers")
        return _made(form, values, parts, shape)
    except (*BROKEN, IndexError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole sparse matrix ({error}); save it again") from error


def _shape(sides: NDArray[Any]) -> tuple[int, int]:
    if sides.dtype.kind not in "iu" or sides.shape != (2,) or (sides < 0).any():
        raise ValueError(f"its shape is {sides.tolist() if sides.size < 9 else sides.shape}")
    return int(sides[0]), int(sides[1])


def _made(form: str, values: NDArray[Any], parts: list[NDArray[Any]], shape: tuple[int, int]) -> Any:
    if form == "dia":
        if values.ndim != 2 or parts[0].shape != (len(values),):
            raise ValueError("its diagonals and their offsets do not go together")
        within = (-shape[0] < parts[0]) & (parts[0] < shape[1])  # those outside are empty, and may not fit an index
        values, offsets = values[within], parts[0][within]
        require_memory(ENTRY * len(values) * min(shape), "a matrix of diagonals", REMEDY)
        return sparse.dia_array((values, offsets), shape=shape)
    if form == "coo":
        if not values.shape == parts[0].shape == parts[1].shape == (values.size,):
            raise ValueError("its entries and their indices are not of one length")
        return sparse.coo_array((values, (parts[0], parts[1])), shape=shape)
    sides = list(shape)
    if form == "bsr":
        if values.ndim != 3 or 0 in values.shape[1:] or shape[0] % values.shape[1] or shape[1] % values.shape[2]:
            raise ValueError("its blocks do not fill the matrix")
        require_memory(ENTRY * values.size, "a matrix of blocks", REMEDY)
        sides = [side // block for side, block in zip(shape, values.shape[1:], strict=True)]
    along, across = sides[::-1] if form == "csc" else sides
    indices, pointers = parts
    _require_pointers(len(values), indices, pointers, along, across)
    matrix = getattr(sparse, f"{form}_array")((values, indices, pointers), shape=shape)
    matrix.check_format(full_check=True)  # leaves out what is behind the entries, and turns other byte orders around
    return matrix


def _require_pointers(n_entries: int, indices: NDArray[Any], pointers: NDArray[Any], along: int, across: int) -> None:
    if indices.shape != (n_entries,) or pointers.shape != (along + 1,):
        raise ValueError("its entries, indices and pointers are not of lengths that go together")
    if pointers[0] != 0 or pointers[-1] > n_entries or (pointers[1:] < pointers[:-1]).any():
        raise ValueError("its pointers do not count its entries")
    used = indices[: pointers[-1]]  # SciPy may keep room behind them
    if used.size and not 0 <= used.min() <= used.max() < across:
        raise ValueError("it has entries outside the matrix")
