"""The labels of partition draws, M x N small integers, in memory or where they are, read a few draws at a time.

An array of whole numbers whose labels lie in 0..N-1 is used as it is: in memory, memory-mapped, or anything else that
has `shape` and `dtype` and gives rows when it is sliced (zarr, h5py, Dask), which is then never wholly in memory.
Any other labels, strings too, are numbered draw by draw, 0..K_b-1, in the smallest of int8, int16 and int32.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.memory import require_memory

__all__ = ["EXACT", "LabelBlocks", "lacks_label"]

# Bytes of labels that are read at a time.
BLOCK_BYTES = 1 << 26
# Types that are used as they are, the smallest first.
TYPES = (np.int8, np.int16, np.int32)
# Whole numbers from which doubles do not tell one from the next.
EXACT = np.float64(1 << 53)
# Labels within this many times the number of items are numbered by a table, others by sorting.
TABLE = 4

# A draw without a label for an item.
LACKING = (
    "draws hold {0}: expected a label for each item, integers or strings; where {0} says that a draw lacks an item, "
    "pass missing='unobserved'"
)

Labels = NDArray[Any]


class LabelBlocks:
    """M x N labels, of draw b in 0..K_b-1.

    Parameters
    ----------
    draws : array-like, M x N
        Rows are draws. Labels may be any whole numbers or strings.
    missing : bool
        Whether a negative number, NaN, None or an empty string says that the draw does not have the item; it is then
        -1. All but negative numbers are errors otherwise.

    Attributes
    ----------
    n_draws, n_items : int
    dtype : numpy.dtype
        int8, int16 or int32.
    n_clusters : array of M
        K_b: one more than the largest label of the draw, at most N.
    lacks : bool
        Whether some label is missing.

    Raises
    ------
    InputError
        For draws that are not two-dimensional, empty, not of the same items, or not whole numbers; for floats from
            2^53 on.
    MemoryLimitError
        Where labels have to be numbered anew and the copy would not fit.

    Examples
    --------
    >>> labels = LabelBlocks(np.array([["x", "x", "y"], ["c", "a", "b"]]))
    >>> [block.tolist() for _, block in labels], labels.n_clusters.tolist(), labels.dtype.name
    ([[[0, 0, 1], [2, 0, 1]]], [2, 3], 'int8')
    """

    def __init__(self, draws: Any, *, missing: bool = False) -> None:
        self._source = _array(draws)
        shape = tuple(int(side) for side in self._source.shape)
        if len(shape) != 2:
            raise InputError(f"draws must be an M x N array of labels (rows are draws), not {len(shape)}-dimensional")
        self.n_draws, self.n_items = shape
        if 0 in shape:
            raise InputError("no draws were given: expected an M x N array of labels with M, N >= 1")
        self.dtype = np.dtype(self._source.dtype)
        self._missing, self.lacks = missing, False
        usable = self.dtype.kind in "iu" and self._largest()
        if usable and self.dtype.type in TYPES and self.dtype.isnative:
            return
        self._source, self.n_clusters = self._narrowed() if usable else self._numbered()
        self.dtype = self._source.dtype

    @property
    def size(self) -> int:
        """Number of labels, M N."""
        return self.n_draws * self.n_items

    def __iter__(self) -> Iterator[tuple[int, Labels]]:
        """Blocks of draws in order: the number of the first, and their labels with rows that are contiguous."""
        rows = self._rows()
        for first in range(0, self.n_draws, rows):
            yield first, np.ascontiguousarray(self._source[first : first + rows])

    def _rows(self) -> int:
        """Draws in a block: whole chunks of a store that has them, so that none is read twice."""
        rows: int = max(1, BLOCK_BYTES // (self.n_items * int(self.dtype.itemsize)))
        chunks = getattr(self._source, "chunks", None)
        if not chunks:
            return rows
        stored = int(chunks[0] if isinstance(chunks[0], int) else max(chunks[0]))
        return max(stored, rows // stored * stored)

    def _largest(self) -> bool:
        """Find K_b; whether every label lies in 0..N-1, or is -1 and missing."""
        self.n_clusters = np.empty(self.n_draws, dtype=np.int64)
        for first, block in self:
            least = block.min()
            self.lacks |= bool(least < 0)
            if least < -int(self._missing) or block.max() >= self.n_items:
                return False
            self.n_clusters[first : first + len(block)] = block.max(axis=1).astype(np.int64) + 1
        return True

    def _narrowed(self) -> tuple[Labels, NDArray[np.int64]]:
        """A copy of labels that are as they should be, in fewer bytes."""
        out = self._empty(_smallest(int(self.n_clusters.max())))
        for first, block in self:
            out[first : first + len(block)] = block
        return out, self.n_clusters

    def _numbered(self) -> tuple[Labels, NDArray[np.int64]]:
        """A copy whose labels are 0..K_b-1 in the order of the labels given."""
        out = self._empty(np.int8)
        n_clusters = np.empty(self.n_draws, dtype=np.int64)
        for first, block in self:
            for b, row in enumerate(_whole(block, self._missing), first):
                codes, n_clusters[b] = _codes(row, self._missing)
                self.lacks |= bool(self._missing and codes.min() < 0)
                least = _smallest(int(n_clusters[b]))
                if np.dtype(least).itemsize > out.itemsize:
                    wider = self._empty(least)
                    wider[:b] = out[:b]
                    out = wider
                out[b] = codes
        return out, n_clusters

    def _empty(self, dtype: type[np.signedinteger[Any]]) -> Labels:
        n_bytes = self.size * np.dtype(dtype).itemsize
        remedy = "number the labels of each draw from 0 and save them as int8, int16 or int32, which are used in place"
        require_memory(n_bytes, f"a copy of {self.n_draws:,} draws of {self.n_items:,} items", remedy)
        return np.empty((self.n_draws, self.n_items), dtype=dtype)


def _array(draws: Any) -> Any:
    """Something with `shape`, `dtype` and rows: what was given, if it has them, else a NumPy array."""
    if (
        hasattr(draws, "shape")
        and hasattr(draws, "__getitem__")
        and isinstance(getattr(draws, "dtype", None), np.dtype)
    ):
        return draws
    try:
        return np.asarray(draws)
    except ValueError as error:
        raise InputError(f"all draws must be of the same items: {error}") from error


def _smallest(n_clusters: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds the labels 0..K-1."""
    return next(kind for kind in TYPES if n_clusters - 1 <= np.iinfo(kind).max)


