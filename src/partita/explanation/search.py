"""Search for a rule: conditions that hold for the items of a cluster and for few others.

Conditions are added one at a time, those that raise Matthews' correlation [matthews1975] between "the rule picks it"
and "it is in the cluster" most: the root of chi squared over N of that table. Unlike accuracy or F1 it is zero for a
rule that picks everything, whatever the size of the cluster. The `WIDTH` best rules of each length go on. Of conditions
that do equally well the one with the widest gap is taken, as a share of the range of its column, so that neither units
nor the order of columns matter. A condition has to be worth its words: it raises the correlation by `WORTH`, and N
times its square by more than the best of that many conditions would by chance. At last the thresholds are refined
(`partita.explanation.refine`).

Such a box is a path of a decision tree that is searched for one cluster's sake, and a cousin of PRIM [friedman1999].
Where a cluster is two boxes apart, or lies askew to all columns, no rule of few columns describes it well; the figures
on held-out items say so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Index
from partita.explanation.coding import Coding
from partita.explanation.columns import Column
from partita.explanation.refine import refined
from partita.explanation.rules import Comparison, Condition, number_between
from partita.explanation.shares import TIED, correlation

__all__ = ["find_rule"]


# What a condition must add to the correlation.
WORTH = 0.02
# Boxes kept at each step. A cluster between two others is cut off by two conditions of which neither alone says much.
WIDTH = 4
# Categories that a condition names at most.
NAMED = 4


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


class Kind:
    """What a condition does at the code that it names, in the order in which conditions are listed."""

    AT_MOST, ABOVE, MISSING, KNOWN, WORDS = range(5)


@dataclass(frozen=True)
class Candidates:
    """Weight of the rows that each possible condition would leave, in the cluster and in all; its code, and where the
    conditions of each kind begin and the last one ends.
    """

    hits: Array
    picked: Array
    code: Index
    begins: tuple[int, ...]

    def kind(self, at: int) -> int:
        """Return the kind of a condition."""
        return bisect_right(self.begins, at) - 1


@dataclass(frozen=True, eq=False)
class Step:
    """A box on the way, the rows in it, and its correlation; the gap and the column of its last condition."""

    box: Box
    rows: Index
    score: float
    gap: float = 0.0
    name: str = ""


def find_rule(
    coding: Coding,
    positive: NDArray[np.bool_],
    weights: Array,
    rows: Index,
    number: float,
    max_columns: int,
    total: Array | None = None,
) -> tuple[Condition, ...]:
    """Return the conditions that tell the positive rows from the others, the strongest first; none where none is worth
    it.

    Parameters
    ----------
    coding : Coding
    positive : array of N bool
    weights : array of N
    rows : array
        The rows to look at; the others are as if they were not there.
    number : float
        How many independent items these are worth.
    max_columns : int
        Columns that the rule speaks of at most. One of numbers may be bounded on both sides.
    total : array, optional
        `coding.counts(rows, weights)` where it is known.

    Cost: rows times columns for the first condition, less for the next, as they hold for fewer rows.
    """
    inside, whole = float(weights[rows][positive[rows]].sum()), float(weights[rows].sum())
    price = 2 * np.log(coding.n_codes)  # about the largest of so many chi squared
    best = Step(Box(), rows, 0.0)
    beam = [best]
    for _ in range(2 * max_columns):
        grown: dict[Any, Step] = {}
        for step in beam:
            counted = coding.counts(step.rows, weights) if total is None else total
            hits = coding.counts(step.rows[positive[step.rows]], weights)
            for each in _grown(step, coding, hits, counted, inside, whole, max_columns):
                grown.setdefault(each.box.key, each)
        total = None
        beam = sorted(grown.values(), key=lambda each: (-round(each.score, 9), -round(each.gap, 9), each.name))[:WIDTH]
        if not beam or beam[0].score < best.score + WORTH:
            break
        if number * (beam[0].score ** 2 - best.score**2) < price:
            break
        best = beam[0]
    return refined(best.box.conditions(coding), coding.columns, positive, weights, rows)


def _grown(
    step: Step, coding: Coding, hits: Array, counted: Array, inside: float, whole: float, max_columns: int
) -> Iterator[Step]:
    """The box with one more condition: the best on each column, of the few columns where that is best."""
    found = _candidates(coding, hits, counted)
    score = correlation(found.hits, found.picked, inside, whole)
    of = coding.column_of[found.code]
    if len(step.box.allowed) == max_columns:
        told = np.zeros(len(coding.columns), dtype=bool)
        told[list(step.box.allowed)] = True
        score[~told[of]] = 0.0
    top = np.zeros(len(coding.columns))
    np.maximum.at(top, of, score)
    for column in np.lexsort((coding.by_name, -np.round(top, 9)))[:WIDTH].tolist():
        if top[column] <= step.score + TIED:
            return
        tied = ((of == column) & (score >= top[column] - TIED)).nonzero()[0]
        at = int(tied[np.argmax(coding.gap[found.code[tied]])])
        known = found.begins[Kind.KNOWN] + column
        if score[known] >= top[column] - WORTH:  # is a threshold worth more than that there is a number at all?
            at = known
        codes = _codes_of(coding, found, at, hits, counted)
        rows = step.rows[codes[coding.codes[step.rows, column]]]
        gap = float(coding.gap[found.code[at]])
        yield Step(step.box.narrowed(column, codes), rows, float(score[at]), gap, coding.columns[column].name)


def _candidates(coding: Coding, hits: Array, counted: Array) -> Candidates:
    """Every condition on one column: a cut after a code, a missing cell, or a set of categories."""
    cuts, missing = coding.cuts, coding.missing
    order, begins, present = _by_share(coding, hits, counted)
    rank = np.arange(len(order)) - begins + 1
    # For two classes only sets of the categories with the largest shares need be tried [breiman1984, section 4.2.2];
    # those are kept of which the set or its complement is short enough to be read.
    short = (rank < present) & (np.minimum(rank, present - rank) <= NAMED)
    sums = []
    for each in (hits, counted):
        run = np.cumsum(each)
        before = coding.before(run)
        gaps = each[missing]
        known = run[missing] - gaps - before
        below = run[cuts] - before[coding.column_of[cuts]]
        words = np.cumsum(each[order])
        above = known[coding.column_of[cuts]] - below
        of_sets = (words - np.concatenate([[0.0], words])[begins])[short]
        sums.append(np.concatenate([below, above, gaps, known, of_sets]))
    code = np.concatenate([cuts, cuts, missing, missing, order[short]])
    lengths = [len(cuts), len(cuts), len(missing), len(missing), int(short.sum())]
    return Candidates(sums[0], sums[1], code, tuple(accumulate(lengths, initial=0)))


def _by_share(coding: Coding, hits: Array, counted: Array) -> tuple[Index, Index, Index]:
    """Codes of the categories that occur, by column and the share of the cluster, the largest first; for each where
    its column begins among them, and how many of that column there are.
    """
    order = (coding.is_word & (counted > 0)).nonzero()[0]
    share = np.round(hits[order] / counted[order], 9)
    order = order[np.lexsort((-share, coding.column_of[order]))]
    of = coding.column_of[order]
    start = np.searchsorted(of, of)
    return order, start, np.searchsorted(of, of, side="right") - start


def _codes_of(coding: Coding, found: Candidates, at: int, hits: Array, counted: Array) -> NDArray[np.bool_]:
    """The codes that a condition allows."""
    code, kind = int(found.code[at]), found.kind(at)
    first, missing = coding.known_codes(int(coding.column_of[code]))
    out = np.zeros(coding.n_codes, dtype=bool)
    if kind == Kind.WORDS:
        order, start, present = _by_share(coding, hits, counted)
        last = int((order == code).nonzero()[0][0])
        inside, outside = order[start[last] : last + 1], order[last + 1 : start[last] + present[last]]
        fewer = len(inside) <= len(outside)
        out[first:missing] = not fewer
        out[inside if fewer else outside] = fewer
    elif kind == Kind.MISSING:
        out[missing] = True
    elif kind == Kind.KNOWN:
        out[first:missing] = True
    elif kind == Kind.AT_MOST:
        out[first : code + 1] = True
    else:
        out[code + 1 : missing] = True
    return out


def _of_words(column: Column, place: int, chosen: NDArray[np.bool_]) -> Condition:
    """The categories that are allowed, or those that are not where these are fewer."""
    few = bool(chosen.sum() <= (~chosen).sum())
    words = tuple(word for word, each in zip(column.categories or (), chosen, strict=True) if each == few)
    return Condition(column.name, place, "in" if few else "not in", words)


def _of_cut(coding: Coding, place: int, comparison: Comparison, code: int) -> Condition:
    column, below, above = coding.columns[place], float(coding.below[code]), float(coding.above[code])
    of_two = (below, above) if column.has_two_values else None
    return Condition(column.name, place, comparison, number_between(below, above), of_two)
