"""The number of clusters and the clusters themselves, from unlike clusterings at many numbers.

Each method of an ensemble clusters the items at each number K of a grid. A draw's agreement a is its mean adjusted
Rand index with the draws of the other methods at the same K (`partita.ensemble.weights`: a method is one voice,
however many settings it has), and it weighs a^16 P(K)^(1/2), where P(K) is what the criteria of `partita.n_clusters`
make of that number. A method with a number of clusters of its own may come nowhere near the one it is asked for: its
draw speaks of another number then, and is left out where the others agree by nine tenths. The answer is the partition
of least expected variation of information over the weighted draws, found as that of any posterior draws is
(`partita.partition`): what unlike methods find again and again at neighbouring numbers is what it keeps, so a number
at which methods agree by chance does not carry the day.

The grid is coarse: each number up to 12, then steps of a third, up to 50 and the square root of the number of items. It
ends sooner where the agreement has fallen and goes on falling, goes on while methods agree best at its end, and is
filled in around the answer. What the power, the square root and the threshold of one cluster were chosen on is in
`benchmarks/README.md`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity.shared_search import shared_search
from partita.ensemble.base import Array, Labels, Member, hard
from partita.ensemble.weights import LEAST, agreement, agreement_weights
from partita.partition import PartitionResult, search_partition

__all__ = ["Consensus", "consensus", "mean_agreement", "sizes_up_to"]

# Power of the agreement, and of the prior probability of a number, in the weight of a draw.
POWER, PRIOR = 16, 0.5
# Every number up to this one, then steps by this factor.
EACH, STEP = 12, 4 / 3
# Numbers up to this one (and up to the square root of the number of items) are tried.
ALWAYS = 50
# Past every number, larger ones are left out once the agreement has fallen by more than this and goes on falling.
FALL = 0.1
# How far from the number asked for a draw may be, as a share of it; where it is farther it is left out if at least so
# many methods are as near and agree by more than this.
NEAR, ENOUGH, AGREED = 0.2, 3, 0.9
# Items that a cluster has on average at least.
ITEMS = 3
# Numbers on either side of the answer that are filled in, and how often the answer may move then.
AROUND, ROUNDS = 2, 3
# Starts of the search for the partition of least expected loss.
STARTS = 8


@dataclass(frozen=True, eq=False)
class Consensus:
    """Draws of unlike methods at many numbers of clusters, and the partition of least expected loss over them.

    Attributes
    ----------
    draws : M x n array of int
        Labels, 0..k-1 in each row.
    weights : array of M
        Sum 1.
    methods : tuple of M members
    asked : array of M int
        Number of clusters that each draw was asked for.
    agreement : array of M
        Mean adjusted Rand index with the other methods' draws at the same number.
    partition : PartitionResult
        Labels of the n items, and their expected variation of information.
    item : array, optional
        The one of the n that stands for each item, where a sample was clustered.
    fine : float, optional
        Of a graph, the mean agreement on clusters as small as neighbourhoods, see `partita.ensemble.on_graph`.
    """

    draws: Labels
    weights: Array
    methods: tuple[Member, ...]
    asked: NDArray[np.int64]
    agreement: Array
    partition: PartitionResult
    item: NDArray[np.intp] | None = None
    fine: float | None = None

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition."""
        return len(np.unique(self.partition.labels))

    @property
    def labels(self) -> Labels:
        """The partition's labels of each item."""
        labels = np.asarray(self.partition.labels, dtype=np.int64)
        return labels if self.item is None else labels[self.item]

    @property
    def best_agreement(self) -> float:
        """The largest mean agreement of all methods at one number; of a graph, how far it exceeds the fine one."""
        best = max(float(self.agreement[self.asked == K].mean()) for K in np.unique(self.asked))
        return best if self.fine is None else (best - self.fine) / max(1.0 - self.fine, LEAST)

    def at(self, n_clusters: int) -> Consensus:
        """Return the consensus of the draws that were asked for this number, or for those next to it on either side."""
        tried = np.unique(self.asked)
        near = {
            int(tried[tried <= n_clusters].max(initial=tried[0])),
            int(tried[tried >= n_clusters].min(initial=tried[-1])),
        }
        own = np.flatnonzero(np.isin(self.asked, sorted(near)))
        weights = self.weights[own] / self.weights[own].sum()
        found = search_partition(
            self.draws[own], loss="vi", weights=weights, n_init=STARTS, max_clusters=n_clusters, random_state=0
        )
        methods = tuple(self.methods[m] for m in own)
        return replace(
            self,
            draws=self.draws[own],
            weights=weights,
            methods=methods,
            asked=self.asked[own],
            agreement=self.agreement[own],
            partition=found,
        )

    def likeliest_draw(self, n_clusters: int) -> Labels:
        """Return the draw asked for this number, or for the nearest one, that agrees best with the other methods'."""
        nearest = self.asked[np.abs(self.asked - n_clusters).argmin()]
        own = np.flatnonzero(self.asked == nearest)
        return np.asarray(self.draws[own[self.agreement[own].argmax()]])

    def share_of(self) -> dict[int, float]:
        """Share of the weight of the draws that were asked for each number."""
        return {int(K): float(self.weights[self.asked == K].sum()) for K in np.unique(self.asked)}


