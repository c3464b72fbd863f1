"""Features from a file: a table with one row per item, refused with the place named when a cell is not a number.

Formats: text, spreadsheets, NumPy's .npy and .npz, parquet. A column that looks like the truth is refused until an
option says what it is, so that the truth never leaks in as a feature; columns that name items, and dates, are left out
and said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.mixed_table import MixedTable, words
from partita.io.arrays import ArrayFile, ArrayTable, array_table
from partita.io.cells import FILL_IN, label_array, require_finite, require_ids, require_observed
from partita.io.chosen_columns import (
    NoFeaturesError,
    possible_features,
    refuse_hidden_truth,
    refuse_linked_words,
    refuse_nameless,
    require_categories,
    require_named,
)
from partita.io.column_kinds import notes_on_codes, roles_of
from partita.io.containers import ARRAYS, TABLES, Formats, opened
from partita.io.far_values import far_notes
from partita.io.files import Place, listed, option_value, row_place, sha256_of_file
from partita.io.given_missing import without_given
from partita.io.grids import GridTable, grid_of_text
from partita.io.headers import HeaderRule, looks_like_a_header
from partita.io.reading import AS_FOUND, Decimal, Reading
from partita.io.sparse_features import sparse_features
from partita.io.tables import NotNumbersError, Table, TextTable
from partita.io.text_rows import NotUtf8Error, is_missing
from partita.paths import FEATURE_SUFFIXES, require_format

__all__ = ["FeatureTable", "read_features"]

FORMATS: Formats[Table | ArrayFile] = {**TABLES, **ARRAYS}
REMEDY = (
    "if it names the items pass --id-column {name}, if it holds the true classes pass --label-column {name}, "
    "otherwise --drop {all}, use --affinity ensemble, or code it as numbers"
)


@dataclass(frozen=True)
class FeatureTable:
    """Features that `read_features` found: the numbers, names of the rows and columns, and the source.

    `table` has columns of words too where these were asked for, which are NaN in `features`. `id_column` is the column
    that names the items, given or found, `decimal` the decimal mark where it was found out, `units` the unit or sign
    that numbers of a feature stand by, `left_out` the columns that are none of these, `place` gives the words for the
    place of an item in the file, and `repeated` has the names that several columns were given by the file, with those
    that they have here. Of `notes` those in `doubts` should be read before a fit: cells that may mean missing, or are
    slips.
    """

    features: NDArray[np.float64]
    columns: list[str]
    ids: list[str]
    labels: NDArray[np.str_] | None
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)
    table: MixedTable | None = None
    id_column: str | None = None
    decimal: Decimal | None = None
    units: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    place: Place = row_place
    repeated: dict[str, list[str]] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)


def read_features(
    path: str | Path,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    allow_missing: bool | None = None,
    mixed: bool = False,
    remedy: str = FILL_IN,
    reading: Reading = AS_FOUND,
) -> FeatureTable:
    r"""Read items as rows of numbers.

    Parameters
    ----------
    path : str or Path
        Text (.csv, .tsv, .txt, .dat, .tab; also .gz, or one in a .zip), .xlsx, .ods, .parquet, .npy (2-D), .npz, or a
        sparse matrix (.npz of SciPy, .mtx), which is made dense.
    label_column, id_column : str, optional
        Column that holds the truth, and the one that names the items; neither is a feature. In a .npz they name
        another array. A file without a header calls its columns column_0, column_1, ...
    key : str, optional
        Array of a .npz to read; by default `X`, or the only one of two dimensions.
    columns : sequence of str, optional
        The columns that are features, in this order, by name or pattern (`pixel_*`); the others are not looked at. By
        default all that are neither of those above nor dates, nor name or count the items, which is said.
    allow_missing : bool, optional
        Read missing cells as NaN; by default those of a `mixed` table alone. Infinite ones are an error all the same,
        and rows without any value.
    mixed : bool
        Read columns of words and of truth values, and missing cells, of a file of text or parquet, as
        affinity="ensemble" takes them. A column is of words where more than half of its cells are.
    remedy : str
        What to do about missing cells where they are an error, for its message.
    reading : Reading
        What is known of a text or a spreadsheet, columns to leave out, and cells that mean missing.

    Returns
    -------
    FeatureTable
        N x d float64 `features`; `ids` are "0", "1", ... without an id column; `labels` are strings or None. With
        `mixed` the columns of a file of text or parquet are in `table`, and those of words NaN in `features`.

    Raises
    ------
    InputError
        Naming file, line (in a spreadsheet row) and column of what is wrong, and the option or change that helps.
    MissingExtraError
        For parquet without pyarrow, a spreadsheet without python-calamine.
    MemoryLimitError
        For a file that would not fit.

    Notes
    -----
    Clean text goes through NumPy's parser, about 10 million cells a second. Blank lines are left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.csv")
    ...     _ = file.write_text("width,height,species\n1,2,rose\n3,4,lily\n")
    ...     table = read_features(file, label_column="species")
    >>> table.features, table.columns, table.labels.tolist()
    (array([[1., 2.],
           [3., 4.]]), ['width', 'height'], ['rose', 'lily'])
    """
    if label_column is not None and label_column == id_column:
        raise InputError(f"label and id column are both {label_column!r}; name two columns")
    if label_column is not None and label_column in (columns or ()):
        raise InputError(
            f"column {label_column!r} holds the labels to compare with, which a fit must not see: leave it out of the "
            "features (command line: --columns), or name no label column"
        )
    asked = [name for name in (label_column, id_column) if name is not None]
    is_header = partial(looks_like_a_header, known=asked)
    file = require_format(path, FEATURE_SUFFIXES)
    table: Table | None = None if key is not None else sparse_features(file, reading)
    if table is None:
        found = opened(file, FORMATS, key=key, is_header=is_header, reading=reading, repeats=True)
        table = array_table(found, key) if isinstance(found, ArrayFile) else found
    mixed = mixed and not isinstance(table, ArrayTable)
    read = _read(table, _How(mixed, columns, label_column, id_column, reading, is_header))
    table, names, features, coordinate = read.table, read.names, read.features, read.coordinate
    place, notes = table.place, list(read.notes)
    allow_missing = mixed if allow_missing is None else allow_missing
    require_finite(features, names, table.path, allow_missing=allow_missing or mixed, remedy=remedy, place=place)
    if mixed and not allow_missing:
        require_finite(_gaps(read.held), names, table.path, remedy=remedy, place=place)
    if not mixed and allow_missing:
        require_observed(features, table.path, place)
    if coordinate in names and label_column is None:
        # Beside an x, y may be a coordinate; whole numbers may as well be classes.
        if (np.nan_to_num(features[:, names.index(coordinate)]) % 1 == 0).all():
            refuse_hidden_truth(table.path, [coordinate])
        notes.append(f"column {coordinate!r} was read as a coordinate beside x; its values are no class labels")
    id_column = id_column or read.id_column
    return FeatureTable(
        features=features,
        columns=names,
        ids=require_ids(read.words.get(id_column or ""), len(features), table.path, id_column, place),
        labels=label_array(read.words.get(label_column or ""), len(features), table.path, label_column, place),
        sha256=sha256_of_file(table.path),
        path=table.path,
        notes=notes,
        table=read.held if mixed else None,
        id_column=id_column,
        decimal=table.decimal if isinstance(table, GridTable) else None,
        units={} if not isinstance(table, GridTable) else {at: of for at, of in table.units.items() if at in names},
        left_out=[name for name in table.names if name not in (*names, *asked, id_column)],
        place=place,
        repeated=table.repeated,
        doubts=read.far,
    )


def _gaps(table: MixedTable) -> NDArray[np.float64]:
    """Zeros, and NaN where a cell is missing, of words too."""
    return np.column_stack(
        [
            column * 0.0 if column.dtype.kind == "f" else [0.0 if word else np.nan for word in column]
            for column in table.columns
        ]
    )


@dataclass(frozen=True)
class _How:
    """What is asked of a table: whether words are taken, which columns are features, truth and ids, and how to read."""

    mixed: bool
    columns: Sequence[str] | None
    label_column: str | None
    id_column: str | None
    reading: Reading
    is_header: HeaderRule

    @property
    def asked(self) -> list[str]:
        return [name for name in (self.label_column, self.id_column) if name is not None]


@dataclass(frozen=True)
class _Read:
    """The columns that are features, those asked for as words, and what was found on the way."""

    table: Table
    held: MixedTable
    features: NDArray[np.float64]
    words: dict[str, list[str]]
    id_column: str | None
    notes: list[str]
    far: list[str]
    coordinate: str | None

    @property
    def names(self) -> list[str]:
        return list(self.held.names or ())


def _read(table: Table, how: _How) -> _Read:
    """Read the columns of a table, and leave out those that are no features."""
    found = _columns(table, how)
    table, names, columns, words = found.table, found.names, found.columns, found.words
    as_read = columns
    columns, notes = without_given(columns, how.reading.na, table.n_blank(names) if isinstance(table, GridTable) else 0)
    notes = [*table.notes, *notes]
    ids = None
    kept = list(range(len(names)))
    told = list(filter(how.reading.is_category, names))
    if how.columns is None:
        if not told and not how.asked:
            refuse_linked_words(table, names, columns)
        nameless = names[0] == table.names[0] and table.has_header and bool(table.first) and not table.first[0][0]
        roles = roles_of(names, columns, named=how.id_column is not None, nameless=nameless, told=told)
        if nameless and 0 in roles.features:
            refuse_nameless(table)
        if not roles.features:
            remedy = "name some with --columns"
            if len(names) == 1:
                remedy = "if it is several, name the mark between them with --delimiter, or save the table as .csv"
            raise NoFeaturesError(f"{table.path}: no column is a feature: {'; '.join(roles.notes)}; {remedy}")
        kept, notes = roles.features, [*notes, *roles.notes]
        ids = None if roles.ids is None or table.beside else names[roles.ids]
    if ids is not None:
        words = words | table.read([], [ids])[1]
    held = MixedTable(
        tuple(names[at] for at in kept),
        tuple(columns[at] for at in kept),
        table.place,
        table.path.name,
        frozenset(told),
    )
    if not how.mixed:
        held = _in_numbers(table, held)
    cells = table.sample()
    at_of = {name: at for at, name in enumerate(table.names)}
    codes = [name for name, is_numeric in zip(held.names or (), held.numeric) if is_numeric and name in at_of]
    notes += notes_on_codes(codes, [cells[at_of[name]] for name in codes if at_of[name] < len(cells)])
    numeric = [at for at, is_numeric in enumerate(held.numeric) if is_numeric]
    named = held.names or ()
    far = far_notes([named[at] for at in numeric], [held.columns[at] for at in numeric], table.place)
    unchanged = len(kept) == len(names) and all(map(is_, columns, as_read))
    features = found.block if unchanged and found.block is not None else held.as_numbers()
    return _Read(table, held, features, words, ids, [*notes, *far], far, found.coordinate)


class _Columns(NamedTuple):
    """The columns of a table, of numbers or words, and as an array where they were read as one; columns as words by
    name; and the name of a `y` beside an `x`.
    """

    table: Table
    names: list[str]
    coordinate: str | None
    columns: list[NDArray[Any]]
    words: dict[str, list[str]]
    block: NDArray[np.float64] | None = None


def _columns(table: Table, how: _How) -> _Columns:
    """Read plain numbers as they stand, and look at anything else as a whole, which may give columns other names.

    Columns of categories are words as they stand.
    """
    require_named(table, how.label_column, how.id_column)
    names, coordinate = possible_features(table, how.asked, how.columns, how.reading.drop)
    if not names:
        beside = f" beside {listed(how.asked)}" if how.asked else ""
        dropped = f" after --drop {option_value(*how.reading.drop)}" if how.reading.drop else ""
        raise InputError(f"{table.path}: no column is left as a feature{beside}{dropped}; expected at least one")
    told = require_categories(table, names, how.reading, mixed=how.mixed)
    numbers, text = [name for name in names if name not in told], [*how.asked, *told]
    if isinstance(table, TextTable) and table.begins_with_words(numbers, truths=how.mixed):
        return _columns(grid_of_text(table.path, how.is_header, how.reading), how)
    if isinstance(table, TextTable) or not how.mixed:
        try:
            values, cells = table.read(numbers, text, remedy=REMEDY)
            if isinstance(table, TextTable) and _may_end_in_sums(values, cells):
                return _columns(grid_of_text(table.path, how.is_header, how.reading), how)
            if not told:
                return _Columns(table, names, coordinate, list(values.T), cells, values)
            return _Columns(table, names, coordinate, _in_order(names, numbers, list(values.T), cells), cells)
        except (NotNumbersError, NotUtf8Error):
            if isinstance(table, TextTable):
                return _columns(grid_of_text(table.path, how.is_header, how.reading), how)
    columns, cells = table.read_mixed(numbers, text)
    return _Columns(table, names, coordinate, _in_order(names, numbers, columns, cells), cells)


def _may_end_in_sums(values: NDArray[np.float64], cells: dict[str, list[str]]) -> bool:
    """Whether the last row has a blank and the sum of the numbers above, as totals without a word for them have."""
    if not np.isnan(values[-1:]).any() and all(column[-1] for column in cells.values() if column):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.nansum(values[:-1], axis=0)
        return bool(((sums != 0) & np.isclose(values[-1:], sums, rtol=1e-3, atol=0)).any())


def _in_order(
    names: Sequence[str], read: Sequence[str], columns: Sequence[NDArray[Any]], cells: dict[str, list[str]]
) -> list[NDArray[Any]]:
    """Columns in the order of their names: those that were `read`, and the others as words, None where missing."""
    of = dict(zip(read, columns, strict=True))
    return [
        of[name] if name in of else words(None if is_missing(cell) else cell for cell in cells[name]) for name in names
    ]


def _in_numbers(table: Table, held: MixedTable) -> MixedTable:
    """The table in numbers alone, truth values as zeros and ones.

    Raises
    ------
    NotNumbersError
        For a column of words, with what can be done about it.
    """
    texts = [name for name, numeric in zip(held.names or (), held.numeric) if not numeric]
    if not texts:
        return held
    values, _ = table.read(texts, remedy=REMEDY)
    of_text = dict(zip(texts, values.T))
    columns = tuple(of_text.get(name, column) for name, column in zip(held.names or (), held.columns))
    return replace(held, columns=columns)
