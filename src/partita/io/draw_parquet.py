"""Partition draws in parquet: a column for each item, or one column of lists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from partita.errors import InputError, MemoryLimitError, require
from partita.io import draw_labels
from partita.io.draw_labels import Labels, lacking, require_labels_shape, require_whole
from partita.io.parquet import BROKEN, PANDAS_INDEX

__all__ = ["parquet_draws"]


def parquet_draws(file: Path, gaps: bool) -> tuple[list[str] | None, Iterator[Labels]]:
    """Names of the columns, and batches of draws; each a row of numbers, or one list, without names."""
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading parquet files")
    types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
    with _errors(file):
        table = parquet.ParquetFile(file)
        schema = table.schema_arrow
    fields = [field for field in schema if not field.name.startswith(PANDAS_INDEX)]
    require_labels_shape((table.metadata.num_rows, len(fields)), file)
    is_list = [_is_list(types, field.type) for field in fields]
    if any(is_list) and len(fields) > 1:
        raise InputError(f"{file} has columns of lists and others: expected a column for each item, or one of lists")
    kinds = [field.type.value_type if one else field.type for field, one in zip(fields, is_list)]
    for field, kind in zip(fields, kinds):
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise InputError(f"{file}: column {field.name!r} is of type {kind}; labels are whole numbers")
    width = len(fields)
    if is_list[0]:
        with _errors(file):
            row = next(table.iter_batches(batch_size=1, columns=[fields[0].name])).column(0)[0]
        width = len(row) if row.is_valid else 0
        require_labels_shape((table.metadata.num_rows, width), file)
    names = [field.name for field in fields]
    return (None if is_list[0] else names), _batches(file, table, names, width, gaps, is_list=is_list[0])


def _is_list(types: Any, kind: Any) -> bool:
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _batches(file: Path, table: Any, names: list[str], width: int, gaps: bool, *, is_list: bool) -> Iterator[Labels]:
    rows, first = max(1, draw_labels.BATCH // width), 0
    batches = table.iter_batches(batch_size=rows, columns=names)
    while True:
        with _errors(file):
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
            require_whole(block, first, file, gaps)
            block = np.where(np.isnan(block), -1.0, block)
        first += len(block)
        yield block


@contextmanager
def _errors(file: Path) -> Iterator[None]:
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
        raise InputError(f"{file}: {lacking(first + draw, item + further)}")
