"""A square matrix of affinities or distances from a file, dense or sparse, with the names of its items.

Only the shape and the cells are checked here; symmetry and sign belong to `partita.affinity`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from partita.errors import InputError
from partita.io.arrays import ArrayFile, as_numbers, as_words, open_npy, open_npz
from partita.io.cells import require_finite, require_ids
from partita.io.files import did_you_mean, listed, require_file, require_suffix, sha256_of_file
from partita.io.headers import is_number, looks_like_a_header, open_text
from partita.io.market import read_market
from partita.io.parquet import PARQUET_SUFFIXES, ParquetTable, open_parquet
from partita.io.sparse_files import is_stored_sparse, stored_sparse
from partita.io.text_columns import TextTable
from partita.io.text_rows import TEXT_SUFFIXES, first_rows
from partita.memory import require_memory

__all__ = ["MatrixTable", "read_matrix"]

SUFFIXES = (*TEXT_SUFFIXES, ".npy", ".npz", ".mtx", *PARQUET_SUFFIXES)
REMEDY = "if it names the items pass --id-column {name}, otherwise leave it out"
# A float64 array or a CSR matrix.
Matrix: TypeAlias = Any
What = Literal["affinity", "distances"]


@dataclass(frozen=True)
class MatrixTable:
    """What `read_matrix` found."""

    matrix: Matrix
    ids: list[str]
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)


def read_matrix(
    path: str | Path,
    *,
    what: What = "affinity",
    key: str | None = None,
    id_column: str | None = None,
    allow_missing: bool = False,
) -> MatrixTable:
    r"""Read an N x N matrix.

    Parameters
    ----------
    path : str or Path
        .csv, .tsv (with or without a header and a column of ids), .npy, .npz (NumPy's, or one of
        `scipy.sparse.save_npz`), .mtx (Matrix Market) or .parquet.
    what : {"affinity", "distances"}
        What an error calls the matrix.
    key : str, optional
        Array of a .npz to read; by default the only one of two dimensions.
    id_column : str, optional
        Column (or array of a .npz) that names the items.
    allow_missing : bool
        Read missing cells as NaN. Infinite ones are an error all the same.

    Returns
    -------
    MatrixTable
        `matrix` is dense float64, or `scipy.sparse.csr_array` where the file is sparse.

    Raises
    ------
    InputError
        Naming file and place: not square, cells that are not finite numbers, ids that disagree.
    MissingExtraError
        For parquet without pyarrow.
    MemoryLimitError
        If the matrix would not fit, before it is read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "affinity.csv")
    ...     _ = file.write_text(",ann,bob\nann,1,0.5\nbob,0.5,1\n")
    ...     table = read_matrix(file)
    >>> table.matrix, table.ids
    (array([[1. , 0.5],
           [0.5, 1. ]]), ['ann', 'bob'])
    """
    if what not in ("affinity", "distances"):
        raise InputError(f"what={what!r} is unknown; pass 'affinity' or 'distances'")
    file = require_file(path)
    suffix = require_suffix(file, SUFFIXES)
    if key is not None and suffix != ".npz":
        raise InputError(f"{file}: key={key!r} names an array of a .npz file; leave out --key for {suffix}")
    if id_column is not None and suffix in (".npy", ".mtx"):
        raise InputError(f"{file}: {suffix} files have no column {id_column!r}; leave out --id-column")
    ids: list[str] | None = None
    notes: list[str] = []
    matrix: Matrix
    if suffix == ".npy":
        matrix = _dense(open_npy(file), file.stem, what)
    elif suffix == ".npz":
        matrix, ids = _from_npz(open_npz(file), what, key, id_column)
    elif suffix == ".mtx":
        matrix = _from_matrix_market(file, what)
    else:
        matrix, ids, notes = _from_table(file, suffix, what, id_column)
    _require_square(matrix.shape, file, what)
    n = matrix.shape[0]
    names = ids or [str(at) for at in range(n)]
    if isinstance(matrix, np.ndarray):
        require_finite(matrix, names, file, allow_missing=allow_missing)
    else:
        _require_finite_entries(matrix, file, allow_missing=allow_missing)
    return MatrixTable(matrix, require_ids(ids, n, file, id_column), sha256_of_file(file), file, notes)


def _dense(source: ArrayFile, name: str, what: What) -> NDArray[np.float64]:
    shape, dtype = source.headers[name]
    _require_square(shape, source.path, what)
    if dtype.kind in "biuf":
        require_memory(8 * shape[0] * shape[1], f"{source.path} ({shape[0]} x {shape[1]})", "save it as sparse")
    return as_numbers(source.load(name), f"{source.path}: array {name!r}")


def _from_npz(source: ArrayFile, what: What, key: str | None, id_column: str | None) -> tuple[Matrix, list[str] | None]:
    path = source.path
    if id_column is not None and id_column not in source.headers:
        raise InputError(
            f"{path} has no array {id_column!r} for --id-column; it has {listed(source.headers)}"
            f"{did_you_mean(id_column, source.headers)}"
        )
    ids = None if id_column is None else as_words(source.load(id_column))
    if is_stored_sparse(source):
        if key is not None:
            raise InputError(f"{path} is a sparse matrix and has no arrays to choose from; leave out --key")
        return _as_csr(stored_sparse(source), path, what), ids
    return _dense(source, source.choose(key), what), ids


def _from_matrix_market(file: Path, what: What) -> Matrix:
    loaded = read_market(file, lambda shape: _require_square(shape, file, what))
    if sparse.issparse(loaded):
        return _as_csr(loaded, file, what)
    return as_numbers(np.asarray(loaded), f"{file}")


def _from_table(
    file: Path, suffix: str, what: What, id_column: str | None
) -> tuple[NDArray[np.float64], list[str] | None, list[str]]:
    table: TextTable | ParquetTable
    if suffix == ".parquet":
        table, has_header = open_parquet(file), True
        first_is_ids = False
    else:
        known = [] if id_column is None else [id_column]
        table = open_text(file, partial(looks_like_a_header, known=known))
        has_header = table.has_header
        rows, _ = first_rows(file)
        corner = rows[0][0].lower() if has_header else ""
        first_is_ids = has_header and (corner in ("", "id") or (len(rows) > 1 and not is_number(rows[1][0])))
    names, notes = table.names, list(table.notes)
    if id_column is not None and id_column not in names:
        raise InputError(
            f"{file} has no column {id_column!r} for --id-column; it has {listed(names)}"
            f"{did_you_mean(id_column, names)}"
        )
    at_ids = names.index(id_column) if id_column is not None else 0 if first_is_ids else None
    kept = [at for at in range(len(names)) if at != at_ids]
    values, words = table.read(kept, [] if at_ids is None else [at_ids], remedy=REMEDY)
    columns = [names[at] for at in kept]
    n_rows, n_columns = values.shape
    if at_ids is not None:
        ids = words[at_ids]
        _require_same_order(ids, columns, file, what)
        return values, ids, notes
    if n_rows == n_columns + 1 and not has_header:
        notes = [f"the first of {n_rows} rows was read as a header, since there are {n_columns} columns"]
        return values[1:], as_words(values[0]), notes
    if n_columns == n_rows + 1 and has_header and all(map(is_number, columns)):
        # 0, 1, 2, ... may be the first row of distances along a line: the file is square as it stands.
        first = np.array([[float(name) for name in columns]])
        return np.concatenate([first, values]), None, []
    if n_columns == n_rows + 1 and has_header:
        notes.append(f"column {columns[0]!r} was read as the ids, since there are {n_rows} rows")
        return values[:, 1:], as_words(values[:, 0]), notes
    return values, columns if has_header else None, notes


def _require_same_order(ids: Sequence[str], columns: Sequence[str], file: Path, what: What) -> None:
    """Rows and columns that carry the same names have to carry them in the same order."""
    if list(ids) != list(columns) and sorted(ids) == sorted(columns):
        at = next(at for at, (row, column) in enumerate(zip(ids, columns)) if row != column)
        raise InputError(
            f"{file}: the {what} has its columns in another order than its rows (row {at + 1} is {ids[at]!r}, "
            f"column {at + 1} is {columns[at]!r}); put both into the same order"
        )


def _as_csr(loaded: Any, file: Path, what: What) -> sparse.csr_array:
    _require_square(loaded.shape, file, what)
    try:
        matrix: sparse.csr_array = sparse.csr_array(loaded)
    except ValueError as error:  # numbers in another byte order
        raise InputError(f"{file}: the {what} is of type {loaded.dtype}; save numbers as float64") from error
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{file}: the {what} should hold real numbers, it is of type {matrix.dtype}; save numbers")
    entries: sparse.csr_array = matrix.astype(np.float64)
    entries.sum_duplicates()
    return entries


def _require_square(shape: tuple[int, ...], file: Path, what: What) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        size = " x ".join(str(side) for side in shape) if shape else "a single number"
        raise InputError(
            f"{file}: {what} should be a square matrix, one row and one column per item; it is {size}; "
            f"for a table of features pass --input features"
        )
    if shape[0] == 0:
        raise InputError(f"{file}: {what} is empty (0 x 0); expected at least one item")


def _require_finite_entries(matrix: sparse.csr_array, file: Path, *, allow_missing: bool) -> None:
    bad = np.isinf(matrix.data) if allow_missing else ~np.isfinite(matrix.data)
    if bad.any():
        entry = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right"))
        raise InputError(
            f"{file}: {int(bad.sum())} entries are not finite, the first is {matrix.data[entry]} in row {row}, "
            f"column {int(matrix.indices[entry]) + 1}; replace them or leave them out"
        )
