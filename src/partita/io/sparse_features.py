"""Features from a file of a sparse matrix: what `scipy.sparse.save_npz` wrote, or Matrix Market (.mtx)."""

from __future__ import annotations

from pathlib import Path

from partita.errors import InputError
from partita.io.arrays import ArrayTable, as_numbers
from partita.io.headers import default_names
from partita.io.matrices import read_sparse_rows
from partita.io.reading import Reading
from partita.memory import require_memory

__all__ = ["sparse_features"]


def sparse_features(path: Path, reading: Reading) -> ArrayTable | None:
    """Return a sparse matrix as a table, made dense; None for a file that holds none.

    Raises
    ------
    InputError
        For an empty matrix, and as `read_sparse_rows`.
    MemoryLimitError
        Where the array would not fit.
    """
    matrix = read_sparse_rows(path, reading)
    if matrix is None:
        return None
    n, d = matrix.shape
    if 0 in (n, d):
        raise InputError(f"{path}: the sparse matrix is empty, its shape is {(n, d)}; expected at least one row")
    remedy = "reduce the columns first, as sklearn.decomposition.TruncatedSVD(50) does"
    require_memory(16 * n * d, f"an array of {n:,} x {d:,} sparse features", remedy)
    values = as_numbers(matrix.toarray(), f"{path}: the sparse matrix")
    note = f"the file holds a sparse matrix, whose {n:,} rows were read as items and its {d:,} columns as features"
    return ArrayTable(path=path, names=default_names(d), has_header=False, notes=[note], values=values)
