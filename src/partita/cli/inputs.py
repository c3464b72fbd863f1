"""Read the input of an estimator from a file and options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import SparseAffinity, from_edges
from partita.affinity.checks import Symmetrize, as_distances, is_triangle, looks_like_distances, looks_like_pairs
from partita.affinity.from_matrix import DISTANCES
from partita.cli.options import InputKind, ReadingOptions
from partita.errors import InputError
from partita.estimators.input_checks import lost_digits
from partita.io import Reading, read_edges, read_features, read_matrix
from partita.io.files import Place, names_in_option, row_place
from partita.io.headers import require_single
from partita.io.reading import AS_FOUND

__all__ = ["Asked", "Input", "names_of", "read_input", "reading_of", "require_features"]


@dataclass(frozen=True)
class Input:
    """Items, ready to fit; `place` gives the words for the place of an item in the file, and `doubts` are notes that
    should be read before the fit.
    """

    kind: InputKind
    source: str
    sha256: str | None
    ids: list[str]
    X: Any
    columns: list[str]
    features: NDArray[np.float64] | None
    truth: NDArray[Any] | None
    notes: list[str] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)
    place: Place = row_place
    doubts: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Request of a command to its input.

    `missing`: whether cells or pairs may be missing; None where only a mixed table may have such cells. `mixed`:
    whether columns of words are taken. `only_stored`: whether pairs that are not stored are unobserved.
    """

    label_column: str | None = None
    id_column: str | None = None
    key: str | None = None
    columns: Sequence[str] | None = None
    missing: bool | None = None
    only_stored: bool = False
    mixed: bool = False
    symmetrize: Symmetrize | None = None
    reading: Reading = AS_FOUND


def names_of(text: str | None) -> list[str] | None:
    """Return what an option names with commas between, if it is given.

    >>> names_of("a, pixel_*"), names_of(None)
    (['a', 'pixel_*'], None)
    """
    return None if text is None else names_in_option(text)


def reading_of(options: ReadingOptions) -> Reading:
    """Return what the options say of a table."""
    return Reading(
        delimiter={"tab": "\t", "\\t": "\t", "space": " "}.get(options.delimiter or "", options.delimiter),
        decimal=options.decimal,
        encoding=options.encoding,
        skip_rows=options.skip_rows,
        sheet=options.sheet,
        drop=tuple(names_of(getattr(options, "drop", None)) or ()),
        categories=tuple(names_of(getattr(options, "categories", None)) or ()),
        na=tuple(names_of(options.na) or ()),
    )


def read_input(path: Path, kind: InputKind, asked: Asked) -> Input:
    """Read a file as features (a mixed table where it is asked for), distances, an affinity or an edge list.

    Raises
    ------
    InputError
        For what is wrong with the file, or options that do not go with the kind of input.
    """
    if kind == "features":
        return _features(path, asked)
    reading = asked.reading
    of_tables = {
        "--columns": asked.columns,
        "--drop": reading.drop,
        "--categories": reading.categories,
        "--na": reading.na,
        "--label-column": asked.label_column,
    }
    for option, given in of_tables.items():
        if given:
            raise InputError(f"{option} goes with --input features, not with --input {kind}")
    if kind == "edges":
        if asked.id_column is not None:
            raise InputError("--id-column goes with a table; the ids of an edge list are the names in it")
        edges = read_edges(path, key=asked.key, symmetrize=asked.symmetrize, reading=reading)
        affinity = from_edges(edges.source, edges.target, edges.weight, n_items=len(edges.ids))
        if asked.only_stored:
            affinity = SparseAffinity(affinity.matrix, only_stored=True)
        return Input(kind, path.name, edges.sha256, edges.ids, affinity, [], None, None, list(edges.notes))
    matrix = read_matrix(
        path, what=kind, key=asked.key, id_column=asked.id_column, allow_missing=bool(asked.missing), reading=reading
    )
    notes = list(matrix.notes)
    if kind == "distances" and asked.symmetrize is not None:
        matrix = replace(matrix, matrix=as_distances(matrix.matrix, symmetrize=asked.symmetrize, name=str(path)))
    doubts = []
    if kind == "affinity" and isinstance(matrix.matrix, np.ndarray) and looks_like_distances(matrix.matrix):
        doubts.append(f"the matrix {DISTANCES}")
    notes += doubts
    return Input(kind, path.name, matrix.sha256, matrix.ids, matrix.matrix, [], None, None, notes, doubts=doubts)


def require_features(items: Input, path: Path) -> None:
    """Refuse features that seem to be distances or affinities, where nobody said that they are features.

    Raises
    ------
    InputError
    """
    if items.kind != "features" or items.features is None:
        return
    if is_triangle(items.features):
        raise InputError(
            f"{path} holds one triangle of a square matrix, and the other is zeros or empty: write both, and pass "
            "--input distances or --input affinity; or pass --input features if its columns are features"
        )
    held = looks_like_pairs(items.features)
    if held is None:
        return
    n = f"{len(items.ids):,}"
    kind = "distances" if held == "distances" else "affinity"
    raise InputError(
        f"{path} holds a symmetric {n} x {n} matrix, as {held} between items are: pass --input {kind}, or --input "
        "features if its columns are features"
    )


def _features(path: Path, asked: Asked) -> Input:
    table = read_features(
        path,
        label_column=asked.label_column,
        id_column=asked.id_column,
        key=asked.key,
        columns=asked.columns,
        allow_missing=asked.missing,
        mixed=asked.mixed,
        reading=asked.reading,
    )
    require_single(path, table.repeated, asked.columns or (), "--columns")
    notes = list(table.notes)
    lost = lost_digits(table.features, columns=table.columns)
    if lost is not None:
        notes.append(lost)
    X = table.features if table.table is None else table.table
    found = {"id_column": table.id_column, "decimal": table.decimal, "units": table.units}
    return Input(
        kind="features",
        source=path.name,
        sha256=table.sha256,
        ids=table.ids,
        X=X,
        columns=table.columns,
        features=table.features,
        truth=table.labels,
        notes=notes,
        found=found,
        place=table.place,
        doubts=table.doubts,
    )
