"""Nonnegative least squares with many right-hand sides by block principal pivoting [kim2008b].

    argmin over x >= 0 of x^T C x - 2 x^T b,      for each row b of B

The optimum is the x with x >= 0, y = C x - b >= 0 and x_k y_k = 0. Each entry is guessed to be free (y_k = 0) or zero;
the guess gives x and y by one solve, and every entry of the wrong sign changes sides at once. Where that does not
lessen the number of wrong ones three times in a row, only the last of them changes sides, which is known to end. Rows
that share a guess share one inverse, so that ten thousand rows of ten unknowns take a few hundred inverses and no loop
over rows. Rows that have not settled after `passes` go to SciPy's active set (`minimise_nonnegative`).

Cost: a few passes of n K^2 multiplications and one K x K inverse for each guess that occurs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.nonnegative import minimise_nonnegative
from partita.kernels.threads import row_bounds

__all__ = ["pivoted_nonnegative"]


# Added to the diagonal of C once that is one: components that coincide have a solution then, off by this share.
RIDGE = 1e-12
# A dual variable above minus this share of its row's largest right-hand side is zero: less is rounding.
ZERO = 1e-12
# Exchanges of all wrong entries that may fail before one is exchanged at a time [kim2008b].
FAILURES = 3
# Numbers in the inverses of a chunk of rows.
CHUNK = 1 << 20


def pivoted_nonnegative(
    C: Array, B: Array, free: NDArray[np.bool_] | None = None, *, passes: int | None = None
) -> Array:
    """Return argmin over x >= 0 of x^T C x - 2 x^T b for each row b of B.

    Parameters
    ----------
    C : K x K, symmetric positive semidefinite
    B : n x K
    free : n x K of bool, optional
        Entries guessed to be positive, as the support of a solution of a like problem; none by default.
    passes : int, optional
        Before SciPy's active set takes over; 3 K + 10 by default.

    Examples
    --------
    >>> pivoted_nonnegative(np.eye(2), np.array([[0.9, -0.3]])).round(9).tolist()
    [[0.9, 0.0]]
    """
    n, K = B.shape
    size = np.sqrt(np.maximum(C.diagonal(), 0.0))
    live = np.flatnonzero(size > 0)  # a component that is zero everywhere takes no part
    out = np.zeros((n, K))
    if not len(live):
        return out
    s = size[live]
    scaled = C[np.ix_(live, live)] / np.multiply.outer(s, s) + RIDGE * np.eye(len(live))
    most = 3 * K + 10 if passes is None else passes
    for low, high in row_bounds(n, max(1, CHUNK // len(live) ** 2)):
        b = B[low:high, live] / s
        guess = np.zeros(b.shape, dtype=bool) if free is None else free[low:high, live].copy()
        out[low:high, live] = _pivoted(scaled, b, guess, most) / s
    return out


def _pivoted(C: Array, B: Array, free: NDArray[np.bool_], passes: int) -> Array:
    n, K = B.shape
    X = np.zeros((n, K))
    rows = np.arange(n)
    fewest = np.full(n, K + 1)
    left = np.full(n, FAILURES)
    zero = ZERO * np.abs(B).max(axis=1, initial=0.0)
    for _ in range(passes):
        f, b = free[rows], B[rows]
        x = _solved(C, b, f)
        y = x @ C - b
        wrong = np.where(f, x < 0, y < -zero[rows, None])
        count = wrong.sum(axis=1)
        X[rows] = np.maximum(x, 0.0)
        rows, wrong, count = rows[count > 0], wrong[count > 0], count[count > 0]
        if not len(rows):
            return X
        better = count < fewest[rows]
        fewest[rows] = np.minimum(count, fewest[rows])
        left[rows] = np.where(better, FAILURES, left[rows] - 1)
        single = left[rows] < 0
        last = K - 1 - wrong[:, ::-1].argmax(axis=1)
        wrong[single] = np.arange(K) == last[single, None]
        free[rows] ^= wrong
    X[rows] = minimise_nonnegative(C, B[rows])
    return X


def _solved(C: Array, B: Array, free: NDArray[np.bool_]) -> Array:
    """The x with C_ff x_f = b_f and zero elsewhere, row by row; rows with the same f share the inverse."""
    sets, group = _distinct(free)
    both = sets[:, :, None] & sets[:, None, :]
    inverse = np.linalg.inv(np.where(both, C, np.eye(len(C))))
    x: Array = np.matmul(inverse[group], np.where(free, B, 0.0)[:, :, None])[:, :, 0]
    x[~free] = 0.0
    return x


def _distinct(free: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """The distinct rows, and which of them each row is."""
    if free.shape[1] > 62:
        sets, group = np.unique(free, axis=0, return_inverse=True)
        return sets, group.ravel()
    codes: Any = free @ (1 << np.arange(free.shape[1], dtype=np.int64))
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return free[first], group
