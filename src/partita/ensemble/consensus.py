"""The number of clusters and the clusters themselves, from different clusterings at many numbers.

Each method of an ensemble clusters the items at each number K of a grid, and each of these draws has log odds: of
features those of `partita.ensemble.validity`, of a graph what its methods agree on (`partita.ensemble.on_graph`). With
these weights the draws are a sample of partitions, from which the number of clusters has its probabilities as it has
from any posterior, and the answer is the draw of largest expected adjusted Rand index with the others.

The grid is coarse: each number up to 12, then steps of a third, up to 50 and the square root of the number of items. It
ends sooner where the odds have fallen far below the best and methods agree less than they did, goes on while the odds
are best at its end; numbers that dense clusters, groups that lie apart or the pieces of a graph tell are tried all the
same. It is filled in around the answer, and around the best of the numbers past 12 where its odds are
not far below the best: the right one may be between two that were tried. Around the answer the methods draw once more,
with other settings, so that it does not hang by one draw.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partita.affinity.shared_search import shared_search
from partita.arrays import Array, Labels
from partita.ensemble.base import Member, hard
from partita.ensemble.validity import SPACE_POWER
from partita.ensemble.weights import LEAST, adjusted_rand, agreement, agreement_weights
from partita.kernels.threads import n_threads
from partita.runs import FEW, outcomes_of
from partita.scope import lasting, tell

__all__ = ["EACH", "ITEMS", "Consensus", "LogOdds", "consensus", "drawn_at", "sizes_up_to"]

# Log odds of the methods' partitions at a number of clusters, from their agreement (M x M) and the methods' names.
LogOdds: TypeAlias = Callable[[Sequence[Labels], Array, Sequence[str], int], Array]

# Every number up to this one, then steps by this factor.
EACH, STEP = 12, 4 / 3
# Numbers up to this one (and up to the square root of the number of items) are tried.
ALWAYS = 50
# Past every number, larger ones are left out where the best log odds of two in a row are so far below the best, and
# methods have agreed better.
PAST = 3.5
# Clusters on which methods may agree by chance; and mean agreement at one of the numbers up to 12 below which a larger
# one is tried, whatever their odds.
BY_CHANCE, WELL = 4, 0.7
# Adjusted Rand index with two other methods from which on a draw of many clusters tells of one cluster as well.
AGREED = 0.5
# Items that a cluster has on average at least.
ITEMS = 3
# Numbers on either side of the answer that are filled in, and how often the answer may move then.
AROUND, ROUNDS = 2, 3
# Numbers that are filled in or drawn at once more, as a rule: for the progress alone.
REFINED = 9
# Adjusted Rand index from which on two partitions are one answer.
SAME = 0.95
# Share from which on the draws that do not vote have the answer.
HALF = 0.5
LEAST_WEIGHT = np.finfo(float).tiny
# Share of the weight that draws may have together and not be evidence.
LEFT_OUT = 0.01
# Draws among which the answer is looked for.
LIKELIEST = 30


@dataclass(frozen=True, eq=False)
class Consensus:
    """Draws of different methods at many numbers of clusters, and the one that has most in common with the others.

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
    partition : array of n int
        Labels of the draw of largest expected adjusted Rand index, of those with two clusters or more.
    expected : float
        That index with the likeliest draws, itself included, by their weights.
    best_log_odds, spread_log_odds : float
        The largest of a first draw that was asked for 12 clusters at most, or that two other methods agree with, and
        the standard deviation of those that were asked for 12 at most, single clusters left out.
    item : array, optional
        The one of the n that stands for each item, where a sample was clustered.
    fine : float, optional
        Of a graph, the mean agreement on clusters as small as neighbourhoods, see `partita.ensemble.on_graph`.
    backed : bool
        Of a graph, whether a block model has evidence for the partition beyond that for such small clusters.
    against : bool
        Of a graph, whether a block model finds one cluster more probable than the partition.
    power : float
        Power of the weights of draws at a number that is given, see `partita.ensemble.validity.power_in`.
    components : float
        Share of the weight of draws that do not vote, the probability that these are right; see
        `partita.ensemble.belief`.
    one : float, optional
        Of 50 features' rows or more, the probability of one cluster, which no draw can say; see
        `partita.ensemble.validity`.
    modes : bool
        Whether the answer is the modes of the density along a line, see `partita.ensemble.modes`.
    soft : mapping of int to n x K array, optional
        Memberships by a model of K clusters, where the draws are its labels; see `partita.ensemble.latent_classes`.
    """

    draws: Labels
    weights: Array
    methods: tuple[Member, ...]
    asked: NDArray[np.int64]
    agreement: Array
    partition: Labels
    expected: float
    best_log_odds: float
    spread_log_odds: float
    item: NDArray[np.intp] | None = None
    fine: float | None = None
    backed: bool = False
    against: bool = False
    power: float = SPACE_POWER
    components: float = 0.0
    one: float | None = None
    modes: bool = False
    soft: Mapping[int, Array] | None = None

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition."""
        return len(np.unique(self.partition))

    @property
    def labels(self) -> Labels:
        """The partition's labels of each item."""
        return self.partition if self.item is None else self.partition[self.item]

    @property
    def best_agreement(self) -> float:
        """The largest mean agreement of all methods at one number; of a graph, how far it exceeds the fine one."""
        return max(self.excess_at(int(K)) for K in np.unique(self.asked))

    def excess_at(self, n_clusters: int) -> float:
        """Return the mean agreement at a number; of a graph, how far it exceeds the fine one."""
        agreed, fine = self.agreement_at(n_clusters), self.fine or 0.0
        return (agreed - fine) / max(1.0 - fine, LEAST)

    def agreement_at(self, n_clusters: int) -> float:
        """Return the mean agreement of the methods at a number, between those next to it where it was not tried."""
        asked, agreed = self.asked[self._votes], self.agreement[self._votes]
        tried = np.unique(asked)
        means = [float(agreed[asked == K].mean()) for K in tried]
        return float(np.interp(n_clusters, tried, means))

    def at(self, n_clusters: int) -> Consensus:
        """Return the consensus of the draws that were asked for this number, or for those next to it on either side.

        All of them have a part in it: weights are taken to a power below one. The partition is the draw with so many
        clusters, or else with fewer, of largest expected adjusted Rand index.
        """
        tried = np.unique(self.asked)
        near = {
            int(tried[tried <= n_clusters].max(initial=tried[0])),
            int(tried[tried >= n_clusters].min(initial=tried[-1])),
        }
        own = np.flatnonzero(np.isin(self.asked, sorted(near)))
        draws, weights, votes = self.draws[own], self.weights[own], self._votes[own]
        held = draws.max(axis=1) + 1
        allowed = held == n_clusters if (held == n_clusters).any() else held <= n_clusters
        if not weights[allowed].any():  # a number that bounds had left out
            weights = np.where(allowed, 1.0, 0.0)
        voices, lone = np.where(votes, weights, 0.0), np.where(votes, 0.0, weights)
        if (held[votes] == n_clusters).any():
            voices = np.minimum(voices, voices[allowed].max())  # beyond that they tell of the number
        voices = (voices / max(voices.max(), LEAST_WEIGHT)) ** self.power
        weights = _together(voices, lone, self.components)
        answering = allowed & (votes != self.by_components)
        expected = np.where(answering if answering.any() else allowed, agreement(list(draws)) @ weights, -np.inf)
        best = int(expected.argmax())
        return replace(
            self,
            draws=draws,
            weights=weights,
            methods=tuple(self.methods[m] for m in own),
            asked=self.asked[own],
            agreement=self.agreement[own],
            partition=draws[best],
            expected=float(expected[best]),
        )

    @property
    def by_components(self) -> bool:
        """Whether the draws that do not vote have the answer."""
        return self.components > HALF

    def siding_with(self, partition: Labels, share: float) -> Consensus:
        """Return the consensus with an answer that draws have, which get this share of the weight; as it is where none
        has it.
        """
        same = np.array([adjusted_rand(partition, own) >= SAME for own in self.draws])
        if not same.any() or same.all():
            return self
        own, others = np.where(same, self.weights, 0.0), np.where(same, 0.0, self.weights)
        weights = _together(others, own if own.any() else same.astype(np.float64), share)
        lone = float(weights[~self._votes].sum())
        expected = _in_common(partition, self.draws, weights)
        return replace(self, weights=weights, partition=partition, expected=expected, components=lone)

    @property
    def answering(self) -> Array:
        """Weights, of sum 1, of the draws that have the answer: those that vote, or else those that do not.

        The smallest, which have a hundredth of the weight together, are left out: they are about half of the draws.
        """
        own = np.where(self._votes != self.by_components, self.weights, 0.0)
        own = own / own.sum() if own.any() else self.weights.copy()
        order = np.argsort(own, kind="stable")
        own[order[np.cumsum(own[order]) <= LEFT_OUT]] = 0.0
        return np.asarray(own / own.sum())

    @property
    def _votes(self) -> NDArray[np.bool_]:
        return np.array([one.votes for one in self.methods], dtype=bool)

    def beside(
        self,
        labels: Sequence[Labels],
        asked: NDArray[np.int64],
        chances: Array,
        agreed: Array,
        one: Member,
        share: float,
        *,
        best: int | None = None,
    ) -> Consensus:
        """Return the consensus with draws of a method that does not vote, and has this share of the weight.

        Where its answer is the partition of the others, how probable a number is to either multiplies: two unlike
        readings of the items have found the same clusters.

        Parameters
        ----------
        labels : sequence of M arrays of n labels
        asked : array of M int
            Number of clusters of each.
        chances : array of M
            How probable each is beside the others of them.
        agreed : array of M
            Mean adjusted Rand index with the other methods at that number.
        one : Member
        share : float in [0, 1]
        best : int, optional
            The draw that is the method's answer: the most probable one by default.
        """
        draws = np.vstack([self.draws, *labels])
        voices, lone = np.r_[self.weights, np.zeros(len(labels))], np.r_[np.zeros(len(self.draws)), chances]
        own = len(self.draws) + (int(chances.argmax()) if best is None else best)
        held = draws.max(axis=1)
        same = self.partition.max() == held[own] and adjusted_rand(self.partition, draws[own]) >= SAME
        if same and voices.any() and lone.any():  # witnesses of one answer: their odds multiply
            voices, lone = (mine * _by_number(others, held) for mine, others in ((voices, lone), (lone, voices)))
        weights = _together(voices, lone, share)
        partition = draws[own] if share > HALF else self.partition
        return replace(
            self,
            draws=draws,
            weights=weights,
            methods=(*self.methods, *[one] * len(labels)),
            asked=np.r_[self.asked, asked],
            agreement=np.r_[self.agreement, agreed],
            partition=partition,
            expected=_in_common(partition, draws, weights),
            components=share,
        )

    def likeliest_draw(self, n_clusters: int) -> Labels:
        """Return the draw of largest weight of those asked for this number, or for the nearest one."""
        nearest = self.asked[np.abs(self.asked - n_clusters).argmin()]
        own = np.flatnonzero(self.asked == nearest)
        return np.asarray(self.draws[own[self.weights[own].argmax()]])

    def share_of(self) -> dict[int, float]:
        """Return the share of the weight of the draws that have each number of clusters, 2 and more."""
        held = self.draws.max(axis=1) + 1
        shares = {int(K): float(self.weights[held == K].sum()) for K in np.unique(held) if K > 1}
        total = sum(shares.values())
        return {K: share / total for K, share in shares.items()}


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
    log_odds: LogOdds,
    *,
    again: Sequence[Member] = (),
    seed: int = 0,
    bounds: tuple[int, int | None] = (1, None),
    tried: Sequence[int] = (),
    items: int = ITEMS,
) -> Consensus | None:
    """Return the consensus of methods on the items and on the number of clusters.

    None for fewer than six items, and where all members are one method.

    Parameters
    ----------
    members : sequence of Member
        Different methods, two at least; three or more are better: two agree by chance now and then.
    X : n x d array, or n x n csr_array for members of graphs
        Distinct rows. Cost: the methods' own at about 20 numbers of clusters.
    log_odds : callable
        Of the partitions at one number, up to a constant.
    again : sequence of Member
        The methods with other settings, which draw as well at the numbers around the answer. Without them, as of a
        graph, whose fine tilings are agreed on at any number, only numbers around the answer are filled in.
    seed : int
    bounds : pair of int, or int and None
        The smallest and the largest number of clusters. Draws with another number weigh nothing.
    tried : sequence of int
        Numbers that are tried whatever fewer are worth.
    items : int
        Items that a cluster has on average at least.

    Examples
    --------
    >>> from partita.ensemble import Validity, member
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    >>> members = [member(name) for name in ("genie", "modularity", "density")]
    >>> consensus(members, X, Validity.of(X).log_odds_at).n_clusters
    3
    """
    n = X.shape[0]
    least, most = bounds[0], min(n // items, bounds[1] or n)
    if most < 2 or len({one.name for one in members}) < 2:
        return None
    first = max(ALWAYS, int(np.ceil(np.sqrt(n))))
    always = sorted({min(max(K, least, 2), most) for K in (least, *tried)})
    grid = [K for K in sizes_up_to(max(most, min(EACH, n // ITEMS))) if EACH >= K or least <= K]
    planned = [*[K for K in grid if first >= K], *always] + [EACH] * REFINED
    drawn = _Draws(members, X, seed, log_odds, (least, most), planned)

    def goes_on(K: int) -> bool:
        return not drawn.is_past_the_best() and (first >= K or drawn.best_at() >= drawn.allowed[-2:][0])

    with shared_search():
        # The first numbers are always tried: how far the odds of few clusters differ tells whether there is but one.
        drawn.add([K for K in grid if K <= EACH])
        if max(map(drawn.agreement_at, drawn.sizes)) < WELL:
            drawn.add([K for K in grid if K > EACH * 2][:1])
        drawn.add_while([K for K in grid if K > EACH and K not in drawn.sizes], goes_on, ahead=first)
        if new := [K for K in always if K not in drawn.sizes]:
            drawn.add(new)
            drawn.add_while([K for K in grid if max(drawn.sizes) < K], goes_on, ahead=first)
        first_draws = found = drawn.summary()
        for _ in range(ROUNDS):
            near = drawn.around(found.n_clusters, max(least, 2), most)
            peak = drawn.best_of_many() if again else None
            filled = near if peak is None else sorted({*near, *drawn.around(peak, max(least, 2), most)})
            new = [k for k in filled if k not in drawn.sizes]
            second = [k for k in near if again and not drawn.is_drawn_again(k)]
            if not new and not second:
                break
            drawn.add(new, second, again)
            found = drawn.summary()
    # What tells one cluster was learned on first draws.
    return replace(found, best_log_odds=first_draws.best_log_odds, spread_log_odds=first_draws.spread_log_odds)


def drawn_at(
    members: Sequence[Member], X: Any, sizes: Iterable[int], *, seed: int = 0
) -> tuple[float, tuple[Labels, ...]]:
    """Return the agreement of methods, averaged over these numbers of clusters, and their draws.

    Parameters are those of `consensus`.
    """
    sizes = list(sizes)
    drawn = _Draws(members, X, seed, lambda labels, *_: np.zeros(len(labels)), (1, X.shape[0]), sizes)
    drawn.add(sizes)
    draws = tuple(labels for K in drawn.sizes for labels in drawn.labels_at(K))
    return float(np.mean([drawn.agreement_at(K) for K in drawn.sizes])), draws


def _steps_around(sizes: NDArray[np.int64]) -> Array:
    """Return the length of the grid that each number stands for, in steps of the coarse one."""
    place = np.where(sizes <= EACH, sizes, EACH + np.log(sizes / EACH) / np.log(STEP))
    ends = np.concatenate([[place[0] - 0.5], (place[1:] + place[:-1]) / 2, [place[-1] + 0.5]])
    return np.asarray(np.diff(ends))


def _of_several(draws: Labels) -> NDArray[np.intp]:
    """The draws with two clusters and more, all where there are none."""
    several = np.flatnonzero(draws.max(axis=1) > 0)
    return several if len(several) else np.arange(len(draws))


def _likeliest(draws: Labels, weights: Array) -> NDArray[np.intp]:
    """The draws among which the answer is looked for."""
    several = _of_several(draws)
    weighty = several[weights[several] > 0]  # not those that bounds leave out
    several = weighty if len(weighty) else several
    return np.asarray(several[np.argsort(-weights[several], kind="stable")[:LIKELIEST]])


def _in_common(partition: Labels, draws: Labels, weights: Array) -> float:
    """The expected adjusted Rand index of a partition with the likeliest draws."""
    likeliest = _likeliest(draws, weights)
    alike = np.array([adjusted_rand(partition, draws[at]) for at in likeliest])
    return float(alike @ weights[likeliest] / weights[likeliest].sum())


def _by_number(weights: Array, held: NDArray[np.int64]) -> Array:
    """The share of the weight that each draw's number of clusters has, `held` of each draw, and a little more; of one
    without a draw that weighs anything, between those beside it.
    """
    shares = np.bincount(held, weights) / weights.sum()
    known = np.flatnonzero(shares)
    return np.asarray(np.exp(np.interp(held, known, np.log(shares[known] + LEAST))))


def _together(voices: Array, lone: Array, share: float) -> Array:
    """Weights of sum 1: `share` to the draws that do not vote, the rest to the others, all to one where the other has
    none.
    """
    if not lone.any() or not voices.any():
        return np.asarray((voices + lone) / (voices + lone).sum())
    return np.asarray((1.0 - share) * voices / voices.sum() + share * lone / lone.sum())


class _Draws:
    """The methods' clusterings of the same items at one number after the other."""

    def __init__(
        self,
        members: Sequence[Member],
        X: Any,
        seed: int,
        log_odds: LogOdds,
        bounds: tuple[int, int],
        planned: Sequence[int] = (),
    ) -> None:
        self._members, self._X, self._seed, self._judge = tuple(members), X, seed, log_odds
        self._bounds = bounds
        self._drawn: dict[int, _AtNumber] = {}
        # A draw takes about as long as it has clusters; and what the latest of each method took for one.
        self._took: dict[str, float] = {}
        self._spent, self._to_spend = 0, sum(planned) * len(members)

    @property
    def sizes(self) -> list[int]:
        return sorted(self._drawn)

    def add(self, numbers: Iterable[int], second: Iterable[int] = (), again: Sequence[Member] = ()) -> None:
        """Draw at these numbers, and once more, with other settings, at second ones."""
        requests = [(K, self._members, 0) for K in numbers] + [(K, tuple(again), 1) for K in second]
        found = self._labels_at(requests)
        numbers = list(dict.fromkeys(K for K, _, _ in requests))

        def judged(K: int) -> _AtNumber:
            own = [place for place, request in enumerate(requests) if request[0] == K]
            members = tuple(one for place in own for one in requests[place][1])
            return self._judged(K, members, tuple(labels for place in own for labels in found[place]))

        self._drawn.update(zip(numbers, outcomes_of(judged, numbers, self._X.shape[0]), strict=True))

    def add_while(self, numbers: Sequence[int], goes_on: Callable[[int], bool], *, ahead: int) -> None:
        """Draw at one number after the other, while it goes on before each.

        On several threads the methods draw at two numbers at a time up to `ahead`, so that none waits for the slowest
        of them; what was drawn at a number that is not reached is dropped.
        """
        step = 2 if self._X.shape[0] >= FEW and n_threads() > 1 else 1
        left = list(numbers)
        while left and goes_on(left[0]):
            now = [K for at, K in enumerate(left[:step]) if at == 0 or ahead >= K]
            left = left[len(now) :]
            for K, labels in zip(now, self._labels_at([(K, self._members, 0) for K in now])):
                if not goes_on(K):
                    return
                self._drawn[K] = self._judged(K, self._members, labels)

    def _labels_at(self, requests: Sequence[tuple[int, tuple[Member, ...], int]]) -> list[tuple[Labels, ...]]:
        """The labels by each of some members at a number, in a draw; of each request."""
        if not requests:
            return []
        numbers = sorted({K for K, _, _ in requests})
        which = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
        words = f"choosing the number of clusters: trying {which} by {len(self._members)} methods"
        tasks = [(one, K, draw) for K, members, draw in requests for one in members]
        # What takes longest begins first, so that no thread waits for it at the end.
        order = sorted(range(len(tasks)), key=lambda at: -self._took.get(tasks[at][0].name, 0.0) * tasks[at][1])
        spent = self._spent + np.cumsum([0, *(tasks[at][1] for at in order)])
        of = max(self._to_spend, int(spent[-1]))

        def told(n_done: int) -> None:
            self._spent = int(spent[n_done])
            tell(words, self._spent, of)

        told(0)
        found = outcomes_of(lambda at: self._labels_of(*tasks[at]), order, self._X.shape[0], told=told)
        labels = [found[place] for place in np.argsort(order)]
        ends = np.cumsum([0, *(len(members) for _, members, _ in requests)])
        return [tuple(labels[low:high]) for low, high in pairwise(ends)]

    def _judged(self, n_clusters: int, members: tuple[Member, ...], labels: tuple[Labels, ...]) -> _AtNumber:
        """Draws at a number, together with those that are there already."""
        if before := self._drawn.get(n_clusters):
            members, labels = before.members + members, (*before.labels, *labels)
        names, table = [one.name for one in members], agreement(labels)
        agreed = agreement_weights(table, names)[1]
        return _AtNumber(members, labels, agreed, self._judge(labels, table, names, n_clusters))

    def _labels_of(self, one: Member, n_clusters: int, draw: int) -> Labels:
        def made() -> Labels:
            began = time.perf_counter()
            rng = np.random.default_rng([self._seed, draw, zlib.crc32(one.name.encode())])
            membership = one.cluster(self._X, n_clusters, rng).membership
            self._took[one.name] = (time.perf_counter() - began) / n_clusters
            return np.unique(hard(membership), return_inverse=True)[1].astype(np.int64)

        return lasting(made, "labels", one, n_clusters, self._seed, draw, self._X)

    def is_drawn_again(self, n_clusters: int) -> bool:
        """Return whether the methods have drawn twice at a number."""
        return n_clusters in self._drawn and len(self._drawn[n_clusters].members) > len(self._members)

    def around(self, n_clusters: int, least: int, most: int) -> list[int]:
        """Return the numbers next to one, and those half way to the next ones that were tried."""
        tried = np.array(self.sizes)
        ends = tried[tried < n_clusters].max(initial=n_clusters), tried[tried > n_clusters].min(initial=n_clusters)
        near = {*range(n_clusters - AROUND, n_clusters + AROUND + 1), *((n_clusters + int(end)) // 2 for end in ends)}
        return [k for k in sorted(near) if least <= k <= most]

    def agreement_at(self, n_clusters: int) -> float:
        """Return the mean agreement of the methods at a number that was added."""
        return float(self._drawn[n_clusters].agreement.mean())

    def labels_at(self, n_clusters: int) -> tuple[Labels, ...]:
        """Return the draws at a number that was added."""
        return self._drawn[n_clusters].labels

    @property
    def allowed(self) -> list[int]:
        """The numbers that were added, and are not below bounds past those that are always tried; all where none is."""
        least = self._bounds[0] if self._bounds[0] > EACH else 0
        return [K for K in self.sizes if least <= K] or self.sizes

    def best_at(self) -> int:
        """Return the number of the draw of largest odds, of those allowed."""
        return max(self.allowed, key=lambda K: self._drawn[K].best)

    def best_of_many(self) -> int | None:
        """Return the number past 12 of the draw of largest odds, unless these are far below the best of all."""
        many = [K for K in self.allowed if K > EACH]
        if not many:
            return None
        best = max(many, key=lambda K: self._drawn[K].best)
        return best if self._drawn[best].best >= self._drawn[self.best_at()].best - PAST else None

    def is_past_the_best(self) -> bool:
        """Return whether the odds of the last two numbers are far below the best, and methods have agreed better.

        Odds of many small clusters are low at numbers between few and theirs, where agreement only rises. On two or
        three clusters, one of which is small, methods may agree by chance.
        """
        each = [self._drawn[K] for K in self.allowed]
        alike = [one.agreement.max() for K, one in zip(self.allowed, each, strict=True) if K > BY_CHANCE] or [0.0]
        far_below = max(one.best for one in each[-2:]) < max(one.best for one in each) - PAST
        return far_below and max(alike[-2:]) < max(alike)

    def summary(self) -> Consensus:
        sizes = np.array(self.sizes)
        each = [self._drawn[K] for K in self.sizes]
        draws = np.array([labels for one in each for labels in one.labels])
        log_odds = np.concatenate([one.log_odds for one in each])
        asked = np.repeat(sizes, [len(one.members) for one in each])
        held = draws.max(axis=1) + 1
        within = (held >= max(self._bounds[0], 2)) & (held <= self._bounds[1])
        within = within if within.any() else np.ones_like(within)
        # A number weighs as much as the steps to the next ones, so that filling in adds no weight, and a method is one
        # voice.
        weights = np.where(within, np.exp(log_odds - log_odds[within].max()), 0.0)
        weights *= np.concatenate([step * one.voices for step, one in zip(_steps_around(sizes), each)])
        weights /= weights.sum()
        several = _of_several(draws)
        likeliest = _likeliest(draws, weights)
        expected = agreement(list(draws[likeliest])) @ (weights[likeliest] / weights[likeliest].sum())
        best = int(expected.argmax())
        agreed = np.concatenate([one.agreement for one in each])
        few = log_odds[several[asked[several] <= EACH]]
        few = few if len(few) else log_odds
        told = log_odds[several[agreed[several] >= AGREED]]
        return Consensus(
            draws,
            weights,
            tuple(member for one in each for member in one.members),
            asked,
            agreed,
            draws[likeliest[best]],
            float(expected[best]),
            float(max(few.max(), told.max(initial=-np.inf))),
            float(few.std()),
        )


@dataclass(frozen=True, eq=False)
class _AtNumber:
    """The draws at one number of clusters: whose they are, their labels, their agreement and their log odds."""

    members: tuple[Member, ...]
    labels: tuple[Labels, ...]
    agreement: Array
    log_odds: Array

    @property
    def best(self) -> float:
        return float(self.log_odds.max())

    @property
    def voices(self) -> Array:
        """One voice a method, shared by its draws."""
        names = [one.name for one in self.members]
        return np.asarray(1.0 / np.array([names.count(name) for name in names]))
