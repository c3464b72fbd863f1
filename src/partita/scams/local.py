"""SCAMS by local search: the same objective as the ADMM's, on dense and sparse affinities of any size.

    J = sum over ordered pairs of one cluster (gamma - A_ij) + lambda K        [scams, (3)], the constant Potts model

is searched by the one move engine (`partita.partition.restarts`), from partitions found level by level and, where the
affinity is dense, from the cuts of dendrograms.

**How large gamma is.** gamma must lie between the mean affinity between clusters and that within them, and on the scale
"sym" a cluster of n items has a mean affinity of at most 1 / n within: what is right for two clusters is too little for
twelve. So by default gamma is a `share` of 1 / n for the clusters that are found,

    gamma = share / m,      m = sum_k n_k^2 / N, the size of the cluster of an item, on average,

a partition and its gamma being found together: from a fine partition on, gamma follows m and the search follows gamma
until neither moves. It is the descent, by majorization, of

    -<A, G> + lambda rank(G) + share N log ||G||_0

in which the number of pairs in one cluster counts by its logarithm: log u <= log v + (u - v) / v, and 1 / v times
share N is the gamma above. There are several local minima, and this is the finest that keeps half of the affinity
within clusters: neighbours alone, a few items each, keep less. In words: two clusters of one size stay apart where an
item's affinity to the other is less than `share` of its whole affinity. That is strict for two or three clusters of a
dense affinity whose entries between clusters are not small; there `theta` of .5 to 1 asks for less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.checks import as_affinity
from partita.errors import InputError
from partita.memory import require_pairs
from partita.partition.climb import Climb, Stopped
from partita.partition.dendrogram import numbered
from partita.partition.evidence import Evidence
from partita.partition.losses import ConstantPotts
from partita.partition.restarts import search_evidence
from partita.partition.result import PartitionResult
from partita.scams.scale import Scale, relative

__all__ = ["LocalResult", "LocalSearch", "PathPoint", "mean_size", "scams_local", "scams_path"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Tell = Callable[[str], None]

# The share that is taken where neither gamma, theta nor share is given: `benchmarks/scams.py`.
SHARE = 0.13
# Of the affinity, on the scale "sym", what clusters keep at least; gamma is halved until they do, and then refined.
WITHIN, REFINED = 0.5, 3
# Items up to which every step has all starts and is polished; beyond, levels and moves, and the last step alone is.
THOROUGH = 3_000
# Steps of gamma and partition at most, and the change of gamma, relative to it, that ends them.
STEPS, SETTLED = 50, 1e-3
# Of a path: where theta begins, the factor by which it grows, how often.
FIRST, GROWTH, POINTS = 0.02, 1.25, 40
# A dense affinity with fewer positive pairs than this share of all is searched as a sparse one.
SPARSE = 0.3


@dataclass(frozen=True)
class LocalSearch:
    """Settings of the local search.

    Parameters
    ----------
    lam : float >= 0
        Price of a cluster, in units of the affinity as scaled: on the scale "sym" the whole affinity of one item is 1.
    share : float in (0, 1), optional
        gamma is this share of 1 / m, m the mean size of an item's cluster; .13 where nothing else says what gamma is.
    theta : float >= 0, optional
        gamma = theta / N.
    gamma : float >= 0, optional
        As it is.
    scale : {"sym", "mean"} or None
        See `relative`. None takes the affinity as it is, and needs gamma. With `share` it is "sym".
    n_init : int
        Restarts.

    Raises
    ------
    InputError
        For values out of range, more than one of share, theta and gamma, or a scale that does not go with them.

    Examples
    --------
    >>> LocalSearch().share, LocalSearch(theta=0.7).share
    (0.13, None)
    """

    lam: float = 1.0
    share: float | None = None
    theta: float | None = None
    gamma: float | None = None
    scale: Scale | None = "sym"
    n_init: int = 2

    def __post_init__(self) -> None:
        given = [name for name in ("share", "theta", "gamma") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} each say what a pair costs: pass one of them")
        if not given:
            object.__setattr__(self, "share", SHARE)
        if self.share is not None and not 0.0 < self.share < 1.0:
            raise InputError(f"share={self.share}: expected a number between 0 and 1, such as {SHARE}")
        for name in ("lam", "theta", "gamma"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < np.inf:
                raise InputError(f"{name}={value}: expected a finite number of at least 0")
        if self.scale not in ("sym", "mean", None):
            raise InputError(f"scale={self.scale!r}: expected 'sym', 'mean' or None")
        if self.scale is None and self.gamma is None:
            raise InputError("without a scale the affinity's unit decides what a pair may cost: pass gamma, or a scale")
        if self.share is not None and self.scale != "sym":
            raise InputError("share is of an item's whole affinity, which is one on the scale 'sym': leave scale out")
        if self.n_init < 1:
            raise InputError(f"n_init={self.n_init}: expected at least 1")

    def prepare(self, affinity: Any) -> Any:
        """The affinity that is searched: without its diagonal, scaled; CSR where few pairs have any.

        Raises
        ------
        InputError
            For an affinity that is not square, symmetric, finite and nonnegative.
        MemoryLimitError
            Where a dense one would not fit.
        """
        A = as_affinity(affinity)
        if hasattr(A, "matrix") and sp.issparse(A.matrix):
            values = sp.csr_array(A.matrix, dtype=np.float64, copy=True)
        else:
            require_pairs(A.n_items, "the affinity", "pass a sparse one, such as a neighbour graph", copies=3)
            dense = np.array(A.rows(np.arange(A.n_items)), dtype=np.float64)
            np.fill_diagonal(dense, 0.0)
            if np.count_nonzero(dense) >= SPARSE * dense.size:
                return dense if self.scale is None else relative(dense, self.scale)
            values = sp.csr_array(dense)
        values.setdiag(0.0)
        values.eliminate_zeros()
        return values if self.scale is None else relative(values, self.scale)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The partition at one theta.

    Attributes
    ----------
    theta, gamma : float
        gamma = theta / N.
    labels : array of N
    n_clusters : int
    objective : float
        J.
    share : float
        theta over the number of clusters of the mean size: the share at which gamma would be what it is.
    """

    theta: float
    gamma: float
    labels: Labels
    n_clusters: int
    objective: float
    share: float