def sizes_up_to(most: int) -> list[int]:
    """Return the coarse grid of numbers of clusters from 2 to `most`.

    >>> sizes_up_to(30)
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 21, 28]
    """
    grid = list(range(2, EACH + 1))
    while grid[-1] * STEP <= most:
        grid.append(round(grid[-1] * STEP))
    return [size for size in grid if size <= most]


def consensus(
    members: Sequence[Member],
    X: Any,
    prior: Array,
    *,
    seed: int = 0,
    most: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Consensus | None:
    """Return the consensus of methods on the items and on the number of clusters.

    None for fewer than six items, and where all members are one method.

    Parameters
    ----------
    members : sequence of Member
        Unlike methods, three or more: two agree by chance now and then.
    X : n x d array, or n x n csr_array for members of graphs
        Distinct rows. Cost: the methods' own at about 20 numbers of clusters.
    prior : array
        Probabilities of 1, 2, ... clusters; the last one's is that of any larger number.
    seed : int
    most : int, optional
        The largest number of clusters.
    tell : callable, optional
        Called with words for what is being done.

    Examples
    --------
    >>> from partita.ensemble import member
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    >>> found = consensus([member(name) for name in ("genie", "modularity", "density")], X, np.full(5, 0.2))
    >>> found.n_clusters
    3
    """
    n = X.shape[0]
    most = min(n // ITEMS, n if most is None else most)
    if most < 2 or len({one.name for one in members}) < 2:
        return None
    drawn = _Draws(members, X, seed, tell)
    first = max(ALWAYS, int(np.ceil(np.sqrt(n))))
    grid = sizes_up_to(most)
    with shared_search():
        for K in grid:
            if K > EACH and drawn.is_past_the_best():
                break
            if first < K and drawn.best_at() < drawn.sizes[-2]:
                break
            drawn.add(K)
        found = drawn.summary(prior)
        for _ in range(ROUNDS):
            K = found.n_clusters
            new = [k for k in range(K - AROUND, K + AROUND + 1) if 2 <= k <= most and k not in drawn.sizes]
            if not new:
                break
            for k in new:
                drawn.add(k)
            found = drawn.summary(prior)
    return found


def mean_agreement(members: Sequence[Member], X: Any, sizes: Iterable[int], *, seed: int = 0) -> float:
    """Return the agreement of methods, averaged over these numbers of clusters.

    Parameters are those of `consensus`.
    """
    drawn = _Draws(members, X, seed)
    for K in sizes:
        drawn.add(K)
    return float(np.mean([drawn.agreement_at(K) for K in drawn.sizes]))


def _steps_around(sizes: NDArray[np.int64]) -> Array:
    """Return the length of the grid that each number stands for, in steps of the coarse one."""
    place = np.where(sizes <= EACH, sizes, EACH + np.log(sizes / EACH) / np.log(STEP))
    ends = np.concatenate([[place[0] - 0.5], (place[1:] + place[:-1]) / 2, [place[-1] + 0.5]])
    return np.asarray(np.diff(ends))


class _Draws:
    """The methods' clusterings of the same items at one number after the other."""

    def __init__(self, members: Sequence[Member], X: Any, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self._members, self._X, self._seed, self._tell = members, X, seed, tell
        self._made: dict[int, list[Member]] = {}
        self._labels: dict[int, list[Labels]] = {}
        self._agreement: dict[int, Array] = {}

    @property
    def sizes(self) -> list[int]:
        return sorted(self._labels)

    def add(self, n_clusters: int) -> None:
        if self._tell is not None:
            self._tell(f"choosing the number of clusters: {len(self._members)} methods at {n_clusters}")
        labels = [
            np.unique(hard(one.cluster(self._X, n_clusters, self._stream(one)).membership), return_inverse=True)[1]
            for one in self._members
        ]
        near = [i for i, own in enumerate(labels) if abs(int(own.max()) + 1 - n_clusters) <= NEAR * n_clusters]
        agreed = self._agreement_of(labels, near)
        if len({self._members[i].name for i in near}) < ENOUGH or agreed.mean() <= AGREED:
            near = list(range(len(labels)))
            agreed = self._agreement_of(labels, near)
        self._made[n_clusters] = [self._members[i] for i in near]
        self._labels[n_clusters] = [labels[i] for i in near]
        self._agreement[n_clusters] = agreed

    def _agreement_of(self, labels: Sequence[Labels], own: Sequence[int]) -> Array:
        """Mean adjusted Rand index of each of these draws with those of the other methods."""
        names = [self._members[i].name for i in own]
        return agreement_weights(agreement([labels[i] for i in own]), names)[1]

    def agreement_at(self, n_clusters: int) -> float:
        """Return the mean agreement of the methods at a number that was added."""
        return float(self._agreement[n_clusters].mean())

    def best_at(self) -> int:
        """Return the number at which methods agree best."""
        return max(self._agreement, key=self.agreement_at)

    def is_past_the_best(self) -> bool:
        """Whether methods agree less and less, and less than where they agree best by more than a tenth."""
        mean = [self.agreement_at(K) for K in self.sizes]
        recent, before = sum(mean[-2:]) / 2, sum(mean[-4:-2]) / 2
        return recent <= before and max(mean[-2:]) < max(mean) - FALL

    def summary(self, prior: Array, power: float = POWER, trust: float = PRIOR) -> Consensus:
        sizes = np.array(self.sizes)
        asked = np.repeat(sizes, [len(self._labels[int(K)]) for K in sizes])
        agreed = np.concatenate([self._agreement[int(K)] for K in sizes])
        weights = np.maximum(agreed, LEAST) ** power * prior[np.minimum(asked, len(prior)) - 1] ** trust
        # Each number weighs as much as the steps to the next ones, so that filling in adds no weight.
        weights *= np.concatenate(
            [step * self._voices(int(K)) for step, K in zip(_steps_around(sizes), sizes, strict=True)]
        )
        weights /= weights.sum()
        draws = np.concatenate([np.array(self._labels[int(K)]) for K in sizes])
        found = search_partition(draws, loss="vi", weights=weights, n_init=STARTS, random_state=self._seed)
        methods = tuple(one for K in sizes for one in self._made[int(K)])
        return Consensus(draws, weights, methods, asked, agreed, found)

    def _voices(self, n_clusters: int) -> Array:
        """The weights of the draws of one number, of sum 1: a method is one voice."""
        names = [one.name for one in self._made[n_clusters]]
        voices = 1.0 / np.array([names.count(name) for name in names])
        return np.asarray(voices / voices.sum())

    def _stream(self, one: Member) -> np.random.Generator:
        return np.random.default_rng([self._seed, 0, zlib.crc32(one.name.encode())])
