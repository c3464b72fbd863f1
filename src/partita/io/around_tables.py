"""What stands around the rows of a table and is none of them: titles above, units below the header, totals at the end.

Rows are cells after the number of their line. Each function takes some away and says so in one line; a row is only
taken away where the others say that it is no item, since an item that is lost in silence is the worst that can happen.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from statistics import fmean, median, pstdev, stdev

from partita.io.bare_numbers import NumberCell, bare_number
from partita.io.column_kinds import is_name_of_ids
from partita.io.files import listed
from partita.io.text_layout import SAMPLE, guessed_delimiter
from partita.io.text_rows import as_number, says_nothing, usual_width
from partita.wording import count

__all__ = [
    "Rows",
    "says_total",
    "without_comments",
    "without_edges",
    "without_end",
    "without_repeated_header",
    "without_second_header",
    "without_surroundings",
    "without_titles",
]

Rows = list[tuple[int, list[str]]]

COMMENTS = ("#", "%")
# Words that begin a row that sums the others up, in the languages of most spreadsheets.
TOTALS = frozenset(
    """total, totals, grand total, subtotal, sum, sums, average, mean, gesamt, gesamtsumme, insgesamt, summe,
    mittelwert, durchschnitt, somme, moyenne, suma, totale, somma, media, totaal, gemiddelde, summa, totalt, razem,
    total general, total général""".replace("\n    ", " ").split(", ")
)
# Those of a sum, which may stand between items and in any cell.
SUMS = TOTALS - {"average", "mean", "mittelwert", "durchschnitt", "moyenne", "media", "gemiddelde"}
# Words that begin a row of another statistic of all items, and what it may be.
SPREADS = ("sd", "std", "stdev", "std dev", "std. dev.", "standard deviation", "standardabweichung")
STATISTICS: dict[str, tuple[Callable[[Sequence[float]], float], ...]] = {
    **dict.fromkeys(("min", "minimum"), (min,)),
    **dict.fromkeys(("max", "maximum"), (max,)),
    **dict.fromkeys(("count", "anzahl"), (len,)),
    **dict.fromkeys(SPREADS, (stdev, pstdev)),
    "median": (median,),
}
SUMMARIES = TOTALS.union(STATISTICS)
# How far a sum may be off the cell that says it, relative: totals are rounded.
CLOSE = 0.01
# The same of a row without a word for it, where only the last digits are rounded; and rows above it.
EXACT, ROWS_ABOVE = 1e-9, 8
LONGEST_TITLE = 50
# Characters of a row that a note shows.
SHOWN = 40
# Rows that a note names one by one.
NAMED = 4
SHARE_OF_HEADER = 0.6
# What a note names against a guess: the first line below those skipped is the header then, and every other a row.
KEPT = "; --skip-rows 0 keeps every row"
FIRST = "; --skip-rows 0 takes the first line for the header"


def without_surroundings(
    rows: Rows, width: int, *, as_they_are: bool = False, place: str = "line"
) -> tuple[Rows, list[str]]:
    """The rows of a table without what stands around them, and what is said of that; `as_they_are` every row that has
    a cell stays.
    """
    if width < 2:
        return rows, []
    rows, notes = without_edges(rows)
    if as_they_are:
        return _without_empty(rows)[0], notes
    rows, said = without_titles(rows, usual_width(row for _, row in rows))
    notes += said
    rows, said = without_end(rows, place)
    return rows, [*notes, *said]


def without_comments(lines: Sequence[str], delimiter: str) -> tuple[list[str], list[str]]:
    """Return the lines that are no comments, as many as there were, comments being empty; and what is to be said.

    The last comment above the rows is the header where it names as many columns as they have, as NumPy writes it;
    `delimiter` parts their cells, or another mark that does it better.
    """
    at = [k for k, line in enumerate(lines) if line.lstrip().startswith(COMMENTS)]
    rows = [k for k, line in enumerate(lines) if line.strip() and k not in set(at)]
    if not at or not rows or at[0] > rows[0]:
        return list(lines), []
    kept = ["\n" if line.lstrip().startswith(COMMENTS) else line for line in lines]
    above = [k for k in at if k < rows[0]]
    line, first = lines[above[-1]].lstrip(), lines[rows[0]]
    found = guessed_delimiter([lines[k] for k in rows[:SAMPLE]], delimiter)
    mark = found if found != " " and found in first else None
    header = line if line[1:2] == mark else line.lstrip("#%").lstrip()  # "#" alone is the name of a column
    parts, cells = (header.split(mark), first.split(mark)) if mark or " " in first.strip() else ([], [])
    named = len(parts) == len(cells) > 1 and all(as_number(cell) is None for cell in parts)
    if named and any(bare_number(cell.strip()) for cell in cells):
        kept[above[-1]] = header if header.endswith(("\n", "\r")) else header + "\n"
        at.remove(above[-1])
    notes = ["the line of comment above the rows was read as the header"] if above and kept[above[-1]].strip() else []
    if at:
        notes.append(f"{count(len(at), 'line')} of comment (# or %) {'were' if len(at) > 1 else 'was'} left out")
    return kept, notes


def without_titles(rows: Rows, width: int) -> tuple[Rows, list[str]]:
    """Return the rows from the first one on that has `width` cells and most of them filled, or from the line of groups
    above it where it is a header of names that are not different.

    Lines above it are only left out where that row is a header of words, or each of them is one cell of words.
    """
    enough = max(2, SHARE_OF_HEADER * width)
    start = next((k for k, (_, row) in enumerate(rows) if len(row) == width and _filled(row) >= enough), 0)
    if start and _different(rows[start][1]) < _filled(rows[start][1]) and _filled(rows[start - 1][1]) > 1:
        start -= 1
    above, rest = rows[:start], rows[start:]
    if not 0 < len(above) <= LONGEST_TITLE or any(len(row) != width for _, row in rest[1:2]):
        return rows, []
    short = all(len(row) == 1 and not _numeric(row[0]) for _, row in above)
    groups = not any(map(_numeric, above[-1][1]))  # of which the first columns may have none
    at_the_left = all(not _filled(row) or row[0] for _, row in (above[:-1] if groups else above))
    if not at_the_left or (not short and any(map(_numeric, rest[0][1]))):
        return rows, []
    first = next((cell for _, row in above for cell in row if cell), "")
    what = f"{count(len(above), 'line')} above the header {'were' if len(above) > 1 else 'was'} left out"
    return rest, [f"{what} (the first: {first[:40]!r}){KEPT}"]


def without_edges(rows: Rows) -> tuple[Rows, list[str]]:
    """Return the rows without columns that are empty in all of them at the left or right edge."""
    width = max((len(row) for _, row in rows), default=0)
    held = [at for at in range(width) if any(at < len(row) and row[at] for _, row in rows)]
    if len(held) < 2 or (held[0] == 0 and held[-1] == width - 1):
        return rows, []
    left, right = held[0], held[-1] + 1
    n = width - (right - left)
    return (
        [(line, row[left:right]) for line, row in rows],
        [f"{count(n, 'empty column')} at the edge {'were' if n > 1 else 'was'} left out"],
    )


def without_second_header(rows: Rows) -> tuple[Rows, list[str]]:
    """Return the rows, the first being the header, with one line of names where they have two of words above columns
    of numbers: a line of units is left out; a line of groups above the names, of which each has several, is joined to
    these where they are not different without it.
    """
    below = [row for _, row in rows[2:202]]
    if len(below) < 2:
        return rows, []
    (line, first), (_, second) = rows[:2]
    if len(second) != len(first) or any(map(_numeric, second)):
        return rows, []
    numbers = [at for at in range(len(second)) if all(at < len(row) and _numeric_or_none(row[at]) for row in below)]
    words = [second[at] for at in numbers if not says_nothing(second[at]) and any(_numeric(row[at]) for row in below)]
    if not words:
        return rows, []
    joined = _with_groups(first, second)
    if _different(first) >= _different(joined):
        note = f"the line below the header ({', '.join(words[:3])}) was read as units and left out{KEPT}"
        return [rows[0], *rows[2:]], [note]
    names = second if _different(second) == len(second) else joined
    note = f"the second line was read as the header ({', '.join(names[:3])}, ...), below one of groups{FIRST}"
    return [(line, names), *rows[2:]], [note]


def without_repeated_header(rows: Rows, place: str = "line") -> tuple[Rows, list[str]]:
    """Return the rows, the first being the header, without others that say the same, as in files put together."""
    again = [line for line, row in rows[1:] if row == rows[0][1]] if len(rows[0][1]) > 1 else []
    if not again or len(again) == len(rows) - 1:
        return rows, []
    others = f" and {len(again) - 1:,} more" if len(again) > 1 else ""
    verb = "repeat the header and were" if len(again) > 1 else "repeats the header and was"
    left_out = set(again)
    return [row for row in rows if row[0] not in left_out], [f"{place} {again[0]}{others} {verb} left out{KEPT}"]


def _with_groups(groups: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names with the name of their group, which stands above the first of it or above each.

    >>> _with_groups(["", "bill", "", "body"], ["sex", "length", "depth", "length"])
    ['sex', 'bill length', 'bill depth', 'body length']
    """
    held = ""
    joined = []
    for group, name in zip(groups, names, strict=True):
        held = group or held
        joined.append(f"{held} {name}".strip())
    return joined


