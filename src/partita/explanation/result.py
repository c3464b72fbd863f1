"""What is said of each cluster: as values, as rows, and as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from partita.explanation.rules import Rule
from partita.explanation.shares import Share
from partita.wording import Printed

__all__ = ["ClusterExplanation", "Explanation"]


@dataclass(frozen=True)
class ClusterExplanation:
    """Explanation of one cluster: the rules that tell it from the others.

    Attributes
    ----------
    cluster, size : int
        Its number, and its items.
    rule : Rule, or None
        Against all other items; None where nothing tells it apart.
    reason : str
        Why there is no rule; empty where there is one.
    neighbor : int, or None
        The nearest cluster: the one whose memberships overlap with its own most, or else the one of the nearest centre.
    from_neighbor : Rule, or None
        Against the items of that cluster alone. Of two clusters it is `rule`.
    typical : tuple of int
        Rows of its surest items, of equally sure ones the most central first.
    boundary : tuple of int
        Rows of its items with a margin below 0.2, the most ambiguous first.
    outliers : tuple of int
        Rows of its items that the fit calls outliers.
    """

    cluster: int
    size: int
    rule: Rule | None
    reason: str
    neighbor: int | None
    from_neighbor: Rule | None
    typical: tuple[int, ...]
    boundary: tuple[int, ...]
    outliers: tuple[int, ...]

    @property
    def told_apart(self) -> bool:
        """Return whether there is a rule that does better on held-out items than shuffled labels would let it."""
        return self.rule is not None

    @property
    def precision(self) -> Share | None:
        """Precision of the rule on held-out items."""
        return None if self.rule is None else self.rule.precision

    @property
    def recall(self) -> Share | None:
        """Recall of the rule on held-out items."""
        return None if self.rule is None else self.rule.recall

    @property
    def words(self) -> str:
        """One sentence, without the cluster's number.

        >>> ClusterExplanation(0, 3, None, "too few items to say", None, None, (), (), ()).words
        'Too few items to say.'
        """
        said = self.reason[:1].upper() + self.reason[1:]
        if self.rule is not None:
            precision, recall = _figures(self.rule)
            said = f"{self.rule} (precision {precision}, recall {recall}, on items held out)"
        near = self.from_neighbor
        if near is not None and near is not self.rule:
            same = self.rule is not None and near.conditions == self.rule.conditions
            precision, recall = _figures(near)
            rule = "the same" if same else near
            said += f"; from cluster {self.neighbor} by {rule} (precision {precision}, recall {recall})"
        return said + "."

    def row(self) -> dict[str, Any]:
        """Return everything as a flat dict that JSON can hold."""
        out: dict[str, Any] = {"cluster": self.cluster, "size": self.size, "told_apart": self.told_apart}
        out["reason"] = self.reason
        out |= _row_of(self.rule, "")
        out["neighbor"] = self.neighbor
        out |= _row_of(self.from_neighbor, "from_neighbor_")
        return out | {name: list(getattr(self, name)) for name in ("typical", "boundary", "outliers")}


@dataclass(frozen=True, repr=False)
class Explanation(Printed):
    """Explanation of all clusters of a fit; printed, it is a sentence for each.

    An explanation says what labels are about. Labels that were made from the columns can be told apart by them
    whether or not there are clusters: noise that k-means cuts in three is.

    Attributes
    ----------
    clusters : tuple of ClusterExplanation
    n_items : int
        Rows.
    n_searched : int
        Rows that were looked at: a sample of many.
    """

    clusters: tuple[ClusterExplanation, ...]
    n_items: int
    n_searched: int

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict a cluster, of numbers, words and lists.

        `rule` and `from_neighbor_rule` are words, `conditions` and `from_neighbor_conditions` the same as column,
        comparison and value; precision and recall have a low and a high end; None where there is no rule.
        """
        return [each.row() for each in self.clusters]

    def to_json(self) -> str:
        """Return the rows as JSON."""
        return json.dumps(self.rows(), indent=1)

    def __len__(self) -> int:
        return len(self.clusters)

    def __getitem__(self, cluster: int) -> ClusterExplanation:
        return self.clusters[cluster]

    def __iter__(self) -> Iterator[ClusterExplanation]:
        return iter(self.clusters)

    def __str__(self) -> str:
        lines = [f"Cluster {each.cluster} ({_items(each.size)}): {each.words}" for each in self.clusters]
        if self.n_searched < self.n_items:
            lines.append(f"From a sample of {self.n_searched:,} of the {self.n_items:,} items.")
        return "\n".join(lines)


def percent(value: float) -> str:
    """Return a share in percent, 0 and 100 only where it is that.

    >>> percent(0.996), percent(0.9996), percent(1.0), percent(0.0001)
    ('99.6%', '99.9%', '100%', '0.1%')
    """
    if 0.005 <= value < 0.99 or value in (0, 1):
        return f"{100 * value:.0f}%"
    return f"{min(99.9, max(0.1, 100 * value)):.1f}%"


def _figures(rule: Rule) -> tuple[str, str]:
    return percent(rule.precision.value), percent(rule.recall.value)


def _row_of(rule: Rule | None, prefix: str) -> dict[str, Any]:
    out: dict[str, Any] = {
        f"{prefix}rule": None if rule is None else str(rule),
        f"{prefix}conditions": [] if rule is None else [each.as_dict() for each in rule.conditions],
    }
    for name in ("precision", "recall"):
        found: Share | None = None if rule is None else getattr(rule, name)
        out[prefix + name] = None if found is None else found.value
        out[f"{prefix}{name}_low"] = None if found is None else found.low
        out[f"{prefix}{name}_high"] = None if found is None else found.high
    return out


def _items(number: int) -> str:
    return f"{number:,} item{'' if number == 1 else 's'}"
