"""Which columns of a table are features, where nobody said: names of items, dates and counts of rows are none.

Whatever is left out is told of, and so is a column that may hold the known classes: it would give the answer away.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.estimators.mixed_table import MANY, REPLACE_DATES, are_too_many, is_marks
from partita.io.bare_numbers import bare_number, is_money
from partita.io.files import listed, option_value
from partita.wording import count

__all__ = ["Roles", "is_date", "is_name_of_ids", "notes_on_codes", "roles_of"]

Column = NDArray[Any]

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|juni|juli|okt|dez)[a-zä]*\.?"
CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?"
DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\.?|"
    rf"\d{{1,2}}\.?[ -]{MONTH}[ -]\d{{2,4}}|{MONTH} \d{{1,2}},? \d{{4}}|{MONTH}[ -](?:\d{{4}}|\d{{2}})"
)
A_DATE = re.compile(rf"(?:{DAY})(?:[T ,]+{CLOCK}.*)?|(?:-?\d+ days?,? )?{CLOCK}", re.IGNORECASE)
# Names of columns that name the rows, of others that may also be measured, and of numbers that are coordinates.
OF_IDS = re.compile(
    r"(?:.*[_\s.-])?(?:id|ids|uid|guid|uuid|identifier|rownames|row[_\s]?names?|row[_\s]?(?:id|no|nr|number|index))"
    r"|(?:sample|subject|patient|participant|respondent|customer|specimen|barcode|accession|proband)"
    r"(?:[_\s]?(?:no|nr|num|number|code|key))?\.?"
    r"|(?:kunden|patienten|proben|probanden|artikel|auftrags|rechnungs|mitglieds)(?:nummer|nr)\.?"
    r"|unnamed(?::?\s*\d+)?",
    re.IGNORECASE,
)
CAMEL_ID = re.compile(r".*[a-z0-9](?:Id|ID)")
OF_COUNTS = re.compile(
    r"index|idx|no\.?|nr\.?|num|number|nummer|lfd\.?\s?nr\.?|row|rows|obs|observation|#|n°"
    r"|case|record|code|user|animal|member|client|employee|student|order|seq|sequence",
    re.IGNORECASE,
)
# Names of numbers that name places, lines or accounts: no difference of two means anything; and the least of them.
OF_CODES = re.compile(
    r"(?:.*[_\s.-])?(?:(?:tele)?phone|fax|zip|post(?:al)?[_\s-]?code|postcode|plz|postleitzahl|iban|ssn)"
    r"(?:[_\s-]?(?:code|number|no|nr)\.?)?",
    re.IGNORECASE,
)
LEAST_CODE = 100
MEASURED = re.compile(
    r"^[xyz]$|year|jahr|month|monat|day|tag|week|hour|minute|second|time|zeit|age|alter|depth|tiefe|rank|rang|pos|score",
    re.IGNORECASE,
)
# A code of digits; a number with a sign or a unit around it; and the share of the cells of a column from which it is
# one of numbers.
A_CODE = re.compile(r"0\d+")
A_NUMBER = re.compile(r"(?P<before>[^\w\s]?|[A-Z]{3})\s?[+-]?\d+(?:[.,\s]\d+)*\s?(?P<after>%|[^\W\d]{0,4}|[^\w\s])")
NEARLY_ALL, FEW_WORDS = 0.9, 8
# How much wider than the number of rows the range of whole numbers may be, each once, that are numbers of rows.
RUN = 1.1
# Names of known classes; and names that are as often those of a category. Both only above few whole numbers or words.
OF_CLASSES = frozenset(
    """labels, classes, targets, truth, species, cluster, clusters, cluster_id, class_id, diagnosis, outcome, variety,
    ground_truth, groundtruth, true_label, gt, celltype, cell_type, cell_types, celltypes, cell_label, leiden, louvain,
    seurat_clusters""".replace("\n    ", " ").split(", ")
)
OF_KINDS = frozenset(
    """group, groups, group_id, kind, type, types, cat, cls, batch, segment, segments, category, categories,
    category_code, category_label, category_name, topic, topics, topic_label, topic_name, dominant_topic, intent,
    intents, genre, theme, sentiment, community, class_label, class_name, label_name, target_class, target_label,
    true_class, true_labels, y_true, gold, gold_label""".replace("\n    ", " ").split(", ")
)
# Names of numbers that say how much a row counts, in a survey; and those that may be measured, unless their mean is
# near one.
OF_SURVEYS = frozenset(
    """pweight, pweights, survey_weight, survey_weights, sampling_weight, sampling_weights, sample_weight,
    design_weight, person_weight, household_weight, final_weight, post_weight, weighting, expansion_factor""".replace(
        "\n    ", " "
    ).split(", ")
)
OF_WEIGHTS, NEAR_ONE = frozenset({"weight", "weights", "w", "wt", "wgt", "gewicht", "gewichtung"}), (0.5, 2.0)
# Words from which a column may be known classes, by its place; and rows of each of them, on average.
MOST_CLASSES, ROWS_OF_A_CLASS = 20, 4
# Up to this whole numbers of four digits may be years.
LAST_YEAR = 2100
NAMED = 5
SAMPLE = 100
NAME_WORDS = "its name and its whole numbers say so"
RUN_WORDS = "its whole numbers come once each, with hardly a gap between them"


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


def notes_on_codes(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """Return a note about columns of numbers that begin with zeros, as codes do: there is none for none.

    >>> notes_on_codes(["zip", "x"], [["02139", "94110"], ["0.5", "0"]])[0][:37]
    "column 'zip' was read as numbers, alt"
    """
    begun = (
        (name, filter(A_CODE.fullmatch, (cell for cell in own if cell[:1] == "0"))) for name, own in zip(names, cells)
    )
    codes = {name: code for name, found in begun if (code := next(found, None))}
    if not codes:
        return []
    found, code = next(iter(codes.items()))
    which = _columns(names, [names.index(name) for name in codes])
    return [
        f"{which} read as numbers, although some have leading zeros, as codes have ({code!r}); --categories "
        f"{option_value(found)} keeps the codes"
    ]


def roles_of(
    names: Sequence[str],
    columns: Sequence[Column],
    *,
    named: bool = False,
    nameless: bool = False,
    told: Collection[str] = (),
) -> Roles:
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
    told : collection of str
        Columns that are features, as somebody said.

    Examples
    --------
    >>> words = np.array(["ann", "bob", "cid"], dtype=object)
    >>> roles = roles_of(["name", "x"], [words, np.array([1.0, 5.0, 2.0])])
    >>> roles.features, roles.ids, roles.notes[0][:29]
    ([1], 0, "column 'name' names the items")
    """
    untold = [at for at, name in enumerate(names) if name not in told]
    dates = [at for at in untold if _holds_dates(columns[at])]
    distinct = [at for at in untold if at not in dates and _all_distinct(columns[at])]
    money = [at for at in untold if (at in distinct or _is_various(columns[at])) and len(_currencies(columns[at])) > 1]
    texts = [at for at in distinct if at not in money]
    no_features = {*dates, *texts, *money}
    said = ["unnamed", *names[1:]] if nameless else names
    counts = [at for at in untold if _counts_rows(said[at], columns[at], first=at == 0)]
    classes = [at for at in untold if _holds_classes(names[at], columns[at], OF_CLASSES)]
    # Numbers of rows stand first.
    runs = [0] if 0 in untold and 0 not in counts and _is_run(said[0], columns[0]) else []
    if len({*no_features, *counts, *runs, *classes}) < len(names):  # or they are all that there is
        counts = sorted([*counts, *runs])
    others = [at for at in untold if at not in (*dates, *counts, *classes)]
    almost = [at for at in others if _nearly_counts_rows(said[at], columns[at], first=at == 0)]
    several = [at for at in others if at not in almost and _names_several(said[at], columns[at])]
    codes = [at for at in others if at not in (*almost, *several) and _holds_codes(said[at], columns[at])]
    crowded = [at for at in untold if at not in (*no_features, *classes, *several) and _is_crowded(columns[at])]
    if len({*no_features, *counts, *classes, *almost, *several, *codes, *crowded}) == len(names):
        almost = several = codes = crowded = []
    whole = [at for at in texts if None not in columns[at]]
    named_ids = [at for at in counts if is_name_of_ids(said[at])]
    short = [at for at in whole if is_name_of_ids(said[at]) or not _is_prose(columns[at])]
    ids = None if named else next(iter([*short, *named_ids, *whole, *counts]), None)
    if len({*no_features, *counts, *classes}) == len(names):  # nothing would be left
        classes = []
    left_out = {*no_features, *counts, *classes, *almost, *several, *codes, *crowded}
    features = [at for at in range(len(names)) if at not in left_out]
    notes = [] if ids is None else [_of_ids(names[ids], is_text=ids in texts, is_run=ids in runs)]
    sparse = [at for at in texts if at != ids and _n_words(columns[at]) < len(columns[at]) / 2]
    notes += [
        f"column {names[at]!r} was left out: {_n_words(columns[at]):,} of its {len(columns[at]):,} cells are filled, "
        "none like another; cells that were merged are to be filled down first"
        for at in sparse
    ]
    numbered = ids is None and not named
    reasons = {
        "no cell in it comes twice, so it is no category": [at for at in texts if at != ids and at not in sparse],
        "it counts or names the rows": [at for at in (*counts, *([] if numbered else almost)) if at != ids],
        "by the name, whole numbers say which rows belong together; --columns names the features": several,
        "by the name, the numbers are codes, whose differences mean nothing; --columns names the features": codes,
    }
    for why, left in reasons.items():
        if left:
            notes.append(f"{_columns(names, left)} left out: {why}")
    notes += [_of_near_ids(names[at], columns[at]) for at in almost if numbered]
    notes += [
        f"column {names[at]!r} was left out: it holds money in several currencies "
        f"({listed(_currencies(columns[at]), NAMED)}); write all of it in one"
        for at in money
    ]
    notes += [_of_crowded(names[at], columns[at], numbered=numbered) for at in crowded]
    if classes:
        first = names[classes[0]]
        notes.append(
            f"{_columns(names, classes)} left out: the name says that known classes are in it; --label-column "
            f"{shlex.quote(first)} compares the clusters with them, and --columns names the features"
        )
    if dates:
        sample = next(word for word in columns[dates[0]] if word is not None)
        notes.append(
            f"{_columns(names, dates)} left out: dates or times, as {sample!r}; {REPLACE_DATES}, or keep the words as "
            f"categories with --categories {option_value(*(names[at] for at in dates))}"
        )
    return Roles(features, ids, [*notes, *_doubts(names, columns, [at for at in features if at in untold])])


