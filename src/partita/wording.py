"""Numbers with their nouns, as every message and page has them, and answers as an interpreter shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "ROUNDING",
    "Printed",
    "aligned",
    "count",
    "first_words",
    "in_digits",
    "items",
    "listed",
    "percent",
    "ranges",
]

# Characters of a text that are shown in the place of a name.
FIRST = 48
# Probability below which it is only said to be smaller.
SMALLEST = 0.01
# Rounding error of a sum of weights that is 1.
ROUNDING = 1e-12


class Printed:
    r"""An answer that a notebook shows as `print` does, and any other interpreter by its first line.

    >>> class Answer(Printed):
    ...     def __str__(self):
    ...         return "12 of 13 items\nand why"
    >>> Answer()
    <Answer: 12 of 13 items>
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {str(self).partition(chr(10))[0]}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show it in IPython and Jupyter."""
        printer.text(str(self))


def count(n: int, thing: str) -> str:
    """Return a number with its noun, of which the plural has an s.

    >>> count(1, "draw"), count(1000, "cluster")
    ('1 draw', '1,000 clusters')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def in_digits(p: float) -> str:
    """Return a probability with two digits, or the word that it is smaller.

    >>> in_digits(0.126), in_digits(0.002)
    ('0.13', 'below 0.01')
    """
    return f"{p:.2f}" if p >= SMALLEST else f"below {SMALLEST}"


def first_words(text: str, most: int = FIRST) -> str:
    """Return a text, or its first words where it has more characters than `most`.

    >>> first_words("a name"), first_words("the quick brown fox jumps", 16)
    ('a name', 'the quick brown …')
    """
    if len(text) <= most:
        return text
    kept = text[: most + 1].rpartition(" ")[0] or text[:most]
    return f"{kept} …"


def aligned(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of words as lines, the columns of a table below each other.

    >>> print(aligned([("status", "converged"), ("misfit", "0.12")]))
    status  converged
    misfit  0.12
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def percent(share: float) -> str:
    """Return a share in percent that never rounds to 0 or 100 when it is neither, but for the rounding of a sum.

    >>> percent(0.999), percent(0.42), percent(0.0004), percent(1 - 1e-15)
    ('99.9%', '42%', 'less than 0.1%', '100%')
    """
    if 1 - ROUNDING < share < 1:
        share = 1.0
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    digits = 1 if 0 < share < 0.01 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f}%"


def listed(words: Sequence[str]) -> str:
    """Return words with commas and an "and".

    >>> listed(["50", "43", "57"])
    '50, 43 and 57'
    """
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending whole numbers in words, those that follow each other as a range.

    >>> ranges([2, 3]), ranges([2, 3, 4]), ranges([3, 7, 8, 9, 11])
    ('2 and 3', '2 to 4', '3, 7 to 9 and 11')
    """
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    words = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(n) for n in run] for run in runs]
    return listed([word for run in words for word in run])


def items(n: int) -> str:
    """Return a number with the noun "item" or "items".

    >>> items(1), items(1797)
    ('1 item', '1,797 items')
    """
    return count(n, "item")
