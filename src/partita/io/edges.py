"""Weighted pairs of items from a file: an affinity that is sparse, or what is known of pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from partita.errors import InputError
from partita.io.arrays import ArrayFile, as_numbers, as_words
from partita.io.containers import ARRAYS, TABLES, Formats, opened
from partita.io.edge_names import WEIGHT, WEIGHTS, ends_and_weight
from partita.io.files import Place, listed, row_place, sha256_of_file
from partita.io.graphs import GRAPHS, GraphFile
from partita.io.headers import is_number
from partita.io.reading import AS_FOUND, Reading
from partita.io.tables import Table
from partita.wording import count

__all__ = ["EdgeTable", "read_edges", "read_links", "read_pair_weights"]

FORMATS: Formats[Table | ArrayFile | GraphFile] = {**TABLES, **ARRAYS, **GRAPHS}


DIGIT = re.compile(r"\d")
# A column of this name holds distances, where weights are wanted.
OF_DISTANCES = re.compile(r"(?<![a-z])(distances?|dist|dissimilarit(y|ies)|costs?|lengths?)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True)
class EdgeTable:
    """Edges that `read_edges` found: each unordered pair once, as positions in `ids`."""

    source: NDArray[np.intp]
    target: NDArray[np.intp]
    weight: NDArray[np.float64]
    ids: list[str]
    sha256: str
    path: Path
    notes: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Columns beside source and target, that of the weights among them."""
    weighted: bool = False


def read_edges(
    path: str | Path, *, key: str | None = None, symmetrize: str | None = None, reading: Reading = AS_FOUND
) -> EdgeTable:
    r"""Read pairs of items with their weights.

    Parameters
    ----------
    path : str or Path
        .csv, .tsv, .parquet, or .npz with columns (arrays) `source`, `target` and optionally `weight`; also `from` and
        `to`, `src` and `dst`, `node1` and `node2`, `i` and `j` and others, in any case, and `value` or `similarity` for
        the weight. Without such names the first two or three columns are taken. In a .npy, or a .npz with one array of
        two dimensions, they are its columns. .gml and .graphml are read by networkx: their nodes are items also where
        they have no edge, and the attribute `weight` of edges is their weight; weights of parallel
        edges are added.
    key : str, optional
        Array of a .npz with two or three columns.
    symmetrize : {"mean", "max", "min"}, optional
        Weight of a pair that stands there with several, an error without; and how the two directions of a directed
        graph become one, which it needs: a direction without an edge weighs 0.
    reading : Reading
        What is known of a text or a spreadsheet.

    Returns
    -------
    EdgeTable
        Weights are 1 where there are none. `ids` are in order of value if all are whole numbers, else of appearance. A
        pair repeated with the same weight (in either direction) is kept once; a note says so.

    Raises
    ------
    InputError
        Naming the row of a negative, missing or infinite weight, or the pair that has two different weights.
    MissingExtraError
        For parquet without pyarrow, and a graph without networkx.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "edges.csv")
    ...     _ = file.write_text("source,target,weight\nbob,ann,0.5\nann,cid,1\n")
    ...     table = read_edges(file)
    >>> table.ids, table.source, table.target, table.weight
    (['bob', 'ann', 'cid'], array([0, 1]), array([1, 2]), array([0.5, 1. ]))
    """
    found = opened(path, FORMATS, key=key, is_header=_is_header, reading=reading)
    file = found.path
    notes: list[str] = []
    nodes: list[str] = []
    others: list[str] = []
    place = found.place if isinstance(found, Table) else row_place
    if isinstance(found, GraphFile):
        if found.directed and symmetrize is None:
            raise InputError(
                f"{file} holds a directed graph: pass symmetrize='mean', 'max' or 'min' to say how the two directions "
                "of a pair become one (command line: --symmetrize), or write it without directions"
            )
        if found.directed:
            notes.append(
                f"the graph is directed: the weight of a pair is the {symmetrize} of those of its two directions, of "
                "which one that is not there counts as 0"
            )
            found = found.both_ways()
        nodes, source, target, weight = found.nodes, found.source, found.target, found.weight
    elif isinstance(found, ArrayFile):
        source, target, weight, others = _from_arrays(found, key)
    else:
        source, target, weight, others, notes = _from_table(found)
    _require_ends(source, target, file, place)
    weighted = weight is not None
    if weight is None:
        _refuse_distances(file, _of_numbers(found, others))
        weight = np.ones(len(source))
        notes.append(f"there {'are no weights' if nodes else 'is no column of weights'}, so every pair has weight 1")
    _require_weights(weight, source, target, file, place)
    ids, position = _index(source, target, nodes)
    i = np.array([position[name] for name in source], dtype=np.intp)
    j = np.array([position[name] for name in target], dtype=np.intp)
    if isinstance(found, GraphFile) and found.multigraph:
        i, j, weight = _added(i, j, weight, len(ids))
        n_parallel = len(source) - len(i)
        if n_parallel:
            notes.append(f"weights of parallel edges were added: {count(n_parallel, 'edge')} beside another one")
    if symmetrize is not None:
        weight = _one_weight(i, j, weight, len(ids), symmetrize)
    kept = _each_pair_once(i, j, weight, ids, file, place)
    n_left_out = len(i) - len(kept)
    if n_left_out and not (isinstance(found, GraphFile) and found.directed):
        repeats = f"{count(n_left_out, 'repeated pair')} {'was' if n_left_out == 1 else 'were'}"
        how = (
            "left out, of the same weight"
            if symmetrize is None
            else f"merged: a pair has the {symmetrize} of its weights"
        )
        notes.append(f"{repeats} {how}")
    return EdgeTable(i[kept], j[kept], weight[kept], ids, sha256_of_file(file), file, notes, others, weighted)