@dataclass(frozen=True, eq=False)
class LocalResult:
    """What the local search found.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    n_clusters : int
    objective : float
        J with the affinity as `LocalSearch.prepare` makes it, `gamma` and `lam`: what `partition_objective` says.
    gamma, theta, lam : float
        As used; theta = gamma N.
    steps : tuple of PathPoint
        With `share`, the partitions on the way to the last.
    search : PartitionResult
        The last search: its runs, and how far they agree.
    status : {"converged", "max_seconds", "interrupted"}
    seconds : float
    notes : tuple of str
    """

    labels: Labels
    n_clusters: int
    objective: float
    gamma: float
    theta: float
    lam: float
    steps: tuple[PathPoint, ...]
    search: PartitionResult
    status: Literal["converged", "max_seconds", "interrupted"]
    seconds: float
    notes: tuple[str, ...] = ()


def mean_size(labels: Labels) -> float:
    """Size of the cluster of an item, on average: sum n_k^2 / N.

    >>> mean_size(np.array([0, 0, 0, 1]))
    2.5
    """
    sizes = np.bincount(labels).astype(np.float64)
    return float((sizes**2).sum() / len(labels))


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
    """Clusters and their number at once.

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
        What Ctrl-C does.
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
    [scams] (3); [traag2011].

    Examples
    --------
    >>> A = np.kron(np.eye(3), np.ones((12, 12))) + 0.05
    >>> found = scams_local(A, seed=0)
    >>> found.n_clusters, found.labels[::12].tolist()
    (3, [0, 1, 2])
    """
    began = time.perf_counter()
    chosen = settings or LocalSearch()
    A = chosen.prepare(affinity)
    given = {} if start is None else {"start": numbered(np.asarray(start))}
    search = _Search(A, chosen, seed, n_jobs, began, max_seconds, on_interrupt, progress)
    if chosen.share is None:
        gamma = chosen.gamma if chosen.gamma is not None else float(chosen.theta or 0.0) / A.shape[0]
        return search.at(gamma, given, ())
    return search.self_consistent(chosen.share, given)


