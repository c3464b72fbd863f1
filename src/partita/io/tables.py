"""Features from a file: a table with one row per item, refused with the place named when a cell is not a number.

Formats: CSV and TSV (also compressed by gzip), NumPy's .npy and .npz, parquet. A column that looks like the truth is
refused until an option says what it is, so that the truth never leaks in as a feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.arrays import ArrayFile, as_numbers, as_words, open_npy, open_npz
from partita.io.cells import label_array, require_finite, require_ids
from partita.io.files import did_you_mean, listed, require_file, require_suffix, sha256_of_file
from partita.io.headers import default_names, looks_like_a_header, open_text
from partita.io.parquet import PARQUET_SUFFIXES, ParquetTable, open_parquet
from partita.io.text_columns import TextTable
from partita.io.text_rows import TEXT_SUFFIXES

__all__ = ["TRUTH_NAMES", "FeatureTable", "read_features"]

SUFFIXES = (*TEXT_SUFFIXES, ".npy", ".npz", *PARQUET_SUFFIXES)
# Names that hold the truth in most files with labels; read as features they would give the answer away. A `y` beside an
# `x` is a coordinate when the labels are named or its values are not all whole numbers.
TRUTH_NAMES = frozenset({"label", "class", "target", "y"})
REMEDY = (
    "if it names the items pass --id-column {name}, if it holds the true classes pass --label-column {name}, "
    "otherwise leave it out or code it as numbers"
)


@dataclass(frozen=True)
class FeatureTable:
    """What `read_features` found: the numbers, what the rows and columns are called, and where it came from."""

    features: NDArray[np.float64]
    columns: list[str]
    ids: list[str]
    labels: NDArray[np.str_] | None
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)


def read_features(
    path: str | Path,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    allow_missing: bool = False,
) -> FeatureTable:
    r"""Read items as rows of numbers.

    Parameters
    ----------
    path : str or Path
        .csv, .tsv (also .csv.gz, .tsv.gz), .npy (2-D), .npz or .parquet.
    label_column, id_column : str, optional
        Column that holds the truth, and the one that names the items; neither is a feature. In a .npz they name
        another array. A file without a header calls its columns column_0, column_1, ...
    key : str, optional
        Array of a .npz to read; by default `X`, or the only one of two dimensions.
    columns : sequence of str, optional
        The columns that are features, in this order; the others are not looked at. All others than those above by
        default.
    allow_missing : bool
        Read missing cells as NaN. Infinite ones are an error all the same.

    Returns
    -------
    FeatureTable
        N x d float64 `features`; `ids` are "0", "1", ... without an id column; `labels` are strings or None.

    Raises
    ------
    InputError
        Naming file, row (the first data row is 1) and column of what is wrong, and the option or change that helps.
    MissingExtraError
        For parquet without pyarrow.
    MemoryLimitError
        For a NumPy or parquet file that would not fit.

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
    file = require_file(path)
    suffix = require_suffix(file, SUFFIXES)
    if key is not None and suffix != ".npz":
        raise InputError(f"{file}: key={key!r} names an array of a .npz file; leave out --key for {suffix}")
    if label_column is not None and label_column == id_column:
        raise InputError(f"label and id column are both {label_column!r}; name two columns")
    if suffix == ".npz":
        return _chosen(_from_npz(open_npz(file), label_column, id_column, key, allow_missing), columns)
    if suffix == ".npy":
        source = open_npy(file)
        return _chosen(_from_matrix(source, file.stem, label_column, id_column, allow_missing), columns)
    return _from_columns(file, suffix, label_column, id_column, columns, allow_missing)


def _chosen(table: FeatureTable, columns: Sequence[str] | None) -> FeatureTable:
    """The table with these features alone."""
    if columns is None:
        return table
    for name in columns:
        _require_known(table.path, name, table.columns, "--columns")
    kept = [table.columns.index(name) for name in columns]
    return replace(table, features=table.features[:, kept], columns=list(columns))


