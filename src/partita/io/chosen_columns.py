"""The columns of a table that options name, and those that are refused until an option says what they are."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.edge_names import ends_of_links
from partita.io.files import did_you_mean, listed, option_value, require_known
from partita.io.headers import require_single
from partita.io.reading import Reading
from partita.io.tables import Table

__all__ = [
    "LackingColumnsError",
    "LinksError",
    "NoFeaturesError",
    "possible_features",
    "refuse_hidden_truth",
    "refuse_linked_words",
    "refuse_nameless",
    "require_categories",
    "require_named",
]

# Names that hold the truth in most files with labels; read as features they would give the answer away. A `y` beside an
# `x` is a coordinate when the labels are named or its values are not all whole numbers.
TRUTH_NAMES = frozenset({"label", "class", "target", "y"})
# Of the ends of links: how many names there are at least, the share of them that both columns have, and of the rows
# that link a thing to itself, and rows to a name, at most.
MANY, SHARED, THEMSELVES, ROWS = 10, 0.25, 0.05, 4


class NoFeaturesError(InputError):
    """A table has no column of features."""


class LackingColumnsError(InputError):
    """Columns that were asked for are not in the file, which has the columns `names`, its own where it has a header."""

    def __init__(self, message: str, lacking: Sequence[str], names: Sequence[str], *, has_header: bool) -> None:
        super().__init__(message)
        self.lacking, self.names, self.has_header = list(lacking), list(names), has_header


class LinksError(InputError):
    """A table seems to hold the links of a graph where features are read; `found` says which columns do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(f"{found}{remedy}")
        self.found = found


def require_named(table: Table, label_column: str | None, id_column: str | None) -> None:
    """Raise for a name that an option gives and the file does not have."""
    own = table.beside or table.names  # what names items and classes is another array of a .npz file
    for option, name in (("--label-column", label_column), ("--id-column", id_column)):
        if name is not None:
            what = "array" if table.beside else "column"
            require_known(table.path, name, own, f"{what} {name!r} for {option}")
            require_single(table.path, table.repeated, [name], option)


def _matching(table: Table, patterns: Sequence[str], option: str) -> list[str]:
    """The columns that names or patterns mean, in the order of these."""
    found: list[str] = []
    lacking = []
    for pattern in patterns:
        mine = [pattern] if pattern in table.names else [n for n in table.names if fnmatchcase(n, pattern)]
        lacking += [] if mine else [pattern]
        found += [name for name in mine if name not in found]
    if lacking:
        near, own = did_you_mean(lacking[0], table.names), listed(_as_given(table.names))
        raise LackingColumnsError(
            f"{table.path} has no column {lacking[0]!r} for {option}; it has {own}{near}",
            lacking,
            table.names,
            has_header=table.has_header,
        )
    return found


def _as_given(names: Sequence[str]) -> list[str]:
    """Names, those with a comma in the quotes that they need in an option."""
    return [f'"{name}"' if "," in name else name for name in names]


def possible_features(
    table: Table, asked: Sequence[str], columns: Sequence[str] | None, drop: Sequence[str]
) -> tuple[list[str], str | None]:
    """The names of the columns that may be features, and of the one among them that is a `y` beside an `x`."""
    dropped = _matching(table, drop, "--drop")
    require_single(table.path, table.repeated, dropped, "--drop")
    others = [name for name in table.names if (name not in asked or table.beside) and name not in dropped]
    if columns is not None:
        chosen = [name for name in _matching(table, columns, "--columns") if name not in dropped]
        refuse_hidden_truth(table.path, [name for name in chosen if name not in columns and name not in asked])
        return [name for name in chosen if name in columns or name in others], None
    _refuse_links(table, [*asked, *dropped])
    coordinate = None
    if "x" in (name.lower() for name in table.names):
        coordinate = next((name for name in others if name.lower() == "y"), None)
    refuse_hidden_truth(table.path, [name for name in others if name != coordinate])
    return others, coordinate


def require_categories(table: Table, names: Sequence[str], reading: Reading, *, mixed: bool) -> list[str]:
    """Return those of the columns that were said to be of categories.

    Raises
    ------
    LackingColumnsError
        For a name or pattern that is no column's.
    InputError
        Where categories are not taken.
    """
    found = _matching(table, reading.categories, "--categories")
    require_single(table.path, table.repeated, found, "--categories")
    if found and not mixed:
        raise InputError(
            f"{table.path}: categories (--categories {option_value(*reading.categories)}) go with --affinity ensemble "
            "and a table of text, a spreadsheet or parquet; leave the option out, or code the columns as numbers"
        )
    return [name for name in names if name in found]


def _refuse_links(table: Table, told: Sequence[str]) -> None:
    """Raise for a table of which two columns look like the ends of links, and nobody said what they are."""
    ends = ends_of_links(table.names) if table.has_header else None
    if ends is not None and not set(ends) & set(told):
        raise _links(table, *ends)


def _links(table: Table, source: str, target: str) -> LinksError:
    return LinksError(
        f"{table.path}: the columns {source} and {target} look like the links of a graph",
        ", which `partita fit` reads with --input edges; if they are features, name them: --columns "
        f"{option_value(*table.names)}",
    )


def refuse_linked_words(table: Table, names: Sequence[str], columns: Sequence[NDArray[Any]]) -> None:
    """Raise for two columns of names that name the same things, beside a number at most: a list of pairs.

    Raises
    ------
    LinksError
    """
    words = [at for at, column in enumerate(columns) if column.dtype.kind == "O"]
    if len(words) != 2 or len(columns) > 3:
        return
    first, second = (set(columns[at]) - {None} for at in words)
    fewer = min(len(first), len(second))
    same = np.mean(columns[words[0]] == columns[words[1]])
    rare = len(first | second) * ROWS >= len(columns[0])  # answers to a question come more often
    if fewer >= MANY and rare and len(first & second) >= SHARED * fewer and same <= THEMSELVES:
        raise _links(table, names[words[0]], names[words[1]])


def refuse_hidden_truth(file: Path, names: Sequence[str]) -> None:
    """Raise for the first of these columns whose name says that it holds the truth.

    Raises
    ------
    InputError
    """
    name = next((name for name in names if name.lower() in TRUTH_NAMES), None)
    if name is not None:
        raise InputError(
            f"{file}: column {name!r} looks like the truth and would leak in as a feature; "
            f"pass --label-column {shlex.quote(name)} or --drop {option_value(name)}, or, if it is a feature, name the "
            "features with --columns"
        )


def refuse_nameless(table: Table) -> NoReturn:
    """Raise for a first column without a name that does not name the rows.

    Raises
    ------
    InputError
    """
    raise InputError(
        f"{table.path}: the first column has no name and does not name the rows, as where pandas writes its index; "
        f"pass --drop {option_value(table.names[0])}, or write the file without it (index=False)"
    )
