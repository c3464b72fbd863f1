"""From a file and options to what an estimator takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import SparseAffinity, from_edges
from partita.cli.options import InputKind
from partita.errors import InputError
from partita.estimators.rows import lost_digits
from partita.estimators.scaling import dominating_column
from partita.io import EdgeTable, read_edges, read_features, read_matrix

__all__ = ["Input", "read_input", "read_links", "read_pair_weights"]


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
    columns: Sequence[str] | None = None,
    missing: bool = False,
    scaled: bool = False,
    only_stored: bool = False,
) -> Input:
    """Read a file as features, distances, an affinity or an edge list.

    Raises
    ------
    InputError
        For what is wrong with the file, or options that do not go with the kind of input.
    """
    if kind == "features":
        table = read_features(
            path, label_column=label_column, id_column=id_column, key=key, columns=columns, allow_missing=missing
        )
        notes = list(table.notes)
        dominating = None if scaled else dominating_column(table.features)
        if dominating is not None:
            column, share = dominating
            notes.append(
                f"column {table.columns[column]!r} holds {share:.0%} of the total variance and decides every distance; "
                "consider --scale-features standard"
            )
        lost = lost_digits(table.features, columns=table.columns)
        if lost is not None:
            notes.append(lost)
        return Input(
            kind, path.name, table.sha256, table.ids, table.features, table.columns, table.features, table.labels, notes
        )
    if label_column is not None:
        raise InputError(f"--label-column goes with --input features, not with --input {kind}")
    if kind == "edges":
        if id_column is not None:
            raise InputError("--id-column goes with a table; the ids of an edge list are the names in it")
        edges = read_edges(path, key=key)
        affinity = from_edges(edges.source, edges.target, edges.weight, n_items=len(edges.ids))
        if only_stored:
            affinity = SparseAffinity(affinity.matrix, only_stored=True)
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
    links = read_edges(path)
    if links.others:
        raise InputError(
            f"{path} has a column {links.others[0]!r} beside the two of items: a link has no weight, so leave it out"
        )
    return _rows_of(links, ids)


def read_pair_weights(path: Path, ids: list[str]) -> sp.csr_array:
    """Weights of pairs of items from a file of three columns; a pair that is not listed counts one.

    Raises
    ------
    InputError
        For a file that is no list of weighted pairs, or an item that was not read.
    """
    pairs = read_edges(path)
    if not pairs.weighted or len(pairs.others) > 1:
        raise InputError(
            f"{path} should have three columns, source, target and weight; beside the items it has "
            f"{', '.join(map(repr, pairs.others)) or 'none'}"
        )
    rows = _rows_of(pairs, ids)
    off = rows[:, 0] != rows[:, 1]
    i, j = np.r_[rows[:, 0], rows[off, 1]], np.r_[rows[:, 1], rows[off, 0]]
    return sp.csr_array((np.r_[pairs.weight, pairs.weight[off]], (i, j)), shape=(len(ids), len(ids)))


def _rows_of(pairs: EdgeTable, ids: list[str]) -> NDArray[np.intp]:
    """The two ends of each pair, as row numbers."""
    row = {name: i for i, name in enumerate(ids)}
    if len(row) < len(ids):
        twice = next(name for i, name in enumerate(ids) if row[name] != i)
        raise InputError(
            f"{pairs.path} names items by id, and two of the items have the id {twice!r}: make the ids unique"
        )
    unknown = next((name for name in pairs.ids if name not in row), None)
    if unknown is not None:
        raise InputError(
            f"{pairs.path} links {unknown!r}, and there is no such item; the first id is {ids[0]!r} (without "
            "--id-column ids are 0-based rows). A header is known by the names source and target"
        )
    rows = np.array([row[name] for name in pairs.ids], dtype=np.intp)
    return np.column_stack([rows[pairs.source], rows[pairs.target]])
