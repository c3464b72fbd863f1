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
from partita.io.arrays import ArrayFile, as_numbers, as_words
from partita.io.cells import FILL_IN, require_finite, require_ids
from partita.io.containers import ARRAYS, MATRICES, TABLES, Formats, opened
from partita.io.files import Place, require_known, row_place, sha256_of_file
from partita.io.headers import is_number, looks_like_a_header
from partita.io.market import MarketFile
from partita.io.reading import AS_FOUND, Reading
from partita.io.sparse_files import is_stored_sparse, stored_sparse
from partita.io.tables import Table
from partita.io.text_rows import as_number, is_missing, says_nothing
from partita.memory import require_memory

__all__ = ["MatrixTable", "read_matrix", "read_sparse_rows"]

FORMATS: Formats[Table | ArrayFile | MarketFile] = {**TABLES, **ARRAYS, **MATRICES}
SPARSE_FORMATS: Formats[ArrayFile | MarketFile] = {".npz": ARRAYS[".npz"], **MATRICES}
REMEDY = "if it names the items pass --id-column {name}, otherwise leave it out"
SQUARE = "write the whole square (R: as.matrix(d); SciPy: squareform)"
# A float64 array or a CSR matrix.
Matrix: TypeAlias = Any
What = Literal["affinity", "distances"]


