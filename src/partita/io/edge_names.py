"""The names by which the columns of a list of pairs are known, also where a table of features is expected."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["WEIGHT", "ends_and_weight", "ends_of_links"]

ENDS = (("source", "target"), ("from", "to"), ("i", "j"), ("u", "v"))
WEIGHT = "weight"
# Of these a pair alone is enough to take a table for a list of pairs; the others may be coordinates.
TELLING = ENDS[:2]


def ends_and_weight(names: Sequence[str]) -> tuple[int, int, int | None] | None:
    """Return the positions of the columns with known names; None when there are none.

    >>> ends_and_weight(["Source", "Target", "Weight"]), ends_and_weight(["a", "b"])
    ((0, 1, 2), None)
    """
    lower = [name.strip().lower() for name in names]
    for source, target in ENDS:
        if source in lower and target in lower:
            return lower.index(source), lower.index(target), lower.index(WEIGHT) if WEIGHT in lower else None
    return None


def ends_of_links(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns of a table that look like the ends of links; None where it looks like one of features.

    >>> ends_of_links(["Source", "Target", "Id", "Weight"]), ends_of_links(["from", "to", "price", "size"])
    (('Source', 'Target'), None)
    """
    found = ends_and_weight(names)
    if found is None:
        return None
    source, target, weight = found
    pair = (names[source].strip().lower(), names[target].strip().lower())
    alone = len(names) == (2 if weight is None else 3)
    if pair == ENDS[0] or (alone and (pair in TELLING or weight is not None)):
        return names[source], names[target]
    return None