def _different(row: Sequence[str]) -> int:
    return len({cell for cell in row if cell})


def without_end(rows: Rows, place: str = "line") -> tuple[Rows, list[str]]:
    """Return the rows without empty ones, footnotes, and rows of totals; `place` is what a row is called.

    A row of totals at the end begins with a word for it, and one of its numbers is the sum or the mean of those above;
    all of them are the statistic that it names where that is another. Without a word they all are such sums, or beside
    a sum means, to the last digit, and another cell is blank: two of them, or one where that is the item's name.
    Between items one has a word for a sum, and at least half of its numbers are the sums of those above, or of those
    since the one before.
    """
    body, n_empty = _without_empty(rows)
    end, width = len(body), len(body[0][1]) if body else 0
    while width > 1 and (start := _start_of_notes(body[:end])) < end:
        end = len(_without_empty(body[:start])[0])
    notes = []
    if end < len(body):
        notes.append(_left_out([row for row in body[end:] if _filled(row[1])], place, "below the table "))
    elif n_empty:
        notes.append(f"{count(n_empty, 'empty row')} at the end {'were' if n_empty > 1 else 'was'} left out")
    body, totals = _without_totals(body[:end])
    if totals:
        notes.append(
            _left_out(totals, place, f"{'holds' if len(totals) == 1 else 'hold'} sums or means of others and ")
        )
    items = [row for row in body if width < 2 or _filled(row[1])]
    if 2 * len(items) < len(body):
        return body, notes
    if n_between := len(body) - len(items):
        notes.append(f"{count(n_between, 'empty row')} between others {'were' if n_between > 1 else 'was'} left out")
    return items, notes


