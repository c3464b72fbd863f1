"""The simulation of [bayes-nmf] section 5.1.1, computed once for Table 3 and Figure 2.

A replicate is a set of items, one chain and its similarity matrix. Cells make them again from the same random
numbers, which costs 1.5 seconds and saves 400 x 400 numbers on disk; a process keeps the last few matrices. Cells are
"TTT/0/partitions" (what needs no factorization), "TTT/0/start/3" (a random start of all four, for every K) and
"TTT/rule" (what no method can beat on average: the rule that knows the parameters, on many sets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Labels
from partita.reproduce.bayes.factorizing import Criterion, Scaling, chosen, factorized, sof_swept
from partita.reproduce.bayes.published import CONFIGURATIONS, CONVENTIONAL, NMF, SCORES
from partita.reproduce.bayes.rules import mean_and_error
from partita.reproduce.bayes.sampling import conventional, literal_prior, paper_chain, scores, settings_of
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers

if TYPE_CHECKING:
    from partita.datasets import GaussianConfiguration

__all__ = [
    "EXTRA",
    "ORACLE",
    "OTHER_CHAINS",
    "REPLICATES",
    "RULE_SETS",
    "STARTS",
    "STORE",
    "Simulation",
    "by_method",
    "configuration",
]


STORE = "bayes-nmf-simulation"
REPLICATES: dict[Size, int] = {"full": 10, "quick": 2, "smoke": 1}
STARTS: dict[Size, int] = {"full": 10, "quick": 1, "smoke": 1}
# Sets on which the rule that knows the parameters is tried.
RULE_SETS = 200

SAME_CHAIN = "SoF on the same matrix"
SEARCHED = "least Binder loss, searched"
OURS = "Partita's defaults"
ORACLE = "Bayes rule, true parameters"
EXTRA = (SAME_CHAIN, SEARCHED, OURS, ORACLE)
OTHER_CHAINS = {
    "kmeans": "30 clusters of k-means (taken)",
    "random": "30 random clusters",
    "one": "one cluster",
    "literal": "k-means, the prior as printed",
}


def configuration(name: str) -> GaussianConfiguration:
    """Return one of the eight, by its three letters."""
    from partita.datasets import eight_configurations

    return next(each for each in eight_configurations() if each.name == name)


class Simulation(Experiment):
    """Cells of the simulation; its table and its figure say what is made of them."""

    paper = "bayes-nmf"
    store = STORE

    def cells(self, size: Size) -> Sequence[Cell]:
        settings = settings_of(size)
        n = REPLICATES[size] if self.replicates is None else self.replicates
        ends = ["partitions", *(f"start/{s}" for s in range(STARTS[size]))]
        return [
            *(Cell(f"{name}/rule", {"sets": 5 if size == "smoke" else RULE_SETS}) for name in CONFIGURATIONS),
            *(Cell(f"{name}/{r}/{end}", settings) for r in range(n) for end in ends for name in CONFIGURATIONS),
        ]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        name, replicate, *what = cell.key.split("/")
        if replicate == "rule":
            given = configuration(name)
            sets = [given.draw(rng) for _ in range(cell.settings["sets"])]
            said = [scores(given.posterior(X).argmax(axis=1), truth) for X, truth in sets]
            return {score: mean_and_error([each[score] for each in said]) for score in SCORES}
        at = (name, replicate, self.seed, tuple(cell.settings.items()))
        if what[0] == "start":
            V, truth = _similarity(*at)
            start = int(rng.integers(2**31))
            return dict(factorized(V, start, cell.settings, lambda labels: scores(labels, truth)))
        return _partitions(*_items(*at), cell.settings)


def _items(
    name: str, replicate: str, seed: int, settings: tuple[tuple[str, Any], ...]
) -> tuple[GaussianConfiguration, Array, Labels, int]:
    """The mixture of a replicate, its items, their true clusters, and the seed of its chain."""
    rng, given = random_numbers(STORE, f"{name}/{replicate}", seed), configuration(name)
    given = replace(given, sizes=tuple(n // dict(settings)["divided"] for n in given.sizes))
    X, truth = given.draw(rng)
    return given, X, truth, int(rng.integers(2**31))


@lru_cache(maxsize=len(CONFIGURATIONS))
def _similarity(
    name: str, replicate: str, seed: int, settings: tuple[tuple[str, Any], ...]
) -> tuple[NDArray[Any], Labels]:
    """The similarity matrix of a replicate, and its true clusters: starts of all mixtures are computed in turns."""
    _, X, truth, start = _items(name, replicate, seed, settings)
    V = paper_chain(X, start, dict(settings)).similarity
    for array in (V, truth):
        array.setflags(write=False)
    return V, truth


def _partitions(
    given: GaussianConfiguration, X: Array, truth: Labels, seed: int, settings: Mapping[str, Any]
) -> Numbers:
    from partita import BayesianPartition, DPGaussianMixture

    def say(labels: Any) -> Numbers:
        return scores(labels, truth)

    draws = paper_chain(X, seed, settings)
    found: Numbers = {name: say(labels) for name, labels in conventional(draws).items()}
    found[SAME_CHAIN] = sof_swept(draws.similarity, settings, say)
    searched = BayesianPartition("binder", random_state=seed).fit(draws.labels, weights=draws.counts)
    found[SEARCHED] = say(searched.labels_)
    length = {"burn_in": min(1000, settings["burn_in"]), "n_draws": min(1000, settings["draws"])}
    sampled = DPGaussianMixture(random_state=seed, n_jobs=1, **length).fit(X)
    found[OURS] = say(BayesianPartition(random_state=seed).fit_predict(sampled.draws_, chain=sampled.chain_))
    found[ORACLE] = say(given.posterior(X).argmax(axis=1))
    found["chains"] = {"kmeans": found["MinVI"]}
    for other in ("random", "one"):
        found["chains"][other] = say(conventional(paper_chain(X, seed, settings, start=other))["MinVI"])
    found["chains"]["literal"] = say(conventional(paper_chain(X, seed, settings, prior=literal_prior(X)))["MinVI"])
    return found


def by_method(
    found: Mapping[str, Numbers], *, criterion: Criterion = "binder", scaling: Scaling = "plain"
) -> dict[tuple[str, str], list[Numbers]]:
    """Return results of each replicate, by method and configuration."""
    gathered: dict[tuple[str, str], list[Numbers]] = {}
    starts: dict[tuple[str, str], list[Numbers]] = {}
    for key, numbers in found.items():
        name, replicate, *what = key.split("/")
        if replicate == "rule":
            continue
        if what[0] == "start":
            starts.setdefault((name, replicate), []).append(numbers)
            continue
        for method in (*CONVENTIONAL, *EXTRA):
            gathered.setdefault((method, name), []).append(numbers[method])
        for other in OTHER_CHAINS:
            gathered.setdefault((other, name), []).append(numbers["chains"][other])
    for (name, _), some in starts.items():
        for method in NMF.values():
            best = chosen([each[method] for each in some], criterion=criterion, scaling=scaling)
            gathered.setdefault((method, name), []).append(best)
    return gathered
