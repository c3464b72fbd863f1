"""How a field of a command's options is typed: its flags, the words for what it takes, and its value from text.

Values are read here and not by typer, so that a wrong one is told in our words whatever typer's version: what was
expected, what came, and which word was meant.
"""

from __future__ import annotations

import difflib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from partita.cli.options import Of, Owner
from partita.errors import InputError
from partita.registry import did_you_mean

__all__ = ["Spelled", "flag_meant", "listed_or", "shown", "spelled"]

# Options up to which a page of help shows all of them.
FEW = 12
# How alike a word must be to another name of an option, of which there are many, to be taken for it.
CLOSE = 0.85
# How alike a word must be to the flag itself: a slip in one of four letters, and no less.
SLIP = 0.75
METAVARS = {int: "INT", float: "NUMBER", str: "TEXT", Path: "PATH"}


@dataclass(frozen=True)
class Spelled:
    """A field of a command's options, as the command line has it.

    Attributes
    ----------
    name : str
        Name of the field.
    kind : type
        Type of its values, None aside.
    info : ArgumentInfo or OptionInfo
        Its help, metavar and range.
    of : Of
        Its owner.
    default : object
        Its default; `dataclasses.MISSING` where it must be given.
    """

    name: str
    kind: Any
    info: ArgumentInfo | OptionInfo
    of: Of
    default: Any

    @property
    def argument(self) -> bool:
        """Return whether it is given by its place and not by a flag."""
        return isinstance(self.info, ArgumentInfo)

    @property
    def many(self) -> bool:
        """Return whether it may be given any number of times."""
        return get_origin(self.kind) is tuple

    @property
    def flags(self) -> tuple[str, ...]:
        """The long flag, and the short one after it; none of an argument."""
        words = (self.info.default, *(self.info.param_decls or ()))  # typer keeps the first spelling as a default
        declared = tuple(word for word in words if isinstance(word, str) and word.startswith("-"))
        return () if self.argument else declared or ("--" + self.name.replace("_", "-"),)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it takes, where it takes no others."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def takes(self) -> str:
        """Word for the value behind the flag; empty for a flag without a value."""
        if self.kind is bool:
            return ""
        return self.info.metavar or "|".join(self.choices) or METAVARS[self.kind]

    @property
    def default_words(self) -> str:
        """Default in words; empty where its help says it, or there is nothing to say."""
        if isinstance(self.info.show_default, str):
            return self.info.show_default
        return "" if any(self.default is none for none in (MISSING, None, False)) else str(self.default)

    def value(self, text: Any) -> Any:
        """Return the value that a text means, or a tuple of those of several.

        Raises
        ------
        InputError
            For a word that is none of the choices, text for a number, and a number out of its range.
        """
        if self.many:
            return tuple(get_args(self.kind)[0](each) for each in text)
        place = f"{self.flags[0]} {text}" if self.flags else f"{self.info.metavar}: {text}"
        if self.choices:
            if text not in self.choices:
                near = did_you_mean(text, self.choices)
                raise InputError(f"{place}: expected {listed_or(self.choices)}{near}")
            return text
        if self.kind not in (int, float):
            return self.kind(text)
        least, most = self.info.min, self.info.max
        try:
            number = self.kind(text)
            if (least is None or number >= least) and (most is None or number <= most):
                return number
        except ValueError:
            pass
        raise InputError(
            f"{place}: expected {'a whole number' if self.kind is int else 'a number'}{_range(least, most)}"
        )


def _range(least: float | None, most: float | None) -> str:
    """Words for a range.

    >>> _range(0, 2), _range(1, None), _range(None, None)
    (' from 0 to 2', ' of at least 1', '')
    """
    if least is None:
        return ""
    return f" of at least {least:g}" if most is None else f" from {least} to {most}"


def listed_or(words: tuple[str, ...]) -> str:
    """Return words to choose from.

    >>> listed_or(("mean", "max")), listed_or(("a", "b", "c"))
    ('mean or max', 'one of a, b, c')
    """
    return " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"


def spelled(kind: type[Any]) -> tuple[Spelled, ...]:
    """Return the fields of a command's options, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_spelled(field.name, hints[field.name], field.default) for field in fields(kind))


def _spelled(name: str, hint: Any, default: Any) -> Spelled:
    kind, info, *rest = get_args(hint)
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return Spelled(name, kind, info, rest[0] if rest else Of("evidence", common=True), default)


def shown(kind: type[Any], *, everything: bool) -> dict[Owner, list[Spelled]]:
    """Return the options of a page of help by owner: all where they are few or asked for, else the common ones."""
    options = [each for each in spelled(kind) if not each.argument]
    everything = everything or len(options) <= FEW
    found: dict[Owner, list[Spelled]] = {}
    for owner in get_args(Owner):
        mine = [each for each in options if each.of.owner == owner and (everything or each.of.common)]
        if mine:
            found[owner] = mine
    return found


def flag_meant(word: str, kind: type[Any]) -> str | None:
    """Return the flag that somebody meant by a word that is none: by meaning, else by its letters.

    >>> from partita.cli.options import FitOptions
    >>> [flag_meant(word, FitOptions) for word in ("--n-cluster", "--output", "--symetrize")]
    ['--k', '--out', '--symmetrize']
    >>> flag_meant("--flavour", FitOptions) is None
    True
    """
    options = [each for each in spelled(kind) if not each.argument]
    plain = word.casefold().replace("_", "-")
    for each in options:
        if plain in (*each.of.also, *each.flags):
            return each.flags[0]
    others = {name.lstrip("-"): each.flags[0] for each in options for name in each.of.also}
    close = difflib.get_close_matches(plain.lstrip("-"), others, n=1, cutoff=CLOSE)
    if close:
        return others[close[0]]
    flags = {each.flags[0].lstrip("-"): each.flags[0] for each in options}
    close = difflib.get_close_matches(plain.lstrip("-"), flags, n=1, cutoff=SLIP)
    return flags[close[0]] if close else None
