"""From a file and options to what an estimator takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity, from_edges
from partita.errors import InputError
from partita.estimators.scaling import dominating_column
from partita.io import read_edges, read_features, read_matrix

__all__ = ["Input", "InputKind", "read_input", "read_links"]

InputKind = Literal["features", "distances", "affinity", "edges"]


@dataclass(frozen=True)
class Input:
    """Items, ready to fit."""

    kind: InputKind
    source: str
    sha256: str | None
    ids: list[str]
    X: Any
    columns: list[str]
    features: NDArray[np.float64] | None
    truth: NDArray[Any] | None
    notes: list[str] = field(default_factory=list)


def read_input(
    path: Path,
    kind: InputKind,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    key: str | None = None,
    missing: bool = False,
    scaled: bool = False,
) -> Input:
    """Read a file as features, distances, an affinity or an edge list.

    Raises
    ------
    InputError
        For what is wrong with the file, or options that do not go with the kind of input.
    """
    if kind == "features":
        table = read_features(path, label_column=label_column, id_column=id_column, key=key, allow_missing=missing)
        notes = list(table.notes)
        dominating = None if scaled else dominating_column(table.features)
        if dominating is not None:
            column, share = dominating
            notes.append(
                f"column {table.columns[column]!r} holds {share:.0%} of the total variance and decides every distance; "
                "consider --scale-features standard"
            )
        return Input(
            kind, path.name, table.sha256, table.ids, table.features, table.columns, table.features, table.labels, notes
        )
    if label_column is not None:
        raise InputError(f"--label-column goes with --input features, not with --input {kind}")
    if kind == "edges":
        if id_column is not None:
            raise InputError("--id-column goes with a table; the ids of an edge list are the names in it")
        edges = read_edges(path, key=key)
        affinity: Affinity = from_edges(edges.source, edges.target, edges.weight, n_items=len(edges.ids))
        return Input(kind, path.name, edges.sha256, edges.ids, affinity, [], None, None, list(edges.notes))
    matrix = read_matrix(path, what=kind, key=key, id_column=id_column, allow_missing=missing)
    return Input(kind, path.name, matrix.sha256, matrix.ids, matrix.matrix, [], None, None, list(matrix.notes))


def read_links(path: Path, ids: list[str]) -> NDArray[np.intp]:
    """Pairs of items from a file of two columns, as row numbers.

    Raises
    ------
    InputError
        For a file that is no list of pairs, or an item that was not read.
    """
    row = {name: i for i, name in enumerate(ids)}
    if len(row) < len(ids):
        twice = next(name for i, name in enumerate(ids) if row[name] != i)
        raise InputError(f"{path} names items by id, and two of the items have the id {twice!r}: make the ids unique")
    links = read_edges(path)
    unknown = next((name for name in links.ids if name not in row), None)
    if unknown is not None:
        raise InputError(
            f"{path} links {unknown!r}, and there is no such item; the first id is {ids[0]!r} (without --id-column ids "
            "are 0-based rows). A header is known by the names source and target"
        )
    rows = np.array([row[name] for name in links.ids], dtype=np.intp)
    return np.column_stack([rows[links.source], rows[links.target]])
