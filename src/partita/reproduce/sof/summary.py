"""Summary of the cells of Tables 3 to 5 by one score: runs, means, who is best, and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from partita.reproduce.sof.methods import METHODS, of_kind
from partita.reproduce.sof.published import PUBLISHED
from partita.reproduce.sof.sets import SETS

__all__ = ["Summary"]

# The first is the default, for any size; the others show what its options do, the last two for a few seconds more.
RANKED = (
    "SoftClustering",
    "SoftClustering, equal",
    "SoftClustering, ensemble",
    "SoftClustering, ensemble, equal",
)


@dataclass(frozen=True)
class Summary:
    """Scores by method and set.

    Attributes
    ----------
    score : str
        "purity", "rand" or "accuracy".
    runs : mapping of str to mapping of str to list of float
        One number for each run, by method and then set.
    """

    score: str
    runs: Mapping[str, Mapping[str, list[float]]]

    @classmethod
    def of(cls, found: Mapping[str, Mapping[str, Any]], score: str) -> Summary:
        """Make the summary from cells "set/method/run"; runs in order."""
        runs: dict[str, dict[str, list[float]]] = {name: {} for name in METHODS}
        for key in sorted(found, key=lambda key: int(key.rsplit("/", 1)[1])):
            set_name, method, _ = key.split("/")
            runs[method].setdefault(set_name, []).append(float(found[key][score]))
        return cls(score, runs)

    @property
    def sets(self) -> list[str]:
        """Sets that were run, in the paper's order."""
        return [name for name in SETS if name in self.runs["SoF"]]

    def mean(self, method: str, set_name: str) -> float | None:
        """Return the mean over the runs; None where the method was not run."""
        scores = self.runs[method].get(set_name)
        return float(np.mean(scores)) if scores else None

    def published(self, method: str, set_name: str) -> float | None:
        """Return the paper's figure; None for a row that it has not."""
        row = PUBLISHED[self.score].get(method)
        return None if row is None else row[set_name].value

    def contest(self, set_name: str) -> dict[str, list[float]]:
        """Return the runs of the paper's ten methods."""
        return {method.name: self.runs[method.name][set_name] for method in of_kind("paper")}

    def best(self, set_name: str) -> list[str]:
        """Return the highest mean of the ten."""
        return best_of({name: float(np.mean(runs)) for name, runs in self.contest(set_name).items()})

    def dagger(self, method: str, set_name: str) -> bool:
        """Return whether one of the ten is better than the other nine."""
        return better_than_all(self.contest(set_name), method)

    def row(self, method: str) -> list[float]:
        """Return means on all sets that were run."""
        return [float(np.mean(self.runs[method][name])) for name in self.sets]

    def ranks_with(self, extra: str) -> dict[str, float]:
        """Return the mean ranks of the paper's ten methods, as run here, and one more."""
        return mean_ranks({name: self.row(name) for name in [*(m.name for m in of_kind("paper")), extra]})

    def ranks_among_published(self, extra: str) -> dict[str, float]:
        """Return the mean ranks of the paper's ten rows as printed, and one more of ours."""
        printed = PUBLISHED[self.score]
        rows = {name: [printed[name][each].value for each in self.sets] for name in printed}
        return mean_ranks({**rows, extra: [round(mean, 2) for mean in self.row(extra)]})


# Means over runs, mean ranks over sets, and who is better than all others by the Wilcoxon signed-rank test.


# Means that differ by less are the same up to rounding.
ROUNDING = 1e-9
LEVEL = 0.05


def signed_rank(first: Sequence[float], second: Sequence[float]) -> float:
    """Return two-sided p of the signed-rank test on paired runs.

    Pairs that do not differ are left out, as Wilcoxon did.

    One where no pair differs. Exact for up to 50 pairs without ties among the differences, normal otherwise (SciPy).

    >>> round(signed_rank([2.0, 3.0, 5.0], [1.0, 1.0, 1.0]), 2), signed_rank([1.0, 2.0], [1.0, 2.0])
    (0.25, 1.0)
    """
    difference = np.asarray(first) - np.asarray(second)
    difference = difference[np.abs(difference) > ROUNDING]
    return float(wilcoxon(difference).pvalue) if len(difference) else 1.0


def best_of(means: Mapping[str, float]) -> list[str]:
    """Return names with the highest mean; several where they tie.

    >>> best_of({"a": 0.5, "b": 0.7, "c": 0.7})
    ['b', 'c']
    """
    top = max(means.values())
    return [name for name, mean in means.items() if mean >= top - ROUNDING]


def better_than_all(runs: Mapping[str, Sequence[float]], name: str, level: float = LEVEL) -> bool:
    """Return whether one method's mean is above each other's, each difference with p <= level.

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
    """Return each method's rank (1 is the highest score, ties share theirs) averaged over the sets.

    >>> mean_ranks({"a": [0.9, 0.5], "b": [0.8, 0.5], "c": [0.1, 0.7]})
    {'a': 1.75, 'b': 2.25, 'c': 2.0}
    """
    table = np.round(np.array(list(scores.values()), dtype=float), 9)
    ranks = rankdata(-table, axis=0).mean(axis=1)
    return dict(zip(scores, ranks.tolist(), strict=True))
