"""The names by which the columns of a list of pairs are known, also where a table of features is expected."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["WEIGHT", "WEIGHTS", "ends_and_weight", "ends_of_links"]

ENDS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("idl", "idr"),
    ("ida", "idb"),
    ("idleft", "idright"),
    ("leftid", "rightid"),
    ("ltableid", "rtableid"),
    ("record1", "record2"),
    ("recordid1", "recordid2"),
    ("fromnodeid", "tonodeid"),
    ("fromid", "toid"),
    ("fromnode", "tonode"),
    ("sourceid", "targetid"),
    ("sourcenode", "targetnode"),
    ("i", "j"),
    ("u", "v"),
)
WEIGHT = "weight"
WEIGHTS = (
    *(WEIGHT, "value", "similarity", "affinity", "score", "strength", "count"),
    *("probability", "matchprobability", "matchscore", "similarityscore"),
)
# Of these a pair alone is enough to take a table for a list of pairs; the others may be coordinates.
TELLING = ENDS[:-2]


def ends_and_weight(names: Sequence[str]) -> tuple[int, int, int | None] | None:
    """Return the positions of the columns with known names; None when there are none.

    >>> ends_and_weight(["Source", "Target", "Weight"]), ends_and_weight(["a", "b"])
    ((0, 1, 2), None)
    """
    lower = [_plain(name) for name in names]
    for source, target in ENDS:
        if source in lower and target in lower:
            weight = next((lower.index(name) for name in WEIGHTS if name in lower), None)
            return lower.index(source), lower.index(target), weight
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
    plain = [_plain(name) for name in names]
    pair = (plain[source], plain[target])
    alone = len(names) == (2 if weight is None else 3)
    weighed = weight is not None and (pair == ENDS[-2] or plain[weight] == WEIGHT)
    if pair == ENDS[0] or (alone and (pair in TELLING or weighed)):
        return names[source], names[target]
    return None


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")
