"""Means over runs, mean ranks over sets, and who is better than all others by the Wilcoxon signed-rank test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import rankdata, wilcoxon

__all__ = ["best_of", "better_than_all", "mean_ranks", "signed_rank"]

# Means that differ by less are the same up to rounding.
ROUNDING = 1e-9
LEVEL = 0.05


def signed_rank(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of the signed-rank test on paired runs; pairs that do not differ are left out, as Wilcoxon did.

    One where no pair differs. Exact for up to 50 pairs without ties among the differences, normal otherwise (SciPy).

    >>> round(signed_rank([2.0, 3.0, 5.0], [1.0, 1.0, 1.0]), 2), signed_rank([1.0, 2.0], [1.0, 2.0])
    (0.25, 1.0)
    """
    difference = np.asarray(first) - np.asarray(second)
    difference = difference[np.abs(difference) > ROUNDING]
    return float(wilcoxon(difference).pvalue) if len(difference) else 1.0


def best_of(means: Mapping[str, float]) -> list[str]:
    """Names with the highest mean; several where they tie.

    >>> best_of({"a": 0.5, "b": 0.7, "c": 0.7})
    ['b', 'c']
    """
    top = max(means.values())
    return [name for name, mean in means.items() if mean >= top - ROUNDING]


def better_than_all(runs: Mapping[str, Sequence[float]], name: str, level: float = LEVEL) -> bool:
    """Whether one method's mean is above each other's, each difference with p <= level.

    Parameters
    ----------
    runs : mapping of str to sequence of float
        Scores of each method's runs, as many for each.
    """
    mean = float(np.mean(runs[name]))
    others = (scores for other, scores in runs.items() if other != name)
    return all(
        mean > float(np.mean(scores)) + ROUNDING and signed_rank(runs[name], scores) <= level for scores in others
    )


def mean_ranks(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Each method's rank (1 is the highest score, ties share theirs) averaged over the sets.

    >>> mean_ranks({"a": [0.9, 0.5], "b": [0.8, 0.5], "c": [0.1, 0.7]})
    {'a': 1.75, 'b': 2.25, 'c': 2.0}
    """
    table = np.round(np.array(list(scores.values()), dtype=float), 9)
    ranks = rankdata(-table, axis=0).mean(axis=1)
    return dict(zip(scores, ranks.tolist(), strict=True))
