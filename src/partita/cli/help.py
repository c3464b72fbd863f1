"""The pages of `--help` and `--help-all`: the options of a command by owner, the common ones or all.

Both are plain text made of the dataclass of the command, so that they stand on the screen before rich is imported.
"""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

from partita.cli.options import Owner
from partita.cli.spelling import Spelled, shown, spelled

__all__ = ["arguments_words", "help_page"]

WIDEST, NARROWEST = 100, 40
# Columns of the flags, beyond which the words of an option begin on a line of their own.
FLAGS = 32
OWNERS: dict[Owner, str] = {
    "evidence": "Evidence: what is read, and how alike items are",
    "input": "Input: how a table is read, where the guess is wrong",
    "model": "Model: what is looked for",
    "search": "Search: how it is found",
    "output": "Output",
}


def help_page(name: str, about: str, kind: type[Any], *, everything: bool) -> str:
    """Return the page of a command; `about` is what it does."""
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))
    options = shown(kind, everything=everything)
    n_more = sum(not each.argument for each in spelled(kind)) - sum(map(len, options.values()))
    arguments = [each for each in spelled(kind) if each.argument]
    parts = [[" ".join(["Usage: partita", name, *arguments_words(kind), "[OPTIONS]"])], textwrap.wrap(about, width)]
    if arguments:
        parts.append([line for each in arguments for line in _lines(_argument(each), _words(each), width)])
    parts.append(["Example:" if len(kind.examples) == 1 else "Examples:", *(f"  {each}" for each in kind.examples)])
    for owner, mine in options.items():
        parts.append([OWNERS[owner], *(line for each in mine for line in _lines(_flags(each), _words(each), width))])
    parts.append(["Help", *_help_lines(n_more, width)])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def arguments_words(kind: type[Any]) -> list[str]:
    """Return the arguments of a command as they are typed, those that may be left out in brackets."""
    given = [each for each in spelled(kind) if each.argument]
    return [f"[{_argument(each)}]" if each.default in (None, ()) else _argument(each) for each in given]


def _argument(each: Spelled) -> str:
    return f"{each.takes} ..." if each.many else each.takes


def _help_lines(n_more: int, width: int) -> list[str]:
    rest = f"The other {n_more} options too." if n_more else "Show this page."
    rows = [("-h, --help", "Show this page."), ("--help-all", rest), ("--debug", "Show the traceback of an error.")]
    return [line for flags, words in rows for line in _lines(_indented(flags), words, width)]


def _flags(each: Spelled) -> str:
    """The flags of an option and what it takes, long flags below each other.

    >>> from partita.cli.options import FitOptions
    >>> [_flags(each) for each in spelled(FitOptions) if each.name in ("k", "seed")]
    ['-k, --k K|K-K|auto|CRITERION', '    --seed INT']
    """
    long, *short = each.flags
    return _indented(", ".join([*short, long])) + (f" {each.takes}" if each.takes else "")


def _indented(flags: str) -> str:
    return flags if flags.startswith("-") and not flags.startswith("--") else f"    {flags}"


def _words(each: Spelled) -> str:
    said = each.info.help or ""
    if each.argument:
        return said
    if each.default_words:
        return f"{said} [{each.default_words}]"
    return said if each.default is None or each.default is False else f"{said} [must be given]"


def _lines(flags: str, words: str, width: int) -> list[str]:
    """An option's lines: its words beside its flags, or below where these are long."""
    beside = min(FLAGS, width // 3)
    wrapped = textwrap.wrap(words, width - beside - 2, break_on_hyphens=False)
    first = f"  {flags}"
    if len(first) < beside and wrapped:
        first, wrapped = f"{first:{beside}}{wrapped[0]}", wrapped[1:]
    return [first, *(" " * beside + line for line in wrapped)]
