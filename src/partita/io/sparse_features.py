"""Features from a file of a sparse matrix: what `scipy.sparse.save_npz` wrote, or Matrix Market (.mtx)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.headers import default_names
from partita.io.matrices import read_sparse_rows
from partita.memory import require_memory

__all__ = ["SparseFeatures", "read_sparse_features"]


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Features made dense, the names of their columns, and a note."""

    features: NDArray[np.float64]
    columns: list[str]
    note: str


def read_sparse_features(path: Path, columns: Sequence[str] | None) -> SparseFeatures | None:
    """Return the rows of a sparse matrix as features; None for a file that holds none.

    Parameters
    ----------
    path : Path
    columns : sequence of str or None
        The names that a model expects: column_0, column_1, ...

    Raises
    ------
    InputError
        For other names, since columns of such a file have numbers alone; and as `read_sparse_rows`.
    MemoryLimitError
        Where the array would not fit.
    """
    matrix = read_sparse_rows(path)
    if matrix is None:
        return None
    n, d = matrix.shape
    names = default_names(d)
    if columns is not None and list(columns) != names:
        raise InputError(f"{path}: columns of a sparse matrix have no names, and {d} of them are here; pass a table")
    remedy = "reduce the columns first, as sklearn.decomposition.TruncatedSVD(50) does"
    require_memory(16 * n * d, f"an array of {n:,} x {d:,} sparse features", remedy)
    note = f"the file holds a sparse matrix, whose {n:,} rows were read as items and its {d:,} columns as features"
    return SparseFeatures(np.asarray(matrix.toarray(), dtype=np.float64), names, note)
