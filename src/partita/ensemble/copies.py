"""Rows that occur again and again, and ratings, as the members of an ensemble see them.

Numbers that were rounded have few values, and of few such columns most rows are copies. The distinct rows are then a
lattice without clusters: how often each occurs says where these are. So where at least a quarter of the rows are
copies, some more often than others, and half of the distinct ones are no farther from the nearest than their cell is
wide, members see rows in place of distinct rows, each moved at random within its cell: uniformly, by half the distance
to the nearest other frequent value of the column either way. Their density is the histogram of the rows, as that of
numbers before they were rounded would be [theis2016]. Categories beside numbers stay. An item has the mean membership
of its rows.

Beside columns that were measured, or of categories, the values of a rating still part the items into layers with gaps
between them. There each item is moved within the cell of its rating, and stays what it is in other columns.

[theis2016] L. Theis, A. van den Oord, M. Bethge, A note on the evaluation of generative models, ICLR 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.from_neighbors import nearest
from partita.arrays import Array, Labels
from partita.ensemble.categories import Columns
from partita.ensemble.vote import VOTERS, voters_of

__all__ = ["FEWEST", "SpreadRows", "is_lattice", "is_repeated", "within_cells"]

# Rows to a distinct one on average, from which on copies are at least a quarter of the rows.
COPIES = 4 / 3
# Distinct rows that are a lattice, and values of a single column; of fewer it is not told what lies between them.
FEWEST, OF_A_COLUMN = 20, 5
# Items that are asked for their nearest, and its distance at most in halves of the cell, with room for rounding.
ASKED, CELL = 500, 2.01
# Frequent values of a rating, the share of the rows that have them, and rows to each of them, at least; and the least
# width of a cell in parts of the largest standard deviation of a column.
VALUES, KNOWN, ROWS, WIDE = 3, 0.5, 5, 0.25
# Values of a column that differ by less of its range are one.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class SpreadRows:
    """Rows of distinct items, each moved within its cell.

    Attributes
    ----------
    points : m x d array
    shares : n x m csr_array
        Of each item, its points, or the nearest where it has none, with shares of sum one.
    """

    points: Array
    shares: sp.csr_array

    @classmethod
    def of(cls, X: Array, weights: Array | None, most: int, seed: int = 0) -> SpreadRows | None:
        """Return the rows of items.

        None where less than a quarter are copies, fewer than 20 items are distinct (of one column 5), or these are no
        lattice.

        Parameters
        ----------
        X : n x d array
            Distinct.
        weights : array of n, optional
            Number of rows of each.
        most : int
            Points at most; of more rows, those evenly spaced in the order of the items.
        seed : int

        Examples
        --------
        >>> X = np.arange(25.0)[:, None]
        >>> counts = 4 + np.arange(25) % 2
        >>> rows = SpreadRows.of(X, counts.astype(float), 1000)
        >>> rows.points.shape, bool((np.abs(rows.points - np.repeat(X, counts, axis=0)) <= 0.5).all())
        ((112, 1), True)
        >>> rows.of_items(np.repeat(np.arange(25) % 2, counts))[:2].tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        half = _half_of_lattice(X, weights, seed)
        if half is None or weights is None:
            return None
        whole = np.cumsum(weights)
        m = min(round(float(whole[-1])), most)
        item = np.searchsorted(whole, (np.arange(m) + 0.5) * whole[-1] / m, side="right").clip(max=len(X) - 1)
        points = X[item] + half[item] * np.random.default_rng([seed, m]).uniform(-1.0, 1.0, size=(m, X.shape[1]))
        drawn = np.bincount(item, minlength=len(X))
        shares = sp.csr_array((1.0 / drawn[item], (item, np.arange(m))), shape=(len(X), m))
        none = np.flatnonzero(drawn == 0)
        if len(none):
            votes = voters_of(X[none], points, VOTERS)
            rows = np.repeat(none, votes.shape[1])
            shares += sp.csr_array((np.full(votes.size, 1 / votes.shape[1]), (rows, votes.ravel())), shape=shares.shape)
        return cls(points, sp.csr_array(shares))

    def of_items(self, said: Labels | Array) -> Array:
        """Return the membership of the items from labels or a membership of the points."""
        Q = np.eye(int(said.max()) + 1)[said] if said.ndim == 1 else said
        return np.asarray(self.shares @ Q)


def is_lattice(X: Array, weights: Array | None) -> bool:
    """Return whether distinct rows are a lattice of rounded numbers, at least a quarter of whose rows are copies.

    >>> X = np.arange(25.0)[:, None]
    >>> is_lattice(X, 4.0 + np.arange(25) % 2), is_lattice(X, None)
    (True, False)
    """
    return _half_of_lattice(X, weights) is not None


