"""An affinity from codes of items over each other: the steps that SSC by LASSO and by matching pursuit share."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds

__all__ = ["check_share", "largest_correlations", "same_rows", "strengths", "two_way", "unit_rows", "with_itself"]

# Items whose correlations with all others are held at a time.
ROWS = 256
# Correlations below this share of the product of the lengths are rounding.
ROUNDING = 1e-14


def unit_rows(X: Array) -> Array:
    """Return rows scaled to length one; rows of zeros stay."""
    size = np.abs(X).max(axis=1, initial=0.0)[:, None]
    X = X / np.where(size > 0, size, 1.0)  # squares neither overflow nor vanish
    length = np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    return np.asarray(X / np.where(length > 0, length, 1.0))


def largest_correlations(X: Array, atoms: Array, own: NDArray[np.intp]) -> Array:
    """Return max_j |x_i . a_j| over the atoms but its own (-1: none).

    Zero where all are orthogonal to x_i up to rounding.
    """
    out = np.zeros(len(X))
    longest = float(np.sqrt(np.einsum("ij,ij->i", atoms, atoms).max(initial=0.0)))
    for low, high in row_bounds(len(X), ROWS):
        part = np.abs(X[low:high] @ atoms.T)
        held = np.flatnonzero(own[low:high] >= 0)
        part[held, own[low:high][held]] = 0.0
        out[low:high] = part.max(axis=1, initial=0.0)
        length = np.sqrt(np.einsum("ij,ij->i", X[low:high], X[low:high]))
        out[low:high][out[low:high] <= ROUNDING * longest * length] = 0.0
    return out


def strengths(codes: sp.csr_array, share: float = 1.0, power: float = 1.0) -> sp.csr_array:
    """Return |c|^p, cut to the largest entries that make up `share` of the sum of |c|, scaled so that the largest
    is one.

    >>> C = sp.csr_array(np.array([[0.0, -4.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]]))
    >>> strengths(C).toarray()[0].tolist(), strengths(C, 0.8).toarray()[0].tolist()
    ([0.0, 1.0, 0.25, 0.5], [0.0, 1.0, 0.0, 0.5])
    """
    n = codes.shape[0]
    value, row = np.abs(codes.data), np.repeat(np.arange(n), np.diff(codes.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, row, value)
    index, pointer = codes.indices, codes.indptr
    if share < 1.0:
        order = np.lexsort((-value, row))  # stable: equal entries in the order of the items
        value, index = value[order], index[order]
        before = np.cumsum(value) - value
        starts = np.append(before, value.sum())[codes.indptr[:-1]]
        totals = np.bincount(row, value, n)
        kept = before - starts[row] < share * totals[row]
        value, index, row = value[kept], index[kept], row[kept]
        pointer = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    value = (value / np.where(largest > 0, largest, 1.0)[row]) ** power
    return sp.csr_array((value, index, pointer), shape=codes.shape)


def two_way(strength: sp.csr_array) -> sp.csr_array:
    """Return |C| + |C|^T, entries in [0, 2], symmetric to the last bit."""
    strength = sp.csr_array(strength)
    strength.sort_indices()
    return sp.csr_array(strength + sp.csr_array(strength.T))


def with_itself(P: sp.csr_array, own: NDArray[np.intp] | None = None) -> sp.csr_array:
    """Return P with 1 where an item meets itself, column `own` of each row (None: its number, -1: nowhere), empty
    so far.
    """
    own = np.arange(P.shape[0]) if own is None else own
    held = np.flatnonzero(own >= 0)
    return sp.csr_array(P + sp.csr_array((np.ones(len(held)), (held, own[held])), shape=P.shape))


def same_rows(X: Array, fitted: Array) -> NDArray[np.intp]:
    """Return the index of the first fitted row that equals each row; -1 for none."""
    known: dict[bytes, int] = {}
    for i, row in enumerate(fitted + 0.0):
        known.setdefault(row.tobytes(), i)
    return np.array([known.get(row.tobytes(), -1) for row in X + 0.0], dtype=np.intp)


def check_share(option: str, value: Any) -> None:
    """Raise unless `value` is in (0, 1]."""
    if not 0 < value <= 1:
        raise InputError(f"{option}={value}: expected a share of the sum of a code, more than 0 and at most 1")
