"""Thresholds of a rule searched again, among all values, with its other conditions in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Index
from partita.explanation.columns import Column
from partita.explanation.rules import Condition, number_between
from partita.explanation.shares import TIED, correlation

__all__ = ["refined"]


def refined(
    conditions: tuple[Condition, ...],
    columns: Sequence[Column],
    positive: NDArray[np.bool_],
    weights: Array,
    rows: Index,
) -> tuple[Condition, ...]:
    """Return the conditions with each threshold in turn where the correlation with the positive rows is largest.

    Of thresholds that do equally well the one in the widest gap is taken. Cost: a sort of the rows that the other
    conditions leave, for each threshold.
    """
    found, own = list(conditions), [columns[each.place].rows(rows) for each in conditions]
    held = [each.holds(column) for each, column in zip(found, own, strict=True)]
    inside, whole = float(weights[rows][positive[rows]].sum()), float(weights[rows].sum())
    for at, each in enumerate(found):
        if each.comparison not in ("<=", ">"):
            continue
        others = [h for j, h in enumerate(held) if j != at]
        values = own[at].values
        use = np.flatnonzero(np.logical_and.reduce([~np.isnan(values), *others]))
        use = use[np.argsort(values[use], kind="stable")]
        values, w = values[use], weights[rows[use]]
        cut = np.flatnonzero(np.diff(values) > 0)
        if not len(cut):
            continue
        hits, picked = np.cumsum(w * positive[rows[use]]), np.cumsum(w)
        if each.comparison == "<=":
            score = correlation(hits[cut], picked[cut], inside, whole)
        else:
            score = correlation(hits[-1] - hits[cut], picked[-1] - picked[cut], inside, whole)
        tied = cut[score >= score.max() - TIED]
        width = values[tied + 1] - values[tied]
        best = tied[int(np.argmax(width >= width.max() * (1 - TIED)))]
        found[at] = replace(each, value=number_between(float(values[best]), float(values[best + 1])))
        held[at] = found[at].holds(own[at])
    return tuple(found)
