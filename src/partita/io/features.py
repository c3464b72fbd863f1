"""Features from a file: a table with one row per item, refused with the place named when a cell is not a number.

Formats: CSV and TSV (also compressed by gzip), NumPy's .npy and .npz, parquet. A column that looks like the truth is
refused until an option says what it is, so that the truth never leaks in as a feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.mixed_table import MixedTable
from partita.io.arrays import ArrayFile, array_table
from partita.io.cells import FILL_IN, label_array, require_finite, require_ids, require_observed
from partita.io.containers import ARRAYS, TABLES, Formats, opened
from partita.io.files import listed, require_known, sha256_of_file
from partita.io.tables import Table, looks_like_a_header

__all__ = ["TRUTH_NAMES", "FeatureTable", "read_features"]

FORMATS: Formats[Table | ArrayFile] = {**TABLES, **ARRAYS}
# Names that hold the truth in most files with labels; read as features they would give the answer away. A `y` beside an
# `x` is a coordinate when the labels are named or its values are not all whole numbers.
TRUTH_NAMES = frozenset({"label", "class", "target", "y"})
REMEDY = (
    "if it names the items pass --id-column {name}, if it holds the true classes pass --label-column {name}, "
    "otherwise leave it out or code it as numbers"
)


@dataclass(frozen=True)
class FeatureTable:
    """Features that `read_features` found: the numbers, names of the rows and columns, and the source.

    `table` has columns of words too where these were asked for, which are NaN in `features`.
    """

    features: NDArray[np.float64]
    columns: list[str]
    ids: list[str]
    labels: NDArray[np.str_] | None
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)
    table: MixedTable | None = None


def read_features(
    path: str | Path,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    allow_missing: bool = False,
    mixed: bool = False,
    remedy: str = FILL_IN,
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
        Read missing cells as NaN. Infinite ones are an error all the same, and rows without any value.
    mixed : bool
        Read columns of words and of truth values, and missing cells, of a file of text or parquet, as
        affinity="ensemble" takes them. A column is of words where more than half of its cells are.
    remedy : str
        What to do about missing cells where they are an error, for its message.

    Returns
    -------
    FeatureTable
        N x d float64 `features`; `ids` are "0", "1", ... without an id column; `labels` are strings or None. With
        `mixed` the columns of a file of text or parquet are in `table`, and those of words NaN in `features`.

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
    if label_column is not None and label_column == id_column:
        raise InputError(f"label and id column are both {label_column!r}; name two columns")
    asked = [name for name in (label_column, id_column) if name is not None]
    found = opened(path, FORMATS, key=key, is_header=partial(looks_like_a_header, known=asked))
    table = array_table(found, key) if isinstance(found, ArrayFile) else found
    _require_known(table, label_column, id_column, columns or ())
    names, coordinate = _features(table, asked, columns)
    if not names:
        raise InputError(f"{table.path} has no feature columns left beside {listed(asked)}; expected at least one")
    held = None
    if mixed and not isinstance(found, ArrayFile):
        columns_held, words = table.read_mixed(names, asked)
        held = MixedTable(tuple(names), tuple(columns_held))
        features = held.as_numbers()
    else:
        features, words = table.read(names, asked, remedy=REMEDY)
    require_finite(features, names, table.path, allow_missing=allow_missing or held is not None, remedy=remedy)
    if held is None and allow_missing:
        require_observed(features, table.path)
    notes = list(table.notes)
    if coordinate is not None and label_column is None:
        # Beside an x, y may be a coordinate; whole numbers may as well be classes.
        if (np.nan_to_num(features[:, names.index(coordinate)]) % 1 == 0).all():
            _refuse_hidden_truth(table.path, [coordinate])
        notes.append(f"column {coordinate!r} was read as a coordinate beside x; its values are no class labels")
    notes += [
        f"column {name!r} was read as a feature; pass --id-column {name} if it names the items"
        for name in names
        if name.lower() == "id"
    ]
    return FeatureTable(
        features=features,
        columns=names,
        ids=require_ids(words.get(id_column or ""), len(features), table.path, id_column),
        labels=label_array(words.get(label_column or ""), len(features), table.path, label_column),
        sha256=sha256_of_file(table.path),
        path=table.path,
        notes=notes,
        table=held,
    )


def _require_known(table: Table, label_column: str | None, id_column: str | None, columns: Sequence[str]) -> None:
    """Raise for a name that an option gives and the file does not have."""
    own = table.beside or table.names  # what names items and classes is another array of a .npz file
    options = [("--label-column", label_column, own), ("--id-column", id_column, own)]
    options += [("--columns", name, table.names) for name in columns]
    for option, name, known in options:
        if name is not None:
            what = "array" if known is table.beside else "column"
            require_known(table.path, name, known, f"{what} {name!r} for {option}")


def _features(table: Table, asked: Sequence[str], columns: Sequence[str] | None) -> tuple[list[str], str | None]:
    """The names of the columns that are features, and of the one among them that is a `y` beside an `x`."""
    coordinate = None
    others = [name for name in table.names if name not in asked or table.beside]
    if columns is None:
        if "x" in (name.lower() for name in table.names):
            coordinate = next((name for name in others if name.lower() == "y"), None)
        _refuse_hidden_truth(table.path, [name for name in others if name != coordinate])
    if table.has_header and table.first and not table.first[0][0] and table.names[0] not in asked:
        raise InputError(
            f"{table.path}: the first column has no name, as when pandas writes its index; "
            f"pass --id-column column_0 if it names the items, or write the file without it (index=False)"
        )
    return others if columns is None else list(columns), coordinate


def _refuse_hidden_truth(file: Path, names: Sequence[str]) -> None:
    name = next((name for name in names if name.lower() in TRUTH_NAMES), None)
    if name is not None:
        raise InputError(
            f"{file}: column {name!r} looks like the truth and would leak in as a feature; "
            f"pass --label-column {name}, or rename it if it is a feature"
        )
