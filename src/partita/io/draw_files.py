"""Partition draws from a file: M x N labels, a row for each draw, as something that is read a few rows at a time; and
their weights.

.npy is memory-mapped and zarr stays a store: neither is ever wholly in memory. Parquet, CSV and .npz are compressed or
text, which every product would have to decode again, so they are read once, a few draws at a time, into the smallest
integers that hold their labels. Files of ArviZ (netCDF, or zarr with groups) are read whole, by xarray.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.arrays import ArrayFile, as_numbers, open_npy, open_npz
from partita.io.containers import ARRAYS, TABLES, Formats, opened
from partita.io.draw_labels import Labels, checked_labels, require_labels
from partita.io.draw_stores import arviz_draws, beside_labels, zarr_draws
from partita.io.draw_tables import table_draws
from partita.io.r_objects import read_r_draws
from partita.io.tables import Table
from partita.io.text_rows import as_number
from partita.partition.named_draws import NamedDraws, stacked_draws
from partita.paths import DRAW_SUFFIXES, R_SUFFIXES, TEXT_SUFFIXES, require_file, require_suffix

__all__ = ["open_draws", "read_draw_weights", "read_draws"]

# The column of the weights of draws, and the files that have one.
WEIGHT = "weight"
WEIGHT_FORMATS: Formats[Table | ArrayFile] = {**{each: TABLES[each] for each in TEXT_SUFFIXES}, ".npy": ARRAYS[".npy"]}


def open_draws(path: str | Path, *, key: str | None = None) -> Any:
    r"""Open the labels of partition draws; rows are draws, columns are items.

    Parameters
    ----------
    path : str or Path
        .npy, .npz, .parquet (a column for each item, or one column of lists), .csv or .tsv (also .gz; a first row that
        is no numbers is a header, unless it is of words that repeat, above words; cells may be parted by blanks where
        all are numbers), .txt as R's `write.table` writes it, a folder or zip file .zarr, .nc as ArviZ writes it, .rds
        or .RData with a matrix, data frame or array (iteration, chain, item). Columns without a name, as R writes them
        for row names, and those that number draws and chains are no items. Labels in text are whole numbers, or words.
        Arrays of three dimensions in .npy and .npz are C x M x N for C chains, which are stacked.
    key : str, optional
        Array of a .npz file or zarr group, variable of an ArviZ file, or element of a list or .RData file of R; the
        only one that could be meant by default.

    Returns
    -------
    M x N array, or a zarr array
        What `DrawsAffinity` takes. A .npy file is mapped copy-on-write: the file is never written to.

    Raises
    ------
    InputError
        Naming the file, and the line and column of a label that is missing or not whole.
    MissingExtraError
        For parquet without pyarrow, a zarr store without zarr, or a file of R without rdata.
    MemoryLimitError
        For text, parquet or .npz that would not fit.

    Notes
    -----
    Text is read at about 10 million labels a second. A column that pandas wrote for its index is left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "draws.csv")
    ...     _ = file.write_text("1,1,2\n1,2,2\n")
    ...     draws = open_draws(file)
    >>> draws.tolist(), draws.dtype.name
    ([[1, 1, 2], [1, 2, 2]], 'int8')
    """
    return read_draws(path, key=key).labels


def read_draws(
    path: str | Path, *, key: str | None = None, missing: Literal["error", "unobserved"] = "error"
) -> NamedDraws:
    r"""Return the partition draws as `open_draws` reads them, with the chain of each draw and the names of the
    items where known.

    A table may have columns `chain` and `draw` (see `partita.partition.named_draws`), a .npz file or zarr group arrays
    `chain` and `item` beside the labels, an ArviZ file has both. With `missing="unobserved"` an empty cell or NaN says
    that the draw does not have the item; its label is then -1.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "draws.csv")
    ...     _ = file.write_text("chain,a,b\n1,1,1\n2,1,2\n")
    ...     draws = read_draws(file)
    >>> draws.labels.tolist(), draws.chain.tolist(), draws.items.tolist()
    ([[1, 1], [1, 2]], [1, 2], ['a', 'b'])
    """
    gaps = missing == "unobserved"
    if Path(path).is_dir() or Path(path).name.lower().endswith((".zarr", ".zarr.zip")):
        return zarr_draws(Path(path), key, gaps)
    file = require_file(path)
    suffix = require_suffix(file, DRAW_SUFFIXES)
    if key is not None and suffix not in (".npz", ".nc", *R_SUFFIXES):
        raise InputError(f"{file}: key={key!r} names an array of a .npz file or zarr group; leave it out for {suffix}")
    if suffix == ".nc":
        return arviz_draws(file, key, gaps)
    if suffix in R_SUFFIXES:
        found = read_r_draws(file, key=key, missing=gaps)
        return replace(found, labels=checked_labels(found.labels, file, gaps))
    if suffix == ".npy":
        stacked = stacked_draws(_mapped(file))
        return replace(stacked, labels=checked_labels(stacked.labels, file, gaps))
    if suffix == ".npz":
        arrays = open_npz(file)
        shapes = {name: shape for name, (shape, _) in arrays.headers.items()}
        fitting = [name for name, shape in shapes.items() if len(shape) in (2, 3)]
        if key is None and len(fitting) > 1 and any(len(shapes[name]) == 3 for name in fitting):
            held = ", ".join(f"{name} {shapes[name]}" for name in fitting)
            raise InputError(f"{file} has {len(fitting)} arrays that may be draws ({held}); name the one: --key NAME")
        name = arrays.choose(key, preferred=fitting[0] if len(fitting) == 1 else None)
        _require_labels(arrays, name)
        stacked = stacked_draws(arrays.load(name))
        found = beside_labels(checked_labels(stacked.labels, file, gaps), shapes, arrays.load, file)
        return replace(found, chain=stacked.chain) if found.chain is None else found
    try:
        return table_draws(file, gaps)
    except InputError as error:
        if str(file) in str(error):
            raise
        raise InputError(f"{file}: {error}") from error


def read_draw_weights(path: str | Path, n_draws: int) -> NDArray[np.float64]:
    r"""Return a nonnegative number for each draw, in their order: the column `weight` or the only one of a CSV or
    TSV file, or a .npy file of one dimension.

    Raises
    ------
    InputError
        For another number of weights than draws, a weight that is missing or negative, or none above zero.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "weights.csv")
    ...     _ = file.write_text("draw,weight\n1,0.5\n2,1.5\n")
    ...     read_draw_weights(file, 2).tolist()
    [0.5, 1.5]
    """
    found = opened(path, WEIGHT_FORMATS, is_header=_names_weights)
    file = found.path
    if isinstance(found, ArrayFile):
        shape, dtype = found.headers[file.stem]
        if len(shape) != 1 or dtype.kind not in "biuf":
            raise InputError(
                f"{file} holds {dtype} of shape {shape}: expected one number for each of {n_draws:,} draws"
            )
        weights = as_numbers(found.load(file.stem), f"{file}")
    else:
        weights = _weights(found)
    if len(weights) != n_draws:
        raise InputError(f"{file} has {len(weights):,} weights, and there are {n_draws:,} draws: give one for each")
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(f"{file}: the weight of draw {at + 1} of {n_draws:,} is {weights[at]:g}, expected 0 or more")
    if not weights.any():
        raise InputError(f"{file}: every weight is zero: give some draw a weight above zero")
    return weights


def _names_weights(rows: Sequence[list[str]]) -> bool:
    first = rows[0]
    return any(as_number(cell) is None for cell in first) or (len(first) > 1 and not first[0])


def _weights(table: Table) -> NDArray[np.float64]:
    """The numbers in the column of weights."""
    weight = next((name for name in table.names if table.has_header and name.lower() == WEIGHT), None)
    # R leaves the column of row names without one.
    named = [name for name, cell in zip(table.names, table.first[0]) if cell or not table.has_header]
    if weight is None and len(named) != 1:
        raise InputError(
            f"{table.path} has {len(table.names)} columns, none called {WEIGHT!r}: call the one of the weights so"
        )
    column = weight or named[0]
    cells = table.read([], [column])[1][column]
    numbers = [as_number(cell) for cell in cells]
    if None in numbers:
        draw = numbers.index(None)
        raise InputError(f"{table.path}: the weight of draw {draw + 1} is {cells[draw]!r}, expected a number")
    return np.array(numbers, dtype=np.float64)


def _require_labels(arrays: ArrayFile, name: str) -> None:
    """Raise unless an array is M x N or C x M x N, and of a type that labels have."""
    shape, dtype = arrays.headers[name]
    require_labels((shape[0] * shape[1], shape[2]) if len(shape) == 3 else shape, dtype, arrays.path)


def _mapped(file: Path) -> Labels:
    arrays = open_npy(file)
    _require_labels(arrays, file.stem)
    try:
        return np.load(file, mmap_mode="c", allow_pickle=False)  # type: ignore[no-any-return]
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is not a whole .npy file ({error}); save it again with numpy.save") from error
