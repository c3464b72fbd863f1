"""Conditions on columns, rules that join a few of them by "and", and the words for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partita.explanation.columns import Column
from partita.explanation.shares import Share

__all__ = ["Comparison", "Condition", "Rule", "number_between", "words_of"]

Comparison = Literal["<=", ">", "in", "not in", "missing", "known"]

# Significant digits that tell any two numbers of double precision apart.
DIGITS = 17


@dataclass(frozen=True)
class Condition:
    """A condition on one column.

    Attributes
    ----------
    column : str
    place : int
        Place of the column in the table.
    comparison : {"<=", ">", "in", "not in", "missing", "known"}
        A missing cell meets "missing" and nothing else.
    value : float, tuple of str, or None
        Threshold in the units of the column; categories; None for "missing" and "known".
    of_two : pair of float, optional
        The values of a column that has two of them, for the words alone.

    Examples
    --------
    >>> print(Condition("petal width", 3, "<=", 0.8))
    petal width <= 0.8
    >>> print(Condition("wine", 7, ">", 0.5, (0.0, 1.0)))
    wine is 1
    >>> Condition("colour", 0, "not in", ("red",)).holds(np.array(["red", "blue", None], dtype=object)).tolist()
    [False, True, False]
    """

    column: str
    place: int
    comparison: Comparison
    value: float | tuple[str, ...] | None = None
    of_two: tuple[float, float] | None = field(default=None, compare=False)

    def holds(self, cells: Column | NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells of its column meet the condition."""
        column = cells if isinstance(cells, Column) else Column.of(self.column, np.asarray(cells))
        known = ~np.isnan(column.values)
        if self.comparison == "known":
            return known
        if self.comparison == "missing":
            return ~known
        if isinstance(self.value, tuple):
            listed = np.array([word in self.value for word in column.categories or ()] + [False], dtype=bool)
            within = listed[np.where(known, column.values, -1).astype(np.intp)]
            return within if self.comparison == "in" else known & ~within
        threshold = np.nan if self.value is None else self.value
        return column.values <= threshold if self.comparison == "<=" else column.values > threshold

    def as_dict(self) -> dict[str, Any]:
        """Return column, comparison and value as JSON has them."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"column": self.column, "comparison": self.comparison, "value": value}

    def __str__(self) -> str:
        if self.comparison in ("missing", "known"):
            return f"{self.column} is {self.comparison}"
        if self.of_two is not None:
            return f"{self.column} is {_number(self.of_two[self.comparison == '>'])}"
        if not isinstance(self.value, tuple):
            return f"{self.column} {self.comparison} {_number(self.value)}"
        if self.comparison == "in":
            return f"{self.column} is {_either(self.value, 'or')}"
        return f"{self.column} is {'neither' if len(self.value) > 1 else 'not'} {_either(self.value, 'nor')}"


@dataclass(frozen=True)
class Rule:
    """Conditions that hold together, and how well such rules did on items that they were not searched on.

    Attributes
    ----------
    conditions : tuple of Condition
        All of them hold for an item that the rule picks.
    precision : Share
        Of the held-out items that rules picked, the share in the cluster.
    recall : Share
        Of the held-out items of the cluster, the share that rules picked.

    Examples
    --------
    >>> found = (Condition("x", 0, ">", 1.5), Condition("y", 1, "known"), Condition("x", 0, "<=", 4.0))
    >>> print(Rule(found, Share(1.0, 0.9, 1.0), Share(0.98, 0.9, 1.0)))
    1.5 < x <= 4 and y is known
    """

    conditions: tuple[Condition, ...]
    precision: Share
    recall: Share

    def holds(self, columns: Sequence[Any] | NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows the rule picks, from the columns of a table in the order of the fit (`X.T` of an array)."""
        found = [condition.holds(columns[condition.place]) for condition in self.conditions]
        return np.asarray(np.logical_and.reduce(found))

    def __str__(self) -> str:
        return words_of(self.conditions)


def words_of(conditions: Sequence[Condition]) -> str:
    """Return conditions joined by "and"; two bounds of one column are one interval."""
    bounds: Mapping[tuple[int, str], Condition] = {(each.place, each.comparison): each for each in conditions}
    said = []
    for each in conditions:
        lower, upper = bounds.get((each.place, ">")), bounds.get((each.place, "<="))
        if each in (lower, upper) and lower is not None and upper is not None:
            said.append(f"{_number(lower.value)} < {each.column} <= {_number(upper.value)}")
        else:
            said.append(str(each))
    return " and ".join(dict.fromkeys(said))


def number_between(low: float, high: float) -> float:
    """Return a number t of few digits with low <= t < high: their midpoint, rounded within the middle half of the gap.

    >>> number_between(1.9, 3.0), number_between(2449.0, 2451.0), number_between(-0.25, -0.24)
    (2.5, 2450.0, -0.245)
    """
    middle, quarter = low / 2 + high / 2, high / 4 - low / 4
    for digits in range(1, DIGITS + 1):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high and abs(rounded - middle) <= quarter:
            return rounded
    return low


def _number(value: Any) -> str:
    return repr(float(value)).removesuffix(".0")


def _either(words: Sequence[str], between: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {between} {words[-1]}"
