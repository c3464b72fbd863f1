"""Labels from a file, and two such files brought into the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.cells import label_array
from partita.io.containers import TABLES, opened
from partita.io.files import Place, listed, require_known, row_place, sha256_of_file
from partita.io.headers import is_number

__all__ = ["LabelTable", "match_labels", "read_labels"]

NAMES = frozenset({"label", "labels", "class", "target", "y", "truth", "cluster"})


@dataclass(frozen=True)
class LabelTable:
    """Labels that `read_labels` found; `ids` is None where the file has no column of that name."""

    labels: NDArray[np.str_]
    ids: list[str] | None
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)
    place: Place = row_place


def read_labels(
    path: str | Path, *, label_column: str | None = None, id_column: str | None = None, option: str | None = None
) -> LabelTable:
    r"""Read one label per item.

    Parameters
    ----------
    path : str or Path
        .csv, .tsv (also .gz) or .parquet with a column `label`, or only one column beside an optional `id`.
    label_column, id_column : str, optional
        Columns of the labels and of the ids, where they are called otherwise.
    option : str, optional
        Option of the command line that names the column of labels in this file, for messages.

    Raises
    ------
    InputError
        Naming file and place: no such column, no rows, an empty label.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "labels.csv")
    ...     _ = file.write_text("id,label\na,0\nb,1\n")
    ...     table = read_labels(file)
    >>> table.labels.tolist(), table.ids
    (['0', '1'], ['a', 'b'])
    """
    asked = [name for name in (label_column, id_column) if name is not None]
    table = opened(path, TABLES, is_header=partial(_is_header, known=asked))
    for name, flag in ((label_column, option), (id_column, "--id-column")):
        if name is not None:
            require_known(table.path, name, table.names, f"column {name!r} for {flag}")
    lower = {name.lower(): name for name in reversed(table.names)}
    id_column = id_column or lower.get("id")
    others = [name for name in table.names if name != id_column]
    if label_column is None and "label" not in lower and len(others) != 1:
        todo = "call the column with the labels 'label'"
        raise InputError(
            f"{table.path}: expected a column 'label', or one column only; it has {listed(table.names)}; "
            f"{todo}{'' if option is None else f', or say which it is with {option} NAME'}"
        )
    column = label_column or lower.get("label", others[0])
    if column == id_column:
        raise InputError(f"{table.path}: label and id column are both {column!r}; name two columns")
    _, words = table.read([], [column] if id_column is None else [column, id_column])
    labels = label_array(words[column], len(words[column]), table.path, column, table.place)
    assert labels is not None
    ids = None if id_column is None else words[id_column]
    return LabelTable(labels, ids, sha256_of_file(table.path), table.path, list(table.notes), table.place)


def match_labels(a: LabelTable, b: LabelTable) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Return the labels of both files for the same items in the same order (that of `a`).

    Files that both have ids are joined on them, whatever their order; otherwise both need the same number of rows.

    Raises
    ------
    InputError
        Naming ids that stand only on one side or twice, or the two numbers of rows.

    Examples
    --------
    >>> def table(labels, ids):
    ...     return LabelTable(np.array(labels), ids, "", Path("labels.csv"))
    >>> match_labels(table(["0", "1"], ["a", "b"]), table(["x", "y"], ["b", "a"]))
    (array(['0', '1'], dtype='<U1'), array(['y', 'x'], dtype='<U1'))
    """
    if a.ids is None or b.ids is None:
        if len(a.labels) != len(b.labels):
            raise InputError(
                f"{a.path} has {len(a.labels)} labels and {b.path} has {len(b.labels)}; "
                f"give both the same items in the same order, or both a column 'id'"
            )
        return a.labels, b.labels
    row_of_a, row_of_b = _rows_by_id(a), _rows_by_id(b)
    for one, other, here, there in ((row_of_a, row_of_b, a, b), (row_of_b, row_of_a, b, a)):
        lacking = [repr(name) for name in one if name not in other]
        if lacking:
            raise InputError(
                f"{len(lacking)} ids of {here.path} are not in {there.path}: {listed(lacking, 5)}; "
                f"give both files the same items"
            )
    return a.labels, b.labels[[row_of_b[name] for name in a.ids]]


def _is_header(rows: Sequence[list[str]], known: Sequence[str] = ()) -> bool:
    if any(name in rows[0] for name in known):
        return True
    cells = [cell.lower() for cell in rows[0]]
    if NAMES.intersection(cells) or "id" in cells:
        return True
    return not any(is_number(cell) for cell in cells)


def _rows_by_id(table: LabelTable) -> dict[str, int]:
    rows: dict[str, int] = {}
    for row, name in enumerate(table.ids or ()):
        if name in rows:
            raise InputError(
                f"{table.path}: id {name!r} stands in {table.place(rows[name])} and in {table.place(row)}; keep one "
                "row for each item"
            )
        rows[name] = row
    return rows
