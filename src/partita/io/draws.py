"""Partition draws from a file: M x N labels, a row for each draw, as something that is read a few rows at a time.

.npy is memory-mapped and zarr stays a store: neither is ever wholly in memory. Parquet, CSV and .npz are compressed or
text, which every product would have to decode again, so they are read once, a few draws at a time, into the smallest
integers that hold their labels. Files of ArviZ (netCDF, or zarr with groups) are read whole, by xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, MemoryLimitError, MissingExtraError, require
from partita.io.arrays import ArrayFile, as_words, open_npy, open_npz
from partita.io.files import listed, require_file, require_suffix
from partita.io.parquet import BROKEN, PANDAS_INDEX
from partita.io.r_objects import R_SUFFIXES, read_r_draws
from partita.io.r_tables import R_TABLE_SUFFIXES, table_rows
from partita.io.stored_labels import StoredLabels
from partita.io.text_rows import TEXT_SUFFIXES, as_number, data_rows, first_rows, is_missing
from partita.memory import require_memory
from partita.partition.named_draws import NamedDraws, columns_of, named_draws

__all__ = ["open_draws", "read_draws"]

SUFFIXES = (*TEXT_SUFFIXES, *R_TABLE_SUFFIXES, ".npy", ".npz", ".parquet", ".zarr", ".nc", *R_SUFFIXES)
# The group of an ArviZ file that holds draws, and the arrays of a .npz file that say the chain of each and name items.
POSTERIOR, CHAIN, ITEM = "posterior", "chain", "item"
# Labels that are decoded at a time.
BATCH = 1 << 23
# Columns from which a first row that only counts them is asked about.
COUNTED = 5
# Whole numbers beyond this are not told apart by doubles.
EXACT = 1 << 53
KINDS = (np.int8, np.int16, np.int32, np.int64)
WHOLE = "labels are whole numbers or, in NumPy files, strings"

Labels = NDArray[Any]


def open_draws(path: str | Path, *, key: str | None = None) -> Any:
    r"""Open the labels of partition draws; rows are draws, columns are items.

    Parameters
    ----------
    path : str or Path
        .npy, .npz, .parquet (a column for each item, or one column of lists), .csv or .tsv (also .gz; a first row that
        is no numbers is a header), .txt as R's `write.table` writes it, a folder or zip file .zarr, .nc as ArviZ writes
        it, .rds or .RData with a matrix, data frame or array (iteration, chain, item). Columns without a name, as R
        writes them for row names, and those that number draws and chains are no items.
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
        Naming the file, and the row and column of a label that is missing or not whole.
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
    r"""Partition draws as `open_draws` reads them, with the chain of each draw and the names of the items where known.

    A table may have columns `chain` and `draw` (or `.chain`, `.iteration`, `.draw`), a .npz file or zarr group arrays
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
        return _zarr(Path(path), key, gaps)
    file = require_file(path)
    suffix = require_suffix(file, SUFFIXES)
    if key is not None and suffix not in (".npz", ".nc", *R_SUFFIXES):
        raise InputError(f"{file}: key={key!r} names an array of a .npz file or zarr group; leave it out for {suffix}")
    if suffix == ".nc":
        return _with_xarray(file, key, gaps)
    if suffix in R_SUFFIXES:
        found = read_r_draws(file, key=key, missing=gaps)
        return NamedDraws(_checked(found.labels, file, gaps), found.chain, found.items)
    if suffix == ".npy":
        return NamedDraws(_checked(_mapped(file), file, gaps))
    if suffix == ".npz":
        arrays = open_npz(file)
        name = arrays.choose(key)
        _require_header(arrays, name)
        labels = _checked(arrays.load(name), file, gaps)
        shapes = {name: shape for name, (shape, _) in arrays.headers.items()}
        return _named(labels, shapes, arrays.load, file)
    names, batches = _parquet(file, gaps) if suffix == ".parquet" else _text(file, gaps)
    labels = _collected(batches, file)
    if names is None:
        return NamedDraws(labels)
    chain_at, left = columns_of(names)
    chain = None if chain_at is None else labels[:, chain_at].copy()
    return NamedDraws(labels if len(left) == len(names) else labels[:, left], chain, np.array(names)[left])


def _named(
    labels: Any, shapes: dict[str, tuple[int, ...]], load: Callable[[str], Labels], path: str | Path
) -> NamedDraws:
    """Labels with the arrays beside them that say the chain of each draw and name the items, where there are any."""
    told: list[Labels | None] = []
    for name, size in zip((CHAIN, ITEM), labels.shape):
        if shapes.get(name, (size,)) != (size,):
            raise InputError(
                f"{path}: array {name!r} has shape {shapes[name]}, expected ({size},): one entry for each of the "
                f"{'draws' if name == CHAIN else 'items'}; leave it out, or rename it"
            )
        told.append(load(name) if name in shapes else None)
    return NamedDraws(labels, told[0], None if told[1] is None else np.array(as_words(told[1])))


def _with_xarray(path: Path, variable: str | None, gaps: bool) -> NamedDraws:
    """The group `posterior` of a netCDF file or zarr store that ArviZ wrote, or a data set without groups."""
    xarray = require("xarray", extra="arviz", purpose="reading draws that ArviZ wrote")
    is_zarr = path.is_dir() or path.suffix != ".nc"
    options: dict[str, Any] = {"engine": "zarr"} if is_zarr else {}
    try:
        try:
            dataset = xarray.open_dataset(path, group=POSTERIOR, **options)
        except (OSError, KeyError, ValueError):
            dataset = xarray.open_dataset(path, **options)
        with dataset:
            largest = max((each.nbytes for each in dataset.variables.values()), default=0)
            require_memory(largest, f"{path}", "save the labels alone, as .npy or zarr")
            found = named_draws(dataset, variable=variable)
            labels = _checked(np.asarray(found.labels), path, gaps)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read as netCDF ({error}); write it with ArviZ's to_netcdf") from error
    return NamedDraws(labels, found.chain, found.items)


def _mapped(file: Path) -> Labels:
    arrays = open_npy(file)
    _require_header(arrays, file.stem)
    try:
        return np.load(file, mmap_mode="c", allow_pickle=False)  # type: ignore[no-any-return]
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is not a whole .npy file ({error}); save it again with numpy.save") from error


def _require_header(arrays: ArrayFile, name: str) -> None:
    shape, dtype = arrays.headers[name]
    _require_shape(shape, arrays.path)
    if dtype.kind not in "biufUS":
        raise InputError(f"{arrays.path}: draws of type {dtype}; {WHOLE}")


def _require_shape(shape: tuple[int, ...], path: str | Path) -> None:
    if len(shape) != 2:
        raise InputError(f"{path} holds an array of shape {shape}: expected M x N labels, a row for each draw")
    if 0 in shape:
        raise InputError(f"{path} holds no labels (shape {shape}): expected M x N labels, a row for each draw")


def _checked(labels: Any, path: str | Path, gaps: bool) -> Any:
    """Labels with a shape and numbers that labels have; floats are looked through, a few draws at a time.

    With `gaps` NaN is a label: `LabelBlocks` makes it -1.
    """
    _require_shape(tuple(labels.shape), path)
    if labels.dtype.kind not in "biufUS":
        raise InputError(f"{path}: draws of type {labels.dtype}; {WHOLE}")
    if labels.dtype.kind == "f":
        step = max(1, BATCH // labels.shape[1])
        for low in range(0, labels.shape[0], step):
            _require_whole(np.asarray(labels[low : low + step]), low, path, gaps)
    return labels


def _require_whole(block: Labels, first: int, path: str | Path, gaps: bool) -> None:
    bad = ~np.isfinite(block) | (block != np.round(block))
    if gaps:
        bad &= ~np.isnan(block)
    if bad.any():
        b, i = (int(at[0]) for at in np.nonzero(bad))
        raise InputError(f"{path}: draw {first + b}, item {i}: {block[b, i]:g} is no label; {WHOLE}")


def _zarr(path: Path, key: str | None, gaps: bool) -> NamedDraws:
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path")
    try:
        import zarr
    except ImportError as error:
        raise MissingExtraError(
            "reading zarr stores needs zarr, which is not installed: python -m pip install zarr"
        ) from error
    try:
        arrays: dict[str, Any] = {}
        has_posterior = False
        store: Any = zarr.open(zarr.storage.ZipStore(str(path), mode="r") if path.is_file() else str(path), mode="r")
        if not hasattr(store, "shape"):
            has_posterior = POSTERIOR in store
            arrays = {} if has_posterior else {name: StoredLabels(each, path) for name, each in store.arrays()}
        else:
            store = StoredLabels(store, path)
    except MemoryError:
        raise
    except Exception as error:  # zarr raises its own kinds, which differ among versions
        raise InputError(f"{path} is not a zarr store ({error}); expected an array or group that zarr wrote") from error
    if hasattr(store, "shape"):
        if key is not None:
            raise InputError(f"{path} is one array: key={key!r} names an array of a group; leave it out")
        return NamedDraws(_checked(store, path, gaps))
    if has_posterior:
        return _with_xarray(path, key, gaps)
    if key is not None:
        if key not in arrays:
            raise InputError(f"{path} has no array {key!r}; it has {listed(arrays) or 'none'}")
        fitting = [arrays[key]]
    else:
        fitting = [array for array in arrays.values() if len(array.shape) == 2]
    if len(fitting) != 1:
        raise InputError(
            f"{path} has {len(fitting)} arrays of 2 dimensions ({listed(arrays) or 'it is empty'}); name one: key=..."
        )
    shapes = {name: tuple(array.shape) for name, array in arrays.items()}
    return _named(_checked(fitting[0], path, gaps), shapes, lambda name: arrays[name][:], path)


def _parquet(file: Path, gaps: bool) -> tuple[list[str] | None, Iterator[Labels]]:
    """Names of the columns, and batches of draws; each a row of numbers, or one list, without names."""
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading parquet files")
    types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
    with _parquet_errors(file):
        table = parquet.ParquetFile(file)
        schema = table.schema_arrow
    fields = [field for field in schema if not field.name.startswith(PANDAS_INDEX)]
    _require_shape((table.metadata.num_rows, len(fields)), file)
    is_list = [
        types.is_list(field.type) or types.is_large_list(field.type) or types.is_fixed_size_list(field.type)
        for field in fields
    ]
    if any(is_list) and len(fields) > 1:
        raise InputError(f"{file} has columns of lists and others: expected a column for each item, or one of lists")
    kinds = [field.type.value_type if one else field.type for field, one in zip(fields, is_list)]
    for field, kind in zip(fields, kinds):
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise InputError(f"{file}: column {field.name!r} is of type {kind}; labels are whole numbers")
    width = len(fields)
    if is_list[0]:
        with _parquet_errors(file):
            row = next(table.iter_batches(batch_size=1, columns=[fields[0].name])).column(0)[0]
        width = len(row) if row.is_valid else 0
        _require_shape((table.metadata.num_rows, width), file)
    return (None if is_list[0] else [field.name for field in fields]), _parquet_batches(
        file, table, fields, width, gaps
    )


def _parquet_batches(file: Path, table: Any, fields: list[Any], width: int, gaps: bool) -> Iterator[Labels]:
    types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
    kind = fields[0].type
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    rows, first = max(1, BATCH // width), 0
    batches = table.iter_batches(batch_size=rows, columns=[field.name for field in fields])
    while True:
        with _parquet_errors(file):
            batch = next(batches, None)
        if batch is None:
            return
        if is_list:
            block = _lists(batch.column(0), width, first, file, gaps)
        else:
            for item, column in enumerate(batch.columns):
                if not gaps:
                    _require_present(column, file, first, item, 1)
            block = np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])
        if block.dtype.kind == "f":
            _require_whole(block, first, file, gaps)
            block = np.where(np.isnan(block), -1.0, block)
        first += len(block)
        yield block


@contextmanager
def _parquet_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise MemoryLimitError(f"{file} does not fit into memory ({error}); save the draws as .npy or zarr") from error
    except (*BROKEN, IndexError, StopIteration) as error:
        raise InputError(f"{file} is not a whole parquet file ({error}); write it again") from error


def _lists(column: Any, width: int, first: int, file: Path, gaps: bool) -> Labels:
    _require_present(column, file, first, 0, 1)
    lengths = np.array([len(row) for row in column])
    if (lengths != width).any():
        b = int(np.flatnonzero(lengths != width)[0])
        raise InputError(f"{file}: draw {first + b} has {lengths[b]} labels and draw 0 has {width}: expected the same")
    numbers = column.flatten()
    if not gaps:
        _require_present(numbers, file, first, 0, width)
    return np.asarray(numbers.to_numpy(zero_copy_only=False)).reshape(len(lengths), width)


def _require_present(column: Any, file: Path, first: int, item: int, width: int) -> None:
    """No gap in `width` labels of each draw, from draw `first` and item `item` on."""
    if column.null_count:
        draw, further = divmod(int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]), width)
        raise InputError(f"{file}: {_lacking(first + draw, item + further)}")


def _text(file: Path, gaps: bool) -> tuple[list[str] | None, Iterator[Labels]]:
    """Names of the columns, where there is a header, and batches of rows of numbers."""
    if file.name.lower().endswith(R_TABLE_SUFFIXES):
        names, width, found = table_rows(file)
        return names, _text_batches(found, file, width, gaps=gaps)
    rows, _ = first_rows(file, 2)
    # R and pandas leave the name of the row numbers empty.
    header = any(as_number(cell) is None for cell in rows[0]) or (len(rows[0]) > 1 and not rows[0][0])
    if not header and len(rows[0]) >= COUNTED and rows[0] != rows[-1]:
        for first in (0, 1):
            if rows[0] == [str(first + i) for i in range(len(rows[0]))]:
                raise InputError(
                    f"{file}: its first row is {first}, {first + 1}, ..., {rows[0][-1]}: a header of column numbers, "
                    "or a draw of all singletons? Write it without that header (pandas: header=False), or add one of "
                    "names"
                )
    if header and len(rows) == 1:
        raise InputError(f"{file} has a header and no rows; expected a row for each draw")
    found, width = data_rows(file, len(rows[0]), skip_header=header), len(rows[0])
    if header and width > 1 and not rows[0][0]:  # names of rows may be words
        return rows[0][1:], _text_batches((row[1:] for row in found), file, width - 1, gaps=gaps)
    return (rows[0] if header else None), _text_batches(found, file, width, gaps=gaps)


def _text_batches(rows: Iterator[list[str]], file: Path, width: int, *, gaps: bool) -> Iterator[Labels]:
    step, first = max(1, BATCH // width), 0
    held: list[Labels] = []
    for row in rows:
        held.append(_row(row, first + len(held), file, gaps))
        if len(held) == step:
            yield np.stack(held)
            first, held = first + step, []
    if held:
        yield np.stack(held)


def _row(cells: list[str], draw: int, file: Path, gaps: bool) -> Labels:
    try:
        return np.array(cells, dtype=np.int64)
    except (ValueError, OverflowError):
        numbers = [-1.0 if gaps and is_missing(cell) else as_number(cell) for cell in cells]
    for item, (cell, number) in enumerate(zip(cells, numbers)):
        if is_missing(cell) and not gaps:
            raise InputError(f"{file}: {_lacking(draw, item)}")
        if number is None or not float(number).is_integer():
            raise InputError(f"{file}: draw {draw}, item {item}: {cell.strip()!r} is no whole number")
        if abs(number) >= EXACT:
            raise InputError(
                f"{file}: draw {draw}, item {item}: {cell.strip()!r} is too large for a label; number anew"
            )
    return np.array(numbers, dtype=np.float64).astype(np.int64)


def _lacking(draw: int, item: int) -> str:
    return (
        f"draw {draw} has no label for item {item}: every draw labels every item; if it lacks the item, say "
        "missing='unobserved' (command line: --missing unobserved)"
    )


def _collected(batches: Iterable[Labels], file: Path) -> Labels:
    """All draws, in the smallest integers that hold their labels."""
    held: list[Labels] = []
    for block in batches:
        whole = block.astype(np.int64)
        low, high = whole.min(), whole.max()
        fits = (kind for kind in KINDS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
        held.append(whole.astype(next(fits)))
        n_bytes = sum(part.nbytes for part in held)  # once more, when the parts become one
        require_memory(n_bytes, f"the draws in {file}", "save them as .npy or zarr, which are read where they are")
    if not held:  # its header says that there are rows
        raise InputError(f"{file} holds no labels: expected M x N labels, a row for each draw")
    return np.concatenate(held)
