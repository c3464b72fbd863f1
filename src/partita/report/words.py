"""Numbers and lists as English."""

from __future__ import annotations

from collections.abc import Sequence

from partita.wording import count

__all__ = ["items", "listed", "percent"]


def percent(share: float) -> str:
    """Return a share in percent that never rounds to 0 or 100 when it is neither.

    >>> percent(0.999), percent(0.42), percent(0.0004)
    ('99.9%', '42%', 'less than 0.1%')
    """
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


def items(n: int) -> str:
    """Return a number with the noun "item" or "items".

    >>> items(1), items(1797)
    ('1 item', '1,797 items')
    """
    return count(n, "item")
