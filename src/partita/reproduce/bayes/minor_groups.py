"""The example of [bayes-nmf] section 5.1.2: two groups of 15 items and two of three; for Figures 3, 4 and 5.

The paper gives neither means nor covariances. A guess with one parameter: groups of 15 at (-3, 0) and (3, 0), unit
covariances; items 31 to 33 above the right one and 34 to 36 below the left one, standard deviation 1/2, at a distance
that is 4 in the pictures and 3, 4 or 5 in the tables. Each distance has several sets; the pictures show the first of 4,
whatever came out. Cells are "4/0".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.bayes.factorizing import factorized
from partita.reproduce.bayes.published import NMF
from partita.reproduce.bayes.sampling import CHOICES as CHAIN_CHOICES
from partita.reproduce.bayes.sampling import clusters_written, conventional, paper_chain, scores, settings_of
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers

if TYPE_CHECKING:
    from partita.nmf import NMFResult

__all__ = ["CHOICES", "DISTANCES", "SHOWN", "THREE", "TRUTH", "MinorGroups", "generated", "share", "sources"]

STORE = "bayes-nmf-minor-groups"
TRUTH = np.repeat([0, 1, 2, 3], [15, 15, 3, 3])
THREE = ("MinBinder", "MaxPEAR", "MinVI")
DISTANCES = (3, 4, 5)
SHOWN = 4
TIMES: dict[Size, int] = {"full": 20, "quick": 3, "smoke": 1}
STARTS, LARGEST = 10, 8
CHOICES = (
    "The example's means and covariances are not published: two groups of 15 at (-3, 0) and (3, 0), unit covariances; "
    "items 31 to 33 at (3, d) and 34 to 36 at (-3, -d), standard deviation 1/2. Pictures have d = 4, findings count "
    "the sets of d = 4, tables have 3, 4 and 5.",
    *CHAIN_CHOICES,
)


def generated(distance: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return 36 items, a group after the other.

    >>> generated(4, np.random.default_rng(0)).shape
    (36, 2)
    """
    means = np.array([[-3.0, 0.0], [3.0, 0.0], [3.0, distance], [-3.0, -distance]])
    deviations = np.array([1.0, 1.0, 0.5, 0.5])
    noise = rng.standard_normal((len(TRUTH), 2))
    return np.asarray(means[TRUTH] + noise * deviations[TRUTH][:, None])


class MinorGroups(Experiment):
    """Cells of the example."""

    paper = "bayes-nmf"
    store = STORE

    def cells(self, size: Size) -> Sequence[Cell]:
        largest = 4 if size == "smoke" else LARGEST
        settings = {**settings_of(size), "largest_K": largest, "starts": 1 if size == "smoke" else STARTS}
        n = TIMES[size] if self.replicates is None else self.replicates
        return [Cell(f"{distance}/{r}", settings) for r in range(n) for distance in DISTANCES]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        distance, time = cell.key.split("/")
        # The same noise at every distance.
        X = generated(float(distance), random_numbers(STORE, time, self.seed))
        draws = paper_chain(X, int(rng.integers(2**31)), cell.settings)
        V = draws.similarity

        def say(labels: Any) -> Numbers:
            return scores(labels, TRUTH) | {"clusters": clusters_written(labels)}

        def keep(result: NMFResult) -> Numbers:
            if result.n_components not in (2, 4):
                return {}
            model = result.W @ result.H
            soft = result.H.T / result.H.sum(axis=0)[:, None]
            return {"soft": soft.round(5).tolist(), "model": model.round(4).tolist(), "misfit": _apart(V, model)}

        seeds = rng.integers(2**31, size=cell.settings["starts"])
        starts = [factorized(V, int(seed), cell.settings, say, keep, ["ls"])[NMF["ls"]] for seed in seeds]
        best = [min(rows, key=lambda row: float(row["objective"])) for rows in zip(*starts, strict=True)]
        found: Numbers = {"K": best}
        for name, labels in conventional(draws).items():
            same = np.equal.outer(labels, labels).astype(np.float64)
            found[name] = {**say(labels), "labels": labels.tolist(), "misfit": _apart(V, same)}
        return {**found, "X": X.round(4).tolist(), "similarity": V.round(4).tolist()}


def _apart(V: NDArray[np.float64], model: NDArray[np.float64]) -> float:
    """Root mean squared difference over pairs of two items."""
    pairs = np.triu_indices(len(V), 1)
    return float(np.sqrt(np.mean((V - model)[pairs] ** 2)))


def share(found: Mapping[str, Numbers], distance: int, holds: Any) -> tuple[float, int]:
    """Return the share of the sets of a distance for which something holds, and the number of sets."""
    some = [numbers for key, numbers in found.items() if key.startswith(f"{distance}/")]
    return float(np.mean([bool(holds(numbers)) for numbers in some])), len(some)


def sources() -> dict[str, str]:
    """Return sources of the items."""
    return {"36 items": "generated, a guess: see what the paper leaves open"}
