"""Labels in a zarr store, read when they are sliced: what is broken in the store is said as of a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.memory import require_memory

__all__ = ["StoredLabels"]


class StoredLabels:
    """An array of a zarr store by rows.

    Parameters
    ----------
    array : zarr.Array
    path : Path
        What errors name.

    Raises
    ------
    InputError
        When it is sliced, for chunks that are broken.
    MemoryLimitError
        Where a chunk, or a number for each row, would not fit.
    """

    def __init__(self, array: Any, path: Path) -> None:
        self._array, self._path = array, path
        self.shape = tuple(array.shape)
        self.ndim = len(self.shape)
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)
        self.chunks: tuple[int, ...] = tuple(array.chunks)
        needed = max(self.dtype.itemsize * math.prod(self.chunks), 16 * max(self.shape, default=0))
        require_memory(needed, f"a chunk of {path}", "store it in smaller chunks")

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, index: Any) -> NDArray[Any]:
        try:
            return np.asarray(self._array[index])
        except MemoryError:
            raise
        except Exception as error:
            raise InputError(f"{self._path}: labels cannot be read ({error}); write the store again") from error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype=dtype)