def _left_out(rows: Rows, place: str, why: str) -> str:
    """A note on rows that were left out, with what the first and the last of them say."""
    (first, words), (last, others) = rows[0], rows[-1]
    if first == last:
        return f"{place} {first} ({_said(words)}) {why}was left out{KEPT}"
    if last - first >= len(rows):
        return f"{place}s {listed([str(line) for line, _ in rows], NAMED)} ({_said(words)}) {why}were left out{KEPT}"
    return f"{place}s {first} to {last} ({_said(words)} to {_said(others)}) {why}were left out{KEPT}"


def _said(row: Sequence[str]) -> str:
    """The first cells of a row, without the noise of a spreadsheet's numbers.

    >>> _said(["Total", "", NumberCell("4053.699999999999"), "17986"])
    "'Total 4053.7 17986'"
    """
    cells = [f"{float(cell):.10g}" if isinstance(cell, NumberCell) else cell for cell in row if cell]
    held = [cells[0][:SHOWN]]
    while len(held) < len(cells) and len(" ".join([*held, cells[len(held)]])) <= SHOWN:
        held.append(cells[len(held)])
    return repr(" ".join(held) + (" ..." if len(held) < len(cells) else ""))


def _without_empty(rows: Rows) -> tuple[Rows, int]:
    end = len(rows)
    while end > 2 and not _filled(rows[end - 1][1]):
        end -= 1
    return (rows, 0) if end == 2 else (rows[:end], len(rows) - end)


