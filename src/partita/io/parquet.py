"""Columns of a parquet file, which pyarrow reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, MemoryLimitError, require
from partita.estimators.mixed_table import nested, words
from partita.io.files import number_label
from partita.io.tables import Columns, MixedColumns, NotNumbersError, Table
from partita.memory import require_memory

__all__ = ["BROKEN", "PANDAS_INDEX", "ParquetTable", "open_parquet"]

# pyarrow's own errors derive from the first three; ArrowNotImplementedError, of a type or encoding that it does not
# read, from the fourth; the last two come of text that is none and of integers that are too large.
BROKEN = (OSError, ValueError, KeyError, NotImplementedError, TypeError, OverflowError)
PANDAS_INDEX = "__index_level_"


@dataclass(frozen=True, kw_only=True)
class ParquetTable(Table):
    """A parquet file whose schema has been read."""

    file: Any

    def read(self, numbers: Sequence[str], text: Sequence[str] = (), *, remedy: str = "") -> Columns:
        n_rows = self.file.metadata.num_rows
        if n_rows == 0:
            raise InputError(f"{self.path} has columns and no rows; expected at least one row of data")
        require_memory(8 * n_rows * len(numbers), f"{self.path}", "leave out columns or rows that are not needed")
        values = np.empty((n_rows, len(numbers)))
        for k, name in enumerate(numbers):
            values[:, k] = self._numbers(name, remedy)
        return values, {name: self._words(name) for name in text}

    def read_mixed(self, names: Sequence[str], text: Sequence[str] = ()) -> MixedColumns:
        _, cells = self.read((), text)
        return [self._mixed(name) for name in names], cells

    def _mixed(self, name: str) -> NDArray[Any]:
        types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
        kind = self._column(name).type
        if types.is_null(kind):
            return np.full(self.file.metadata.num_rows, np.nan)
        if (
            types.is_temporal(kind)
            or types.is_dictionary(kind)
            or types.is_boolean(kind)
            or types.is_string(kind)
            or types.is_large_string(kind)
        ):
            return words(self._values(name))
        return self._numbers(name, "write it as numbers or words")

    def _numbers(self, name: str, remedy: str) -> NDArray[np.float64]:
        types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
        column = self._column(name)
        kind = column.type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
                raise NotNumbersError(nested(f"{self.path}: column {name!r}", name))
            sample = next((value for value in self._values(name, 100) if value is not None), None)
            advice = remedy.format(name=name, all=name) if remedy else "write it as numbers"
            raise NotNumbersError(
                f"{self.path}: column {name!r} should hold numbers, it is of type {kind} (first value: {sample!r}); "
                f"{advice}"
            )
        if types.is_integer(kind) or types.is_floating(kind):
            return np.asarray(column.to_numpy(), dtype=np.float64)
        return np.array([np.nan if value is None else float(value) for value in self._values(name)])

    def _words(self, name: str) -> list[str]:
        return ["" if value is None else number_label(value).strip() for value in self._values(name)]

    def _values(self, name: str, n: int | None = None) -> list[Any]:
        """The first n cells as Python's objects: bytes that are no text, and times out of range, are found here."""
        column = self._column(name)[:n]
        try:
            return list(column.to_pylist())
        except BROKEN as error:
            raise InputError(f"{self.path}: column {name!r} cannot be read ({error}); write the file again") from error

    def _column(self, name: str) -> Any:
        try:
            column = self.file.read(columns=[name]).column(name)
        except MemoryError as error:
            raise MemoryLimitError(f"{self.path}: column {name!r} does not fit ({error}); leave it out") from error
        except BROKEN as error:
            raise InputError(f"{self.path}: column {name!r} cannot be read ({error}); write the file again") from error
        if len(column) != self.file.metadata.num_rows:
            raise InputError(
                f"{self.path}: column {name!r} has {len(column)} rows and the file says "
                f"{self.file.metadata.num_rows}; write the file again"
            )
        return column


def open_parquet(path: Path) -> ParquetTable:
    """Return a parquet file by its schema; the index that pandas adds is left out, with a note.

    Raises
    ------
    InputError
        If the file is not parquet or has no columns.
    MissingExtraError
        Without pyarrow.
    """
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading parquet files")
    try:
        file = parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
    except BROKEN as error:
        raise InputError(f"{path} is not a whole parquet file ({error}); write it again") from error
    index = [name for name in names if name.startswith(PANDAS_INDEX)]
    names = [name for name in names if name not in index]
    if not names:
        raise InputError(f"{path} has no columns; expected at least one")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{path}: {names.count(twice[0])} columns are called {twice[0]!r}; give each column its own name"
        )
    notes = [f"the pandas index {name} was left out" for name in index]
    return ParquetTable(path=path, names=names, notes=notes, file=file)