def _of_ids(name: str, *, is_text: bool, is_run: bool) -> str:
    if is_run:
        return f"column {name!r} names the items: {RUN_WORDS}; if it is a feature, name the features with --columns"
    why = "no cell in it comes twice" if is_text else NAME_WORDS
    return f"column {name!r} names the items: {why}; --id-column names another one"


def _of_crowded(name: str, column: Column, *, numbered: bool) -> str:
    """What is to be said of a column of too many words; `numbered` says that nothing names the items."""
    times = Counter(word for word in column if word is not None)
    if numbered and len(times) >= NEARLY_ALL * times.total():
        return _of_near_ids(name, column)
    return (
        f"column {name!r} was left out: {len(times):,} different words in {len(column):,} rows are too many for a "
        f"category; --categories {option_value(name)} keeps it"
    )


def _of_near_ids(name: str, column: Column) -> str:
    """What is to be said of words or whole numbers that would name the rows, were none blank or there twice."""
    is_text = column.dtype.kind != "f"
    held = column[[word is not None for word in column] if is_text else np.isfinite(column)]
    again = [repr(word) if is_text else f"{word:.0f}" for word, n in Counter(held.tolist()).items() if n > 1]
    n_blank = len(column) - len(held)
    but = [f"{count(n_blank, 'cell')} {'is' if n_blank == 1 else 'are'} blank"] * (n_blank > 0)
    if again:
        come = "1 comes" if len(again) == 1 else f"{len(again):,} come"
        but.append(f"{come} more than once ({listed(again, NAMED)})")
    return (
        f"column {name!r} was left out: nearly all of its {'words' if is_text else 'whole numbers'} are different, as "
        f"ids of the rows are, but {' and '.join(but)}, so rows are numbered"
        f"{'' if is_text else '; --columns names the features'}"
    )