def says_total(cell: str) -> bool:
    """Return whether a cell is a word for a row of totals.

    >>> says_total("Grand Total:"), says_total("Totnes")
    (True, False)
    """
    return _word(cell) in SUMMARIES


def _word(cell: str) -> str:
    return cell.strip().rstrip(":").strip().casefold()


def _says_total(row: Sequence[str]) -> bool:
    return says_total(next((cell for cell in row if cell), ""))


def _start_of_notes(body: Rows) -> int:
    """Where the notes at the end of rows begin: words in few cells from the left, the first below a gap, an empty row
    or a total, or a word for a total itself, or each in one cell.
    """
    start = len(body)
    while start > 3 and _is_note(body[start - 1][1]):
        start -= 1
    for at in range(start, len(body)):
        (before, above), (line, _) = body[at - 1], body[at]
        n_lines = 1 + sum(cell.count("\n") for cell in body[at][1])
        total = _says_total(above) or _says_total(body[at][1])
        apart = line - before > n_lines or not _filled(above) or total
        if apart or all(len(row) == 1 for _, row in body[at:]):
            return at
    return len(body)


def _is_note(row: Sequence[str]) -> bool:
    few = _filled(row) == 1 or _filled(row) < SHARE_OF_HEADER * len(row)
    return bool(row) and bool(row[0]) and few and not any(map(_numeric, row))


def _without_totals(body: Rows) -> tuple[Rows, Rows]:
    """The rows without those that begin with a word for totals, or end the table without one, and those: of the ones at
    the end, and of the ones between items, all or none, as they sum up the others.
    """
    said = [at for at, (_, row) in enumerate(body) if at and (_says_total(row) or _says_sum(row))]
    others = set(range(1, len(body))).difference(said)
    items = [at for at in sorted(others) if _filled(body[at][1])]
    wordless = items[-1:] if _is_wordless_total(body[0][1], [body[at][1] for at in items]) else []
    said, items = sorted([*said, *wordless]), items[: len(items) - len(wordless)]
    if not said or len(items) < 2:
        return body, []
    rows, low, sound = [body[at][1] for at in items], 0, {}
    for at in said:
        high, row = bisect(items, at), body[at][1]
        parts = rows[low:high]
        if at < items[-1]:
            sound[at] = _says_sum(row) and (_is_sum(row, parts) or _is_sum(row, rows[:high]))
        else:
            sound[at] = at in wordless or _ends_table(row, rows) or (_says_sum(row) and _is_sum(row, parts))
        low = high
    left_out = []
    for group in ([at for at in said if at < items[-1]], [at for at in said if at > items[-1]]):
        left_out += group if all(map(sound.__getitem__, group)) else []
    if not left_out:
        return body, []
    kept = sorted(set(range(len(body))).difference(left_out))
    return _without_empty([body[at] for at in kept])[0], [body[at] for at in left_out]


