"""Which columns of a table are features, where nobody said: names of items, dates and counts of rows are none.

Whatever is left out is told of, and so is a column that may hold the known classes: it would give the answer away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.estimators.mixed_table import DATES
from partita.io.files import listed

__all__ = ["Roles", "is_date", "roles_of"]

Column = NDArray[Any]

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|juni|juli|okt|dez)[a-zä]*\.?"
CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?"
DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\.?|"
    rf"\d{{1,2}}\.?[ -]{MONTH}[ -]\d{{2,4}}|{MONTH} \d{{1,2}},? \d{{4}}|{MONTH}[ -](?:\d{{4}}|\d{{2}})"
)
A_DATE = re.compile(rf"(?:{DAY})(?:[T ,]+{CLOCK}.*)?|(?:-?\d+ days?,? )?{CLOCK}", re.IGNORECASE)
# Names of columns that count or name rows; of the second kind only where the numbers go up.
OF_IDS = re.compile(
    r"(?:.*[_\s.-])?(?:id|ids|uid|guid|uuid|identifier|rownames|row[_\s]?names?|row[_\s]?(?:id|no|nr|number|index))"
    r"|unnamed(?::?\s*\d+)?",
    re.IGNORECASE,
)
CAMEL_ID = re.compile(r".*[a-z0-9](?:Id|ID)")
OF_COUNTS = re.compile(
    r"index|idx|no\.?|nr\.?|num|number|nummer|lfd\.?\s?nr\.?|row|rows|obs|observation|#|n°", re.IGNORECASE
)
OF_CLASSES = frozenset(
    """labels, classes, targets, truth, species, group, groups, cluster, clusters, category, diagnosis, outcome,
    variety, ground_truth, groundtruth, true_label""".replace("\n    ", " ").split(", ")
)
# Words from which a column may be known classes, by its place; and rows of each of them, on average.
MOST_CLASSES, ROWS_OF_A_CLASS = 20, 4
# Different words from which a column is hardly one of categories, where they are more than half of its cells.
MANY = 20
NAMED = 5


@dataclass(frozen=True)
class Roles:
    """Roles of the columns of a table.

    Attributes
    ----------
    features : list of int
        Places of the columns that are features.
    ids : int, optional
        Place of the column that names the items.
    notes : list of str
        What was left out, and what to look at.
    """

    features: list[int]
    ids: int | None
    notes: list[str]


def is_date(word: str) -> bool:
    """Return whether a word is a date or a time of day.

    >>> [is_date(word) for word in ("2024-01-05", "5.1.24", "12:30", "Jan 2024", "1.5", "may", "10-20")]
    [True, True, True, True, False, False, False]
    """
    return A_DATE.fullmatch(word) is not None


def roles_of(names: Sequence[str], columns: Sequence[Column], *, named: bool = False, nameless: bool = False) -> Roles:
    """Return which of these columns are features, and which one names the items.

    Parameters
    ----------
    names : sequence of d str
    columns : sequence of d arrays of N
        Numbers, or words as objects, None where a cell is missing.
    named : bool
        Whether another column names the items.
    nameless : bool
        Whether the file has no name for the first column, as where pandas or R write the names of the rows there.

    Examples
    --------
    >>> words = np.array(["ann", "bob", "cid"], dtype=object)
    >>> roles_of(["name", "x"], [words, np.array([1.0, 5.0, 2.0])])
    Roles(features=[1], ids=0, notes=["column 'name' names the items: no word in it comes twice"])
    """
    dates = [at for at, column in enumerate(columns) if _holds_dates(column)]
    texts = [at for at, column in enumerate(columns) if at not in dates and _all_distinct(column)]
    said = ["unnamed", *names[1:]] if nameless else names
    counts = [at for at, (name, column) in enumerate(zip(said, columns)) if _counts_rows(name, column)]
    whole = [at for at in texts if None not in columns[at]]
    ids = None if named else next(iter([*whole, *counts]), None)
    features = [at for at in range(len(names)) if at not in (*dates, *texts, *counts)]
    notes = [] if ids is None else [_of_ids(names[ids], is_text=ids in texts)]
    others = {
        "no word in it comes twice, so it is no category": [at for at in texts if at != ids],
        "it counts or names the rows": [at for at in counts if at != ids],
    }
    for why, left in others.items():
        if left:
            notes.append(f"{_columns(names, left)} left out: {why}")
    if dates:
        sample = next(word for word in columns[dates[0]] if word is not None)
        advice = DATES.replace("leave it out, or put", "put")
        notes.append(f"{_columns(names, dates)} left out: dates or times, as {sample!r}; {advice}")
    return Roles(features, ids, [*notes, *_doubts(names, columns, features)])


def _of_ids(name: str, *, is_text: bool) -> str:
    why = "no word in it comes twice" if is_text else "its name and its whole numbers say so"
    return f"column {name!r} names the items: {why}"


def _columns(names: Sequence[str], at: Sequence[int]) -> str:
    said = listed((repr(names[k]) for k in at), NAMED)
    return f"column {said} was" if len(at) == 1 else f"columns {said} were"


def _holds_dates(column: Column) -> bool:
    if column.dtype.kind == "f":
        return False
    held = [word for word in column if word is not None]
    return bool(held) and all(map(is_date, held))


def _all_distinct(column: Column) -> bool:
    if column.dtype.kind == "f":
        return False
    held = [word for word in column if word is not None]
    return len(set(held)) == len(held) > 2


def _counts_rows(name: str, column: Column) -> bool:
    """Whether whole numbers, each once, stand under a name of ids, or go up under one of counts."""
    strong = OF_IDS.fullmatch(name.strip()) or CAMEL_ID.fullmatch(name.strip())
    if column.dtype.kind != "f" or len(column) < 2 or not (strong or OF_COUNTS.fullmatch(name.strip())):
        return False
    if not (np.isfinite(column).all() and (column % 1 == 0).all()):
        return False
    return bool(len(np.unique(column)) == len(column) if strong else (np.diff(column) > 0).all())


def _is_a_count(column: Column) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ... from the first row to the last."""
    if column.dtype.kind != "f" or len(column) < MANY or column[0] not in (0.0, 1.0):
        return False
    return bool((column == column[0] + np.arange(len(column))).all())


def _doubts(names: Sequence[str], columns: Sequence[Column], features: Sequence[int]) -> list[str]:
    """Notes about columns that were kept and perhaps should not have been."""
    notes = []
    if 0 in features and _is_a_count(columns[0]):
        notes.append(
            f"column {names[0]!r} counts the rows and was read as a feature; if it names them, pass --id-column "
            f"{names[0]}"
        )
    of_words = [at for at in features if columns[at].dtype.kind != "f"]
    for at in features:
        n_words = len({word for word in columns[at] if word is not None}) if at in of_words else 0
        by_name = names[at].strip().lower().replace(" ", "_") in OF_CLASSES
        few = 1 < n_words <= min(MOST_CLASSES, len(columns[at]) / ROWS_OF_A_CLASS)
        by_place = few and of_words == [at] and at == len(names) - 1
        if by_name or by_place:
            notes.append(
                f"column {names[at]!r} was read as a feature; if it holds the known classes, pass --label-column "
                f"{names[at]}"
            )
        if n_words > max(MANY, len(columns[at]) / 2):
            notes.append(
                f"column {names[at]!r} has {n_words:,} different words in {len(columns[at]):,} rows and is hardly one "
                f"of categories; --drop {names[at]} leaves it out"
            )
    return notes
