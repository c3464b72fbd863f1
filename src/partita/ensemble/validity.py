"""How likely a partition is the one that people would call right: an internal validity index, learned over families.

Agreement of methods alone outvotes a method that is right by itself, and prefers few clusters, which are easy to
agree on. So a partition is also judged by what it does to the items: does it cut where few neighbours are (`across`,
`worst_cut`), does it leave valleys of density within its clusters (`deepest`, `heaviest`), are gaps within clusters
shorter than those between (`gaps`), and does it beat what sizes (`smallest`) and distance to centres (`centres`) would
make look good by themselves. No label of the items is seen.

The log odds of two partitions of the same items are a sum of these eight statistics, with the weights below: those of
two columns or fewer, those of 16 or more, and between the two in proportion to the logarithm of the number of columns.
(In the plane round clusters look good whether they are there or not; in many columns they seldom do.) The weights were
found once by `benchmarks/validity.py`: over 30 drawn sets of each of 18 families (balls, ellipsoids, rings, spirals,
lines, shapes side by side, skewed, nested, bent in many dimensions, overlapping as in tables, ...), the weights under
which a partition drawn with these odds has the largest expected adjusted Rand index with the truth, tempered so that
the share of a number of clusters is the probability that it is the true one. No real table was used, and the
documentation says how the index does on each family when it is left out.

[moulavi2014] D. Moulavi et al., Density-based clustering validation, SDM 2014: `gaps` is its idea, on one tree.
[sellke2001] T. Sellke et al., Calibration of p values for testing precise null hypotheses. American Statistician 55.
[tibshirani2001] Estimating the number of clusters in a data set via the gap statistic. JRSS B 63, 2001.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.special import expit
from scipy.stats import norm

from partita.affinity.from_neighbors import neighbors_among
from partita.arrays import Array, Labels
from partita.ensemble.tree import Edges, reachability_tree
from partita.kernels.eigen import singular_vectors
from partita.runs import outcomes_of

__all__ = ["FEW", "SPACE_POWER", "Statistics", "Validity", "power_in", "two_best", "weights_in"]

# Neighbours of an item in the graph, the square root of the number of items where these are few (a cluster of eight has
# no ten), and the smoothing of the tree, which is that of the member "density".
NEIGHBORS, SMOOTHING = 10, 4
# A valley shallower than this is noise; one is counted up to the depth of a graph in pieces.
NOISE, PIECES = 0.5, 3.0
# Added to a share before its logarithm.
SHARE = 0.01


class Statistics(NamedTuple):
    """Statistics by which a partition is judged without labels."""

    agreement: float
    """Mean adjusted Rand index with the two different methods that agree best."""
    deepest: float
    """Depth of the deepest valley within a cluster, at most 3."""
    heaviest: float
    """Largest (depth - 1/2)+ times the cluster's share of the items."""
    across: float
    """Share of neighbours that are in another cluster, divided by that of labels dealt at random."""
    worst_cut: float
    """Largest conductance of a cluster: ends of its edges that leave it, over its ends or those of the rest."""
    gaps: float
    """Mean over items of (leaving - within) / max(leaving, within): edges of the tree that leave their cluster, and
    the longest within."""
    centres: float
    """Mean silhouette by distances to centres."""
    smallest: float
    """Logarithm of the smallest cluster's share of an equal part."""


# Weights in the plane, and in MANY columns or more.
PLANE = Statistics(9.39, -0.82, -2.64, -6.26, -3.14, 3.61, -7.72, 1.60)
SPACE, MANY = Statistics(10.95, -2.97, -6.59, -4.74, -1.70, 5.93, -4.82, 0.50), 16
# Power of the odds of a draw where the number of clusters is given, in the plane and in MANY columns or more: odds tell
# numbers apart first of all, and at one number all draws have a part in what is said, the more so the less they tell.
PLANE_POWER, SPACE_POWER = 0.7, 0.1
# Log odds of one cluster: constant, weights of the largest log odds of partitions into few clusters or into more that
# methods agree on, of the depth of the deepest valley in all items, at most 4, of the standard deviation of the log
# odds of those into few, and of the logarithm of the number of items.
ONE_CLUSTER, DEEPEST = (11.01, -0.60, -1.67, -1.47, -1.17), 4.0
# Of fewer items than FEW no other test tells one cluster from several: what they are compared with, and the odds of one
# cluster where that tells nothing, about as those of more items are.
FEW, REFERENCES, FEW_ODDS = 20, 40, 2.0
# Log odds of a partition that is none.
LEAST_ODDS = -50.0


