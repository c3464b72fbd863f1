"""Modes of a posterior over partitions: sets of draws with a valley of few draws between them, each with its weight.

Draws are points in the metric space of the variation of information. A mode is a cluster of the density there, found in
three steps:

1. A sample of at most `SAMPLE` draws, and all their distances (`partita.partition.sample`). The core radius of a draw
   is the distance within which 5% of the draws lie: small where density is high. Two draws are connected at level h
   when neither core radius nor their distance exceeds h [campello2013] (`partita.partition.density`).
2. As h rises draws join and components grow. One is *born* when it holds 5% of the draws, and dies when it meets
   another that is born already, at a level that is the height of the pass between the two. Two born components are two
   modes when that level exceeds both births by more than chance would: the persistence of [chazal2013], in distances
   (`partita.partition.modes`).
3. Each draw belongs to the mode that it is nearest to by E d(x, mode) - E d(mode, mode) / 2, the distance of energy
   statistics, from `REFERENCES` draws of each [szekely2013].

Where no pass is that high there is one mode: this is the test of a single mode, and the usual answer. Distances less
than what moving one item can change count as that, so that a posterior in which single items waver has one mode.

It errs on the side of one mode. In simulations of 50 posteriors each (`benchmarks/uncertainty.py`), one noisy partition
gave one mode in all 600, and a border that slides along a line, which has gaps by chance, in 199 of 200. Two partitions
that differ in 40% of 100 items, of weights .7 and .3, were told apart in 50 of 50 from 600 draws and in 41 from 150; of
20 items in 41 and 27; of weights .9 and .1 in 42 of 50 from 600 draws of 100 items, and hardly ever from fewer.
Weights, where there were two, were right within .01. What it cannot see: modes below 5% of the draws, modes that differ
by less than the draws about them do, and two modes that chains have joined by a path of draws.
Draws that are few and correlated form clumps of their own: thin them, and look at the chains
(`partita.partition.chains`) first.

[campello2013] R. Campello, D. Moulavi, J. Sander, Density-based clustering based on hierarchical density estimates,
PAKDD (2013).
[chazal2013] F. Chazal, L. Guibas, S. Oudot, P. Skraba, Persistence-based clustering in Riemannian manifolds, Journal of
the ACM 60 (2013).
[szekely2013] G. Szekely, M. Rizzo, Energy statistics, Journal of Statistical Planning and Inference 143 (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.metrics.checks import codes_of
from partita.partition.dendrogram import numbered
from partita.partition.density import density_modes
from partita.partition.distances import distances_to, given_draws, measured, metric_of
from partita.partition.draws import PartitionDraws, worth_of
from partita.partition.losses import PartitionLoss, Unit
from partita.partition.sample import SAMPLE, DrawSample, draw_rows, sample_of
from partita.wording import Printed

__all__ = ["Mode", "Modes", "modes_as_given", "modes_of", "posterior_modes"]

Search = Callable[[NDArray[Any], Array], ArrayLike]

# Draws that stand for a mode.
REFERENCES = 32


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode.

    Attributes
    ----------
    labels : array of N
        Its representative: what `search` found from its draws, else the draw, of those compared, with the least mean
        distance to the others. 0..K-1 in order of appearance.
    weight : float
        Share of the draws.
    draws : array
        Which draws belong to it, as they were given.
    spread : float
        Mean distance between two of its draws.
    distance : float
        Mean distance of its draws from `labels`.
    """

    labels: NDArray[np.int64]
    weight: float
    draws: NDArray[np.int64]
    spread: float
    distance: float

    @property
    def n_clusters(self) -> int:
        """Clusters of the representative."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Modes(Printed):
    """Modes, heaviest first.

    Attributes
    ----------
    modes : tuple of Mode
    distances : array, modes x modes
        Mean distance between a draw of one and a draw of the other; on the diagonal the spreads.
    labels : array of M
        The mode of each draw, as they were given; of `PartitionDraws` of each of theirs. `BayesianPartition` gives -1
        to a draw of weight zero that no other equals.
    separation : float
        Height of the highest pass over the later of the two births it parts; 1 where no second component ever formed.
    n_sampled : int
        Draws that were compared with one another.
    loss : PartitionLoss
        The metric, with its unit.
    """

    modes: tuple[Mode, ...]
    distances: Array
    labels: NDArray[np.int64]
    separation: float
    n_sampled: int
    loss: PartitionLoss

    def __str__(self) -> str:
        if len(self.modes) == 1:
            return f"one mode; its draws are {self.modes[0].spread:.3f} apart by {self.loss.says}"
        shares = ", ".join(f"{mode.weight:.1%} (K = {mode.n_clusters})" for mode in self.modes)
        return (
            f"{len(self.modes)} modes with {shares} of the draws; draws of the first two are "
            f"{self.distances[0, 1]:.3f} apart by {self.loss.says}, within the first {self.modes[0].spread:.3f}"
        )


def posterior_modes(
    draws: Any,
    *,
    search: Search | None = None,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    weights: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Modes:
    """Return modes of the posterior, with weights and representatives; mostly one.

    Parameters
    ----------
    draws : array-like, M x N
        Rows are draws.
    search : callable, optional
        `search(draws, weights)` gives the labels that represent the draws of one mode, such as those of least expected
        loss.
    loss : {"vi", "binder"}
    unit : {"bits", "nats"}, optional
        Unit of "vi"; bits by default.
    weights : array of M, optional
        Nonnegative weight of each draw; equal by default. Whole numbers count as copies.
    random_state : int, Generator or None
        For the sample of draws, where there are more than 1,000.

    Raises
    ------
    InputError
        For draws, weights or a loss that do not fit, or a search that does not give labels of the N items.
    MemoryLimitError
        Where `search` is given and the labels of a mode would not fit.

    Notes
    -----
    Time O(S^2 N + M N) for a sample of S = min(M, 1000); memory 16 S^2 bytes and S N labels.

    References
    ----------
    [campello2013], [chazal2013], [szekely2013].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = np.where(np.arange(200)[:, None] < 140, np.arange(40) // 20, np.arange(40) % 4)
    >>> noisy = np.where(rng.random((200, 40)) < 0.1, rng.integers(0, 4, (200, 40)), truth)
    >>> found = posterior_modes(noisy)
    >>> [(mode.n_clusters, round(mode.weight, 3)) for mode in found.modes]
    [(2, 0.7), (4, 0.3)]
    """
    metric = metric_of(loss, unit, None)
    blocks, counts = given_draws(draws, weights)
    sample = DrawSample.of(blocks, counts, metric, np.random.default_rng(random_state))
    worth = draws.worth if isinstance(draws, PartitionDraws) else worth_of(weights, blocks.n_draws)
    return _found(blocks, counts, sample, worth, search, metric)


def _found(
    blocks: LabelBlocks, counts: Array, sample: DrawSample, worth: float, search: Search | None, metric: PartitionLoss
) -> Modes:
    shares = counts / counts.sum()
    found, separation = density_modes(sample.between, sample.shares, sample.move, min(worth, SAMPLE))
    member = _nearest(blocks, sample, found, metric)
    order = np.argsort(-np.bincount(member, weights=shares), kind="stable")
    order = order[np.bincount(member, weights=shares)[order] > 0]
    place = np.zeros(int(member.max()) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    member = place[member]
    own = [np.flatnonzero(member[sample.rows] == k) for k in range(len(order))]
    means = np.array([[_mean(sample, a, b) for b in own] for a in own])
    modes = []
    for k, mine in enumerate(own):
        which = np.flatnonzero(member == k)
        labels = _representative(search, blocks, which, counts, sample, mine)
        far, repeats = measured(labels, LabelBlocks(sample.labels[mine]), metric).values, sample.shares[mine]
        distance = far @ repeats / repeats.sum()
        modes.append(Mode(labels, float(shares[which].sum()), which, float(means[k, k]), float(distance)))
    return Modes(tuple(modes), means, member, separation, len(sample.rows), metric)


def modes_of(own: PartitionDraws, metric: PartitionLoss) -> Modes:
    """Return the modes of draws of which equal ones are merged, without a search in each.

    Worked out once for a metric.
    """
    name = f"modes by {metric}"
    if name not in own.found:
        sample = sample_of(own, metric)
        own.found[name] = _found(LabelBlocks(own.labels), own.counts, sample, own.worth, None, metric)
    found: Modes = own.found[name]
    return found


def modes_as_given(
    own: PartitionDraws, metric: PartitionLoss, search: Callable[[PartitionDraws], NDArray[np.int64]]
) -> Modes:
    """Return the modes with draws numbered as they were before equal ones were merged, and the partition found in each.

    `search` is given the draws of one mode. A draw of weight zero that no other equals is in
    no mode, -1.

    Examples
    --------
    >>> from partita.partition.losses import VariationOfInformation
    >>> own, metric = PartitionDraws.of([[0, 0, 1]] * 3 + [[0, 1, 1]]), VariationOfInformation()
    >>> modes_as_given(own, metric, lambda draws: draws.labels[0].astype(np.int64)).labels.tolist()
    [0, 0, 0, 0]
    """
    merged = modes_of(own, metric)
    member = own.as_given(merged.labels)
    modes = []
    for k, mode in enumerate(merged.modes):
        draws, counts = own.labels[mode.draws], own.counts[mode.draws]
        labels = search(own if len(merged.modes) == 1 else PartitionDraws.of(draws, counts))
        distance = float(distances_to(labels, draws, loss=metric) @ counts / counts.sum())
        modes.append(replace(mode, labels=labels, draws=np.flatnonzero(member == k), distance=distance))
    return replace(merged, modes=tuple(modes), labels=member)


def _nearest(blocks: LabelBlocks, sample: DrawSample, found: NDArray[np.int64], metric: Any) -> NDArray[np.int64]:
    """The mode of every draw; `found` is that of each sampled one, -1 where it lies between modes."""
    n_modes = int(found.max()) + 1
    if n_modes == 1:
        return np.zeros(blocks.n_draws, dtype=np.int64)
    energy, repeats = np.empty((n_modes, blocks.n_draws)), sample.shares
    for k in range(n_modes):
        own = np.flatnonzero(found == k)
        some = own[np.linspace(0, len(own) - 1, min(len(own), REFERENCES)).astype(np.int64)]
        far = sum(repeats[s] * measured(sample.labels[s], blocks, metric).values for s in some) / repeats[some].sum()
        energy[k] = far - 0.5 * _mean(sample, some, some)
    return np.asarray(energy.argmin(axis=0), dtype=np.int64)


def _mean(sample: DrawSample, first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Mean distance between a draw of `first` and one of `second`."""
    a, b = sample.shares[first], sample.shares[second]
    return float(a @ sample.between[np.ix_(first, second)] @ b / (a.sum() * b.sum()))


def _representative(
    search: Search | None,
    blocks: LabelBlocks,
    which: NDArray[np.int64],
    counts: Array,
    sample: DrawSample,
    mine: NDArray[np.int64],
) -> NDArray[np.int64]:
    if search is None:
        labels: ArrayLike = sample.labels[
            mine[int((sample.between[np.ix_(mine, mine)] @ sample.shares[mine]).argmin())]
        ]
    else:
        labels = search(draw_rows(blocks, which), counts[which])
    codes = codes_of(labels, "the labels that search gave")
    if len(codes) != blocks.n_items:
        raise InputError(f"search gave {len(codes)} labels for {blocks.n_items} items; it should give one for each")
    return numbered(codes)
