"""SCAMS as a choice: the partition of least objective gives the number of clusters and a start [li2014].

The local search ends at a partition for a price of a pair, or seeks the price of a number of clusters that is given;
Algorithm 1 with the Boolean factorization may come after it, at its prices, or in its place. What is not chosen here
is the membership, which the fit makes of the same affinity from this start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.affinity import Affinity
from partita.arrays import Labels
from partita.estimators.choosing import Choice, EvidenceByK, NumberOfClusters, judged
from partita.estimators.groups import Groups
from partita.scams import (
    ADMM,
    LocalResult,
    LocalSearch,
    boolean_factorization,
    partition_objective,
    polished,
    scams_admm,
    scams_local,
    scams_with,
)
from partita.scams.pieces import joined_by_price, pieces_of_affinity

__all__ = ["PartitionChoice", "PartitionFound", "PartitionSearch"]


# Objectives that differ by no more, relative to them, are equal.
EQUAL = 1e-9
# Shares beside the one that is used, to see whether the number depends on it.
ASIDE = (0.75, 4.0 / 3.0)


@dataclass(frozen=True, eq=False)
class PartitionFound:
    """A partition of the items that SCAMS found, and what it costs."""

    affinity: Affinity
    labels: Labels
    gamma: float
    objective: float
    objectives: dict[str, float]
    notes: tuple[str, ...]
    search: LocalResult | None = None


@dataclass(frozen=True, eq=False)
class PartitionChoice(Choice):
    """The number of clusters with the partition that has it."""

    found: PartitionFound | None = None


@dataclass(frozen=True)
class PartitionSearch:
    """Search the partition of least objective, choose its number of clusters and start from it.

    Parameters
    ----------
    asked : int, "auto" or the name of a criterion
        "auto" leaves the number to the objective; for another the price of a pair is sought.
    settings : LocalSearch
        Prices and scale of the local search.
    method : {"local", "admm"} or ADMM
    polish : bool or "auto"
        Whether moves follow the ADMM; "auto" does so unless an `ADMM` was given.
    starts : bool
        Whether the membership starts from the partition.
    max_seconds : float, optional
        For the search and for the ADMM, each.
    """

    asked: Any
    settings: LocalSearch
    method: Any = "local"
    polish: Any = "auto"
    starts: bool = True
    max_seconds: float | None = None

    def __call__(self, evidence: EvidenceByK, groups: Groups) -> PartitionChoice:
        """Return SCAMS' own partition, and its number of clusters.

        Raises
        ------
        InputError
            For more clusters than there are distinct items or groups.
        """
        told: int | None = None
        notes: tuple[str, ...] = ()
        if isinstance(self.asked, str) and self.asked != "auto":
            judgement = judged(evidence, self.asked)
            told, notes = judgement.n_clusters, judgement.notes
        elif self.asked != "auto":
            told = NumberOfClusters(self.asked)(evidence, groups).n_clusters
        built = evidence.before_k()
        found = self._found(built.evidence.affinity, told, evidence.seed)
        K, start = int(found.labels.max()) + 1, found.labels if self.starts else None
        notes = (*notes, *found.notes)
        return PartitionChoice(K, start, built=built.serving(K), notes=notes, found=found).within(groups)

    def _found(self, affinity: Affinity, told: int | None, seed: int) -> PartitionFound:
        """The partition of the method, and what every method that was run reached on its objective."""
        if isinstance(self.method, ADMM):
            return self._by_admm(affinity, self.method, seed, polish=self.polish is True)
        by_search, search = self._by_search(affinity, told, seed)
        if self.method == "local":
            return by_search
        settings = ADMM(lam=search.lam, gamma=search.gamma, scale=self.settings.scale)
        found = self._by_admm(affinity, settings, seed, polish=self.polish is not False)
        of_search = set(search.notes) - set(search.search.notes)  # of its partition, not of this one
        notes = (*(note for note in by_search.notes if note not in of_search), *found.notes)
        if found.objective > search.objective + EQUAL * abs(found.objective):
            reached = f"{search.objective:.6g} on this objective, the ADMM {found.objective:.6g}"
            notes = (*notes, f"the local search reached {reached}: its partition is in search_")
        return replace(found, search=search, objectives=found.objectives | by_search.objectives, notes=notes)

    def _by_search(self, affinity: Affinity, told: int | None, seed: int) -> tuple[PartitionFound, LocalResult]:
        """The partition of the local search, of so many clusters if told."""
        aside: tuple[str, ...] = ()
        if told is not None:
            found = scams_with(affinity, told, self.settings, seed=seed)
        else:
            found = scams_local(affinity, self.settings, seed=seed, max_seconds=self.max_seconds)
            aside = self._aside(affinity, found, seed)
        reached, notes = {"local": found.objective}, (*found.notes, *aside)
        return PartitionFound(affinity, found.labels, found.gamma, found.objective, reached, notes, found), found

    def _by_admm(self, affinity: Affinity, settings: ADMM, seed: int, *, polish: bool) -> PartitionFound:
        """The partition of Algorithm 1, Algorithm 2 and moves from where they end."""
        ended = scams_admm(affinity, settings, max_seconds=self.max_seconds)
        A = settings.prepare(affinity)
        labels = boolean_factorization(ended.pattern, A, max_clusters=ended.max_clusters).labels
        np.fill_diagonal(A, 0.0)  # the same for every partition, and for every method left out of the objective
        objective = partition_objective(labels, A, ended.gamma, ended.lam)
        reached = {"admm": objective}
        if polish:
            labels = polished(A, labels, ended.gamma, ended.lam, seed=seed)
            reached["admm, polished"] = objective = partition_objective(labels, A, ended.gamma, ended.lam)
        notes = tuple(joined_by_price(labels, ended.lam, pieces_of_affinity(A)))
        return PartitionFound(affinity, labels, ended.gamma, objective, reached, notes)

    def _aside(self, affinity: Affinity, found: LocalResult, seed: int) -> tuple[str, ...]:
        """Note on the numbers of clusters under other shares; none where they are the same."""
        share = self.settings.share
        if share is None or self.max_seconds is not None:
            return ()
        others = {}
        for factor in ASIDE:
            other = min(share * factor, 0.99)
            others[other] = scams_local(affinity, replace(self.settings, share=other), seed=seed).n_clusters
        if all(number == found.n_clusters for number in others.values()):
            return ()
        words = " and ".join(f"{number} with share={other:.2g}" for other, number in others.items())
        return (f"the number of clusters depends on share: {found.n_clusters} with {share:.2g}, {words}",)