@dataclass(frozen=True)
class Validity:
    """Judges partitions of the same items.

    Attributes
    ----------
    X : n x d array, distinct rows
    graph : n x n csr_array
        One where either item is among the nearest neighbours of the other.
    tree : edges of the minimum spanning tree of mutual reachability
    """

    X: Array
    graph: sp.csr_array
    tree: Edges
    _judged: dict[bytes, Statistics] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, X: Array) -> Validity:
        """Return the judge of partitions of the rows of X.

        Cost: a neighbour search and a tree, which the members of an ensemble share inside `shared_search`.
        """
        n = len(X)
        k = min(NEIGHBORS, max(math.isqrt(n), 2), n - 1)
        index = neighbors_among(X, k)[0]
        chosen = sp.csr_array((np.ones(n * k), index.ravel(), k * np.arange(n + 1)), shape=(n, n))
        graph = sp.csr_array(chosen + chosen.T)
        graph.data[:] = 1.0
        return cls(np.ascontiguousarray(X, dtype=np.float64), graph, reachability_tree(X, SMOOTHING))

    def statistics(self, labels: Labels, agreement: float) -> Statistics:
        """Return the statistics of a partition into 0, ..., K - 1, K >= 2, none of them empty.

        Cost: up to 40 products with each cluster's own graph, and n K d.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
        >>> judge, two = Validity.of(X), np.repeat([0, 1], 30)
        >>> right, wrong = (judge.statistics(labels, 1.0) for labels in (two, np.arange(60) % 2))
        >>> right.across, right.gaps > 0.5, right.across < wrong.across, right.gaps > wrong.gaps
        (0.0, True, True, True)
        """
        key = labels.tobytes()
        if (
            key not in self._judged
        ):  # methods find the same partition at several numbers, and are judged anew with others
            self._judged[key] = self._statistics(labels)
        return self._judged[key]._replace(agreement=agreement)

    def _statistics(self, labels: Labels) -> Statistics:
        """The statistics that do not depend on other partitions."""
        from partita.kernels.valleys import deepest_valleys, edges_across, tree_gaps

        sizes = np.bincount(labels)
        share, K = sizes / len(labels), len(sizes)
        depth = np.minimum(deepest_valleys(*self._arrays, labels, K), PIECES)
        ends, across = edges_across(*self._arrays, labels, K)
        within, leaving = tree_gaps(*self.tree, labels, K)
        longer = np.maximum(np.maximum(leaving, within), np.finfo(float).tiny)
        return Statistics(
            np.nan,
            float(depth.max()),
            float((np.maximum(depth - NOISE, 0.0) * share).max()),
            float(across.sum() / ends.sum() / (1.0 - (share**2).sum())),
            float((across / np.maximum(np.minimum(ends, ends.sum() - ends), 1.0)).max()),
            float(((leaving - within) / longer) @ share),
            self._silhouette(labels, K),
            float(np.log(share.min() * K + SHARE)),
        )

    def _silhouette(self, labels: Labels, K: int) -> float:
        item = np.arange(len(labels))
        sums = sp.csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), K)).T
        centres = (sums @ self.X) / np.asarray(sums.sum(axis=1)).reshape(-1, 1)
        squared = (self.X**2).sum(axis=1)[:, None] - 2 * self.X @ centres.T + (centres**2).sum(axis=1)
        distance = np.sqrt(np.maximum(squared, 0.0))
        own = distance[item, labels]
        distance[item, labels] = np.inf
        other = distance.min(axis=1)
        return float(((other - own) / np.maximum(np.maximum(other, own), np.finfo(float).tiny)).mean())

    @property
    def weights(self) -> Array:
        """Weights of the statistics for this number of columns."""
        return weights_in(self.X.shape[1])

    def log_odds(self, labels: Labels, agreement: float) -> float:
        """Return the log odds of a partition, up to a constant that all partitions of these items share.

        -50 for a single cluster: `one_cluster` says how probable that is.
        """
        if labels.max() == 0:
            return LEAST_ODDS
        return float(np.dot(self.weights, self.statistics(labels, agreement)))

    def log_odds_at(self, labels: Sequence[Labels], table: Array, methods: Sequence[str], n_clusters: int = 0) -> Array:
        """Return the log odds of the draws of several methods at one number of clusters, from their agreement."""
        tasks = list(zip(labels, two_best(table, methods)))
        return np.array(outcomes_of(lambda task: self.log_odds(*task), tasks, len(self.X)))

    def weights_at(self, n_clusters: int, labels: Sequence[Labels], table: Array, methods: Sequence[str]) -> Array:
        """Return how much each draw counts by its validity, at most 1, where the number of clusters is given.

        One that has another number of clusters than it was asked for counts no more than the best that has it: beyond
        that its odds tell of the number.
        """
        log_odds = self.log_odds_at(labels, table, methods)
        as_asked = np.array([own.max() + 1 == n_clusters for own in labels])
        if as_asked.any():
            log_odds[~as_asked] = np.minimum(log_odds[~as_asked], log_odds[as_asked].max())
        return np.asarray(np.exp(power_in(self.X.shape[1]) * (log_odds - log_odds.max())))

    def one_cluster(self, best: float, spread: float) -> float:
        """Return the probability that all items are one cluster, which no partition can say.

        Parameters
        ----------
        best, spread : float
            The largest log odds of partitions into few clusters, or into more that methods agree on, and the standard
            deviation of those into few: where all are as good as the best, none is good.
        """
        from partita.kernels.valleys import deepest_valleys

        depth = deepest_valleys(*self._arrays, np.zeros(len(self.X), dtype=np.int64), 1)[0]
        return float(expit(np.dot(ONE_CLUSTER, (1.0, best, min(depth, DEEPEST), spread, np.log(len(self.X))))))

    def one_of_few(self, n_clusters: int) -> float:
        """Return the probability that few items are one cluster and not two, three or so many.

        Compared is the sum of squares within Ward's clusters, log W_K, with that of items uniform over the box of the
        principal axes, as by the gap statistic [tibshirani2001]. At p = P(N(0, 1) > z), z their distance in
        standard deviations, times as many as are compared, one cluster becomes less likely by -e p log p at most
        [sellke2001], from 2 : 1 on.

        Cost: `REFERENCES` + 1 trees of Ward's method.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(8, 2))
        >>> together, apart = (Validity.of(X + far * (np.arange(8) < 4)[:, None]) for far in (0, 20))
        >>> round(together.one_of_few(2), 2), round(apart.one_of_few(2), 2)
        (0.67, 0.0)
        """
        rng, centred = np.random.default_rng(0), self.X - self.X.mean(axis=0)
        Z = centred @ singular_vectors(centred)[2].T
        boxes = [rng.uniform(Z.min(axis=0), Z.max(axis=0), size=Z.shape) for _ in range(REFERENCES)]
        numbers = sorted({2, 3, n_clusters})
        within, *others = (_log_within(items, numbers) for items in (Z, *boxes))
        z = (np.mean(others, axis=0) - within) / np.maximum(np.std(others, axis=0), np.finfo(float).tiny)
        p = min(1.0, len(numbers) * float(norm.sf(z.max())))
        bound = -np.e * p * np.log(max(p, np.finfo(float).tiny)) if p < 1 / np.e else 1.0
        return float(FEW_ODDS * bound / (1.0 + FEW_ODDS * bound))

    @property
    def _arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.graph.indptr.astype(np.int64), self.graph.indices.astype(np.int64)


