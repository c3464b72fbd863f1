"""Whether the first row of a table names its columns, and the names that they get."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count, pairwise
from pathlib import Path

from partita.errors import InputError
from partita.io.files import listed
from partita.io.text_rows import as_number, is_missing, says_nothing

__all__ = [
    "HeaderRule",
    "column_names",
    "default_names",
    "header_notes",
    "is_number",
    "looks_like_a_header",
    "repeated_notes",
    "require_single",
]

HeaderRule = Callable[[Sequence[list[str]]], bool]

# Years that are names of columns, and how unequal steps may be, relative, as those of numbers that were rounded.
YEARS = range(1800, 2101)
EVEN = 1e-6
# Numbers up to this one are often counted.
SMALL = 20


def looks_like_a_header(rows: Sequence[list[str]], known: Sequence[str] = ()) -> bool:
    """Return whether the first of the given rows names columns.

    Words only: yes. Numbers only: no, except 0, 1, 2, ... in a row of three cells or more, which is how pandas writes
    an array. Numbers and words mixed: if they count like that, a word is one of the `known` names, a number stands
    below a word, or the numbers are years or go up by equal steps, as wavelengths do, and those below do not.

    >>> looks_like_a_header([["height", "width"]]), looks_like_a_header([["1.5", "setosa"]])
    (True, False)
    """
    cells = rows[0]
    numeric = [cell for cell in cells if is_number(cell)]
    if not numeric:
        return True
    words = [at for at, cell in enumerate(cells) if not is_number(cell) and not says_nothing(cell)]
    if any(cells[at] in known for at in words):
        return True
    if len(cells) >= 3 and numeric == [str(k) for k in range(len(numeric))]:
        return True
    below = rows[1] if len(rows) > 1 else []
    if words and len(below) == len(cells) and _is_scale(cells, words) and not _is_scale(below, words, like=cells):
        return True
    return any(at < len(below) and is_number(below[at]) for at in words)


def _is_scale(cells: Sequence[str], words: Sequence[int], like: Sequence[str] | None = None) -> bool:
    """Whether the cells beside words are years that go up, three or more, or numbers at equal steps (of those of
    `like`), three or more, of small ones five.

    >>> _is_scale(["name", "2001", "2002", "2003"], [0]), _is_scale(["", "4", "5", "6"], [0])
    (True, False)
    >>> _is_scale(["", "4", "5", "6", "7", "8"], [0])
    True
    """
    numbers = [as_number(cell) for at, cell in enumerate(cells) if at not in words]
    held = [value for value in numbers if value is not None and math.isfinite(value)]
    if len(held) < max(3, len(numbers)):
        return False
    steps = [after - before for before, after in pairwise(held)]
    years = all(value % 1 == 0 and value in YEARS for value in held)
    even = len(held) > (2 if min(held) > SMALL else 4) and max(steps) - min(steps) <= EVEN * max(steps)
    if like is not None and even:
        first, second = [as_number(cell) or 0.0 for at, cell in enumerate(like) if at not in words][:2]
        even = first not in YEARS and abs(second - first - steps[0]) <= EVEN * steps[0]
    return min(steps) > 0 and (years or even)


def header_notes(first: Sequence[str], header: bool) -> list[str]:
    """Return what is to be said of the first row, and of whether it was read as a header."""
    if header and any(is_number(cell) for cell in first):
        return [f"the first row ({listed(first, 4)}) was read as a header, though there are numbers in it"]
    if header:
        return []
    kind = "is numeric" if all(is_number(cell) or is_missing(cell) for cell in first) else "names no columns"
    return [
        f"the first row {kind}, so it was read as data, not as a header (--skip-rows 1 leaves it out); the columns are "
        "called column_0, column_1, ..."
    ]


def column_names(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return names as they stand, column_<position> for one without, name.2 for the second of a name; and of the
    names that stand there several times those that their columns got.

    >>> column_names(["a", "", "a", "a.2", "a"])
    (['a', 'column_1', 'a.3', 'a.2', 'a.4'], {'a': ['a', 'a.3', 'a.4']})
    """
    filled = [name.strip() or f"column_{at}" for at, name in enumerate(names)]
    taken, given = set(filled), list[str]()
    got: dict[str, list[str]] = {}
    for name in filled:
        new = name
        if name in got:
            new = next(each for n in count(2) if (each := f"{name}.{n}") not in taken)
            taken.add(new)
        got.setdefault(name, []).append(new)
        given.append(new)
    return given, {name: each for name, each in got.items() if len(each) > 1}


def repeated_notes(repeated: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is to be said of names that stand above several columns."""
    return [
        f"{len(columns)} columns are called {name!r}; they are told apart as {listed(columns)}"
        for name, columns in repeated.items()
    ]


def require_single(path: Path, repeated: Mapping[str, Sequence[str]], asked: Sequence[str], option: str) -> None:
    """Raise for a name that a file gives to several columns, not all of which are asked for.

    Raises
    ------
    InputError
    """
    for name in asked:
        if not set(repeated.get(name, ())).issubset(asked):
            raise InputError(
                f"{path}: {option} {name} may be any of {len(repeated[name])} columns of that name; give each its own "
                "name in the file"
            )


def default_names(n: int) -> list[str]:
    """Return names for columns that have none.

    >>> default_names(2)
    ['column_0', 'column_1']
    """
    return [f"column_{at}" for at in range(n)]


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number, NaN included, and not just nothing."""
    value = as_number(cell)
    return value is not None and (not math.isnan(value) or cell.strip().lower() == "nan")
