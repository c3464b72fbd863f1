"""Numbers with their nouns, as every message and page has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["aligned", "count"]


def count(n: int, thing: str) -> str:
    """Return a number with its noun, of which the plural has an s.

    >>> count(1, "draw"), count(1000, "cluster")
    ('1 draw', '1,000 clusters')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


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