def _is_wordless_total(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last row holds sums of the cells above, or beside these means, and a blank, and nothing else.

    They are at least two, unless what is blank is the name of an item. One of fewer than two addends does not count.
    """
    *above, last = rows or [[]]
    held = [at for at, cell in enumerate(last) if cell]
    if len(above) < ROWS_ABOVE or len(held) == len(last) or not all(_numeric(last[at]) for at in held):
        return False
    if not all(_numeric_or_none(row[at]) for row in above for at in held if at < len(row)):
        return False
    if _share(last, above, (sum, fmean), close=EXACT, rounded=True) < 1:
        return False
    n_sums = n_means = 0
    for at in held:
        cells = [row[at : at + 1] for row in above]
        addends = [cell[0] for cell in cells if cell and any(_number(cell[0]) or ())]
        if len(addends) < 2 or not any(_number(last[at]) or ()):  # zero is a sum of nothing
            continue
        if _share([last[at]], cells, (sum,), close=EXACT, rounded=True):
            n_sums += 1
        elif len(set(addends)) > 1:  # a mean of equal numbers is one of them
            n_means += 1
    return n_sums > 0 and (n_sums + n_means > 1 or any(_names_items(names, above, at) for at in _blanks(last)))


def _blanks(row: Sequence[str]) -> list[int]:
    return [at for at, cell in enumerate(row) if not cell]


def _names_items(names: Sequence[str], rows: Sequence[Sequence[str]], at: int) -> bool:
    """Whether no cell of a column comes twice, and they are words, or numbers below a name of ids."""
    cells = [row[at] for row in rows if at < len(row) and row[at]]
    each_once = len(set(cells)) == len(cells) == len(rows)
    return each_once and (not any(map(_numeric, cells)) or is_name_of_ids(names[at]))


def _says_sum(row: Sequence[str]) -> bool:
    return any(cell[:1].isalpha() and _word(cell) in SUMS for cell in row)


def _is_sum(row: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Whether at least half of the numbers of a row are the sums of those above it."""
    return len(above) > 1 and _share(row, above, (sum,)) >= 0.5


def _ends_table(row: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Whether a number of a row at the end is the sum or the mean of those above, or all are the statistic it names."""
    word = _word(next((cell for cell in row if cell), ""))
    if word in STATISTICS:
        return len(above) > 1 and _share(row, above, STATISTICS[word], rounded=True) == 1
    if word in TOTALS:
        return _share(row, above, (sum, fmean)) > 0
    return _is_sum(row, above)


def _share(
    row: Sequence[str],
    above: Sequence[Sequence[str]],
    statistics: Sequence[Callable[[Sequence[float]], float]],
    *,
    close: float = CLOSE,
    rounded: bool = False,
) -> float:
    """The share of the numbers of a row that are one of these statistics of those above, but for a share of `close`;
    `rounded` allows for the digits that are written.
    """
    met = []
    for at, cell in enumerate(row):
        own = _number(cell)
        values = [value for each in above if at < len(each) and (value := _number(each[at])) is not None]
        if own is None or not values:
            continue
        digit = 0.5 * 10.0 ** -len(cell.strip("% ").replace(",", ".").partition(".")[2]) if rounded else 0.0
        wholes = [(of, statistic(parts)) for of, parts in zip(own, zip(*values)) for statistic in statistics]
        near = ((whole or rounded) and abs(of - whole) <= max(close * abs(whole), digit) for of, whole in wholes)
        met.append(any(near))
    return sum(met) / len(met) if met else 0.0


def _number(cell: str) -> tuple[float, float] | None:
    """The numbers that a cell is with either decimal mark."""
    if isinstance(cell, NumberCell):
        return float(cell), float(cell)
    found = bare_number(cell)
    if found is None:
        return None
    one, other = found.number("."), found.number(",")
    one, other = (other if one is None else one), (one if other is None else other)
    return None if one is None or other is None else (one, other)


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell)


def _numeric(cell: str) -> bool:
    return bool(cell) and (isinstance(cell, NumberCell) or bare_number(cell) is not None)


def _numeric_or_none(cell: str) -> bool:
    return says_nothing(cell) or _numeric(cell)
