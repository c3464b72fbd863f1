"""A box: the codes that a rule allows of each column that it speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partita.explanation.coding import Coding
from partita.explanation.columns import Column
from partita.explanation.rules import Comparison, Condition, number_between

__all__ = ["Box"]


@dataclass(frozen=True, eq=False)
class Box:
    """Codes that a rule allows, of each column that it speaks of; in the order in which they came in."""

    allowed: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def key(self) -> frozenset[tuple[int, bytes]]:
        """Key that is equal for two boxes with the same conditions."""
        return frozenset((column, codes.tobytes()) for column, codes in self.allowed.items())

    def narrowed(self, column: int, codes: NDArray[np.bool_]) -> Box:
        """Return the box with one more condition."""
        before = self.allowed.get(column)
        return Box(self.allowed | {column: codes if before is None else before & codes})

    def conditions(self, coding: Coding) -> tuple[Condition, ...]:
        """Return what the box allows as conditions, with thresholds between neighbouring values."""
        out: list[Condition] = []
        for place, allowed in self.allowed.items():
            column, own = coding.columns[place], np.flatnonzero(coding.column_of == place)
            chosen, missing = allowed[own[:-1]], bool(allowed[own[-1]])
            if missing:
                out.append(Condition(column.name, place, "missing"))
            elif chosen.all():
                out.append(Condition(column.name, place, "known"))
            elif column.categories is not None:
                out.append(_of_words(column, place, chosen))
            else:
                inside = own[:-1][chosen]
                if inside[0] > own[0]:
                    out.append(_of_cut(coding, place, ">", inside[0] - 1))
                if inside[-1] < own[-2]:
                    out.append(_of_cut(coding, place, "<=", inside[-1]))
        return tuple(out)


def _of_words(column: Column, place: int, chosen: NDArray[np.bool_]) -> Condition:
    """The categories that are allowed, or those that are not where these are fewer."""
    few = bool(chosen.sum() <= (~chosen).sum())
    words = tuple(word for word, each in zip(column.categories or (), chosen, strict=True) if each == few)
    return Condition(column.name, place, "in" if few else "not in", words)


def _of_cut(coding: Coding, place: int, comparison: Comparison, code: int) -> Condition:
    value = number_between(float(coding.below[code]), float(coding.above[code]))
    return Condition(coding.columns[place].name, place, comparison, value)
