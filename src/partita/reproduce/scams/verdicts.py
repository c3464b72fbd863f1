"""Verdicts by rule: what a claim says is cut into parts, and each is held against numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from partita.reproduce.outcome import Finding, Verdict

__all__ = ["SLIGHT", "WELL", "degraded_from", "fall", "finding", "graded", "least", "listed", "mean", "shown_to"]

# "consistently well (above 0.9)" [li2014, 5.1.1]; below it a method does badly.
WELL = 0.9
# A fall of the Rand index by more degrades a method.
SLIGHT = 0.1


def graded(parts: Iterable[bool]) -> Verdict:
    """Return the verdict on a claim of which all parts hold, some, or none.

    >>> graded([True, True]), graded([True, False]), graded([False])
    ('reproduced', 'in part', 'not reproduced')
    """
    held = list(parts)
    if all(held):
        return "reproduced"
    return "in part" if any(held) else "not reproduced"


def finding(claim: str, parts: Mapping[str, bool], words: str) -> Finding:
    """Return a claim, its verdict by `graded`, and our figures; parts that do not hold are named.

    >>> finding("Both rise.", {"a rises": True, "b rises": False}, "a .1, b -.1").words
    'a .1, b -.1. Does not hold: b rises.'
    """
    missed = [part for part, holds in parts.items() if not holds]
    said = words.rstrip(".") + "."
    return Finding(claim, graded(parts.values()), said + (f" Does not hold: {'; '.join(missed)}." if missed else ""))


def fall(values: ArrayLike) -> float:
    """Return the fall of a line from its first value to its last, in Rand index.

    >>> fall([1.0, 0.9, 0.6])
    0.4
    """
    line = np.asarray(values, dtype=np.float64)
    return float(line[0] - line[-1])


def least(values: ArrayLike) -> float:
    """Return the smallest; NaN of nothing, of which every comparison is false."""
    found = np.asarray(values, dtype=np.float64)
    return float(found.min()) if found.size else float("nan")


def mean(values: ArrayLike) -> float:
    """Return NaN of nothing."""
    found = np.asarray(values, dtype=np.float64)
    return float(found.mean()) if found.size else float("nan")


def degraded_from(levels: Sequence[float], values: ArrayLike) -> float:
    """Return the first level above 1 at which a line is below .9, infinity where it never is.

    >>> degraded_from([1, 2, 3], [0.2, 1.0, 0.8])
    3.0
    """
    below = [level for level, value in zip(levels, np.asarray(values), strict=True) if level > 1 and value < WELL]
    return float(min(below, default=np.inf))


def shown_to(value: float, digits: int = 3) -> str:
    """Return a score, without the zero before its point.

    >>> shown_to(0.97512), shown_to(1.0), shown_to(-0.25, 2)
    ('.975', '1.000', '-.25')
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(round(value, digits)) < 1 else f"{value:.{digits}f}"


def listed(values: Mapping[str, float], digits: int = 3) -> str:
    """Return names and scores in a row.

    >>> listed({"GH": 0.5, "ST": 1.0})
    'GH .500, ST 1.000'
    """
    return ", ".join(f"{name} {shown_to(float(np.asarray(value)), digits)}" for name, value in values.items())
