"""A table as small whole numbers: columns cut where a rule may cut them, so that one histogram scores every cut.

A column of few distinct values is cut between any two of them, a longer one at the quantiles of its distinct values, so
that copies of a row move no cut. The search refines the cuts that it takes (`partita.explanation.refine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Index
from partita.explanation.columns import Column

__all__ = ["Coding"]


# Cuts of a column with more distinct values.
CUTS = 128


@dataclass(frozen=True, eq=False)
class Coding:
    """N rows of d columns as codes; the codes of one column follow those of the column before.

    Attributes
    ----------
    columns : sequence of d Column
    codes : N x d array
    column_of : array of the number of codes
        The column that each code is of.
    is_missing, is_word : arrays of bool
        Codes of missing cells, and of categories.
    below, above : arrays
        Neighbouring values on either side of the cut after a code; NaN where there is none.
    gap : array
        The distance of the two, in ranges of the column; 1 for codes without a cut.
    by_name : array of d
        Rank of each column's name.
    """

    columns: Sequence[Column]
    codes: NDArray[np.int32]
    column_of: Index
    is_missing: NDArray[np.bool_]
    is_word: NDArray[np.bool_]
    below: Array
    above: Array
    gap: Array
    by_name: Index

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Coding:
        """Cut every column. Cost: d sorts of N values."""
        n = len(columns[0].values)
        codes = np.empty((n, len(columns)), dtype=np.int32)
        below, above, words, lengths = [], [], [], []
        first = 0
        for at, column in enumerate(columns):
            x = column.values
            if column.categories is None:
                low, high = _cuts(x)
                own = np.searchsorted(low, x, side="left")
                none = np.full(2, np.nan)
            else:
                low, high = np.empty(0), np.empty(0)
                own = np.nan_to_num(x).astype(np.intp)
                none = np.full(len(column.categories) + 1, np.nan)
            length = len(low) + len(none)  # the last code is that of a missing cell
            codes[:, at] = first + np.where(np.isnan(x), length - 1, own)
            below.append(np.r_[low, none])
            above.append(np.r_[high, none])
            words.append(column.categories is not None)
            lengths.append(length)
            first += length
        column_of = np.repeat(np.arange(len(columns)), lengths)
        is_missing = np.zeros(first, dtype=bool)
        is_missing[np.cumsum(lengths) - 1] = True
        low, high = np.concatenate(below), np.concatenate(above)
        return cls(
            columns,
            codes,
            column_of,
            is_missing,
            np.repeat(words, lengths) & ~is_missing,
            low,
            high,
            np.nan_to_num((high - low) / _ranges(columns)[column_of], nan=1.0),
            np.argsort(np.argsort([column.name for column in columns], kind="stable")),
        )

    @property
    def n_codes(self) -> int:
        """Number of codes of all columns together."""
        return len(self.column_of)

    @cached_property
    def missing(self) -> Index:
        """Each column's code of a missing cell, its last."""
        return np.flatnonzero(self.is_missing)

    @cached_property
    def cuts(self) -> Index:
        """Codes after which a column is cut."""
        return np.flatnonzero(~np.isnan(self.below))

    def known_codes(self, column: int) -> tuple[int, int]:
        """Return the first code of a column and that of its missing cells, which comes after those of its values."""
        return int(self.missing[column - 1]) + 1 if column else 0, int(self.missing[column])

    def before(self, sums: Array) -> Array:
        """Return the running sum of all codes before each column, from that of all codes."""
        return np.concatenate([[0.0], sums[self.missing[:-1]]])

    def counts(self, rows: Index, weights: Array) -> Array:
        """Return the weight of these rows at every code; `weights` are of all rows. Cost: rows times columns."""
        each = np.repeat(weights[rows], self.codes.shape[1])
        return np.asarray(np.bincount(self.codes[rows].ravel(), weights=each, minlength=self.n_codes), dtype=np.float64)


def _cuts(x: Array) -> tuple[Array, Array]:
    """Neighbouring distinct values on either side of each cut."""
    values = np.unique(x[~np.isnan(x)])
    if len(values) <= CUTS + 1:
        return values[:-1], values[1:]
    cut = np.unique(np.linspace(0, len(values) - 2, CUTS).astype(np.intp))
    return values[cut], values[cut + 1]


def _ranges(columns: Sequence[Column]) -> Array:
    """Largest minus smallest value of each column; 1 where there is no difference."""
    out = np.ones(len(columns))
    for at, column in enumerate(columns):
        known = column.values[~np.isnan(column.values)]
        if len(known) and known.max() > known.min():
            out[at] = known.max() - known.min()
    return out
