"""Modes of a posterior over partitions: sets of draws with a valley of few draws between them, each with its weight.

Draws are points in the metric space of the variation of information. A mode is a cluster of the density there, found in
three steps:

1. A sample of at most `SAMPLE` draws, and all their distances. The core radius of a draw is the distance within which
   5% of the draws lie: small where density is high. Two draws are connected at level h when neither
   core radius nor their distance exceeds h [campello2013].
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

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import require_memory
from partita.metrics.checks import codes_of
from partita.partition.distances import given_draws, measured, metric_of, scale_of
from partita.partition.losses import PartitionLoss, Unit

__all__ = ["Mode", "Modes", "posterior_modes"]

Array = NDArray[np.float64]
Search = Callable[[NDArray[Any], Array], ArrayLike]

# Draws that are compared with one another, and draws that stand for a mode.
SAMPLE, REFERENCES = 1000, 32


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


@dataclass(frozen=True, eq=False)
class Modes:
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
    shares = counts / counts.sum()
    rows, repeats = _sample(shares, np.random.default_rng(random_state))
    sampled = _rows(blocks, rows)
    between, move = _between(sampled, metric)
    found, separation = density_modes(between, repeats, move, min(_worth(counts), SAMPLE))
    member = _nearest(blocks, sampled, between, repeats, found, metric)
    order = np.argsort(-np.bincount(member, weights=shares), kind="stable")
    order = order[np.bincount(member, weights=shares)[order] > 0]
    place = np.zeros(int(member.max()) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    member = place[member]
    own = [np.flatnonzero(member[rows] == k) for k in range(len(order))]
    means = np.array([[_mean(between, repeats, a, b) for b in own] for a in own])
    modes = []
    for k, mine in enumerate(own):
        which = np.flatnonzero(member == k)
        labels = _representative(search, blocks, which, counts, sampled, between, repeats, mine)
        distance = measured(labels, LabelBlocks(sampled[mine]), metric).values @ repeats[mine] / repeats[mine].sum()
        modes.append(Mode(labels, float(shares[which].sum()), which, float(means[k, k]), float(distance)))
    return Modes(tuple(modes), means, member, separation, len(rows), metric)


def _worth(counts: Array) -> float:
    """Number of draws of equal weight: whole-number weights are copies; else Kish's effective number."""
    whole = counts.sum() if (counts == np.round(counts)).all() else 0.0
    return float(whole or counts.sum() ** 2 / (counts @ counts))


def _sample(shares: Array, rng: np.random.Generator) -> tuple[NDArray[np.int64], Array]:
    """Draws to compare, and how much each counts: all, or `SAMPLE` with chances proportional to their weights."""
    counted = np.flatnonzero(shares > 0)
    if len(counted) <= SAMPLE:
        return counted, shares[counted]
    # Systematic: every weight is met as often as its share says, up to one, and in all parts of a chain alike.
    points = (np.arange(SAMPLE) + rng.random()) / SAMPLE
    hit = np.minimum(np.searchsorted(np.cumsum(shares[counted]), points, side="right"), len(counted) - 1)
    rows, repeats = np.unique(counted[hit], return_counts=True)
    return rows, np.asarray(repeats / SAMPLE, dtype=np.float64)


