"""Gower's distance for tables that mix numbers and categories [gower1971]: the mean over columns of |x - y| / range for
a number and of "differs" for a category, over the columns that both items have. Values in [0, 1]. Cost N M d.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from partita.arrays import Array
from partita.errors import InputError

__all__ = ["gower_distances"]


def gower_distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, categorical: Sequence[int] = (), ranges: ArrayLike | None = None
) -> Array:
    """Return Gower distances between the rows of X and those of Y (X itself by default).

    Parameters
    ----------
    X, Y : arrays N x d and M x d of float
        Categories as codes; NaN where a value is missing.
    categorical : sequence of int
        Columns that hold categories.
    ranges : array of d, optional
        Largest minus smallest value of each column; from X by default.

    Raises
    ------
    InputError
        Where two items share no observed column, or a categorical column does not exist.

    Examples
    --------
    >>> gower_distances([[0.0, 1], [10.0, 1], [5.0, 2]], categorical=[1]).tolist()
    [[0.0, 0.5, 0.75], [0.5, 0.0, 0.75], [0.75, 0.75, 0.0]]
    """
    X = np.asarray(X, dtype=np.float64)
    Y = X if Y is None else np.asarray(Y, dtype=np.float64)
    d = X.shape[1]
    if any(not 0 <= c < d for c in categorical):
        raise InputError(f"categorical={list(categorical)}: the columns are 0..{d - 1}")
    spans = np.nanmax(X, axis=0) - np.nanmin(X, axis=0) if ranges is None else np.asarray(ranges, dtype=np.float64)
    total = np.zeros((len(X), len(Y)))
    count = np.zeros((len(X), len(Y)))
    for c in range(d):
        difference = np.abs(X[:, c, None] - Y[None, :, c])
        observed = ~np.isnan(difference)
        if c in categorical:
            difference = (difference > 0).astype(np.float64)
        elif spans[c] > 0:
            difference = difference / spans[c]
        total += np.where(observed, difference, 0.0)
        count += observed
    if not count.all():
        i, j = np.argwhere(count == 0)[0]
        raise InputError(f"items {i} and {j} have no column that both of them have a value in")
    return total / count
