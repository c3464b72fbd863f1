"""Valleys in a graph: how deep they are, and how deep those of one smooth cluster are.

The statistic. Join each item to the k others of largest affinity, each pair with weight one, so that the scale of the
affinity does not matter. Sweep the items in the order of a leading eigenvector of that graph; c(t) is the number of
pairs between the first t and the rest. One cluster of any shape (ball, box, strip, ring, arc) has a c(t) that rises and
falls but once, up to noise; between two clusters it dips. The depth of the deepest valley is

    T = max_t ln( min(max_{s<t} c(s), max_{s>t} c(s)) / c(t) ),    a tenth of the items at least on either side,

the largest over the first few eigenvectors of the largest connected component of the graph; infinite where the graph
falls apart, a tenth of the items or more outside that component.

The null. Eigenvectors look for the sparsest place there is, so that T is far from zero for one cluster too, the more so
the thinner it is: a strip has few pairs across, a ball has many. The reference is therefore a box without any valley
(uniform, of about the dimension and elongation at which as many pairs cross its middle as cross the wider part of the
evidence), put through the same steps B times. p = (1 + number of T* >= T) / (1 + B).

Level, at .05 and 300 items (`benchmarks/n_clusters.py --level`): about .05 or less for normals, cubes, strips and skew
clusters, where density falls off almost never; .17 for squares and rings, the least favourable shapes measured,
so that a p close to the level is weak evidence. It does not see clusters of less than a tenth of the items, nor two
normals closer than about 3.5 standard deviations: their mixture has no valley to speak of.
Where one is rejected it does not say how many there are.

Cost: at most B + 14 graphs of at most `max_items` items and their leading eigenvectors.

Written for Partita. Its relatives: the dip test of [hartigan1985] for a valley in one dimension, and the comparison
with a reference of [tibshirani2001].

[hartigan1985] Hartigan, Hartigan: The dip test of unimodality. Annals of Statistics 13, 1985.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from partita.arrays import Array
from partita.n_clusters.evidence import NEIGHBORS, KEvidence
from partita.solvers.spectral import of_connected

__all__ = ["FEWEST", "Valley", "ValleyTest", "deepest_valley", "valley_test"]

# Least share of the items on either side of a valley.
SIDE = 0.1
# Eigenvectors swept.
SWEPT = 3
# Fewer items than this tell nothing.
FEWEST = 20
# Dimensions of the box tried, and steps that fit its width.
DIMENSIONS = (2, 3, 5)
STEPS, REPEATS = 4, 2
# References after which a valley is plain that is deeper than theirs by twice the margin: those of one box differ less.
ENOUGH, PLAIN = 5, 2.0
# Share by which the pairs that cross the box may differ: as much as between one draw of it and the next.
ALIKE = 0.05
# Relative error of an eigenvalue: the order of the items in a sweep is settled long before rounding.
ROUGH = 1e-4
# Pairs an item has for each that it chose, where items choose as in a plane.
EITHER = 1.3


@dataclass(frozen=True)
class Valley:
    """The deepest valley: its depth T, the pairs that cross where most do, labels of its sides and components."""

    depth: float
    widest: float
    side: np.ndarray


@dataclass(frozen=True)
class ValleyTest:
    """The deepest valley of the evidence, and those of the references."""

    valley: Valley
    null: Array

    @property
    def p(self) -> float:
        """Share of the references, the evidence among them, with as deep a valley."""
        return float((1.0 + (self.null >= self.valley.depth).sum()) / (1.0 + len(self.null)))


def valley_test(
    evidence: KEvidence, n_references: int, rng: np.random.Generator, *, margin: float | None = None
) -> ValleyTest | None:
    """Return the test of one cluster on evidence of at least `FEWEST` items; None where all pairs are alike.

    With a margin it is only asked whether the valley is deeper than each reference's by that factor: references are
    drawn until one says no, or the first few are not near. They have a random stream of their own, so that what follows
    has the same random numbers.
    """
    n = evidence.n_items
    k = min(NEIGHBORS, n // 5)
    graph = _closest(evidence, k, rng)
    if graph is None:
        return None
    # About as many pairs as an item chose, of those that have any affinity: either end may have chosen a pair.
    k = max(2, min(k, round(graph.nnz / n / EITHER)))
    found = deepest_valley(graph)
    own = rng.spawn(1)[0]
    box, null = _box(n, k, found.widest, own)
    null = null[:n_references]
    while len(null) < n_references and (margin is None or not null or _is_open(found.depth, null, margin)):
        null.append(box.valley(k, own).depth)
    return ValleyTest(found, np.array(null))


def _is_open(depth: float, null: list[float], margin: float) -> bool:
    """Whether further references may tell anything of a valley."""
    times = depth / max(*null, np.finfo(float).tiny)
    return bool(np.isfinite(depth) and times > margin and (len(null) < ENOUGH or times <= PLAIN * margin))


def deepest_valley(graph: sp.csr_array) -> Valley:
    """Return the deepest valley of an unweighted graph over sweeps of its leading eigenvectors.

    >>> path = sp.diags_array([np.ones(29), np.ones(29)], offsets=[-1, 1], format="csr")
    >>> deepest_valley(path).depth
    0.0
    """
    side = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
    sizes = np.bincount(side)
    largest = int(sizes.argmax())
    if len(side) - sizes[largest] >= SIDE * len(side):
        return Valley(np.inf, np.inf, side)
    kept = np.flatnonzero(side == largest)
    if len(kept) < len(side):
        graph = sp.csr_array(graph[kept][:, kept])
    n = graph.shape[0]
    pairs = sp.coo_array(graph)
    root = 1.0 / np.sqrt(np.bincount(pairs.row, pairs.data, minlength=n))
    scaled = sp.csr_array((root[pairs.row] * pairs.data * root[pairs.col], graph.indices, graph.indptr), shape=(n, n))
    vectors = of_connected(scaled, min(SWEPT + 1, n), tolerance=ROUGH)[1]
    low = max(int(SIDE * n), 1)
    best, widest, cut = -np.inf, 0.0, (np.arange(n), low)
    for j in range(1, vectors.shape[1]):
        order = np.argsort(vectors[:, j] * root, kind="stable")
        crossing = _crossing(pairs, order)
        around = np.minimum(np.maximum.accumulate(crossing), np.maximum.accumulate(crossing[::-1])[::-1])
        if j == 1:
            widest = float(around.max())
        inner = slice(low, n - low - 1)
        depth = np.log(np.maximum(around[inner], 0.5) / np.maximum(crossing[inner], 0.5))
        t = int(np.argmax(depth))
        if depth[t] > best:
            best, cut = float(depth[t]), (order, low + t + 1)
    side[kept[cut[0][cut[1] :]]] = len(sizes)
    return Valley(best, widest, side)


def _crossing(pairs: sp.coo_array, order: np.ndarray) -> Array:
    """c(1), ..., c(n - 1): pairs between the first t items of the order and the rest."""
    n = len(order)
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    a, b = place[pairs.row], place[pairs.col]
    up = a < b
    begin, end = (np.bincount(at[up], pairs.data[up], minlength=n) for at in (a, b))
    return np.asarray(np.cumsum(begin - end)[: n - 1])


def _joined(index: np.ndarray, chosen: np.ndarray) -> sp.csr_array:
    """Pairs that either item chose, weight one."""
    n = len(index)
    one, other = np.nonzero(chosen)[0], index[chosen]
    both = np.concatenate([one, other]), np.concatenate([other, one])
    graph = sp.csr_array((np.ones(2 * len(one)), both), shape=(n, n))  # pairs that both chose are two here
    graph.data[:] = 1.0
    return graph


def _nearest(X: Array, k: int) -> sp.csr_array:
    index = cKDTree(X).query(X, k + 1)[1]
    return _joined(index, index != np.arange(len(X))[:, None])


def _closest(evidence: KEvidence, k: int, rng: np.random.Generator) -> sp.csr_array | None:
    """The graph of the k closest by affinity, ties at random; None where all pairs are alike."""
    n = evidence.n_items
    P = np.array(evidence.graph.to_dense())
    diagonal = np.eye(n, dtype=bool)
    if np.ptp(P[~diagonal]) <= 1e-9 * np.abs(P[~diagonal]).max():
        return None
    np.fill_diagonal(P, -np.inf)
    shuffled = rng.permutation(n)
    index = shuffled[np.argsort(-P[:, shuffled], axis=1, kind="stable")[:, :k]]
    return _joined(index, np.take_along_axis(P, index, axis=1) > 0)


@dataclass(frozen=True)
class _Box:
    """n items uniform over a box of unit density: one long side, the others `width`."""

    n: int
    dimension: int
    width: float

    def valley(self, k: int, rng: np.random.Generator) -> Valley:
        """The deepest valley of the graph of k nearest of items that are drawn now."""
        sides = np.full(self.dimension, self.width)
        sides[0] = self.n / self.width ** (self.dimension - 1)
        return deepest_valley(_nearest(rng.random((self.n, self.dimension)) * sides, k))


def _box(n: int, k: int, widest: float, rng: np.random.Generator) -> tuple[_Box, list[float]]:
    """The box that as many pairs cross as `widest`: of few dimensions, a cube where even a cube has fewer.

    With the depths of valleys that were seen in it.
    """
    if not np.isfinite(widest):
        return _Box(n, 2, n**0.5), []

    def seen(box: _Box) -> tuple[float, list[float]]:
        found = [box.valley(k, rng) for _ in range(REPEATS)]
        return float(np.mean([one.widest for one in found])), [one.depth for one in found]

    for dimension in DIMENSIONS:
        box = _Box(n, dimension, n ** (1.0 / dimension))
        most, depths = seen(box)
        if most >= widest:
            break
    if most <= widest:
        return box, depths
    for _ in range(STEPS):
        # Pairs that cross are in proportion to the cross-section.
        width = box.width * (widest / most) ** (1.0 / (box.dimension - 1))
        box = _Box(n, box.dimension, float(np.clip(width, 1.0, n ** (1.0 / box.dimension))))
        most, depths = seen(box)
        if not np.isfinite(most) or abs(most - widest) <= ALIKE * widest:  # so thin that it falls apart, or found
            break
    return box, depths