def _columns(names: Sequence[str], at: Sequence[int]) -> str:
    return f"{_named(names, at)} {'was' if len(at) == 1 else 'were'}"


def _named(names: Sequence[str], at: Sequence[int]) -> str:
    return f"column{'s' if len(at) > 1 else ''} {listed((repr(names[k]) for k in at), NAMED)}"


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


def is_name_of_ids(name: str) -> bool:
    """Return whether the name of a column says that it holds ids.

    >>> is_name_of_ids("customer_id"), is_name_of_ids("width")
    (True, False)
    """
    return bool(OF_IDS.fullmatch(name.strip()) or CAMEL_ID.fullmatch(name.strip()))


def _is_prose(column: Column) -> bool:
    """Whether most cells have several words."""
    return 2 * sum(word is not None and len(word.split()) > 1 for word in column) > len(column)


def _currencies(column: Column) -> list[str]:
    """The signs of a column in which each cell is money; empty of any other.

    >>> _currencies(np.array(["5.50 USD", "3 EUR", "7 USD"], dtype=object)), _currencies(np.array(["5"], dtype=object))
    (['USD', 'EUR'], [])
    """
    if column.dtype.kind == "f":
        return []
    found = [bare_number(word) for word in column if word is not None]
    signs = dict.fromkeys("" if each is None else each.mark for each in found)
    return [*signs] if all(map(is_money, signs)) else []