def _whole(block: Labels, missing: bool) -> Labels:
    """Labels as whole numbers where they are numbers; a missing one is negative."""
    if block.dtype.kind == "c":
        raise InputError("draws hold complex numbers: labels are integers or strings")
    if block.dtype.kind != "f":
        return block
    if missing:
        block = np.where(np.isnan(block), -1.0, block)
    if np.isnan(block).any():
        raise InputError(LACKING.format("NaN"))
    broken = ~np.isfinite(block) | (block != np.round(block))
    if broken.any():
        raise InputError(
            f"draws hold {block[broken][0]:g}, which is no whole number: labels are integers or strings; were features "
            "or a similarity passed in place of draws?"
        )
    if (large := np.abs(block) >= EXACT).any():
        raise InputError(f"draws hold {block[large][0]:g}, which is too large for a label: number the labels anew")
    return block.astype(np.int64)


def _codes(row: Labels, missing: bool) -> tuple[Labels, int]:
    """Labels of one draw as 0..K-1 in their own order, and K; a missing one is -1."""
    lacks = lacks_label(row, missing=missing)
    if lacks.any():
        if not missing:
            cell = row[lacks][0]
            raise InputError(LACKING.format({"": "an empty label", "nan": "NaN"}.get(str(cell), str(cell))))
        codes, n_clusters = np.full(len(row), -1), 0
        if not lacks.all():
            codes[~lacks], n_clusters = _codes(row[~lacks], missing)
        return codes, n_clusters
    if row.dtype.kind in "iu":
        low = int(row.min())
        span = int(row.max()) - low + 1
        if span <= max(TABLE * len(row), 1 << 16):
            place = row.astype(np.int64) - low if low <= np.iinfo(np.int64).max else (row - row.min()).astype(np.int64)
            used = np.zeros(span, dtype=bool)
            used[place] = True
            numbers = np.cumsum(used) - 1
            return numbers[place], int(numbers[-1]) + 1
    try:
        found, codes = np.unique(row, return_inverse=True)
    except TypeError as error:
        raise InputError(f"the labels of a draw cannot be told apart ({error}): use integers or strings") from error
    return codes.reshape(-1), len(found)


def lacks_label(row: Labels, *, missing: bool = False) -> NDArray[np.bool_]:
    """Return whether each cell of a draw holds no label: empty, None, NaN or NA, or negative where that means missing.

    >>> lacks_label(np.array(["a", None, ""], dtype=object)).tolist(), lacks_label(np.array([0, -1])).tolist()
    ([False, True, True], [False, False])
    """
    if row.dtype.kind == "O":
        return np.array([_is_empty(cell, missing) for cell in row.tolist()])
    if row.dtype.kind in "US":
        return np.asarray(row == row.dtype.type())
    return row < 0 if missing else np.zeros(len(row), dtype=bool)


def _is_empty(cell: Any, missing: bool) -> bool:
    if cell is None or isinstance(cell, str | bytes):
        return not cell
    if isinstance(cell, Real):
        return isnan(cell) or bool(missing and cell < 0)
    return type(cell).__name__ in ("NAType", "NaTType")  # of pandas
