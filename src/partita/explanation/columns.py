"""The columns of a table as a search for rules sees them: numbers, or words as their places in a list of categories."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError

__all__ = ["Column", "keys_of_rows"]


# Multipliers of the finalizer of splitmix64, which spreads whole numbers over all 64 bits.
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True, eq=False)
class Column:
    """A column of N cells.

    Attributes
    ----------
    name : str
    values : array of N
        Numbers, or the places of words in `categories`; NaN where a cell is missing.
    categories : tuple of str, or None
        The words in alphabetical order; None for a column of numbers.
    """

    name: str
    values: Array
    categories: tuple[str, ...] | None = None

    @classmethod
    def of(cls, name: str, cells: NDArray[Any]) -> Column:
        """Return a column of numbers, or of words with None where one is missing.

        >>> Column.of("colour", np.array(["red", None, "blue"], dtype=object)).values.tolist()
        [1.0, nan, 0.0]

        Raises
        ------
        InputError
            For a number that is infinite.
        """
        if cells.dtype.kind != "O":
            values = np.asarray(cells, dtype=np.float64)
            if np.isinf(values).any():
                row = int(np.isinf(values).argmax())
                raise InputError(f"column {name!r} is infinite in row {row}: replace that cell, or leave it missing")
            return cls(name, values)
        categories = tuple(sorted({str(word) for word in cells if word is not None}))
        place = {word: float(at) for at, word in enumerate(categories)}
        return cls(name, np.array([np.nan if word is None else place[str(word)] for word in cells]), categories)

    def rows(self, index: NDArray[np.intp]) -> Column:
        """Return these rows."""
        return Column(self.name, self.values[index], self.categories)


def keys_of_rows(columns: Sequence[Column], n_rows: int) -> NDArray[np.uint64]:
    """Return a number for each row that depends on the order of values within each column, the column's name, and on
    nothing else.

    Equal rows have equal keys, others different ones. Neither the order of rows or columns nor the unit of a column
    matters, so that what is dealt out by these keys does not depend on them either. Cost: d sorts of N values.

    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 5.0]])
    >>> a, b = Column.of("a", X[:, 0]), Column.of("b", X[:, 1])
    >>> first, second = keys_of_rows([a, b], 3), keys_of_rows([b, Column.of("a", 1000 * X[:, 0])], 3)
    >>> bool(first[0] == first[2] != first[1]), (first == second).tolist()
    (True, [True, True, True])
    >>> yes = np.array([[1.0, 0.0], [0.0, 1.0]])  # as many in each row, but not of the same columns
    >>> len(set(keys_of_rows([Column.of("a", yes[:, 0]), Column.of("b", yes[:, 1])], 2).tolist()))
    2
    """
    total = np.zeros(n_rows, dtype=np.uint64)
    for column in columns:
        known = ~np.isnan(column.values)
        ranks = np.zeros(n_rows, dtype=np.uint64)
        ranks[known] = np.unique(column.values[known], return_inverse=True)[1] + 1
        name = _mixed(np.array([zlib.crc32(column.name.encode())], dtype=np.uint64))
        total += _mixed(ranks ^ name)  # a sum does not see the order of its terms
    return _mixed(total)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    out = (numbers + np.uint64(1)) * MIX[0]
    out = (out ^ (out >> np.uint64(30))) * MIX[1]
    out = (out ^ (out >> np.uint64(27))) * MIX[2]
    return np.asarray(out ^ (out >> np.uint64(31)))
