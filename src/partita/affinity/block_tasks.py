"""Tasks of the workers of a `DistributedAffinity` on one row block: functions of SciPy matrices and NumPy arrays.

A block is held over the rows of W that come to it: `local` has a column for each, `wanted` says which rows of which
block they are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.products import csr_product
from partita.kernels.threads import limit_threads

__all__ = [
    "as_csr",
    "columns_of",
    "dense_rows",
    "diagonal_of",
    "local_form",
    "product",
    "rows_for",
    "scaled_form",
    "sizes",
    "squared",
    "wanted_by",
    "whole_form",
    "wrong_with",
]


def as_csr(block: Any) -> sp.csr_array:
    """Return the rows as they were made, in CSR form with sorted columns."""
    out = sp.csr_array(block)
    out.sort_indices()
    return out


def wrong_with(P: sp.csr_array, bounds: list[int], b: int) -> str | None:
    """Describe what is wrong with block b; None where nothing is."""
    expected = (bounds[b + 1] - bounds[b], bounds[-1])
    if P.shape != expected:
        return f"block {b} has shape {P.shape}, expected {expected}: its rows, and a column for each item"
    return None if np.isfinite(P.data).all() else f"block {b} holds NaN or infinite entries: remove or replace them"


def wanted_by(P: sp.csr_array, bounds: list[int], b: int) -> dict[int, NDArray[np.intp]]:
    """Return rows that block b needs of each block in which it has a column, and all of its own."""
    columns = np.unique(P.indices)
    cuts = np.searchsorted(columns, bounds)
    out = {c: columns[low:high] - bounds[c] for c, (low, high) in enumerate(pairwise(cuts)) if high > low}
    return dict(sorted((out | {b: np.arange(bounds[b + 1] - bounds[b])}).items()))


def sizes(wanted: dict[int, NDArray[np.intp]]) -> dict[int, int]:
    """Return the number of rows received from each block."""
    return {c: len(rows) for c, rows in wanted.items()}


def columns_of(wanted: dict[int, NDArray[np.intp]], bounds: list[int]) -> NDArray[np.intp]:
    """Return the item indices of the received rows, one block after the other."""
    return np.concatenate([rows + bounds[c] for c, rows in wanted.items()])


def local_form(P: sp.csr_array, wanted: dict[int, NDArray[np.intp]], bounds: list[int]) -> sp.csr_array | None:
    """Return P over the received rows."""
    columns = columns_of(wanted, bounds)
    if len(P.indices) and P.indices.max() >= bounds[-1]:
        return None  # `wrong_with` names it
    place = np.searchsorted(columns, P.indices).astype(np.int32)
    return sp.csr_array((P.data, place, P.indptr), shape=(P.shape[0], len(columns)))


def whole_form(local: sp.csr_array, wanted: dict[int, NDArray[np.intp]], bounds: list[int]) -> sp.csr_array:
    """Return P over all N columns again."""
    columns = columns_of(wanted, bounds)
    return sp.csr_array((local.data, columns[local.indices], local.indptr), shape=(local.shape[0], bounds[-1]))


def rows_for(W: Array, wanted: dict[int, NDArray[np.intp]], c: int) -> Array:
    """Return the rows of block c that are wanted."""
    return W[wanted[c]]


def product(P: sp.csr_array, rows: list[Array], width: int) -> Array:
    """Return the block of P @ W, from the received rows."""
    with limit_threads(1):  # the workers are the threads
        return csr_product(P, np.concatenate(rows) if rows else np.empty((0, width)))


def scaled_form(
    local: sp.csr_array, wanted: dict[int, NDArray[np.intp]], bounds: list[int], own: Array, every: Array
) -> sp.csr_array:
    """Return diag(own) P diag(every), with the pattern of P."""
    values = local.data * np.repeat(own, np.diff(local.indptr)) * every[columns_of(wanted, bounds)][local.indices]
    values = values.astype(local.dtype, copy=False)
    return sp.csr_array((values, local.indices, local.indptr), shape=local.shape)


def diagonal_of(P: sp.csr_array, low: int) -> Array:
    """Return P_ii of a block whose first row is item `low`."""
    return np.asarray(P.diagonal(k=low), dtype=np.float64)[: P.shape[0]]


def squared(P: sp.csr_array) -> sp.csr_array:
    """Return P o P."""
    return sp.csr_array((np.square(P.data, dtype=np.float64), P.indices, P.indptr), shape=P.shape)


def dense_rows(P: sp.csr_array, index: NDArray[np.intp]) -> Array:
    """Return rows of the block as a dense array."""
    return np.asarray(P[index].toarray(), dtype=np.float64)
