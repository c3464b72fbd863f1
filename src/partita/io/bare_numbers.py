"""A cell that may be a number: its digits and marks, and the signs of money, percent and minus around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from partita.io.reading import Decimal

__all__ = ["BLANKS", "GAP", "OTHER", "Bare", "NumberCell", "bare_number", "is_money", "number_in"]

OTHER: dict[str, Decimal] = {".": ",", ",": "."}
# What parts thousands beside the comma and the point: blanks (common, no-break, thin, narrow no-break), apostrophes.
BLANKS = " \u00a0\u2009\u202f\u2007"
PARTS = BLANKS + "'\u2019"
MONEY = r"(?:[$€£¥₹₽₩₺₪₫฿₴₦]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|BRL|Fr\.|kr\.?|zł|R\$|Kč|Ft)"
GAP = f"[{BLANKS}]*"
WRITTEN = re.compile(
    rf"(?P<sign>[+-]?){GAP}(?P<before>{MONEY}?){GAP}(?P<inner>[+-]?)"
    rf"(?P<core>(?:\d|[.,]\d)(?:[\d.,]|[{PARTS}](?=\d{{3}}(?!\d)))*(?:[eE][+-]?\d+)?)"
    rf"(?P<behind>-?){GAP}(?P<after>{MONEY}|%|)"
)
# One mark that may part thousands or decimals: up to three digits, not beginning with 0, then three.
EITHER = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")
GROUPED = {
    "," + ".": re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d*)?"),
    "." + ",": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?"),
}
SPACED = re.compile(rf"\d{{1,3}}(?:[{PARTS}]\d{{3}})+(?:[.,]\d*)?")


class NumberCell(str):
    """A cell that a spreadsheet keeps as a number, written out: its point is a decimal mark."""

    __slots__ = ()


@dataclass(frozen=True)
class Bare:
    """A cell that may be a number: the digits and marks of it, what stood around them, and whether brackets or a minus
    behind it (`aside`) made it negative.
    """

    core: str
    negative: bool
    mark: str
    parted: bool
    aside: bool

    def number(self, decimal: str) -> float | None:
        """Return the number that it is with this decimal mark; None where it is none."""
        core, group = self.core, OTHER[decimal]
        if group in core:
            if not GROUPED[decimal + group].fullmatch(core):
                return None
            core = core.replace(group, "")
        try:
            value = float(core.replace(decimal, "."))
        except ValueError:
            return None
        return -value if self.negative else value

    @property
    def proves(self) -> str:
        """The decimal mark without which it is no number; empty where both do."""
        if self.core.lower().find("e") >= 0 or not any(mark in self.core for mark in ".,"):
            return ""
        if EITHER.fullmatch(self.core) and not self.parted:
            return ""
        return next((mark for mark in ".," if self.number(mark) is not None), "")


def bare_number(cell: str) -> Bare | None:
    """Return a cell without what stands around its number; None for a cell that holds none.

    >>> bare_number("1.234,50 €").number(","), bare_number("(12%)").number("."), bare_number("498-").number(".")
    (1234.5, -12.0, -498.0)
    >>> bare_number("21.06.2009"), bare_number("red")
    (None, None)
    """
    text = cell.strip().replace("\u2212", "-")
    bracketed = text.startswith("(") and text.endswith(")")
    found = WRITTEN.fullmatch(text[1:-1].strip() if bracketed else text)
    if found is None or (found["sign"] and found["inner"]) or (found["before"] and found["after"]):
        return None
    core = found["core"]
    parted = any(part in core for part in PARTS)
    if parted and not SPACED.fullmatch(core):
        return None
    if parted:
        core = "".join(each for each in core if each not in PARTS)
    sign = found["sign"] or found["inner"]
    aside = bracketed or found["behind"] == "-"
    if aside and (sign or (bracketed and found["behind"])):
        return None
    bare = Bare(core, aside or sign == "-", found["before"] or found["after"], parted, aside)
    return None if bare.number(".") is None and bare.number(",") is None else bare


def number_in(cell: str) -> float | None:
    """Return the number in a cell, with a decimal point if it may have one, else with a comma; None for text.

    >>> number_in("1.5 €"), number_in("1,5"), number_in("red")
    (1.5, 1.5, None)
    """
    found = bare_number(cell)
    if found is None:
        return None
    one = found.number(".")
    return found.number(",") if one is None else one


def is_money(sign: str) -> bool:
    """Return whether a sign is one of money, of which several may mean the same.

    >>> is_money("€"), is_money("EUR"), is_money("mm")
    (True, True, False)
    """
    return re.fullmatch(MONEY, sign) is not None
