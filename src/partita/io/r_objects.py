"""Partition draws that R saved: `saveRDS` (.rds) and `save` (.RData, .rda), read by the package rdata, without R.

Nothing of a file is run: matrices, arrays and data frames are numbers and words. What a file unpacks to is counted as
it comes, and a sequence that is stored as its two ends before it is written out.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, require
from partita.io.files import listed
from partita.memory import require_memory
from partita.partition.named_draws import NamedDraws, named_draws

__all__ = ["read_r_draws"]

# First bytes of the compressions of R.
COMPRESSIONS: tuple[tuple[bytes, Callable[..., Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ", lzma.open),
)
BLOCK = 1 << 24
# Arrays of the size of the unpacked bytes that reading takes.
HELD = 4
# The dimensions of an array of draws, as the package posterior orders them.
ITERATION, CHAIN, ITEM = 0, 1, 2


def read_r_draws(file: Path, *, key: str | None = None, missing: bool = False) -> NamedDraws:
    """Return labels in a file of R: rows are draws.

    Parameters
    ----------
    file : Path
        A matrix, a data frame (which may have columns that number chains and draws), an array with the dimensions
        iteration, chain and item, or a list or environment with one of these.
    key : str, optional
        Name of an element of the list, or of an object of an .RData file; the only one that could be meant by default.
    missing : bool
        Whether NA is a label: that of an item that the draw does not have, -1.

    Returns
    -------
    NamedDraws
        Items have the names of the columns, where there are any.

    Raises
    ------
    InputError
        For a file that is broken, and where nothing or several could be the labels.
    MissingExtraError
        Without rdata.
    MemoryLimitError
        Where what the file unpacks to would not fit.
    """
    rdata = require("rdata", extra="r", purpose=f"reading {file.suffix} files")
    content = _unpacked(file)
    if any(content.startswith(magic) for magic, _ in COMPRESSIONS):
        raise InputError(f"{file} is compressed twice; unpack it once, or write it again with saveRDS")
    try:
        with warnings.catch_warnings():
            # It warns of classes that it has no constructor for; only the array counts.
            warnings.simplefilter("ignore", UserWarning)
            parsed = rdata.parser.parse_data(
                content,
                altrep_constructor_dict=_measured(rdata.parser.DEFAULT_ALTREP_MAP),
                extension=file.suffix.lower(),
            )
            found = rdata.conversion.convert(parsed)
    except MemoryError:
        raise
    except Exception as error:  # of what is wrong in the bytes it raises whatever comes of it
        raise InputError(f"{file} cannot be read as a file of R ({error}); write it again with saveRDS") from error
    found = _chosen(found, key, file)
    if hasattr(found, "columns"):
        return _of_frame(found, file, missing=missing)
    return _of_array(found, file, missing=missing)


def _unpacked(file: Path) -> bytes:
    """The bytes of the file without compression, counted as they come."""
    with file.open("rb") as raw:
        start = raw.read(8)
        raw.seek(0)
        opener = next((opened for magic, opened in COMPRESSIONS if start.startswith(magic)), None)
        stream = cast("BinaryIO", raw if opener is None else opener(raw))
        out = io.BytesIO()
        try:
            while block := stream.read(BLOCK):
                out.write(block)
                require_memory(HELD * out.tell(), f"what {file} unpacks to", "save labels alone, as integers")
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"{file} is not a whole file of R ({error}); write it again with saveRDS") from error
    return out.getvalue()


def _measured(constructors: Mapping[bytes, Any]) -> dict[bytes, Any]:
    """The makers of sequences that are stored by their ends, each asking first whether the sequence would fit."""

    def asking(make: Any) -> Any:
        def made(state: Any) -> Any:
            values = getattr(state, "value", None)
            if isinstance(values, np.ndarray) and values.size:
                require_memory(8 * int(abs(values[0])), "a sequence in a file of R", "write it with fewer numbers")
            return make(state)

        return made

    return {name: asking(make) if name.startswith(b"compact_") else make for name, make in dict(constructors).items()}


def _chosen(found: Any, key: str | None, file: Path) -> Any:
    """The array or frame that holds the labels."""
    if not isinstance(found, dict):
        if key is not None:
            raise InputError(f"{file} holds one object: key={key!r} names one of several; leave it out")
        if not _could_be_labels(found):
            raise InputError(f"{file} holds {_described(found)}: expected a matrix with a row for each draw")
        return found
    elements = {str(name): value for name, value in found.items()}
    if key is not None:
        if key not in elements:
            raise InputError(f"{file} has no {key!r}; it has {listed(elements) or 'nothing'}")
        if not _could_be_labels(elements[key]):
            raise InputError(
                f"{file}: {key!r} is {_described(elements[key])}: expected a matrix with a row for each draw"
            )
        return elements[key]
    fitting = [name for name, value in elements.items() if _could_be_labels(value)]
    if len(fitting) != 1:
        raise InputError(
            f"{file} has {len(fitting)} matrices of labels ({listed(fitting) or listed(elements) or 'it is empty'}); "
            "name one: key=..."
        )
    return elements[fitting[0]]


def _could_be_labels(value: Any) -> bool:
    return hasattr(value, "columns") or (
        getattr(value, "ndim", 0) in (2, 3) and value.dtype.kind in "biuf" and 0 not in value.shape
    )


def _described(value: Any) -> str:
    shape = getattr(value, "shape", None)
    lost = getattr(getattr(value, "dtype", None), "kind", "i") in "UO" and len(shape or ()) == 1
    return (
        f"an object of type {type(value).__name__}"
        + (f" and shape {tuple(shape)}" if shape else "")
        + (" (a matrix of words is read without its shape: save whole numbers, or a data frame)" if lost else "")
    )


def _of_array(value: Any, file: Path, *, missing: bool) -> NamedDraws:
    """A matrix, or an array of iterations, chains and items; an array with names of its dimensions is xarray's."""
    names = None
    if hasattr(value, "dims"):
        own = value.coords.get(value.dims[-1])
        names = None if own is None or own.ndim != 1 else np.asarray(own.values).astype(str)
        value = value.values
    holes = np.ma.getmaskarray(value)
    labels = np.ma.getdata(value)
    if labels.dtype.kind == "f":
        holes = holes | np.isnan(labels)
    if holes.any():
        _require_allowed(holes, file, missing=missing, place=_subscript)
        labels = np.where(holes, -1, labels)
    if labels.ndim == 2:
        return NamedDraws(labels, None, names)
    n_draws, n_chains, n_items = (labels.shape[at] for at in (ITERATION, CHAIN, ITEM))
    chain = np.repeat(np.arange(1, n_chains + 1), n_draws)
    return NamedDraws(labels.transpose(CHAIN, ITERATION, ITEM).reshape(-1, n_items), chain, names)