def _half_of_lattice(X: Array, weights: Array | None, seed: int = 0) -> Array | None:
    """Half of the cells of distinct rows that are a lattice; None where they are none."""
    if len(X) < (FEWEST if X.shape[1] > 1 else OF_A_COLUMN) or weights is None or not is_repeated(weights):
        return None
    numbers = Columns.of(X).numbers
    numbers = numbers if len(numbers) else np.arange(X.shape[1])
    Z, half = X[:, numbers], np.zeros(X.shape)
    fewest = OF_A_COLUMN if X.shape[1] == 1 else 2  # no cell of a single column was filled in
    half[:, numbers] = np.stack([_half_of_cell(column, weights, fewest) for column in Z.T], axis=1)
    asked = np.random.default_rng(seed).permutation(len(X))[:ASKED]
    distance = nearest(Z[asked], Z, 2, "euclidean", None, itself=False)[1][:, 1]  # the first is the item itself
    away = np.median(distance / np.sqrt((half[asked] ** 2).sum(axis=1)))
    return None if away > CELL else half


def within_cells(X: Array, seed: int = 0) -> Array:
    """Return distinct rows whose ratings are moved uniformly within their cells; X itself where no column is one.

    A rating is a column of numbers with three frequent values or more, whose cells are at least a quarter as wide as
    the largest standard deviation of a column. Beside numbers that were measured its values part the items into layers
    with gaps between; where every column is one, all items lie on one lattice, and stay.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=100), rng.integers(1, 6, size=100)])
    >>> Y = within_cells(X)
    >>> bool((Y[:, 0] == X[:, 0]).all()), bool((np.abs(Y - X)[:, 1] <= 0.5).all()), len(np.unique(Y[:, 1]))
    (True, True, 100)
    """
    if len(X) < FEWEST:
        return X
    columns = Columns.of(X)
    numbers = columns.numbers
    widest = float(X[:, numbers].std(axis=0).max(initial=0.0))
    ratings = [j for j in numbers if _is_rating(X[:, j], WIDE * widest)]
    if not ratings or (len(ratings) == len(numbers) and not columns.blocks):
        return X
    half, each = np.zeros(X.shape), np.ones(len(X))
    half[:, ratings] = np.stack([_half_of_cell(column, each) for column in X[:, ratings].T], axis=1)
    Y, order = np.array(X, dtype=np.float64), np.lexsort(X.T)  # whatever the order of the rows
    Y[order] += half[order] * np.random.default_rng([seed, len(X)]).uniform(-1.0, 1.0, size=X.shape)
    return Y


def _is_rating(column: Array, least_cell: float) -> bool:
    values, place = _values_of(column)
    rows = np.bincount(place).astype(np.float64)
    frequent = rows >= _median(rows, rows) / 4
    n = int(frequent.sum())
    if n < VALUES or len(column) < ROWS * n or rows[frequent].sum() < KNOWN * len(column):
        return False
    return float(np.median(np.diff(values[frequent]))) * SAME * float(np.ptp(column)) >= least_cell


def is_repeated(weights: Array | None) -> bool:
    """Return whether at least a quarter of the rows of distinct items are copies, some more often than others.

    >>> is_repeated(np.array([2.0, 1, 1])), is_repeated(np.array([2.0, 1, 1, 1])), is_repeated(np.full(3, 2.0))
    (True, False, False)
    """
    if weights is None or weights.min() == weights.max():
        return False
    return bool(weights.sum() >= COPIES * len(weights))


def _half_of_cell(column: Array, weights: Array, fewest: int = 2) -> Array:
    """Half the distance of each value to the nearest other one that is frequent, at most as far as it mostly is.

    Frequent are values of a quarter as many rows at least as those have that half of the rows share: not the cells that
    were filled in. All are where so few are.
    """
    extent = float(np.ptp(column))
    if extent == 0:
        return np.zeros(len(column))
    values, place = _values_of(column)
    rows = np.bincount(place, weights).astype(np.float64)
    frequent = values[rows >= _median(rows, rows) / 4]
    frequent = frequent if len(frequent) >= fewest else values
    away = np.abs(values[:, None] - frequent[_around(frequent, values)])
    gap: NDArray[np.float64] = np.where(away > 0, away, np.inf).min(axis=1)
    return np.asarray(np.minimum(gap, _median(gap, rows))[place] * SAME * extent / 2)


def _values_of(column: Array) -> tuple[Array, NDArray[np.intp]]:
    """The values of a column that varies, in parts of its range that are one, and the place of each cell among them."""
    return np.unique(np.round((column - column.min()) / float(np.ptp(column)) / SAME), return_inverse=True)


def _median(values: Array, weights: Array) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)])


def _around(sorted_values: Array, asked: Array) -> NDArray[np.intp]:
    """Places of the value at or next above each one asked for, and of those on either side of it."""
    at = np.searchsorted(sorted_values, asked)
    return np.asarray((at[:, None] + np.array([-1, 0, 1])).clip(0, len(sorted_values) - 1))
