"""Partition draws from a file: M x N labels, a row for each draw, as something that is read a few rows at a time.

.npy is memory-mapped and zarr stays a store: neither is ever wholly in memory. Parquet, CSV and .npz are compressed or
text, which every product would have to decode again, so they are read once, a few draws at a time, into the smallest
integers that hold their labels. Files of ArviZ (netCDF, or zarr with groups) are read whole, by xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from partita.errors import InputError, MissingExtraError, require
from partita.io.arrays import ArrayFile, as_words, open_npy, open_npz
from partita.io.draw_labels import WHOLE, Labels, checked_labels, require_labels_shape
from partita.io.draw_parquet import parquet_draws
from partita.io.draw_text import text_draws
from partita.io.files import listed, require_file, require_suffix
from partita.io.r_objects import R_SUFFIXES, read_r_draws
from partita.io.r_tables import R_TABLE_SUFFIXES
from partita.io.stored_labels import StoredLabels
from partita.io.text_rows import TEXT_SUFFIXES
from partita.memory import require_memory
from partita.partition.named_draws import NamedDraws, columns_of, named_draws, transposed_note

__all__ = ["open_draws", "read_draws"]

SUFFIXES = (*TEXT_SUFFIXES, *R_TABLE_SUFFIXES, ".npy", ".npz", ".parquet", ".zarr", ".nc", *R_SUFFIXES)
# The group of an ArviZ file that holds draws, and the arrays of a .npz file that say the chain of each and name items.
POSTERIOR, CHAIN, ITEM = "posterior", "chain", "item"
# What `partita draws` keeps of each draw beside them.
TRACES = ("log_joint",)
KINDS = (np.int8, np.int16, np.int32, np.int64)


def open_draws(path: str | Path, *, key: str | None = None) -> Any:
    r"""Open the labels of partition draws; rows are draws, columns are items.

    Parameters
    ----------
    path : str or Path
        .npy, .npz, .parquet (a column for each item, or one column of lists), .csv or .tsv (also .gz; a first row that
        is no numbers is a header, unless it is of words that repeat, above words), .txt as R's `write.table` writes
        it, a folder or zip file .zarr, .nc as ArviZ writes it, .rds or .RData with a matrix, data frame or
        array (iteration, chain, item). Columns without a name, as R writes them for row names, and those that number
        draws and chains are no items. Labels in text are whole numbers, or words.
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
        return NamedDraws(checked_labels(found.labels, file, gaps), found.chain, found.items)
    if suffix == ".npy":
        return NamedDraws(checked_labels(_mapped(file), file, gaps))
    if suffix == ".npz":
        arrays = open_npz(file)
        name = arrays.choose(key)
        _require_header(arrays, name)
        labels = checked_labels(arrays.load(name), file, gaps)
        shapes = {name: shape for name, (shape, _) in arrays.headers.items()}
        return _named(labels, shapes, arrays.load, file)
    try:
        return _of_table(file, suffix, gaps)
    except InputError as error:
        if str(file) in str(error):
            raise
        raise InputError(f"{file}: {error}") from error


def _of_table(file: Path, suffix: str, gaps: bool) -> NamedDraws:
    """Parquet or text: the columns of items, and the one of chains."""
    text = None if suffix == ".parquet" else text_draws(file, gaps)
    names, batches = parquet_draws(file, gaps) if text is None else (text.names, text.batches())
    chain_at, left = (None, []) if names is None else columns_of(names)
    labels = _collected(batches, file)
    if names is None:
        return NamedDraws(labels)
    chain = None if chain_at is None else labels[:, chain_at].copy()
    items = [names[k] for k in left]
    notes = transposed_note(None if text is None else text.row_names, items, len(labels))
    return NamedDraws(labels if len(left) == len(names) else labels[:, left], chain, np.array(items), notes=notes)


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
    of_draws = (name for name in TRACES if shapes.get(name) == labels.shape[:1])
    traces = {name: np.asarray(load(name), dtype=np.float64) for name in of_draws}
    return NamedDraws(labels, told[0], None if told[1] is None else np.array(as_words(told[1])), traces)


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
            labels = checked_labels(np.asarray(found.labels), path, gaps)
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
    require_labels_shape(shape, arrays.path)
    if dtype.kind not in "biufUS":
        raise InputError(f"{arrays.path}: draws of type {dtype}; {WHOLE}")


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
        return NamedDraws(checked_labels(store, path, gaps))
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
    return _named(checked_labels(fitting[0], path, gaps), shapes, lambda name: arrays[name][:], path)


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
