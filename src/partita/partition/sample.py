"""A sample of the draws and all distances between them: what modes, particles and plausibility look at.

Time O(S^2 N) for a sample of S = min(M, `SAMPLE`) of M draws; memory 16 S^2 bytes and S N labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import require_memory
from partita.partition.distances import Scale, scale_of
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss

__all__ = ["SAMPLE", "DrawSample", "best_addition", "draw_rows", "medoids", "sample_of"]


# Draws that are compared with one another.
SAMPLE = 1000
# Mean distances that differ by no more, relative to them, are equal: sums in another order.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class DrawSample:
    """Draws compared with one another.

    Attributes
    ----------
    rows : array of S
        Which draws they are.
    labels : array, S x N
    shares : array of S
        How much each counts; they sum to one.
    between : array, S x S
        Distances.
    scale : Scale
        What their distances are sums of.
    """

    rows: NDArray[np.int64]
    labels: NDArray[Any]
    shares: Array
    between: Array
    scale: Scale

    @classmethod
    def of(cls, blocks: LabelBlocks, counts: Array, metric: PartitionLoss, rng: np.random.Generator) -> DrawSample:
        """Compare all draws that count, or `SAMPLE` with chances proportional to their weights.

        Raises
        ------
        MemoryLimitError
            Where their labels or distances would not fit.
        """
        rows, shares = _sample(counts / counts.sum(), rng)
        require_memory(16 * len(rows) ** 2, f"distances between {len(rows)} draws", "free some memory")
        labels, scale = draw_rows(blocks, rows), scale_of(metric, blocks.n_items)
        return cls(rows, labels, shares, _between(labels, scale), scale)

    @property
    def move(self) -> float:
        """The largest change of a distance that moving one item can make."""
        # From a cluster of n to one of m, f(n) - f(n - 1) + f(m + 1) - f(m): f is convex and n + m <= N.
        N, f = self.labels.shape[1], self.scale.f
        half = (N + 1) // 2
        most = 0 if N == 1 else f[half] - f[half - 1] + f[N - half + 1] - f[N - half]
        return float(most * self.scale.unit)


def sample_of(draws: PartitionDraws, metric: PartitionLoss) -> DrawSample:
    """Return the sample of draws of which equal ones are merged, worked out once for a metric."""
    name = f"sample by {metric}"
    if name not in draws.found:
        draws.found[name] = DrawSample.of(LabelBlocks(draws.labels), draws.counts, metric, np.random.default_rng(0))
    found: DrawSample = draws.found[name]
    return found


def draw_rows(blocks: LabelBlocks, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return some of the draws.

    Raises
    ------
    MemoryLimitError
        Where they would not fit.
    """
    n_bytes = len(rows) * blocks.n_items * blocks.dtype.itemsize
    require_memory(n_bytes, f"{len(rows):,} draws of {blocks.n_items:,} items", "thin the draws")
    wanted = np.zeros(blocks.n_draws, dtype=bool)
    wanted[rows] = True
    return np.concatenate([block[wanted[first : first + len(block)]] for first, block in blocks])


def best_addition(near: Array, between: Array, shares: Array) -> tuple[int, float]:
    """Return which medoid lowers the mean distance most, and to what, with distances `near` from the others."""
    costs = np.minimum(near, between) @ shares
    best = int(costs.argmin())
    return best, float(costs[best])


def medoids(n: int, between: Array, shares: Array) -> list[int]:
    """Return n medoids, taken one after the other, then exchanged one at a time while that lowers the mean distance."""
    chosen: list[int] = []
    value = np.inf
    while len(chosen) < n:
        best, value = best_addition(between[chosen].min(axis=0, initial=np.inf), between, shares)
        chosen.append(best)
    k = tried = 0
    while tried < n:
        others = chosen[:k] + chosen[k + 1 :]
        best, cost = best_addition(between[others].min(axis=0, initial=np.inf), between, shares)
        tried += 1
        if cost < value * (1.0 - EQUAL):
            chosen[k], value, tried = best, cost, 0
        k = (k + 1) % n
    return chosen


def _sample(shares: Array, rng: np.random.Generator) -> tuple[NDArray[np.int64], Array]:
    """Draws to compare, and how much each counts."""
    counted = np.flatnonzero(shares > 0)
    if len(counted) <= SAMPLE:
        return counted, shares[counted]
    # Systematic: every weight is met as often as its share says, up to one, and in all parts of a chain alike.
    points = (np.arange(SAMPLE) + rng.random()) / SAMPLE
    hit = np.minimum(np.searchsorted(np.cumsum(shares[counted]), points, side="right"), len(counted) - 1)
    rows, repeats = np.unique(counted[hit], return_counts=True)
    return rows, np.asarray(repeats / SAMPLE, dtype=np.float64)


def _between(labels: NDArray[Any], scale: Scale) -> Array:
    """Distances between all sampled draws."""
    from partita.kernels.partition_distances import distances_within

    S = len(labels)
    out = np.zeros((S, S), dtype=np.int64)
    most = int(labels.max()) + 1
    bounds = row_bounds(S, 8)[::-1]  # the longest first
    run_chunks(lambda low, high: distances_within(labels, most, scale.f, low, high, out), bounds)
    return np.asarray(out * scale.unit, dtype=np.float64)
