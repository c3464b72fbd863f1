"""Particles: the posterior over partitions as a few weighted partitions, WASABI [balocchi2025].

    minimise W(posterior, sum_l weight_l particle_l) = E min_l d(draw, particle_l)

over L partitions and their weights, in the Wasserstein distance of order one with a metric d between partitions: each
draw goes to its nearest particle, and the weight of a particle is the share of the draws that went to it. It is
k-medoids, with all partitions for medoids: draws go to their nearest particle, each particle becomes the partition of
least expected loss over its draws, and so on until nothing changes. The distance falls in every step.

Where that ends depends on where it begins. With every particle more there are several starts, and the best end is kept:

1. the particles before, and the draw that lowers the distance most;
2. the best medoids among a sample of the draws, by exchanging one for another (`partita.partition.sample`);
3. draws of the sample far from one another, taken by chance as in k-means++ [arthur2007]: once, and up to `RANDOM`
   times where draws and items are few.

So the distance falls with L. Of 200 posteriors of 5 items the best two particles of all, found by exhaustion, were
missed in 8 (`tests/oracle/test_particles.py` guards it); for more items nothing is proved.

Particles cover the posterior and do not test it: L of them are found where there is one mode, too. Whether there are
several is what `partita.partition.modes` says.

[arthur2007] D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA (2007).
[balocchi2025] C. Balocchi, S. Wade, Understanding uncertainty in Bayesian cluster analysis, arXiv:2506.16295 (2025).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.partition.distances import measured
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss
from partita.partition.sample import DrawSample, best_addition, medoids, sample_of
from partita.wording import Printed, aligned, count, percent

__all__ = ["Particle", "Particles", "find_particles"]

Codes = NDArray[np.int64]
Search = Callable[[PartitionDraws, Codes], Codes]

# Starts at draws that chance takes, for every number of particles: at most, and labels read for all of them together.
RANDOM, LABELS = 8, 4e5
# Distances that differ by no more, relative to them, are equal: sums over draws in another order.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Particle:
    """One of the partitions that stand for the posterior.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    weight : float
        Share of the draws that are nearer to it than to the others.
    draws : array
        Which draws these are, as they were given.
    distance : float
        Their mean distance from it.
    """

    labels: Codes
    weight: float
    draws: Codes
    distance: float

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Particles(Printed):
    """Partitions that stand for the posterior, heaviest first.

    Attributes
    ----------
    partitions : tuple of Particle
    labels : array of M
        The particle of each draw, as they were given; -1 for a draw of weight zero that no other equals.
    distance : float
        Wasserstein distance between them and the posterior: mean distance of a draw from its particle.
    loss : PartitionLoss
        The metric, with its unit.
    """

    partitions: tuple[Particle, ...]
    labels: Codes
    distance: float
    loss: PartitionLoss

    def __str__(self) -> str:
        told = f"{count(len(self.partitions), 'particle')}, {self.distance:.3f} from the posterior by {self.loss.says}"
        rows = [(percent(p.weight), str(p.n_clusters), f"{p.distance:.3f}") for p in self.partitions]
        return f"{told}\n{aligned([('weight', 'clusters', 'distance'), *rows])}"


def find_particles(
    L: int,
    draws: PartitionDraws,
    first: Codes,
    search: Search,
    *,
    metric: PartitionLoss,
    max_clusters: int | None = None,
    random_state: int | None = None,
) -> Particles:
    """Return L weighted partitions that are near to the posterior.

    Parameters
    ----------
    L : int
        From 1 to the number of different draws; at most 1,000.
    draws : PartitionDraws
    first : array of N
        The particle, where there is one.
    search : callable
        `search(draws, start)` gives the partition of least expected distance from some of the draws.
    metric : PartitionLoss
    max_clusters : int, optional
        Draws of more clusters are no starts.
    random_state : int, optional

    Raises
    ------
    InputError
        For an L out of range.
    MemoryLimitError
        Where the distances within the sample would not fit.

    Notes
    -----
    Time: a few L^2 searches, O(S^2 N) for distances within a sample of S = min(M, 1000) draws, and O(S^2 L^2) or so for
    medoids.

    References
    ----------
    [balocchi2025].

    Examples
    --------
    >>> from partita.partition.losses import VariationOfInformation
    >>> draws = PartitionDraws.of([[0, 0, 1, 1]] * 5 + [[0, 1, 0, 1]] * 3 + [[0, 1, 0, 2]])
    >>> best = lambda own, start: own.labels[own.counts.argmax()].astype(np.int64)
    >>> print(find_particles(2, draws, draws.labels[0], best, metric=VariationOfInformation()))
    2 particles, 0.056 from the posterior by variation of information (bits)
    weight  clusters  distance
    56%     2         0.000
    44%     2         0.125
    """
    posterior = _Posterior.of(draws, metric, search, max_clusters)
    posterior.require(L)
    found, rng = _Cover([first], posterior.far(first)[None]), np.random.default_rng(random_state)
    n_random = int(np.clip(LABELS / draws.labels.size, 1, RANDOM))
    for n in range(2, L + 1):
        grown = [*found.partitions, posterior.addition(found.far.min(axis=0))]
        starts = [grown, posterior.medoids(n), *(posterior.spread(n, rng) for _ in range(n_random))]
        ends = [posterior.settled(start) for start in starts]
        found = min(ends, key=lambda end: float(end.far.min(axis=0) @ draws.weights))
    return _as_given(found, draws, metric)


@dataclass(eq=False)
class _Cover:
    """Partitions, and their distances L x M from the draws."""

    partitions: list[Codes]
    far: Array


@dataclass(frozen=True, eq=False)
class _Posterior:
    """The draws, and a sample of them; particles begin at A draws of it, with distances A x S from the sample."""

    draws: PartitionDraws
    metric: PartitionLoss
    search: Search
    sample: DrawSample
    able: NDArray[np.intp]
    between: Array

    @classmethod
    def of(cls, draws: PartitionDraws, metric: PartitionLoss, search: Search, cap: int | None) -> _Posterior:
        sample = sample_of(draws, metric)
        able = np.flatnonzero(draws.n_clusters[sample.rows] <= (draws.n_items if cap is None else cap))
        return cls(draws, metric, search, sample, able, sample.between[able])

    def require(self, L: object) -> None:
        """Raise `InputError` for an L out of range."""
        most = max(1, len(self.able))
        if isinstance(L, bool) or not isinstance(L, Integral) or not 1 <= int(L) <= most:
            sampled = "" if len(self.sample.rows) == self.draws.n_draws else " that are compared"
            within = "" if len(self.able) == len(self.sample.rows) else " within max_clusters"
            raise InputError(
                f"L={L!r}: expected a whole number from 1 to {most:,}, the number of different draws{sampled}{within}; "
                "ask for fewer particles"
            )

    def far(self, labels: Codes) -> Array:
        """Distances of a partition from all draws."""
        return measured(labels, LabelBlocks(self.draws.labels), self.metric).values

    def addition(self, near: Array) -> Codes:
        """The draw that, as one particle more, lowers the distance most; `near` is that of each draw before."""
        best, _ = best_addition(near[self.sample.rows], self.between, self.sample.shares)
        return self.partitions([best])[0]

    def medoids(self, n: int) -> list[Codes]:
        """The n draws that are the best medoids."""
        return self.partitions(medoids(n, self.between, self.sample.shares))

    def spread(self, n: int, rng: np.random.Generator) -> list[Codes]:
        """Draws n of them, with chances proportional to their weights and how far they are from those before."""
        near, shares = np.ones(len(self.able)), self.sample.shares[self.able]
        chosen: list[int] = []
        while len(chosen) < n:
            chosen.append(int(rng.choice(len(self.able), p=near * shares / (near @ shares))))
            near = self.between[chosen][:, self.able].min(axis=0)  # [arthur2007], distances not squared
        return self.partitions(chosen)

    def partitions(self, chosen: list[int]) -> list[Codes]:
        """The draws of these numbers among those that particles begin at."""
        return list(self.sample.labels[self.able[chosen]].astype(np.int64))

    def settled(self, start: Sequence[Codes]) -> _Cover:
        """Draws go to their nearest particle, particles to the best partition of their draws, until none moves."""
        cover = _Cover(list(start), np.stack([self.far(labels) for labels in start]))
        searched: list[bytes] = [b""] * len(start)
        moved = True
        while moved:
            member, moved = self.members(cover), False
            for k in range(len(start)):
                inside = np.flatnonzero(member == k)
                if inside.tobytes() != searched[k]:
                    searched[k] = inside.tobytes()
                    moved |= self.improved(cover, k, inside)
        return cover

    def members(self, cover: _Cover) -> NDArray[np.intp]:
        """The nearest particle of each draw; a particle that would be left without draws begins again at one."""
        while True:
            member: NDArray[np.intp] = cover.far.argmin(axis=0)
            empty = np.flatnonzero(np.bincount(member, minlength=len(cover.far)) == 0)
            if not len(empty):
                return member
            k = int(empty[0])
            cover.partitions[k] = self.addition(cover.far.min(axis=0))
            cover.far[k] = self.far(cover.partitions[k])

    def improved(self, cover: _Cover, k: int, inside: NDArray[np.intp]) -> bool:
        """Return whether a search among its draws finds a better particle, which takes its place."""
        counts = self.draws.counts[inside]
        labels = self.search(PartitionDraws.of(self.draws.labels[inside], counts), cover.partitions[k])
        far = self.far(labels)
        if counts @ far[inside] >= counts @ cover.far[k, inside] * (1.0 - EQUAL):
            return False
        cover.partitions[k], cover.far[k] = labels, far
        return True


def _as_given(cover: _Cover, draws: PartitionDraws, metric: PartitionLoss) -> Particles:
    """The particles, heaviest first, with draws numbered as they were given."""
    nearest: NDArray[np.intp] = cover.far.argmin(axis=0)
    weights = np.bincount(nearest, draws.weights, minlength=len(cover.far))
    order = np.argsort(-weights, kind="stable")
    member = np.argsort(order)[nearest]
    given = draws.as_given(member)
    particles = []
    for k, old in enumerate(order):
        far, counts = cover.far[old, member == k], draws.counts[member == k]
        distance = float(far @ counts / counts.sum())
        particles.append(Particle(cover.partitions[old], float(weights[old]), np.flatnonzero(given == k), distance))
    return Particles(tuple(particles), given, float(cover.far.min(axis=0) @ draws.weights), metric)
