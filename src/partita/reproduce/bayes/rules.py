"""Rules by which a claim counts as reproduced: one for each kind of claim, from numbers alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partita.reproduce.outcome import Verdict

__all__ = ["by_parts", "by_share", "mean_and_error", "within"]


def by_share(share: float, *, whole: float = 0.9, part: float = 0.5) -> Verdict:
    """Return the verdict on a share of comparisons that came out: most of them, at least half, fewer.

    >>> by_share(0.95), by_share(0.6), by_share(0.2)
    ('reproduced', 'in part', 'not reproduced')
    """
    return "reproduced" if share >= whole else "in part" if share >= part else "not reproduced"


def by_parts(*held: bool) -> Verdict:
    """Return the verdict on a claim with several parts: all, some, none.

    >>> by_parts(True, True), by_parts(True, False), by_parts(False)
    ('reproduced', 'in part', 'not reproduced')
    """
    return "reproduced" if all(held) else "in part" if any(held) else "not reproduced"


def within(ours: float, error: float | None, published: float, published_error: float, slack: float) -> bool:
    """Return whether two means differ by no more than 2.6 standard errors of the difference (99%), or by `slack`."""
    spread = np.hypot(0.0 if error is None else error, published_error)
    return abs(ours - published) <= max(2.6 * float(spread), slack)


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and standard error; no error of one value.

    >>> mean_and_error([1.0, 3.0]), mean_and_error([2.0])
    ((2.0, 1.0), (2.0, None))
    """
    n = len(values)
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else None
