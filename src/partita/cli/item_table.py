"""The table of the items of partition draws (`--items`): their names and columns, in the order of the draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partita.errors import InputError
from partita.estimators.mixed_table import MixedTable
from partita.io import LinksError, NoFeaturesError, read_features
from partita.io.label_files import LabelTable, match_labels

__all__ = ["ItemTable", "read_item_table"]


@dataclass(frozen=True, eq=False)
class ItemTable:
    """Names of the items, the columns of their table, and notes on how it was read."""

    ids: list[str]
    table: MixedTable
    notes: list[str]


def read_item_table(
    path: Path, names: Sequence[str] | None, n_items: int, *, id_column: str | None, label_column: str | None
) -> ItemTable:
    """Read the table of the items.

    Rows are matched with the draws by name, where both name the items and the draws by more than their numbers; else
    row i is item i. Names are those of the table, or else those of the draws.

    Parameters
    ----------
    path : Path
    names : sequence of N str or None
        Names of the items in the draws.
    n_items : int
    id_column, label_column : str or None
        Column that names the items, and one to leave out, as `partita fit` takes them.

    Raises
    ------
    InputError
        Where the file has not a row for each item, or names other items.
    """
    try:
        found = read_features(path, id_column=id_column, label_column=label_column, allow_missing=True, mixed=True)
    except NoFeaturesError as error:
        raise InputError(
            f"{path} has no column of features beside the names, and --items is for columns to tell clusters apart by; "
            "names alone belong in the header of the draws"
        ) from error
    except LinksError as error:
        raise InputError(
            f"{error.found}, and --items has a row for each item: rename them if they are features"
        ) from error
    table = found.table
    if table is None:
        table = MixedTable(tuple(found.columns), MixedTable.of_array(found.features).columns)
    n_rows = table.shape[0]
    numbered = names is None or list(names) == [str(i) for i in range(n_items)]
    if found.id_column is not None and names is not None and (not numbered or set(found.ids) == set(names)):
        ours = LabelTable(np.array(names), list(names), "", Path("the file of the draws"))
        rows = LabelTable(np.array([str(i) for i in range(n_rows)]), found.ids, "", path)
        order = match_labels(ours, rows)[1].astype(np.intp)
        return ItemTable(list(names), table.rows(order), found.notes)
    if n_rows != n_items:
        raise InputError(
            f"{path} has {n_rows:,} rows and the draws have {n_items:,} items: pass a row for each item, in the order "
            "of the draws' columns"
        )
    named = names is None or found.id_column is not None
    return ItemTable(found.ids if named else list(names or ()), table, found.notes)