def _rows(blocks: LabelBlocks, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Some of the draws."""
    require_memory(len(rows) * blocks.n_items * blocks.dtype.itemsize, "draws of a mode", "thin the draws")
    wanted = np.zeros(blocks.n_draws, dtype=bool)
    wanted[rows] = True
    return np.concatenate([block[wanted[first : first + len(block)]] for first, block in blocks])


def _between(sampled: NDArray[Any], metric: PartitionLoss) -> tuple[Array, float]:
    """Distances between all sampled draws, and the largest change that moving one item can make."""
    from partita.kernels.partition_distances import distances_within

    S, N = sampled.shape
    scale = scale_of(metric, N)
    out = np.zeros((S, S), dtype=np.int64)
    most = int(sampled.max()) + 1
    bounds = row_bounds(S, 8)[::-1]  # the longest first
    run_chunks(lambda low, high: distances_within(sampled, most, scale.f, low, high, out), bounds)
    # From a cluster of n to one of m, f(n) - f(n - 1) + f(m + 1) - f(m): f is convex and n + m <= N.
    half = (N + 1) // 2
    move = 0 if N == 1 else scale.f[half] - scale.f[half - 1] + scale.f[N - half + 1] - scale.f[N - half]
    return np.asarray(out * scale.unit, dtype=np.float64), float(move * scale.unit)


def _nearest(
    blocks: LabelBlocks, sampled: NDArray[Any], between: Array, repeats: Array, found: NDArray[np.int64], metric: Any
) -> NDArray[np.int64]:
    """The mode of every draw; `found` is that of each sampled one, -1 where it lies between modes."""
    n_modes = int(found.max()) + 1
    if n_modes == 1:
        return np.zeros(blocks.n_draws, dtype=np.int64)
    energy = np.empty((n_modes, blocks.n_draws))
    for k in range(n_modes):
        own = np.flatnonzero(found == k)
        some = own[np.linspace(0, len(own) - 1, min(len(own), REFERENCES)).astype(np.int64)]
        far = sum(repeats[s] * measured(sampled[s], blocks, metric).values for s in some) / repeats[some].sum()
        energy[k] = far - 0.5 * _mean(between, repeats, some, some)
    return np.asarray(energy.argmin(axis=0), dtype=np.int64)


def _mean(between: Array, repeats: Array, first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Mean distance between a draw of `first` and one of `second`."""
    a, b = repeats[first], repeats[second]
    return float(a @ between[np.ix_(first, second)] @ b / (a.sum() * b.sum()))


def _representative(
    search: Search | None,
    blocks: LabelBlocks,
    which: NDArray[np.int64],
    counts: Array,
    sampled: NDArray[Any],
    between: Array,
    repeats: Array,
    mine: NDArray[np.int64],
) -> NDArray[np.int64]:
    if search is None:
        labels: ArrayLike = sampled[mine[int((between[np.ix_(mine, mine)] @ repeats[mine]).argmin())]]
    else:
        labels = search(_rows(blocks, which), counts[which])
    codes = codes_of(labels, "the labels that search gave")
    if len(codes) != blocks.n_items:
        raise InputError(f"search gave {len(codes)} labels for {blocks.n_items} items; it should give one for each")
    first = np.unique(codes, return_index=True)[1]
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[codes]


# Clusters of a density, told from distances and weights alone: components that persist over a valley.
#
#     core(a) = least r with weight {b : d(a, b) <= r} >= NEIGHBOURHOOD
#     h(a, b) = max(core(a), core(b), d(a, b))                              [campello2013] mutual reachability
#
# Single linkage of h is the tree of its level sets. Components are born with weight `SMALLEST` and die where they
# meet one that was born earlier. With k neighbours the logarithm of a density is known up to 1/sqrt(k) or so, and the
# pass between two components is a valley when it lies exp(`CAUTION` / sqrt(k)) times as high as the later birth.
# O(S^2 log S) for S points, by Prim's algorithm.


# Share of the weight that a core radius takes in, and the fewest points: fewer, and chance alone makes valleys.
NEIGHBOURHOOD, FEWEST_NEIGHBOURS = 0.05, 12
# Share of the weight that a component is born with, and the fewest points.
SMALLEST, FEWEST_POINTS = 0.05, 16
# A pass 1.24 times as high for 50 neighbours, 1.54 for 12. One noisy partition, simulated, had no second component at
# all; draws on a line, where chance makes gaps, reached that height in one posterior of 200
# (`benchmarks/uncertainty.py`).
CAUTION = 1.5
# Weights add up to a share up to this: rounding.
ROUNDING = 1e-12


def density_modes(distances: Array, weights: Array, least: float, n_draws: float) -> tuple[NDArray[np.int64], float]:
    """Return the mode of each point, and how high the highest pass is over the later birth.

    Parameters
    ----------
    distances : array, S x S
        Symmetric.
    weights : array of S
        Sum to one.
    least : float
        Distances below it count as this.
    n_draws : float
        How many draws of equal weight the points are worth.

    Returns
    -------
    array of S
        0.. in order of the first point; -1 for points that join only above a pass.
    float
        1 where no second component is born.
    """
    share = max(NEIGHBOURHOOD, FEWEST_NEIGHBOURS / n_draws)
    valley = math.exp(CAUTION / math.sqrt(share * n_draws))
    core = _core_radii(distances, weights, share)
    S = len(weights)
    reach = np.maximum(np.maximum(distances, least), np.maximum(core[:, None], core[None, :]))
    ends, heights = _spanning_tree(reach)
    born = max(SMALLEST, FEWEST_POINTS / n_draws) * (1.0 - ROUNDING)
    parent = np.arange(S)
    mass, birth = weights.copy(), np.where(weights >= born, np.maximum(core, least), np.inf)
    modes_of: list[list[NDArray[np.int64]]] = [[] for _ in range(S)]
    members = [np.array([s]) for s in range(S)]
    separation = 1.0

    def root(s: int) -> int:
        while parent[s] != s:
            parent[s] = parent[parent[s]]
            s = int(parent[s])
        return s

    for e in np.argsort(heights, kind="stable"):
        a, b, h = root(ends[e, 0]), root(ends[e, 1]), float(heights[e])
        if mass[a] < mass[b]:
            a, b = b, a
        modes = modes_of[a] + modes_of[b]
        if np.isfinite(birth[a]) and np.isfinite(birth[b]):
            over = h / max(birth[a], birth[b]) if max(birth[a], birth[b]) > 0 else (np.inf if h > 0 else 1.0)
            separation = max(separation, over)
            if over >= valley:
                modes = (modes_of[a] or [members[a]]) + (modes_of[b] or [members[b]])
        parent[b] = a
        mass[a] += mass[b]
        members[a] = np.concatenate([members[a], members[b]])
        birth[a] = min(birth[a], birth[b])
        if np.isinf(birth[a]) and mass[a] >= born:
            birth[a] = h
        modes_of[a] = modes
    modes = modes_of[root(0)]
    out = np.zeros(S, dtype=np.int64)
    if modes:
        out[:] = -1
        for k, its in enumerate(sorted(modes, key=lambda its: int(its.min()))):
            out[its] = k
    return out, float(separation)


def _core_radii(distances: Array, weights: Array, share: float) -> Array:
    """The distance within which each point has the share of the weight, itself included."""
    order = np.argsort(distances, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1) >= min(share, 1.0) * (1.0 - ROUNDING)
    rows = np.arange(len(weights))
    at: NDArray[np.intp] = reached.argmax(axis=1)
    return np.asarray(distances[rows, order[rows, at]])


def _spanning_tree(reach: Array) -> tuple[NDArray[np.int64], Array]:
    """Edges of a minimum spanning tree and their lengths [prim1957]."""
    S = len(reach)
    ends, heights = np.zeros((S - 1, 2), dtype=np.int64), np.empty(S - 1)
    nearest, height = np.zeros(S, dtype=np.int64), reach[0].copy()
    left = np.ones(S, dtype=bool)
    left[0] = False
    for e in range(S - 1):
        at = int(np.where(left, height, np.inf).argmin())
        ends[e], heights[e] = (nearest[at], at), height[at]
        left[at] = False
        closer = left & (reach[at] < height)
        height[closer], nearest[closer] = reach[at][closer], at
    return ends, heights
