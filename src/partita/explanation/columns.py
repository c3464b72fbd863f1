"""The columns of a table as a search for rules sees them: numbers, or words as their places in a list of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError

__all__ = ["Column", "keys_of_copies", "keys_of_rows"]


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

    @property
    def has_two_values(self) -> bool:
        """Whether it is one of numbers, and has two of them."""
        ends = np.fmin.reduce(self.values), np.fmax.reduce(self.values)
        return self.categories is None and bool((np.isnan(self.values) | np.isin(self.values, ends)).all())

    def rows(self, index: NDArray[np.intp]) -> Column:
        """Return these rows."""
        return Column(self.name, self.values[index], self.categories)


def keys_of_rows(columns: Sequence[Column], n_rows: int) -> NDArray[np.uint64]:
    """Return a number for each row that depends on the order of values within each column and on nothing else.

    Equal rows have equal keys, others different ones. Neither the order of rows or columns nor the unit of a column
    matters, nor its name, so that what is dealt out by these keys does not depend on them either. Columns are told
    apart by what stands beside their values; only of columns that can be exchanged with each other does the order
    count. Cost: 2 d sorts of N values.

    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 5.0]])
    >>> a, b = Column.of("a", X[:, 0]), Column.of("b", X[:, 1])
    >>> first, second = keys_of_rows([a, b], 3), keys_of_rows([b, Column.of("c", 1000 * X[:, 0])], 3)
    >>> bool(first[0] == first[2] != first[1]), (first == second).tolist()
    (True, [True, True, True])
    >>> yes = np.array([[1.0, 0.0], [0.0, 1.0]])  # as many in each row, but not of the same columns
    >>> len(set(keys_of_rows([Column.of("a", yes[:, 0]), Column.of("b", yes[:, 1])], 2).tolist()))
    2
    """
    ranks = [_ranks(column.values) for column in columns]
    in_order = np.zeros(n_rows, dtype=np.uint64)
    for j, each in enumerate(ranks):
        in_order += _mixed(each ^ _mixed(np.array([j], dtype=np.uint64)))
    in_order, first, row = np.unique(in_order, return_index=True, return_inverse=True)
    ranks = [each[first] for each in ranks]  # of distinct rows, so that copies do not count
    alike = _mixed(np.sum([_mixed(each) for each in ranks], axis=0, dtype=np.uint64))  # a sum sees no order of terms
    total = np.zeros(len(first), dtype=np.uint64)
    for each in ranks:
        beside = np.array([_mixed(each ^ alike).sum(dtype=np.uint64)])
        total += _mixed(each ^ _mixed(beside))
    keys = _mixed(total)
    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    tied = times[place] > 1
    keys[tied] = _mixed(keys[tied] ^ in_order[tied])
    return np.asarray(keys[row])


def keys_of_copies(keys: NDArray[np.uint64], labels: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return other keys of rows, by which copies of a row that have one label differ; in whatever order they stand.

    >>> own = keys_of_copies(np.array([7, 7, 7, 9], dtype=np.uint64), np.array([0, 1, 0, 0]))
    >>> len(set(own.tolist())), bool(own[0] == own[1])
    (3, True)
    """
    order = np.lexsort((labels, keys))
    same = (np.diff(keys[order]) == 0) & (np.diff(labels[order]) == 0)
    begins = np.flatnonzero(np.r_[True, ~same])
    place = np.empty(len(keys), dtype=np.uint64)
    place[order] = np.arange(len(keys)) - np.repeat(begins, np.diff(np.r_[begins, len(keys)]))
    return _mixed(keys ^ _mixed(place))


def _ranks(values: Array) -> NDArray[np.uint64]:
    """The place of each value among the distinct ones, from 1; 0 for NaN."""
    known = ~np.isnan(values)
    ranks = np.zeros(len(values), dtype=np.uint64)
    ranks[known] = np.unique(values[known], return_inverse=True)[1] + 1
    return ranks


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    out = (numbers + np.uint64(1)) * MIX[0]
    out = (out ^ (out >> np.uint64(30))) * MIX[1]
    out = (out ^ (out >> np.uint64(27))) * MIX[2]
    return np.asarray(out ^ (out >> np.uint64(31)))