def _of_numbers(found: object, names: list[str]) -> list[str]:
    """The columns of a table whose first cells are numbers; all of other files."""
    if not isinstance(found, Table):
        return names
    cells = dict(zip(found.names, found.sample()))
    return [name for name in names if cells.get(name) and all(map(is_number, cells[name]))]


def _refuse_distances(file: Path, names: list[str]) -> None:
    """Raise for a column of distances where there is none of weights."""
    name = next((name for name in names if OF_DISTANCES.search(name)), None)
    if name is not None:
        raise InputError(
            f"{file}: column {name!r} holds distances by its name, and there is none of weights, larger for items that "
            "are more alike: write 1 / (1 + distance) in a column called weight, or pass the matrix of all distances "
            "with --input distances; without that column every pair has weight 1"
        )


def read_links(path: Path, ids: list[str]) -> NDArray[np.intp]:
    """Return pairs of items from a file of two columns, as row numbers.

    Raises
    ------
    InputError
        For a file that is no list of pairs, or an item that was not read.
    """
    links = read_edges(path, symmetrize="max")  # a link has no direction
    if links.others:
        raise InputError(
            f"{path} has a column {links.others[0]!r} beside the two of items: a link has no weight, so leave it out"
        )
    return _rows_of(links, ids)


def read_pair_weights(path: Path, ids: list[str]) -> sparse.csr_array:
    """Return weights of pairs of items from a file of three columns; a pair that is not listed counts one.

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
    return sparse.csr_array((np.r_[pairs.weight, pairs.weight[off]], (i, j)), shape=(len(ids), len(ids)))


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


def _is_header(rows: Sequence[list[str]]) -> bool:
    first = rows[0]
    if ends_and_weight(first) is not None:
        return True
    # Two columns of words are pairs; words over a column of numbers, and over names that all have digits, are names.
    if len(first) < 2 or len(rows) < 2 or any(is_number(cell) for cell in first):
        return False
    if any(is_number(cell) for cell in rows[1]):
        return True
    coded = (DIGIT.search(cell) is not None for row in rows[1:] for cell in row[:2])
    return not any(DIGIT.search(cell) for cell in first[:2]) and all(coded)


def _from_table(
    table: Table,
) -> tuple[list[str], list[str], NDArray[np.float64] | None, list[str], list[str]]:
    names, notes = table.names, list(table.notes)
    cells = table.first[0] if table.first else []
    if len(cells) > 2 and cells[2].startswith("{"):
        raise InputError(
            f"{table.path} holds the attributes of edges as networkx writes them, as {' '.join(cells[2:])!r}: write it "
            "with networkx.write_weighted_edgelist, or as .gml or .graphml"
        )
    found = ends_and_weight(names)
    if found is None:
        if len(names) not in (2, 3):
            raise InputError(
                f"{table.path}: expected columns source, target and perhaps weight, found {len(names)} "
                f"({listed(names)}); name them, or leave only these"
            )
        found = (0, 1, 2 if len(names) == 3 else None)
        if table.has_header:
            notes.append(f"columns {listed(names)} were read as source, target{', weight' if len(names) == 3 else ''}")
    if found[2] is not None and OF_DISTANCES.search(names[found[2]]):
        notes.append(
            f"the weights are read from column {names[found[2]]!r}, whose name is one of distances: a larger weight "
            "means that two items are more alike, so write 1 / (1 + distance) in its place, or pass the matrix of all "
            "distances with --input distances"
        )
    unused = [name for at, name in enumerate(names) if at not in found]
    if unused:
        weights = f"a column called {', '.join(WEIGHTS[:-1])} or {WEIGHTS[-1]}" if found[2] is None else names[found[2]]
        was = "column {} was" if len(unused) == 1 else "columns {} were"
        notes.append(f"{was.format(listed(map(repr, unused)))} not used; weights are those of {weights}")
    source, target = names[found[0]], names[found[1]]
    values, words = table.read([] if found[2] is None else [names[found[2]]], [source, target])
    weight = None if found[2] is None else values[:, 0]
    return words[source], words[target], weight, [name for name in names if name not in (source, target)], notes


def _from_arrays(
    source: ArrayFile, key: str | None
) -> tuple[list[str], list[str], NDArray[np.float64] | None, list[str]]:
    names = list(source.headers)
    found = None if key is not None else ends_and_weight(names)
    if found is None:
        name = names[0] if key is None and len(names) == 1 else source.choose(key)
        where = f"{source.path}: array {name!r}"
        array = as_numbers(source.load(name), where)
        if array.ndim != 2 or array.shape[1] not in (2, 3):
            raise InputError(f"{where} should have 2 or 3 columns (source, target, weight); its shape is {array.shape}")
        ends = array[:, :2]
        bad = ~np.isfinite(ends) | (ends != np.floor(ends))
        if bad.any():
            row, column = (int(at) for at in np.argwhere(bad)[0])
            raise InputError(
                f"{where}, row {row + 1}: {ends[row, column]} is not an item; "
                f"source and target should be whole numbers (or pass a table with names)"
            )
        weighted = array.shape[1] == 3
        return as_words(ends[:, 0]), as_words(ends[:, 1]), array[:, 2] if weighted else None, [WEIGHT] * weighted
    arrays = [None if at is None else source.load(names[at]) for at in found]
    lengths = [array.shape for array in arrays if array is not None]
    if len(set(lengths)) != 1 or len(lengths[0]) != 1:
        raise InputError(
            f"{source.path}: source, target and weight should be 1-D and of one length; "
            f"their shapes are {listed(lengths)}"
        )
    first, second, weight = arrays
    assert first is not None
    assert second is not None
    where = f"{source.path}: array {WEIGHT!r}"
    others = [name for at, name in enumerate(names) if at not in found[:2]]
    return as_words(first), as_words(second), None if weight is None else as_numbers(weight, where), others


def _require_ends(source: Sequence[str], target: Sequence[str], file: Path, place: Place) -> None:
    if not source:
        raise InputError(f"{file} has no pairs; expected at least one row with source and target")
    for what, words in (("source", source), ("target", target)):
        if "" in words:
            raise InputError(
                f"{file}, {place(words.index(''))}: the {what} is empty; name the item or leave out the row"
            )


def _require_weights(
    weight: NDArray[np.float64], source: Sequence[str], target: Sequence[str], file: Path, place: Place
) -> None:
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        what = "missing" if np.isnan(weight[at]) else f"{weight[at]:g}"
        n = int(bad.sum())
        others = f", and {n:,} are not; correct or leave out these rows" if n > 1 else "; correct or leave out this row"
        raise InputError(
            f"{file}, {place(at)}: the weight of {source[at]!r} and {target[at]!r} is {what}; "
            f"weights should be finite and not negative{others}"
        )


def _index(source: Sequence[str], target: Sequence[str], nodes: Sequence[str] = ()) -> tuple[list[str], dict[str, int]]:
    """Names of the items in order, those of `nodes` first, and the position of each."""
    ids = list(dict.fromkeys([*nodes, *(name for pair in zip(source, target) for name in pair)]))
    if all(name.removeprefix("-").isdecimal() for name in ids):
        ids.sort(key=int)
    return ids, {name: at for at, name in enumerate(ids)}


def _added(
    i: NDArray[np.intp], j: NDArray[np.intp], weight: NDArray[np.float64], n: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """The two ends of edges, parallel ones once, and their weights added."""
    _, first, which = np.unique(i * n + j, return_index=True, return_inverse=True)
    return i[first], j[first], np.bincount(which, weight).astype(np.float64, copy=False)


def _one_weight(
    i: NDArray[np.intp], j: NDArray[np.intp], weight: NDArray[np.float64], n: int, how: str
) -> NDArray[np.float64]:
    """The mean, largest or least weight of each pair, in the place of all its weights."""
    which = np.unique(np.minimum(i, j) * n + np.maximum(i, j), return_inverse=True)[1]
    if how == "mean":
        return (np.bincount(which, weight) / np.bincount(which))[which]
    best = np.full(which.max() + 1, -np.inf if how == "max" else np.inf)
    (np.maximum if how == "max" else np.minimum).at(best, which, weight)
    return best[which]


def _each_pair_once(
    i: NDArray[np.intp], j: NDArray[np.intp], weight: NDArray[np.float64], ids: Sequence[str], file: Path, place: Place
) -> NDArray[np.intp]:
    """Rows to keep, in order; an error for a pair whose weights differ."""
    pair = np.minimum(i, j) * len(ids) + np.maximum(i, j)
    _, first, which = np.unique(pair, return_index=True, return_inverse=True)
    differs = weight != weight[first][which]
    if differs.any():
        at = int(np.flatnonzero(differs)[0])
        before = int(first[which[at]])
        raise InputError(
            f"{file}: the pair {ids[i[before]]!r}, {ids[j[before]]!r} weighs {weight[before]:g} in {place(before)} "
            f"and {weight[at]:g} in {place(at)}; give each pair one weight (the direction does not count), or "
            "pass symmetrize='mean', 'max' or 'min' (command line: --symmetrize mean, max or min)"
        )
    return np.sort(first).astype(np.intp, copy=False)