def _log_within(Z: Array, numbers: Sequence[int]) -> Array:
    """Logarithm of the sum of squares within so many of Ward's clusters, as a share of all."""
    squares = np.cumsum(linkage(Z, "ward")[:, 2] ** 2)  # what each merger adds, twice
    within = squares[[len(Z) - 1 - K for K in numbers]]
    return np.asarray(np.log(np.maximum(within, np.finfo(float).tiny) / squares[-1]))


def weights_in(n_columns: int) -> Array:
    """Return the weights of the statistics for items of so many columns.

    >>> np.array_equal(weights_in(1), PLANE), np.array_equal(weights_in(900), SPACE)
    (True, True)
    """
    many = _many(n_columns)
    return np.asarray((1.0 - many) * np.array(PLANE) + many * np.array(SPACE))


def power_in(n_columns: int) -> float:
    """Return the power of the odds of draws of a given number of clusters, for items of so many columns.

    >>> [round(power_in(d), 2) for d in (2, 5, 16)]
    [0.7, 0.44, 0.1]
    """
    many = _many(n_columns)
    return (1.0 - many) * PLANE_POWER + many * SPACE_POWER


def _many(n_columns: int) -> float:
    """How far towards MANY columns items are, from 0 in the plane to 1."""
    return float(np.clip(np.log(n_columns / 2) / np.log(MANY / 2), 0.0, 1.0))


def two_best(table: Array, methods: Sequence[str]) -> Array:
    """Return the mean agreement of each draw with the two other methods that agree best with it.

    A method is one voice, however many draws it has. 1 where there is no other method.

    >>> table = np.array([[1.0, 0.9, 0.5, 0.1], [0.9, 1, 0, 0], [0.5, 0, 1, 0], [0.1, 0, 0, 1]])
    >>> two_best(table, list("abcd")).tolist()
    [0.7, 0.45, 0.25, 0.05]
    """
    names = np.asarray(methods)
    kinds = [np.flatnonzero(names == name) for name in dict.fromkeys(methods)]
    out = np.ones(len(names))
    for own in kinds:
        others = [table[np.ix_(own, other)].mean(axis=1) for other in kinds if other is not own]
        if others:
            out[own] = np.sort(others, axis=0)[-2:].mean(axis=0)
    return out
