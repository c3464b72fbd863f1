"""Partition draws in tables: parquet, CSV and TSV, and what R's `write.csv` and `write.table` write.

They are compressed or text, which every product would have to decode again, so they are read once, a few draws at a
time, into the smallest integers that hold their labels. In text labels are whole numbers, or words: all those of a draw
are the one or the other, so that a stray word among numbers is an error still. In parquet they are a column for each
item, or one column of lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from partita.affinity.label_blocks import EXACT
from partita.errors import InputError, MemoryLimitError, require
from partita.io import draw_labels
from partita.io.draw_labels import Labels, lacking, require_labels_shape, require_whole
from partita.io.parquet import BROKEN, ParquetTable, open_parquet
from partita.io.r_tables import table_rows
from partita.io.text_rows import as_number, first_rows, is_missing, numbered_rows, require_no_comment
from partita.memory import require_memory
from partita.partition.named_draws import NamedDraws, columns_of, items_of, named_items, transposed_note, without_order
from partita.paths import R_TABLE_SUFFIXES

__all__ = ["table_draws"]

KINDS = (np.int8, np.int16, np.int32, np.int64)
# Columns from which a first row that only counts them is asked about.
COUNTED = 5

Rows = Iterator[tuple[int, list[str]]]


def table_draws(file: Path, gaps: bool) -> NamedDraws:
    """Return draws of a table: the columns of items, and the one of chains."""
    text = None if file.suffix.lower() == ".parquet" else _text_draws(file, gaps)
    names, batches = _parquet_draws(file, gaps) if text is None else (text.names, text.batches())
    chain_at, left = (None, []) if names is None else columns_of(names)
    labels = _collected(batches, file)
    if names is None:
        return NamedDraws(labels)
    chain = None if chain_at is None else labels[:, chain_at].copy()
    if text is not None and text.chains and chain is not None:
        chain = np.array(list(text.chains))[chain]
    left, order = without_order(names, left, labels, chain)
    if text is not None and (mixed := text.numbers & set(left)):
        raise InputError(
            f"{file}: column {names[min(mixed)]!r} holds numbers, and the other labels are words; labels are all "
            "numbers or all words"
        )
    left, counts = items_of(names, left, labels)
    items = [names[k] for k in left]
    turned = transposed_note(None if text is None else text.row_names, items)
    kept = labels if len(left) == len(names) else labels[:, left]
    return NamedDraws(kept, chain, np.array(items), notes=(*order, *counts), turned=turned)


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


# Text ----------------------------------------------------------------------------------------------------------------


@dataclass
class _TextDraws:
    """The rows of a file as they are read.

    Attributes
    ----------
    names : list of str, optional
        Of the columns, where there is a header.
    rows : iterator of line numbers and cells
    width : int
        Columns, without that of the names of rows.
    named : bool
        Whether the first cell of each row is its name.
    row_names : list of str, optional
        Names of the rows read so far; None without names.
    words, chains : dict of str to int
        The number of each label, and of each chain, that is a word.
    numbers : set of int
        Columns that may number the draws, with numbers beside labels that are words.
    """

    file: Path
    gaps: bool
    names: list[str] | None
    rows: Rows
    width: int
    named: bool = False
    row_names: list[str] | None = None
    words: dict[str, int] = field(default_factory=dict)
    chains: dict[str, int] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def batches(self) -> Iterator[Labels]:
        """Batches of rows of labels; words are numbered in the order in which the file has them."""
        self.row_names = [] if self.named else None
        chain, left = (None, list(range(self.width))) if self.names is None else columns_of(self.names)
        own = set(left if self.names is None else named_items(self.names, left))
        unsure = set(left) - own
        step, first = max(1, draw_labels.BATCH // self.width), 0
        held: list[Labels] = []
        for line, cells in self.rows:
            held.append(self._row(self._without_name(cells), first + len(held), line, own, unsure, chain))
            if len(held) == step:
                yield np.stack(held)
                first, held = first + step, []
        if held:
            yield np.stack(held)

    def _without_name(self, cells: list[str]) -> list[str]:
        if not self.named:
            return cells
        if self.row_names is not None:
            self.row_names.append(cells[0].strip())
        return cells[1:]

    def _row(
        self, cells: list[str], draw: int, line: int, own: set[int], unsure: set[int], chain: int | None
    ) -> Labels:
        if chain is not None and as_number(cells[chain]) is None and not is_missing(cells[chain]):
            if draw and not self.chains:
                raise InputError(
                    f"{self.file}, line {line}: chain {cells[chain]!r} is a word, and others are numbers: name all "
                    "chains alike"
                )
            at = self.chains.setdefault(cells[chain].strip(), len(self.chains))
            cells = [*cells[:chain], str(at), *cells[chain + 1 :]]
        elif self.chains and chain is not None:
            raise InputError(
                f"{self.file}, line {line}: chain {cells[chain]!r} is no word, and others are: name all chains alike"
            )
        try:
            return np.array(cells, dtype=np.int64)
        except (ValueError, OverflowError):
            numbers = [-1.0 if self.gaps and is_missing(cell) else as_number(cell) for cell in cells]
        if all(number is None or is_missing(cells[k]) for k, number in enumerate(numbers) if k in own):
            self.numbers |= {k for k in unsure if numbers[k] is not None and not is_missing(cells[k])}
            worded = own | (unsure - self.numbers)
            told = [(k, cell.strip()) for k, cell in enumerate(cells) if k in worded and not is_missing(cell)]
            for k, word in told:
                numbers[k] = self.words.setdefault(word, len(self.words))
        for item, (cell, number) in enumerate(zip(cells, numbers)):
            wrong = self._wrong(cell.strip(), number, draw, item)
            if wrong:
                column = "" if self.names is None else f", column {self.names[item]!r}"
                raise InputError(f"{self.file}, line {line}{column}: {wrong}")
        return np.array(numbers, dtype=np.float64).astype(np.int64)

    def _wrong(self, cell: str, number: float | None, draw: int, item: int) -> str:
        """Describe what is wrong with a cell; empty if it is a label."""
        if is_missing(cell) and not self.gaps:
            return lacking(draw, item)
        where = f"draw {draw}, item {item}: {cell!r}"
        if number is None:
            return (
                f"{where} is no whole number, and others of this draw are; labels are all numbers or all words "
                "(a table of items goes to partita fit)"
            )
        if not float(number).is_integer():
            return f"{where} is no whole number"
        return f"{where} is too large for a label; number anew" if abs(number) >= EXACT else ""


def _text_draws(file: Path, gaps: bool) -> _TextDraws:
    """The draws of a file of text, ready to be read."""
    rows, _ = first_rows(file, 2) if not file.name.lower().endswith(R_TABLE_SUFFIXES) else ([], False)
    if not rows or _are_parted_by_blanks(rows):
        names, width, found = table_rows(file)
        return _TextDraws(file, gaps, names, found, width)
    require_no_comment(file, rows)
    # R and pandas leave the name of the row numbers empty.
    named = len(rows[0]) > 1 and not rows[0][0]
    header = named or (any(as_number(cell) is None for cell in rows[0]) and not _is_draw_of_words(rows))
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
    width = len(rows[0])
    found = numbered_rows(file, width, skip_header=header)
    if named:  # names of rows may be words
        return _TextDraws(file, gaps, rows[0][1:], found, width - 1, named=True)
    return _TextDraws(file, gaps, rows[0] if header else None, found, width)


def _are_parted_by_blanks(rows: list[list[str]]) -> bool:
    """Whether rows of one cell, below a header if any, are several numbers, as numpy.savetxt writes them.

    >>> _are_parted_by_blanks([["1 1 2"]]), _are_parted_by_blanks([["x y"], ["z z"]])
    (True, False)
    """
    numbers = rows[-1][0].split()
    return len(rows[-1]) == 1 and len(numbers) > 1 and all(as_number(cell) is not None for cell in numbers)


def _is_draw_of_words(rows: list[list[str]]) -> bool:
    """Whether a first row of words is no header: one of them comes twice, and the second row is of words too.

    >>> _is_draw_of_words([["a", "a", "b"], ["a", "b", "b"]]), _is_draw_of_words([["V1", "V2"], ["a", "b"]])
    (True, False)
    """
    words = all(cell and as_number(cell) is None for row in rows for cell in row)
    return words and len(rows) > 1 and len(set(rows[0])) < len(rows[0])


# Parquet -------------------------------------------------------------------------------------------------------------


def _parquet_draws(file: Path, gaps: bool) -> tuple[list[str] | None, Iterator[Labels]]:
    """Names of the columns, and batches of draws; each a row of numbers, or one list, without names."""
    table = open_parquet(file)
    types = require("pyarrow.types", extra="parquet", purpose="reading parquet files")
    columns = [table.file.schema_arrow.field(name) for name in table.names]
    n_rows = table.file.metadata.num_rows
    require_labels_shape((n_rows, len(columns)), file)
    is_list = [_is_list(types, column.type) for column in columns]
    if any(is_list) and len(columns) > 1:
        raise InputError(f"{file} has columns of lists and others: expected a column for each item, or one of lists")
    kinds = [column.type.value_type if one else column.type for column, one in zip(columns, is_list)]
    for name, kind in zip(table.names, kinds):
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise InputError(f"{file}: column {name!r} is of type {kind}; labels are whole numbers")
    width = len(columns)
    if is_list[0]:
        with _errors(file):
            row = next(table.file.iter_batches(batch_size=1, columns=table.names)).column(0)[0]
        width = len(row) if row.is_valid else 0
        require_labels_shape((n_rows, width), file)
    return (None if is_list[0] else table.names), _batches(table, width, gaps, is_list=is_list[0])


def _is_list(types: Any, kind: Any) -> bool:
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _batches(table: ParquetTable, width: int, gaps: bool, *, is_list: bool) -> Iterator[Labels]:
    file, rows, first = table.path, max(1, draw_labels.BATCH // width), 0
    batches = table.file.iter_batches(batch_size=rows, columns=table.names)
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
    """Raise for a gap in `width` labels of each draw, from draw `first` and item `item` on."""
    if column.null_count:
        draw, further = divmod(int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]), width)
        raise InputError(f"{file}: {lacking(first + draw, item + further)}")
