"""Numbers as people write them: decimal commas, thousands with marks between, signs of money and percent.

A cell alone may mean two numbers: 1,234 is 1.234 to some and 1234 to others. The decimal mark is therefore found for a
whole column, from the cells that can mean but one number; a column without any such goes by the other columns of the
file, then by whether it has whole numbers below 1000 beside, which have nothing to part, and at last by the file:
where semicolons part the cells, the comma is a decimal mark. Such a column is always told of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partita.io.bare_numbers import BLANKS, GAP, OTHER, Bare, NumberCell, bare_number
from partita.io.files import listed, option_value
from partita.io.reading import Decimal
from partita.io.text_rows import MISSING_MARKS, as_number, is_missing
from partita.wording import count

__all__ = ["NumberFormat", "formats_of"]

# Columns that need no look at each cell: digits and one mark, which some cell proves to be the decimal one.
SIMPLE = {mark: re.compile(rf"(?:[+-]?\d*(?:[{mark}]\d*)?(?:\d[eE][+-]?\d+)?(?:\n|\Z))*") for mark in ".,"}
PROOF = {
    mark: re.compile(rf"^[+-]?(?:0\d*|\d{{4,}}|)[{mark}]\d|\d[{mark}](?:\d{{1,2}}|\d{{4,}})(?:[eE]|$)", re.MULTILINE)
    for mark in ".,"
}
# A number and a unit behind it.
WITH_UNIT = re.compile(rf".*?[\d.,]{GAP}((?:[^\W\d_]|[°µ])[^\s\d;]{{0,9}})")
NAMED = 4


@dataclass(frozen=True)
class NumberFormat:
    """Format of the numbers of a column: as Python reads them, or with this decimal mark and marks around; and what
    else means missing in it, and the unit behind each.
    """

    decimal: Decimal | None = None
    marks: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    unit: str = ""

    @property
    def stands_by(self) -> str:
        """The unit or the sign that numbers stand by: "mm", "%", "€"; empty where there is none."""
        return self.unit or "".join(self.marks)

    def number(self, cell: str) -> float | None:
        """Return the number in a cell, NaN for a missing one, None for text."""
        if cell in self.missing:
            return float("nan")
        if self.unit:
            cell = cell.removesuffix(self.unit)
        if self.decimal is None or isinstance(cell, NumberCell) or is_missing(cell):
            return as_number(cell)
        found = bare_number(cell)
        if found is None:
            return as_number(cell) if self.decimal == "." else None
        return found.number(self.decimal) if found.mark in self.marks or not found.mark else None

    def array(self, cells: Sequence[str]) -> NDArray[np.float64] | None:
        """Return the numbers of a column of which each cell is one or missing; None where one is text."""
        whole = "\n".join(cells)
        comma = self.decimal == ","
        try:
            if "_" in whole or (comma and "." in whole) or (self.marks and not self.marks.isdisjoint(whole)):
                raise ValueError
            parts = [cell.replace(",", ".") for cell in cells] if comma else cells
            return np.array([part or "nan" for part in parts], dtype=np.float64)
        except ValueError:
            values = [self.number(cell) for cell in cells]
        return None if any(value is None for value in values) else np.array(values, dtype=np.float64)


@dataclass
class _Column:
    """What the cells of a column say of how its numbers are written."""

    name: str
    plain: bool
    found: list[Bare] = field(default_factory=list)
    proofs: Counter[str] = field(default_factory=Counter)
    simple: bool = False
    gaps: Counter[str] = field(default_factory=Counter)
    unit: str = ""
    numbers: bool = False

    @property
    def proved(self) -> Decimal | None:
        most = self.proofs.most_common(1)
        return most[0][0] if most else None  # type: ignore[return-value]

    @property
    def doubtful(self) -> str:
        """The mark of a column in which each cell with one has three digits behind it."""
        marks = {mark for each in self.found for mark in ".," if mark in each.core}
        return marks.pop() if not self.proofs and len(marks) == 1 else ""

    @property
    def beside(self) -> Decimal | None:
        """The decimal mark by the whole numbers beside those with a mark: small ones have no thousands to part."""
        mark, whole = self.doubtful, [each.number(".") for each in self.found if each.core.isdecimal()]
        if not whole:
            return None
        large = any(value is not None and abs(value) >= 1000 for value in whole)
        return mark if large else OTHER[mark]  # type: ignore[return-value]


def formats_of(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    *,
    decimal: Decimal | None = None,
    likely: Decimal | None = None,
    comma: bool = False,
) -> tuple[list[NumberFormat], list[str]]:
    """Return how the numbers of each column are written, and notes about it.

    Parameters
    ----------
    names : sequence of d str
    columns : sequence of d sequences of str
        The cells.
    decimal : {".", ","}, optional
        The decimal mark, where it is known.
    likely : {".", ","}, optional
        The decimal mark where no cell of the file tells.
    comma : bool
        Whether a comma is rather a decimal mark where nothing tells, as among semicolons.

    Examples
    --------
    >>> formats, notes = formats_of(["a", "b"], [["1,5", "2,25"], ["1,234", "5,678"]])
    >>> [each.number("1,234") for each in formats]
    [1.234, 1.234]
    >>> formats, notes = formats_of(["a", "b"], [["1.5", "2.25"], ["1,234", "5,678"]])
    >>> formats[1].number("1,234")
    1234.0
    """
    seen = [_looked_at(name, cells) for name, cells in zip(names, columns, strict=True)]
    of_file = decimal or _of_file(seen) or likely
    formats, notes = [], []
    for column in seen:
        chosen = _chosen(column, decimal, of_file, comma)
        formats.append(chosen)
        if column.doubtful and decimal is None and not (column.plain and chosen.decimal is None and not comma):
            notes.append(_doubt(column, chosen.decimal or ".", of_file))
    return formats, [*_said(seen, formats, told=decimal is not None), *notes]


def _looked_at(name: str, cells: Sequence[str]) -> _Column:
    for mark, form in SIMPLE.items():
        text = "\n".join(cells)
        if form.fullmatch(text) and PROOF[mark].search(text) and MISSING_MARKS.isdisjoint(cells):
            return _Column(name, plain=mark == ".", proofs=Counter({mark: 1}), simple=True)
    held = [cell for cell in cells if not isinstance(cell, NumberCell) and not is_missing(cell)]
    gaps = Counter(cell for cell in held if cell in MISSING_MARKS)
    if gaps:
        held = [cell for cell in held if cell not in gaps]
    numbers = any(isinstance(cell, NumberCell) and as_number(cell) for cell in cells)
    unit = "" if numbers else _unit_of(held)
    held = [cell.removesuffix(unit) for cell in held]
    plain = not unit and all(as_number(cell) is not None for cell in held)
    column = _Column(name, plain=plain, unit=unit, numbers=numbers)
    found = [each for each in map(bare_number, held) if each is not None]
    if 2 * len(found) >= len(held):
        if found or any(isinstance(cell, NumberCell) for cell in cells):
            column.gaps = gaps
        column.found = found
        column.proofs.update(proof for each in found if (proof := each.proves))
    return column


def _unit_of(cells: Sequence[str]) -> str:
    """The one unit behind the numbers of all cells; empty where there is none.

    Without a blank between it is one where a number has a decimal mark, or the unit has several letters that are not
    all capitals: 12a, 4WD and 001ab are names.

    >>> _unit_of(["39.5 mm", "40 mm"]), _unit_of(["39.5mm", "40mm"]), _unit_of(["12a", "7a"]), _unit_of(["1 m", "2 s"])
    ('mm', 'mm', '', '')
    """
    first = WITH_UNIT.fullmatch(cells[0]) if cells else None
    unit = first[1] if first else ""
    if not unit or not all(cell.endswith(unit) for cell in cells):
        return ""
    numbers = [cell.removesuffix(unit) for cell in cells]
    if any(bare_number(each) is None for each in numbers):
        return ""
    apart = all(each[-1] in BLANKS for each in numbers)
    told = any(mark in each for each in numbers for mark in ".,") or (len(unit) > 1 and not unit.isupper())
    codes = any(len(each) > 1 and each[0] == "0" and each[1].isdigit() for each in numbers)
    return unit if (apart or told) and not codes else ""


def _of_file(seen: Sequence[_Column]) -> Decimal | None:
    """The decimal mark that most columns prove."""
    proved = Counter(column.proved for column in seen if column.proved is not None)
    return proved.most_common(1)[0][0] if proved else None


def _chosen(column: _Column, given: Decimal | None, of_file: Decimal | None, comma: bool) -> NumberFormat:
    missing = frozenset(column.gaps)
    if not column.found and not column.simple:
        return NumberFormat(missing=missing)
    mark = column.doubtful
    decimal = given or column.proved
    if decimal is None and mark:
        by_default: Decimal = "," if comma and mark == "," else "."
        decimal = of_file or ((column.beside or by_default) if mark == "," else ".")
    decimal = decimal or "."
    if column.plain and decimal == ".":
        return NumberFormat(missing=missing)
    return NumberFormat(decimal, _marks(column), missing, column.unit)


def _marks(column: _Column) -> frozenset[str]:
    """The sign around the numbers of a column: one kind, or they are not of one unit. Numbers without a percent sign
    among those with one are percent, unless they may be shares.
    """
    kinds = {each.mark for each in column.found if each.mark}
    if len(kinds) != 1:
        return frozenset()
    shares = column.numbers or any(abs(each.number(".") or 0) <= 1 for each in _without_sign(column))
    return frozenset() if "%" in kinds and shares else frozenset(kinds)


def _without_sign(column: _Column) -> list[Bare]:
    """The numbers without a sign, but for zeros, which need none."""
    return [each for each in column.found if not each.mark and each.core.strip("0.,")]


def _doubt(column: _Column, decimal: str, of_file: Decimal | None) -> str:
    mark = column.doubtful
    cell = next(each.core for each in column.found if mark in each.core)
    one, other = cell.replace(mark, "."), cell.replace(mark, "")
    read, instead = (one, OTHER[mark]) if decimal == mark else (other, mark)
    why = "as the decimal mark elsewhere says" if of_file is not None else "which no other column decides"
    return (
        f"column {column.name!r}: {cell} may be {one} or {other}; it was read as {read}, {why}; "
        f"--decimal {instead} reads the other"
    )


def _said(seen: Sequence[_Column], formats: Sequence[NumberFormat], *, told: bool) -> list[str]:
    """Notes about marks that were read, one line for each kind; of decimal marks where the user did not say them."""
    notes = []
    of = list(zip(seen, formats, strict=True))
    commas = [
        column.name
        for column, form in of
        if form.decimal == ","
        and column.proved == ","
        and not told
        # Of 1.234.567 alone there is no comma to tell of.
        and (column.simple or any("," in each.core for each in column.found))
    ]
    if commas:
        notes.append(f"a comma was read as decimal mark in {_names(commas)}; --decimal . reads it otherwise")
    grouped = [
        column.name
        for column, form in of
        if form.decimal is not None
        and not column.doubtful
        and any(each.parted or OTHER[form.decimal] in each.core for each in column.found)
    ]
    if grouped:
        notes.append(f"separators of thousands were left out in {_names(grouped)}{_as_words(grouped)}")
    for kinds, what in (
        (("%",), "percent signs were left out, so that 5% is 5,"),
        ((), "signs of money were left out"),
    ):
        named = [column.name for column, form in of if form.marks and ("%" in form.marks) == ("%" in kinds)]
        if named:
            notes.append(f"{what} in {_names(named)}{_as_words(named)}")
    for column, form in of:
        bare = _without_sign(column) if form.marks else []
        if bare:
            cells, verb = repr(bare[0].core), "lacks the sign {} of the others and was"
            if len(bare) > 1:
                cells, verb = f"{len(bare):,} cells, as {cells},", "lack the sign {} of the others and were"
            sign = next(iter(form.marks))
            notes.append(f"{cells} in column {column.name!r} {verb.format(sign)} read like them")
    negative = [column.name for column, form in of if form.decimal and any(each.aside for each in column.found)]
    if negative:
        which = f"{_names(negative)}{_as_words(negative)}"
        notes.append(f"numbers in brackets, or with a minus behind them, were read as negative in {which}")
    units = {column.name: f"{column.unit!r} in {column.name!r}" for column in seen if column.unit}
    if units:
        notes.append(f"units behind numbers were left out: {listed(units.values(), NAMED)}{_as_words([*units])}")
    gaps = sum((column.gaps for column in seen), Counter[str]())
    if gaps:
        n = gaps.total()
        spelled = listed(map(repr, gaps), NAMED)
        where = _names([column.name for column in seen if column.gaps])
        notes.append(f"{count(n, 'cell')} of {spelled} {'was' if n == 1 else 'were'} read as missing in {where}")
    return notes


def _as_words(names: Sequence[str]) -> str:
    return f"; --categories {option_value(*names)} keeps the words" if len(names) <= NAMED else ""


def _names(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {listed(map(repr, names), NAMED)}"
