"""SCAMS by local search: the same objective as the ADMM's, on dense and sparse affinities of any size.

    J = sum over ordered pairs of one cluster (gamma - A_ij) + lambda K        [li2014, (3)], the constant Potts model

is searched by the one move engine (`partita.partition.search_runs`), from partitions found level by level and, where
the affinity is dense, from the cuts of dendrograms.

**How large gamma is.** gamma must lie between the mean affinity between clusters and that within them, and on the scale
"sym" a cluster of n items has a mean affinity of at most 1 / n within: what is right for two clusters is too little for
twelve. So by default gamma is a `share` of 1 / n for the clusters that are found,

    gamma = share / m,      m = sum_k n_k^2 / N, the size of the cluster of an item, on average,

a partition and its gamma being found together: from a fine partition on, gamma follows m and the search follows gamma
until neither moves. It is the descent, by majorization, of

    -<A, G> + lambda rank(G) + share N log ||G||_0

in which the number of pairs in one cluster counts by its logarithm: log u <= log v + (u - v) / v, and 1 / v times
share N is the gamma above. There are several local minima, and this is the finest that keeps half of the affinity
within clusters: neighbours alone, a few items each, keep less. In words: two clusters of m items stay apart where the
part of an item's affinity that goes to the other cluster is less than

    share - lambda / (2 m),

for joining them saves lambda, brings in twice m times that part, and costs 2 gamma m^2 = 2 share m. That is strict for
two or three clusters of a dense affinity whose entries between clusters are not small; there `theta` of .5 to 1 asks
for less.

**How large lambda is.** On the scale "sym" the whole affinity of an item is 1, and so is lambda by default: a few items
with little affinity to each other are not worth a cluster. But below m = lambda / (2 share), 4 items at a share of .13
and 25 at the .02 that graphs get, that bound is negative, and clusters that share no affinity at all would be joined.
What joins them is lambda alone, so a lambda that was not given gives way: wherever a cluster of the partition found
holds items of different components of the affinity (`partita.scams.pieces`), the search is done again with lambda at
half of what the pairs between the two smallest of those parts cost, n_a and n_b items, or of what it was where that is
less,

    lambda <- max(gamma, min(lambda / 2, gamma n_a n_b)),

until none does. At lambda = gamma none can: a cluster in two parts without affinity costs 2 gamma n_a n_b more than the
two, and they cost lambda more. So the default depends on the sizes of the components, and where an affinity is
connected, or its components are large, it is 1. A lambda that was given stays, and a note says where it joined
components.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from partita.arrays import Labels
from partita.partition.climb import Climb
from partita.partition.dendrogram import numbered
from partita.partition.evidence import PartitionEvidence
from partita.partition.losses import ConstantPotts
from partita.partition.result import PartitionResult
from partita.partition.search_runs import search_evidence
from partita.runs import Runs, Status
from partita.scams.local_result import LocalResult, PathPoint, mean_size
from partita.scams.local_settings import LocalSearch
from partita.scams.pieces import joined_by_price, least_joined, pieces_of_affinity, split_by_piece

__all__ = ["Search", "polished", "scams_local"]

Tell = Callable[[str], None]

# Least share of the affinity, on the scale "sym", within clusters; gamma is halved until they keep it, then refined.
WITHIN, REFINED = 0.5, 3
# Items up to which every step has all starts and is polished; beyond, levels alone, and the last step has all.
THOROUGH = 3_000
# Steps of gamma and partition at most, and the change of gamma, relative to it, that ends them.
STEPS, SETTLED = 50, 1e-3


def scams_local(
    affinity: Any,
    settings: LocalSearch | None = None,
    *,
    start: ArrayLike | None = None,
    seed: int | None = None,
    n_jobs: int = 1,
    max_seconds: float | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    progress: Tell | None = None,
) -> LocalResult:
    """Return clusters and their number at once.

    Parameters
    ----------
    affinity : N x N array, scipy.sparse or Affinity
        Nonnegative, symmetric; the diagonal is left out.
    settings : LocalSearch, optional
    start : array of N, optional
        A partition to begin at, besides those that are always tried.
    seed : int, optional
    n_jobs : int
        Restarts at a time; the answer does not depend on it.
    max_seconds : float, optional
        Stop with the best so far.
    on_interrupt : {"raise", "best"}
        Effect of Ctrl-C.
    progress : callable, optional
        Told in words what is being done.

    Returns
    -------
    LocalResult

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    Cost: a few passes over the stored pairs for each level, step of gamma and restart; 100,000 items and 3 million
    edges take seconds. Not the global optimum: `search.gap` says how far restarts differ.

    References
    ----------
    [li2014] (3); [traag2011].

    Examples
    --------
    >>> A = np.kron(np.eye(3), np.ones((12, 12))) + 0.05
    >>> found = scams_local(A, seed=0)
    >>> found.n_clusters, found.labels[::12].tolist()
    (3, [0, 1, 2])
    """
    runs = Runs(n_jobs, max_seconds, on_interrupt, progress)
    chosen = settings or LocalSearch()
    A = chosen.prepare(affinity)
    given = {} if start is None else {"start": numbered(np.asarray(start))}
    search = Search(A, chosen, seed, runs)
    if chosen.share is None:
        gamma = chosen.gamma if chosen.gamma is not None else float(chosen.theta or 0.0) / A.shape[0]
        found = search.at(gamma, given, ())
    else:
        found = search.self_consistent(chosen.share, given)
    return replace(found, notes=(*found.notes, *joined_by_price(found.labels, found.lam, search.piece)))


def polished(A: Any, labels: Labels, gamma: float, lam: float, *, seed: int | None = None) -> Labels:
    """Return a partition after moves of items, merges and splits, until none of them lowers J; no worse than it was.

    `A` is as `LocalSearch.prepare` or `ADMM.prepare` makes it.

    >>> A = np.kron(np.eye(2), np.ones((5, 5)))
    >>> polished(A, np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]), 0.5, 1.0, seed=0).tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    """
    rng = np.random.default_rng(seed)
    climb = Climb(PartitionEvidence(ConstantPotts(gamma, lam), None, A), len(labels), lambda: False)
    climb.assign(labels)
    climb.settle(rng)
    climb.polish(rng)
    return numbered(climb.labels)


class _Levels(NamedTuple):
    """Result of a search level by level, by the names of `PartitionResult`."""

    labels: Labels
    expected_loss: float
    status: Status = "converged"


Found = TypeVar("Found", PartitionResult, _Levels)


@dataclass(eq=False)
class Search:
    """One call: the affinity as `LocalSearch.prepare` makes it, and the clock."""

    A: Any
    settings: LocalSearch
    seed: int | None
    runs: Runs = field(default_factory=Runs)

    @property
    def n_items(self) -> int:
        return int(self.A.shape[0])

    def out_of_time(self) -> bool:
        return self.runs.stops() is not None

    def self_consistent(self, share: float, given: dict[str, Labels]) -> LocalResult:
        """Start at the finest partition that keeps enough, and let gamma and the partition follow each other."""
        gamma, point = self._finest(share, given)
        steps = [point]
        for _ in range(STEPS):
            follows = share / mean_size(steps[-1].labels)
            if follows >= gamma * (1.0 - SETTLED) or self.out_of_time():
                break
            gamma = follows
            self.runs.tell(f"clusters of {share / gamma:,.0f} items")
            steps.append(self.step(gamma, {**given, "the step before": steps[-1].labels}))
        return self.at(gamma, {**given, "steps of gamma": steps[-1].labels}, tuple(steps))

    def _finest(self, share: float, given: dict[str, Labels]) -> tuple[float, PathPoint]:
        """The largest gamma, up to a factor, whose partition keeps half of the affinity within clusters."""
        gamma, too_large = share, None
        while True:
            point = self.step(gamma, given)
            if point.n_clusters == 1 or self._within(point) >= WITHIN or self.out_of_time():
                break
            gamma, too_large = gamma / 2.0, gamma
        for _ in range(REFINED if too_large is not None else 0):
            assert too_large is not None
            between = float(np.sqrt(gamma * too_large))
            other = self.step(between, {**given, "a coarser one": point.labels})
            if self._within(other) >= WITHIN:
                gamma, point = between, other
            else:
                too_large = between
        return gamma, point

    def _within(self, point: PathPoint) -> float:
        """Share of the affinity that is within clusters: from J, without its prices."""
        pairs = mean_size(point.labels) * self.n_items
        within = point.gamma * pairs + point.lam * point.n_clusters - point.objective
        total = float(self.A.sum())
        return within / total if total > 0.0 else 1.0

    def at(
        self,
        gamma: float,
        given: dict[str, Labels],
        steps: tuple[PathPoint, ...],
    ) -> LocalResult:
        """Return the whole search at one gamma."""

        def whole(evidence: PartitionEvidence, given: dict[str, Labels]) -> PartitionResult:
            n_init = self.settings.n_init
            return search_evidence(
                evidence, cap=self.n_items, given=given, n_init=n_init, seed=self.seed, runs=self.runs
            )

        lam, found = self._priced(gamma, given, whole)
        return LocalResult(
            labels=found.labels,
            n_clusters=found.n_clusters,
            objective=found.expected_loss,
            gamma=gamma,
            theta=gamma * self.n_items,
            lam=lam,
            steps=steps,
            search=found,
            status=found.status,
            seconds=self.runs.seconds,
            notes=found.notes,
        )

    def step(self, gamma: float, given: dict[str, Labels]) -> PathPoint:
        """Return a partition at one gamma: by the whole search where items are few, else level by level."""
        search: Callable[..., Any] = self._thorough if self.n_items <= THOROUGH else self._quick
        lam, found = self._priced(gamma, given, search)
        labels, theta = found.labels, gamma * self.n_items
        share = theta * mean_size(labels) / self.n_items
        return PathPoint(theta, gamma, lam, labels, int(labels.max()) + 1, found.expected_loss, share)

    def _priced(
        self, gamma: float, given: dict[str, Labels], search: Callable[[PartitionEvidence, dict[str, Labels]], Found]
    ) -> tuple[float, Found]:
        """A partition and the price of its clusters, lowered where it alone joins components (see the top)."""
        lam = self.settings.price
        while True:
            found = search(PartitionEvidence(ConstantPotts(gamma, lam), None, self.A), given)
            least = 0 if self.settings.lam is not None or gamma == 0.0 else least_joined(found.labels, self.piece)
            if least == 0 or lam <= gamma or found.status != "converged" or self.out_of_time():
                return lam, found
            self.runs.tell("clusters hold items that share no affinity: their price is lowered")
            given = {**given, "pieces apart": numbered(split_by_piece(found.labels, self.piece))}
            lam = max(gamma, min(lam / 2.0, gamma * least))

    def _thorough(self, evidence: PartitionEvidence, given: dict[str, Labels]) -> PartitionResult:
        return search_evidence(evidence, cap=self.n_items, given=given, n_init=1, seed=self.seed)

    def _quick(self, evidence: PartitionEvidence, given: dict[str, Labels]) -> _Levels:
        candidates = [evidence.multilevel(np.random.default_rng(self.seed)), *given.values()]
        values = [evidence.value(codes) for codes in candidates]
        best = int(np.argmin(values))
        return _Levels(numbered(candidates[best]), values[best])

    @cached_property
    def piece(self) -> Labels:
        """Connected component of the affinity that each item is in (piece)."""
        return pieces_of_affinity(self.A)