def _of_frame(frame: Any, file: Path, *, missing: bool) -> NamedDraws:
    """A data frame, by its columns: integers, doubles, factors or words."""
    columns: dict[str, NDArray[Any]] = {}
    for name in frame.columns:
        column = frame[name]
        absent = column.isna().to_numpy()
        number = column.dtype.kind in "biuf"
        _require_allowed(
            absent, file, missing=missing and number, place=partial("column {0!r}, row {1}".format, str(name))
        )
        if number:
            values = np.where(absent, -1.0, column.to_numpy(dtype=np.float64, na_value=-1.0))
            columns[str(name)] = values.astype(np.int64) if (values == np.round(values)).all() else values
        else:
            columns[str(name)] = column.astype(object).to_numpy().astype(str)
    pandas = require("pandas", extra="r", purpose="reading data frames of R")
    return named_draws(pandas.DataFrame(columns))


def _subscript(*at: int) -> str:
    return f"[{', '.join(map(str, at))}]"


def _require_allowed(holes: NDArray[np.bool_], file: Path, *, missing: bool, place: Callable[..., str]) -> None:
    """Raise for NA where every draw must label every item; places count from 1, as in R."""
    if holes.any() and not missing:
        at = place(*(int(axis[0]) + 1 for axis in np.nonzero(holes)))
        raise InputError(
            f"{file}: {at} is NA: every draw labels every item; if it lacks the item, number the labels and say "
            "missing='unobserved' (command line: --missing unobserved)"
        )
