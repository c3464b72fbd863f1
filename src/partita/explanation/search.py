"""Search for a rule: conditions that hold for the items of a cluster and for few others.

Conditions are added one at a time, each the one that raises Matthews' correlation [matthews1975] between "the rule
picks it" and "it is in the cluster" most: the root of chi squared over N of that table. Unlike accuracy or F1 it is
zero for a rule that picks everything, whatever the size of the cluster. Of conditions that do equally well the one with
the widest gap is taken, as a share of the range of its column, so that neither units nor the order of columns matter. A
condition has to be worth its words: it raises the correlation by `WORTH`, and N times its square by more than the best
of that many conditions would by chance. At last the thresholds are refined (`partita.explanation.refine`).

Such a greedy box is a path of a decision tree that is searched for one cluster's sake, and a cousin of PRIM
[friedman1999]. Where a cluster is two boxes apart, or lies askew to all columns, no rule of few columns describes it
well; the figures on held-out items say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from partita.explanation.box import Box
from partita.explanation.coding import Coding
from partita.explanation.refine import refined
from partita.explanation.rules import Condition
from partita.explanation.shares import TIED, correlation

__all__ = ["find_rule"]

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# What a condition must add to the correlation.
WORTH = 0.02
# Categories that a condition names at most.
NAMED = 4


class Kind(IntEnum):
    """What a condition does at the code that it names."""

    AT_MOST = 0
    ABOVE = 1
    MISSING = 2
    KNOWN = 3
    WORDS = 4


@dataclass(frozen=True)
class Candidates:
    """Weight of the rows that each possible condition would leave, in the cluster and in all; its code and kind."""

    hits: Array
    picked: Array
    code: Index
    kind: NDArray[np.int8]


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
    box, best, chosen = Box(), 0.0, rows
    for _ in range(2 * max_columns):
        counted = coding.counts(chosen, weights) if total is None else total
        total = None
        hits = coding.counts(chosen[positive[chosen]], weights)
        found = _candidates(coding, hits, counted)
        score = correlation(found.hits, found.picked, inside, whole)
        if len(box.allowed) == max_columns:
            score[~np.isin(coding.column_of[found.code], list(box.allowed))] = 0.0
        top = float(score.max())
        price = 2 * np.log(coding.n_codes)  # about the largest of so many chi squared
        if top < best + WORTH or number * (top**2 - best**2) < price:
            break
        at = _widest(coding, found, np.flatnonzero(score >= top - TIED))
        column = int(coding.column_of[found.code[at]])
        known = int(np.flatnonzero((found.kind == Kind.KNOWN) & (found.code == coding.missing[column]))[0])
        if score[known] >= top - WORTH:  # a threshold says as well that there is a number: is it worth more than that?
            at = known
        codes = _codes_of(coding, found, at, hits, counted)
        box, best = box.narrowed(column, codes), float(score[at])
        chosen = chosen[codes[coding.codes[chosen, column]]]
    return refined(box.conditions(coding), coding.columns, positive, weights, rows)


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
        sums.append(
            np.r_[
                below,
                known[coding.column_of[cuts]] - below,
                gaps,
                known,
                (words - np.r_[0.0, words][begins])[short],
            ]
        )
    code = np.r_[cuts, cuts, missing, missing, order[short]]
    lengths = [len(cuts), len(cuts), len(missing), len(missing), int(short.sum())]
    return Candidates(sums[0], sums[1], code, np.repeat(np.array(list(Kind), dtype=np.int8), lengths))


def _by_share(coding: Coding, hits: Array, counted: Array) -> tuple[Index, Index, Index]:
    """Codes of the categories that occur, by column and the share of the cluster, the largest first; for each where
    its column begins among them, and how many of that column there are.
    """
    order = np.flatnonzero(coding.is_word & (counted > 0))
    share = np.round(hits[order] / counted[order], 9)
    order = order[np.lexsort((-share, coding.column_of[order]))]
    of = coding.column_of[order]
    start = np.searchsorted(of, of)
    return order, start, np.searchsorted(of, of, side="right") - start


def _widest(coding: Coding, found: Candidates, tied: Index) -> int:
    """Of conditions that do equally well the one with the widest gap, then the first by its column's name."""
    name = coding.by_name[coding.column_of[found.code[tied]]]
    gap = coding.gap[found.code[tied]]
    return int(tied[np.lexsort((name, -np.round(gap, 9)))[0]])


def _codes_of(coding: Coding, found: Candidates, at: int, hits: Array, counted: Array) -> NDArray[np.bool_]:
    """The codes that a condition allows."""
    code, kind = int(found.code[at]), found.kind[at]
    own: NDArray[np.bool_] = coding.column_of == coding.column_of[code]
    every = np.arange(coding.n_codes)
    if kind == Kind.MISSING:
        return np.asarray(own & coding.is_missing)
    known: NDArray[np.bool_] = own & ~coding.is_missing
    if kind == Kind.KNOWN:
        return known
    if kind == Kind.AT_MOST:
        return np.asarray(known & (every <= code))
    if kind == Kind.ABOVE:
        return np.asarray(known & (every > code))
    order, start, present = _by_share(coding, hits, counted)
    last = int(np.flatnonzero(order == code)[0])
    inside, outside = order[start[last] : last + 1], order[last + 1 : start[last] + present[last]]
    if len(inside) <= len(outside):
        return np.isin(every, inside)
    return np.asarray(known & ~np.isin(every, outside))
