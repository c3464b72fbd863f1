"""What is known of the items of a partition beside their draws: a table with a row for each, as its page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.arrays import Array, Labels
from partita.estimators.mixed_table import MixedTable
from partita.explanation import Explanation, explain_clusters
from partita.report.clusters import TOLD_APART, meaning_of_rules, rule_words
from partita.report.document import chip
from partita.report.html import Markup, element, join, table

__all__ = ["ItemColumns"]

# Columns of numbers whose ranges the table of clusters has, and columns whose cells the panel of an item shows.
RANGES, CELLS = 3, 6
# Columns of numbers up to which the map's axes are these.
AXES = 2


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """The columns of the items, and the clusters that they are in.

    Attributes
    ----------
    table : MixedTable
        A row for each item.
    labels : array of N
        Clusters 0..K-1.
    closeness : array, N x K
        How close each item is to each cluster, which says whose items are typical and which clusters are near.
    """

    table: MixedTable
    labels: Labels
    closeness: Array

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; places where they have none."""
        return [str(n) for n in self.table.names or [f"column {j}" for j in range(self.table.shape[1])]]

    @cached_property
    def numeric(self) -> list[int]:
        """Places of the columns that hold numbers."""
        return [j for j, numeric in enumerate(self.table.numeric) if numeric]

    @cached_property
    def explanation(self) -> Explanation:
        """What tells the clusters apart."""
        own = np.eye(self.closeness.shape[1])[self.labels]
        sums = self.closeness.sum(axis=1, keepdims=True)
        shares = np.where(sums > 0, self.closeness / np.where(sums > 0, sums, 1.0), own)
        return explain_clusters(self.table.columns, self.labels, names=self.names, membership=shares)

    @property
    def axes(self) -> tuple[Array, list[str]] | None:
        """The one or two columns of numbers that there are, and their names; None where there are more, or none."""
        if not 1 <= len(self.numeric) <= AXES:
            return None
        return self.table.numbers, [self.names[j] for j in self.numeric]

    def cells(self, items: Sequence[int]) -> tuple[list[str], list[list[str]]]:
        """Return the names of the first columns, and their cells for these items, as text."""
        shown = range(min(CELLS, len(self.names)))
        columns = [self.table.columns[j] for j in shown]
        return [self.names[j] for j in shown], [[_cell(column[i]) for column in columns] for i in items]

    def section(self) -> Markup:
        """Return the table of the clusters: ranges of columns of numbers, and the rule that tells each apart."""
        K, found, shown = self.closeness.shape[1], self.explanation, self._shown()
        rows = []
        for k in np.argsort(-np.bincount(self.labels, minlength=K), kind="stable").tolist():
            own = self.labels == k
            ranges = [range_said(self.table.columns[j][own]) for j in shown]
            rows.append([chip(k), *ranges, *[rule_words(found[k])] * (K > 1)])
        heads = ["Cluster", *(f"{self.names[j]} (range)" for j in shown), *[TOLD_APART] * (K > 1)]
        if len(heads) == 1:
            return Markup("")
        listing = table(heads, rows, long=[len(heads) - 1] * (K > 1), label="Columns of the items")
        said = "Range: the least and the largest value in the cluster."
        meaning = [element("p", meaning_of_rules(found), class_="caption")] * (K > 1)
        return join([listing, element("p", said, class_="caption") if shown else "", *meaning])

    def _shown(self) -> list[int]:
        """The columns of numbers whose ranges are shown: those that rules name first."""
        rules = [one.rule for one in self.explanation if one.rule is not None]
        named = [condition.place for rule in rules for condition in rule.conditions]
        order = sorted(self.numeric, key=lambda j: (-named.count(j), j))
        return sorted(order[:RANGES])


def range_said(values: Array) -> str:
    """Return the least and the largest of numbers; nothing where all are missing.

    >>> range_said(np.array([9172.0, np.nan, 10406.0])), range_said(np.array([1.5]))
    ('9172 to 10406', '1.5')
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return ""
    low, high = _number_said(float(known.min())), _number_said(float(known.max()))
    return low if low == high else f"{low} to {high}"


def _number_said(value: float) -> str:
    """Return a number with six digits.

    >>> _number_said(26690.0), _number_said(1234567.0), _number_said(0.123456789)
    ('26690', '1234567', '0.123457')
    """
    return f"{value:.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else _number_said(float(value))
    return "" if value is None else str(value)