def _from_columns(
    file: Path,
    suffix: str,
    label_column: str | None,
    id_column: str | None,
    columns_asked: Sequence[str] | None,
    allow_missing: bool,
) -> FeatureTable:
    asked = [name for name in (label_column, id_column) if name is not None]
    table: TextTable | ParquetTable
    table = open_parquet(file) if suffix == ".parquet" else open_text(file, partial(looks_like_a_header, known=asked))
    names, notes = table.names, list(table.notes)
    for name, option in ((label_column, "--label-column"), (id_column, "--id-column")):
        _require_known(file, name, names, option)
    for name in columns_asked or ():
        _require_known(file, name, names, "--columns")
    coordinate = next((name for name in names if name.lower() == "y" and name not in asked), None)
    if "x" not in (name.lower() for name in names) or columns_asked is not None:
        coordinate = None
    if columns_asked is None:
        _refuse_hidden_truth(file, names, [*asked, *([] if coordinate is None else [coordinate])])
    if isinstance(table, TextTable) and table.has_header and names[0] == "column_0" and "column_0" not in asked:
        raise InputError(
            f"{file}: the first column has no name, as when pandas writes its index; "
            f"pass --id-column column_0 if it names the items, or write the file without it (index=False)"
        )
    kept = [at for at, name in enumerate(names) if name not in asked]
    if columns_asked is not None:
        kept = [names.index(name) for name in columns_asked]
    if not kept:
        raise InputError(f"{file} has no feature columns left beside {listed(asked)}; expected at least one")
    features, words = table.read(kept, [names.index(name) for name in asked], remedy=REMEDY)
    columns = [names[at] for at in kept]
    require_finite(features, columns, file, allow_missing=allow_missing)
    if coordinate is not None and label_column is None:
        # Beside an x, y may be a coordinate; whole numbers may as well be classes.
        if (np.nan_to_num(features[:, columns.index(coordinate)]) % 1 == 0).all():
            _refuse_hidden_truth(file, [coordinate], [])
        notes.append(f"column {coordinate!r} was read as a coordinate beside x; its values are no class labels")
    notes += [
        f"column {name!r} was read as a feature; pass --id-column {name} if it names the items"
        for name in columns
        if name.lower() == "id"
    ]
    ids = None if id_column is None else words[names.index(id_column)]
    labels = None if label_column is None else words[names.index(label_column)]
    return FeatureTable(
        features=features,
        columns=columns,
        ids=require_ids(ids, len(features), file, id_column),
        labels=label_array(labels, len(features), file, label_column),
        sha256=sha256_of_file(file),
        path=file,
        notes=notes,
    )


def _from_npz(
    source: ArrayFile, label_column: str | None, id_column: str | None, key: str | None, allow_missing: bool
) -> FeatureTable:
    for name, option in ((label_column, "--label-column"), (id_column, "--id-column")):
        _require_known(source.path, name, list(source.headers), option, "array")
    name = source.choose(key, preferred="X")
    features = _matrix(source, name)
    columns = default_names(features.shape[1])
    require_finite(features, columns, source.path, allow_missing=allow_missing)

    def words(column: str | None) -> list[str] | None:
        return None if column is None else _vector(source, column)

    return FeatureTable(
        features=features,
        columns=columns,
        ids=require_ids(words(id_column), len(features), source.path, id_column),
        labels=label_array(words(label_column), len(features), source.path, label_column),
        sha256=sha256_of_file(source.path),
        path=source.path,
    )


def _from_matrix(
    source: ArrayFile, name: str, label_column: str | None, id_column: str | None, allow_missing: bool
) -> FeatureTable:
    whole = _matrix(source, name)
    names = default_names(whole.shape[1])
    for asked, option in ((label_column, "--label-column"), (id_column, "--id-column")):
        _require_known(source.path, asked, names, option)
    kept = [at for at, column in enumerate(names) if column not in (label_column, id_column)]
    if not kept:
        raise InputError(f"{source.path} has no feature columns left; expected at least one")
    features = whole if len(kept) == len(names) else whole[:, kept]
    columns = [names[at] for at in kept]
    require_finite(features, columns, source.path, allow_missing=allow_missing)

    def words(column: str | None) -> list[str] | None:
        return None if column is None else as_words(whole[:, names.index(column)])

    return FeatureTable(
        features=features,
        columns=columns,
        ids=require_ids(words(id_column), len(features), source.path, id_column),
        labels=label_array(words(label_column), len(features), source.path, label_column),
        sha256=sha256_of_file(source.path),
        path=source.path,
    )


def _matrix(source: ArrayFile, name: str) -> NDArray[np.float64]:
    shape, _ = source.headers[name]
    if len(shape) != 2:
        raise InputError(
            f"{source.path}: array {name!r} should be 2-D, one row per item; its shape is {shape}"
            + ("; reshape it to (N, 1) for one feature" if len(shape) == 1 else "")
        )
    if 0 in shape:
        raise InputError(f"{source.path}: array {name!r} is empty, its shape is {shape}; expected at least one row")
    return as_numbers(source.load(name), f"{source.path}: array {name!r}")


def _vector(source: ArrayFile, name: str) -> list[str]:
    array = source.load(name)
    if array.ndim != 1:
        raise InputError(f"{source.path}: array {name!r} should be 1-D, one entry per item; its shape is {array.shape}")
    return as_words(array)


def _require_known(file: Path, name: str | None, names: Sequence[str], option: str, what: str = "column") -> None:
    if name is not None and name not in names:
        raise InputError(
            f"{file} has no {what} {name!r} for {option}; it has {listed(names)}{did_you_mean(name, names)}"
        )


def _refuse_hidden_truth(file: Path, names: Sequence[str], asked: Sequence[str]) -> None:
    hidden = [name for name in names if name.lower() in TRUTH_NAMES and name not in asked]
    if hidden:
        name = hidden[0]
        raise InputError(
            f"{file}: column {name!r} looks like the truth and would leak in as a feature; "
            f"pass --label-column {name}, or rename it if it is a feature"
        )