def _counts_rows(name: str, column: Column, *, first: bool) -> bool:
    """Whether whole numbers, each once, stand under a name of ids; or under one of counts, and go up, have hardly a gap
    between them, or are many in the first column.
    """
    strong = is_name_of_ids(name)
    if not (strong or OF_COUNTS.fullmatch(name.strip())) or not _each_once(column):
        return False
    many = first and len(column) >= MANY
    return strong or many or _goes_up(column) or _lie_side_by_side(column)


def _nearly_counts_rows(name: str, column: Column, *, first: bool) -> bool:
    """Whether whole numbers would count or name the rows, but for a few that are blank, or that come again under a name
    of ids or where there is hardly a gap between them.
    """
    if column.dtype.kind != "f":
        return False
    held = column[np.isfinite(column)]
    different = np.unique(held)
    if len(different) < NEARLY_ALL * len(column):
        return False
    if len(different) == len(held):
        return _counts_rows(name, held, first=first) or (first and _is_run(name, held))
    if is_name_of_ids(name) or (OF_COUNTS.fullmatch(name.strip()) and _lie_side_by_side(different)):
        return _each_once(different)
    return first and _is_run(name, different)


def _names_several(name: str, column: Column) -> bool:
    """Whether whole numbers, some of them several times, stand under a name of ids, as of repeated measurements."""
    if not is_name_of_ids(name) or _is_among(OF_KINDS, name) or column.dtype.kind != "f":
        return False
    return 1 < _whole(column[~np.isnan(column)]) < len(column)


def _holds_codes(name: str, column: Column) -> bool:
    """Whether many whole numbers, too large to be counts or answers, stand under a name of codes."""
    if not OF_CODES.fullmatch(name.strip()) or column.dtype.kind != "f":
        return False
    held = column[~np.isnan(column)]
    return _whole(held) > MOST_CLASSES and float(np.median(held)) >= LEAST_CODE


def _is_among(known: frozenset[str], name: str) -> bool:
    return name.strip().lower().replace(" ", "_").replace("-", "_") in known


def _n_words(column: Column) -> int:
    return len({word for word in column if word is not None}) if column.dtype.kind != "f" else 0


def _is_crowded(column: Column) -> bool:
    """Whether there are more different words than a category may have, which are no numbers with something around."""
    return _is_various(column) and not _unlike_numbers(column)


def _is_various(column: Column) -> bool:
    return are_too_many(_n_words(column), len(column))


def _holds_classes(name: str, column: Column, known: frozenset[str]) -> bool:
    """Whether few words, or few whole numbers, stand under one of the names."""
    return _is_among(known, name) and _few(_n_words(column) or _whole(column), len(column))


def _is_run(name: str, column: Column) -> bool:
    """Whether many whole numbers, each once, lie side by side, as the numbers of rows do in any order."""
    if len(column) < MANY or MEASURED.search(name.strip()) or not _each_once(column):
        return False
    return _lie_side_by_side(column)


def _lie_side_by_side(column: Column) -> bool:
    return bool(np.ptp(column) < RUN * len(column))


def _each_once(column: Column) -> bool:
    """Whether a column is of whole numbers, none of them twice."""
    if column.dtype.kind != "f" or len(column) < 2:
        return False
    for part in (column[:SAMPLE], column):  # most columns end with the first
        if not np.isfinite(part).all() or (part % 1 != 0).any() or len(np.unique(part)) < len(part):
            return False
    return True


def _goes_up(column: Column) -> bool:
    return bool((np.diff(column) > 0).all())


def _few(n_values: int, n_rows: int) -> bool:
    return 1 < n_values <= min(MOST_CLASSES, n_rows / ROWS_OF_A_CLASS)


def _unlike_numbers(column: Column) -> tuple[str, str] | tuple[()]:
    """Two cells of a column of words in which nearly all begin or end with a number, not all written alike.

    Few different words are categories: 3rd, 2x4.

    >>> _unlike_numbers(np.array([f"{k}{' lb' if k % 2 else ' kg'}" for k in range(30)], dtype=object))
    ('0 kg', '1 lb')
    """
    held = [word for word in column if word is not None]
    numbers = [found for word in held if (found := A_NUMBER.fullmatch(word)) is not None]
    if len(numbers) < NEARLY_ALL * len(held) or len({found[0] for found in numbers}) <= FEW_WORDS:
        return ()
    first = numbers[0]
    around = first["before"], first["after"]
    return next(((first[0], each[0]) for each in numbers if (each["before"], each["after"]) != around), ())