@dataclass(frozen=True)
class MatrixTable:
    """Matrix that `read_matrix` found."""

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
    reading: Reading = AS_FOUND,
) -> MatrixTable:
    r"""Read an N x N matrix.

    Parameters
    ----------
    path : str or Path
        .csv, .tsv (with or without a header and a column of ids), .npy, .npz (NumPy's, or one of
        `scipy.sparse.save_npz`), .mtx (Matrix Market) or .parquet.
    what : {"affinity", "distances"}
        Name of the matrix in errors.
    key : str, optional
        Array of a .npz to read; by default the only one of two dimensions.
    id_column : str, optional
        Column (or array of a .npz) that names the items.
    allow_missing : bool
        Read missing cells as NaN. Infinite ones are an error all the same.
    reading : Reading
        What is known of a text or a spreadsheet.

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
    known = [] if id_column is None else [id_column]
    found = opened(path, FORMATS, key=key, is_header=partial(_names_items, known=known), reading=reading)
    file = found.path
    if id_column is not None and (suffix := file.suffix.lower()) in (".npy", ".mtx"):
        raise InputError(f"{file}: {suffix} files have no column {id_column!r}; leave out --id-column")
    ids: list[str] | None = None
    notes: list[str] = []
    place: Place = row_place
    matrix: Matrix
    match found:
        case MarketFile():
            matrix = _from_market(found, what)
        case ArrayFile():
            matrix, ids = _from_arrays(found, what, key, id_column)
        case Table():
            matrix, ids, notes, place = _from_table(found, what, id_column)
    _require_square(matrix.shape, file, what)
    n = matrix.shape[0]
    names = ids or [str(at) for at in range(n)]
    if isinstance(matrix, np.ndarray):
        remedy = FILL_IN if what == "affinity" else "every distance must be known: leave out the items that lack some"
        require_finite(matrix, names, file, allow_missing=allow_missing, remedy=remedy, place=place)
    else:
        _require_finite_entries(matrix, file, allow_missing=allow_missing)
    return MatrixTable(matrix, require_ids(ids, n, file, id_column, place), sha256_of_file(file), file, notes)


def read_sparse_rows(path: str | Path, reading: Reading = AS_FOUND) -> sparse.csr_array | None:
    """Return the rows of a sparse matrix; None for a file that is not sparse.

    Raises
    ------
    InputError
        For a file that is broken, or has entries outside the matrix.
    MemoryLimitError
        If the matrix would not fit.
    """
    if Path(path).suffix.lower() not in SPARSE_FORMATS:
        return None
    found = opened(path, SPARSE_FORMATS, reading=reading)
    if isinstance(found, MarketFile):
        return sparse.csr_array(found.load())
    return sparse.csr_array(stored_sparse(found)) if is_stored_sparse(found) else None


def _dense(source: ArrayFile, name: str, what: What) -> NDArray[np.float64]:
    shape, dtype = source.headers[name]
    _require_square(shape, source.path, what)
    if dtype.kind in "biuf":
        require_memory(8 * shape[0] * shape[1], f"{source.path} ({shape[0]} x {shape[1]})", "save it as sparse")
    return as_numbers(source.load(name), f"{source.path}: array {name!r}")


def _from_arrays(
    source: ArrayFile, what: What, key: str | None, id_column: str | None
) -> tuple[Matrix, list[str] | None]:
    path = source.path
    if id_column is not None:
        require_known(path, id_column, source.headers, f"array {id_column!r} for --id-column")
    ids = None if id_column is None else as_words(source.load(id_column))
    if is_stored_sparse(source):
        if key is not None:
            raise InputError(f"{path} is a sparse matrix and has no arrays to choose from; leave out --key")
        return _as_csr(stored_sparse(source), path, what), ids
    return _dense(source, source.choose(key), what), ids


def _from_market(file: MarketFile, what: What) -> Matrix:
    _require_square(file.shape, file.path, what)
    loaded = file.load()
    return _as_csr(loaded, file.path, what) if sparse.issparse(loaded) else as_numbers(loaded, f"{file.path}")


def _names_items(rows: Sequence[list[str]], known: Sequence[str]) -> bool:
    """Whether the first row names columns: also by the numbers that rows begin with, behind a blank corner.

    >>> _names_items([["", "7", "9"], ["7", "0", "2"], ["9", "2", "0"]], [])
    True
    """
    (corner, *names), *below = rows
    begun = [row[0] for row in below]
    return (bool(begun) and says_nothing(corner) and names[: len(begun)] == begun) or looks_like_a_header(rows, known)


def _from_table(
    table: Table, what: What, id_column: str | None
) -> tuple[NDArray[np.float64], list[str] | None, list[str], Place]:
    file, has_header = table.path, table.has_header
    first_is_ids = False
    if has_header and table.first:
        corner, *below = (row[0] for row in table.first)
        first_is_ids = corner.lower() in ("", "id") or not all(map(is_number, below))
    names, notes = table.names, list(table.notes)
    if id_column is not None:
        require_known(file, id_column, names, f"column {id_column!r} for --id-column")
    of_ids = names[0] if id_column is None and first_is_ids else id_column
    columns = [name for name in names if name != of_ids]
    place = table.place
    _refuse_ragged_triangle(table, what)
    values, words = table.read(columns, [] if of_ids is None else [of_ids], remedy=REMEDY)
    _refuse_empty_triangle(values, file, what)
    n_rows, n_columns = values.shape
    if of_ids is not None:
        ids = words[of_ids]
        _require_same_order(ids, columns, file, what, place)
        return values, ids, notes, place
    if n_rows == n_columns + 1 and not has_header:
        notes = [f"the first of {n_rows} rows was read as a header, since there are {n_columns} columns"]
        return values[1:], as_words(values[0]), notes, lambda row: place(row + 1)
    if n_columns == n_rows + 1 and has_header and all(map(is_number, columns)):
        # 0, 1, 2, ... may be the first row of distances along a line: the file is square as it stands.
        first = np.array([[float(name) for name in columns]])
        return np.concatenate([first, values]), None, [], lambda row: place(row - 1) if row else "the first line"
    if n_columns == n_rows + 1 and has_header:
        notes.append(f"column {columns[0]!r} was read as the ids, since there are {n_rows} rows")
        return values[:, 1:], as_words(values[:, 0]), notes, place
    if has_header and n_rows != n_columns and all(map(is_number, columns)):
        _require_square((n_rows + 1, n_columns), file, what)  # its first row is one of numbers
    return values, columns if has_header else None, notes, place


def _refuse_ragged_triangle(table: Table, what: What) -> None:
    """Raise where the first two rows are those of a triangle: of numbers, the one a cell longer than the other."""
    filled = [[cell for cell in row if not is_missing(cell)] for row in table.first]
    at_the_left = all(row[: len(held)] == held for row, held in zip(table.first, filled))
    if len(filled) < 2 or not at_the_left or not all(is_number(cell) for row in filled for cell in row):
        return
    one, two = map(len, filled)
    one_gap = list(map(len, table.first)) == [2, 2]
    shorter = one == two + 1 and one > 2 and as_number(filled[0][1]) != as_number(filled[1][0])  # no missing cell
    if ((one, two) == (1, 2) and not one_gap) or shorter:
        side = "lower" if one < two else "upper"
        raise InputError(
            f"{table.path} holds the {side} triangle of a matrix (its first rows have {one} and {two} cells): expected "
            f"the {what} of every pair of items, as many cells in each row as there are rows; {SQUARE}"
        )


def _refuse_empty_triangle(values: NDArray[np.float64], file: Path, what: What) -> None:
    """Raise where the cells on one side of the diagonal are all empty, and none on the other is."""
    n, m = values.shape
    if n != m or n < 3:  # one missing cell of 2 x 2 says nothing
        return
    empty, above = np.isnan(values), np.triu(np.ones((n, n), dtype=bool), 1)
    for side, here, there in (("lower", above.T, above), ("upper", above, above.T)):
        if empty[there].all() and not empty[here].any():
            raise InputError(
                f"{file} holds the {side} triangle of a matrix, and its other cells are empty: expected the {what} of "
                f"every pair of items in both; {SQUARE}"
            )


def _require_same_order(ids: Sequence[str], columns: Sequence[str], file: Path, what: What, place: Place) -> None:
    """Raise where rows and columns carry the same names in different orders."""
    if list(ids) != list(columns) and sorted(ids) == sorted(columns):
        at = next(at for at, (row, column) in enumerate(zip(ids, columns)) if row != column)
        raise InputError(
            f"{file}: the {what} has its columns in another order than its rows ({place(at)} is {ids[at]!r}, "
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
