"""Missing cells from the nearest rows that have them; arrays in, arrays out, nothing rows x rows at a time.

The squared distance of two rows is first that over the columns that both have, divided by these columns' variance, and
a missing cell gets the mean over the nearest donors that have it. Twice more, rows and donors being complete by then,
distances are over all columns. Cost: rows x donors x columns a round.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["completed", "fill", "fillings", "rounded_as"]

Flags = NDArray[np.bool_]

# Donors whose mean a cell gets, nearest donors among which they are looked for, and rounds.
NEIGHBORS, AMONG, ROUNDS = 20, 60, 3
# Values of a column of ratings or counts, as a share of its cells.
OFTEN = 0.1
# Numbers of one block of distances, or of the cells of the nearest donors.
BLOCK = 1 << 21


def completed(X: Array) -> Array:
    """Return the rows of X with every cell, filled from each other.

    Parameters
    ----------
    X : n x d array
        NaN where a cell is missing. Columns are centred and of like spread; a cell that no near row has becomes zero.

    Examples
    --------
    >>> completed(np.array([[0.0, 1.0], [0.1, 1.2], [5.0, np.nan]])).round(2).tolist()
    [[0.0, 1.0], [0.1, 1.2], [5.0, 1.1]]
    """
    known = ~np.isnan(X)
    own = np.where(known, X, 0.0)
    out = _filled(X, own, own, known, partly=True)
    for _ in range(1, ROUNDS):
        out = _filled(X, out, out, known)
    return out


def rounded_as(X: Array, filled: Array) -> Array:
    """Return filled rows in which each cell that was missing has the nearest value of its column, where each value of
    this comes ten times on average: means of ratings are no ratings, and lie between all of them.

    >>> ratings = np.repeat([1.0, 2.0, np.nan], [10, 10, 1])[:, None]
    >>> rounded_as(ratings, np.where(np.isnan(ratings), 1.7, ratings))[-1].tolist()
    [2.0]
    """
    out = filled.copy()
    for j in np.flatnonzero(np.isnan(X).any(axis=0)):
        missing = np.isnan(X[:, j])
        values = np.unique(X[~missing, j])
        if 1 < len(values) <= OFTEN * (~missing).sum():
            out[missing, j] = values[np.searchsorted((values[1:] + values[:-1]) / 2, filled[missing, j])]
    return out


def fill(X: Array, donors: Array, known: Flags) -> Array:
    """Return the rows of X with every cell, filled from donors.

    Parameters
    ----------
    X : n x d array
        NaN where a cell is missing.
    donors : r x d array
        Complete rows.
    known : r x d array of bool
        Which cells of the donors are their own: others count for distances, and fill nothing.

    Examples
    --------
    >>> donors = np.array([[0.0, 1.0], [0.1, 1.2]])
    >>> fill(np.array([[np.nan, 1.0]]), donors, np.ones((2, 2), dtype=bool)).round(2).tolist()
    [[0.05, 1.0]]
    """
    out = _filled(X, np.where(np.isnan(X), 0.0, X), donors, known, partly=True)
    for _ in range(1, ROUNDS):
        out = _filled(X, out, donors, known)
    return out


def fillings(X: Array, donors: Array, known: Flags, n: int) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """Yield the rows with missing cells, a block at a time, each completed in n ways [rubin1987].

    In the j-th way a missing cell gets the value of the j-th nearest donor that has it, by the columns that row and
    donor both have; so cells that come from one donor belong together. Where fewer donors have it they come again. A
    row of which nothing is known gets cells from donors all over the table.

    Cost: rows x donors x columns.

    Parameters
    ----------
    X : n x d array
        NaN where a cell is missing. Columns are centred and of like spread.
    donors : r x d array
    known : r x d array of bool
        Which cells of the donors are their own.
    n : int, at most 60

    Yields
    ------
    rows : array of b
    completed : n x b x d array

    References
    ----------
    [rubin1987] D. B. Rubin, Multiple Imputation for Nonresponse in Surveys, 1987.

    Examples
    --------
    >>> donors = np.array([[0.0, 1.0], [0.1, 3.0], [9.0, 0.0]])
    >>> ((rows, completed),) = fillings(np.array([[0.04, np.nan]]), donors, np.ones((3, 2), dtype=bool), 2)
    >>> rows.tolist(), completed[:, 0].tolist()
    ([0], [[0.04, 1.0], [0.04, 3.0]])
    """
    missing = np.isnan(X)
    rows, own = np.flatnonzero(missing.any(axis=1)), np.where(known, donors, 0.0)
    everywhere = np.random.default_rng(0).permutation(len(donors))[:AMONG]
    size = max(1, BLOCK // max(len(donors), AMONG * X.shape[1]))
    for low in range(0, len(rows), size):
        at = rows[low : low + size]
        away = _partial(np.where(missing[at], 0.0, X[at]), ~missing[at], own, known)
        near = _nearest(away, AMONG)
        near[missing[at].all(axis=1)] = everywhere
        there = known[near]
        have = np.argsort(~there, axis=1, kind="stable")  # those that have a cell, the nearest first
        held = there.sum(axis=1)
        ways = []
        for j in range(n):
            place = np.take_along_axis(have, (j % np.maximum(held, 1))[:, None, :], axis=1)[:, 0]
            cells = own[np.take_along_axis(near, place, axis=1), np.arange(X.shape[1])]
            ways.append(np.where(missing[at], cells, X[at]))
        yield at, np.array(ways)


def _filled(X: Array, now: Array, donors: Array, known: Flags, *, partly: bool = False) -> Array:
    """One round: X with its missing cells filled by distances from `now`, over the known columns alone if `partly`."""
    missing = np.isnan(X)
    rows = np.flatnonzero(missing.any(axis=1))
    own = np.where(known, donors, 0.0)
    out, size = now.copy(), max(1, BLOCK // max(len(donors), AMONG * X.shape[1]))
    for low in range(0, len(rows), size):
        at = rows[low : low + size]
        away = _partial(now[at], ~missing[at], own, known) if partly else _whole(now[at], donors)
        means = _means(away, own, known)
        out[at] = np.where(missing[at], means, X[at])
    return out


def _partial(X: Array, have: Flags, own: Array, known: Flags) -> Array:
    """Squared distance over the columns that both rows have, by their variance; infinite where there is none."""
    M, V = have.astype(np.float64), known.astype(np.float64)
    shared = (M * (own**2).sum(axis=0) / np.maximum(V.sum(axis=0), 1.0)) @ V.T
    total = X**2 @ V.T + M @ (own**2).T - 2.0 * X @ own.T
    return np.where(shared > 0, total / np.where(shared > 0, shared, 1.0), np.inf)


def _whole(X: Array, donors: Array) -> Array:
    return np.asarray((X**2).sum(axis=1)[:, None] + (donors**2).sum(axis=1) - 2.0 * X @ donors.T)


def _means(away: Array, own: Array, known: Flags) -> Array:
    """The mean of the nearest donors that have a cell, for every cell."""
    near = _nearest(away, AMONG)
    there = known[near]
    there &= np.cumsum(there, axis=1) <= NEIGHBORS
    return np.asarray((own[near] * there).sum(axis=1) / np.maximum(there.sum(axis=1), 1))


def _nearest(away: Array, most: int) -> NDArray[np.intp]:
    """The nearest donors of each row, the nearest first."""
    # In single precision: ties are ties whatever rows came together, and go to the earlier donor.
    away = away.astype(np.float32)
    n = min(most, away.shape[1])
    near = np.sort(np.argpartition(away, n - 1, axis=1)[:, :n], axis=1)
    order = np.argsort(np.take_along_axis(away, near, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(near, order, axis=1))