def _is_constant(column: Column) -> bool:
    if len(column) < 2:
        return False
    if column.dtype.kind != "f":
        return len({word for word in column if word is not None}) == 1 and not is_marks(column)
    return all(bool((part == part[0]).all()) for part in (column[:SAMPLE], column))


def _whole(column: Column) -> int:
    """The number of different values of a column of whole numbers alone, 0 of any other."""
    if column.dtype.kind != "f" or not np.isfinite(column).all() or (column % 1 != 0).any():
        return 0
    return len(np.unique(column))


def _may_be_codes(column: Column) -> bool:
    """Whether there are few whole numbers, all with the same number of digits, and four at least, which are no years
    and not evenly spaced.

    >>> _may_be_codes(np.array([80331.0, 50667, 20095] * 9)), _may_be_codes(np.array([2000.0, 2001] * 9))
    (True, False)
    """
    if not _few(_whole(column), len(column)):
        return False
    values = np.unique(column)
    alike = values[0] >= 1000 and np.log10(values[0]) // 1 == np.log10(values[-1]) // 1
    steps = np.diff(values)
    return bool(alike and values[-1] > LAST_YEAR and len(values) > 2 and steps.max() > steps.min())


def _may_be_weights(name: str, column: Column) -> bool:
    """Whether numbers from zero on stand under a name of survey weights; or numbers around one, not all whole, under
    that of weights.

    >>> _may_be_weights("weight", np.array([0.8, 1.3])), _may_be_weights("weight", np.array([71.5, 80.2]))
    (True, False)
    >>> _may_be_weights("survey_weight", np.array([71.5, 80.2]))
    True
    """
    if column.dtype.kind != "f" or not np.isfinite(column).all() or (column < 0).any():
        return False
    low, high = NEAR_ONE
    around_one = bool((column % 1 != 0).any() and low <= column.mean() <= high)
    return _is_among(OF_SURVEYS, name) or (_is_among(OF_WEIGHTS, name) and around_one)


def _doubts(names: Sequence[str], columns: Sequence[Column], features: Sequence[int]) -> list[str]:
    """Notes about columns that were kept and perhaps should not have been."""
    notes = []
    steady = [at for at in features if len(columns[at]) >= MANY and _each_once(columns[at]) and _goes_up(columns[at])]
    notes += [
        f"column {names[at]!r} goes up from row to row and was read as a feature; if it names the rows, pass "
        f"--id-column {shlex.quote(names[at])}"
        for at in steady[: int(len(features) > 1)]
    ]
    notes += [
        f"column {names[at]!r} was read as numbers: {len(np.unique(columns[at]))} different ones of "
        f"{len(f'{columns[at][0]:.0f}')} digits, as {columns[at][0]:.0f}; if they are codes, pass "
        f"--categories {option_value(names[at])}"
        for at in features
        if _may_be_codes(columns[at])
    ]
    notes += [
        f"column {names[at]!r} was read as a feature; if it says how much each row counts, as in a survey, pass --drop "
        f"{option_value(names[at])}"
        for at in features
        if _may_be_weights(names[at], columns[at])
    ]
    of_words = [at for at in features if columns[at].dtype.kind != "f"]
    truths = [at for at in of_words if {word for word in columns[at] if word is not None} == {"True", "False"}]
    constant = [at for at in features if _is_constant(columns[at])]
    if truths:
        notes.append(
            f"{_columns(names, truths)} read as {'a category' if len(truths) == 1 else 'categories'}: true, false"
        )
    if constant:
        same = "has only one value and makes" if len(constant) == 1 else "have only one value each and make"
        notes.append(f"{_named(names, constant)} {same} no difference")
    for at in features:
        n_words = _n_words(columns[at])
        few = _few(n_words, len(columns[at]))
        by_name = _holds_classes(names[at], columns[at], OF_CLASSES | OF_KINDS)
        by_place = few and of_words == [at] and at == len(names) - 1
        if by_name or by_place:
            notes.append(
                f"column {names[at]!r} was read as a feature; if it holds the known classes, pass --label-column "
                f"{shlex.quote(names[at])}"
            )
        if alike := _unlike_numbers(columns[at]) if at in of_words else ():
            notes.append(
                f"column {names[at]!r} was read as categories: its cells hold numbers that are not written alike, as "
                f"{alike[0]!r} and {alike[1]!r}; write them in one way or in one unit, or leave it out with --drop "
                f"{option_value(names[at])}"
            )
    return notes
