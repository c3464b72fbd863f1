"""Numbers with their nouns, as every message and page has them."""

from __future__ import annotations

__all__ = ["count"]


def count(n: int, thing: str) -> str:
    """Return a number with its noun, of which the plural has an s.

    >>> count(1, "draw"), count(1000, "cluster")
    ('1 draw', '1,000 clusters')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