def scams_path(
    affinity: Any,
    settings: LocalSearch | None = None,
    *,
    thetas: Sequence[float] | None = None,
    seed: int | None = None,
    max_seconds: float | None = None,
    progress: Tell | None = None,
) -> tuple[PathPoint, ...]:
    """Partitions at every gamma = theta / N, from the coarsest to the finest; each begins at the one before, too.

    Parameters
    ----------
    affinity, settings, seed, progress
        As in `scams_local`; of the settings `lam` and `scale` count.
    thetas : sequence of float, optional
        Ascending. By default 40 from .02 on, each a quarter larger than the one before, and no further than where
        clusters have fewer than two items on average.
    max_seconds : float, optional
        The path ends there.

    Raises
    ------
    InputError, MemoryLimitError

    Examples
    --------
    >>> A = np.kron(np.eye(4), np.ones((15, 15))) + np.kron(np.eye(2), np.full((30, 30), 0.1)) + 0.001
    >>> sorted({point.n_clusters for point in scams_path(A, seed=0)})[:2]
    [2, 4]
    """
    began = time.perf_counter()
    chosen = settings or LocalSearch()
    A = chosen.prepare(affinity)
    asked = None if thetas is None else np.asarray(thetas, dtype=np.float64)
    if asked is not None and (asked.ndim != 1 or len(asked) == 0 or (asked < 0).any() or (np.diff(asked) <= 0).any()):
        raise InputError("thetas: expected one ascending sequence of numbers of at least 0")
    search = _Search(A, chosen, seed, 1, began, max_seconds, "raise", progress)
    points: list[PathPoint] = []
    for theta in FIRST * GROWTH ** np.arange(POINTS) if asked is None else asked:
        if points and search.out_of_time():
            break
        given = {} if not points else {"the one before": points[-1].labels}
        points.append(search.step(float(theta) / A.shape[0], given))
        if asked is None and mean_size(points[-1].labels) < 2.0:
            break
    return tuple(points)


@dataclass(eq=False)
class _Search:
    """One call: the affinity as scaled, the clock, whom to tell."""

    A: Any
    settings: LocalSearch
    seed: int | None
    n_jobs: int
    began: float
    max_seconds: float | None
    on_interrupt: Literal["raise", "best"]
    progress: Tell | None

    @property
    def n_items(self) -> int:
        return int(self.A.shape[0])

    def out_of_time(self) -> bool:
        return self.max_seconds is not None and time.perf_counter() - self.began >= self.max_seconds

    def self_consistent(self, share: float, given: dict[str, Labels]) -> LocalResult:
        """From the finest partition that keeps enough on, gamma following the partition."""
        gamma, point = self._finest(share, given)
        steps = [point]
        for _ in range(STEPS):
            follows = share / mean_size(steps[-1].labels)
            if follows >= gamma * (1.0 - SETTLED) or self.out_of_time():
                break
            gamma = follows
            self._tell(f"clusters of {share / gamma:,.0f} items")
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
        within = point.gamma * pairs + self.settings.lam * point.n_clusters - point.objective
        total = float(self.A.sum())
        return within / total if total > 0.0 else 1.0

    def at(
        self,
        gamma: float,
        given: dict[str, Labels],
        steps: tuple[PathPoint, ...],
    ) -> LocalResult:
        """The whole search at one gamma."""
        left = None if self.max_seconds is None else self.max_seconds - (time.perf_counter() - self.began)
        found = search_evidence(
            self._evidence(gamma),
            cap=self.n_items,
            given=given,
            n_init=self.settings.n_init,
            n_jobs=self.n_jobs,
            seed=self.seed,
            max_seconds=None if left is None else max(left, 1e-3),
            on_interrupt=self.on_interrupt,
            progress=self.progress,
        )
        return LocalResult(
            labels=found.labels,
            n_clusters=found.n_clusters,
            objective=found.expected_loss,
            gamma=gamma,
            theta=gamma * self.n_items,
            lam=self.settings.lam,
            steps=steps,
            search=found,
            status=found.status,
            seconds=time.perf_counter() - self.began,
            notes=found.notes,
        )

    def step(self, gamma: float, given: dict[str, Labels]) -> PathPoint:
        """A partition at one gamma: by the whole search where items are few, else from levels and single moves."""
        evidence = self._evidence(gamma)
        if self.n_items <= THOROUGH:
            found = search_evidence(evidence, cap=self.n_items, given=given, n_init=1, n_jobs=1, seed=self.seed)
            labels, value = found.labels, found.expected_loss
        else:
            labels, value = self._quick(evidence, given)
        theta = gamma * self.n_items
        share = theta * mean_size(labels) / self.n_items
        return PathPoint(theta, gamma, labels, int(labels.max()) + 1, value, share)

    def _quick(self, evidence: Evidence, given: dict[str, Labels]) -> tuple[Labels, float]:
        rng = np.random.default_rng(self.seed)
        found: list[tuple[float, Labels]] = []
        for codes in (evidence.multilevel(rng), *given.values()):
            climb = Climb(evidence, self.n_items, self.out_of_time)
            try:
                climb.assign(codes)
                climb.settle(rng)
            except Stopped:
                found.append((evidence.value(codes), codes))
                break
            found.append((climb.value, numbered(climb.labels)))
        value, labels = min(found, key=lambda pair: pair[0])
        return labels, value

    def _evidence(self, gamma: float) -> Evidence:
        return Evidence(ConstantPotts(gamma, self.settings.lam), None, self.A)

    def _tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what)
