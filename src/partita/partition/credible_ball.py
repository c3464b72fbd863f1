"""Credible balls: the partitions within the smallest distance of the estimate that holds a stated posterior share.

    B = {c : d(c, estimate) <= eps},   eps the smallest with P(B | draws) >= level      [wade2018] section 4

The ball is told by its bounds, of the draws in it: the horizontal bound is those furthest from the estimate; the upper
vertical bound those with the fewest clusters, and of these the furthest; the lower one those with the most clusters,
and of these the furthest. A bound is a set: all that tie are returned, equal partitions once, with the share of the
draws that they are. Distances are compared as whole numbers (`partita.partition.distances`), so that no tie is lost.

Upper and lower bounds tell about K as well as about distance. A ball that holds several modes is better told by
`partita.partition.modes`.

[wade2018] S. Wade, Z. Ghahramani, Bayesian cluster analysis: point estimation and credible balls, Bayesian Analysis 13
(2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.partition.distances import Distances, given_draws, measured, metric_of
from partita.partition.losses import PartitionLoss, Unit
from partita.wording import Printed

__all__ = ["BallPartition", "CredibleBall", "check_level", "credible_ball"]


# Sums of weights reach a level up to this share of it: what adding them up rounds.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class BallPartition:
    """A partition on a bound of a ball.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    distance : float
        From the estimate.
    n_clusters : int
    share : float
        Posterior mass: the share of the draws that are this partition.
    """

    labels: NDArray[np.int64]
    distance: float
    n_clusters: int
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class CredibleBall(Printed):
    """A ball around an estimate.

    Attributes
    ----------
    radius : float
        The distance of the furthest draw in it.
    level : float
        Level that was asked for.
    share : float
        Posterior mass that is inside, at least `level`: draws equally far are all in or all out.
    horizontal, upper, lower : list of BallPartition
        Furthest draws; fewest clusters, furthest of these; most clusters, furthest of these. All ties, largest share
        first.
    loss : PartitionLoss
        The metric, with its unit.
    """

    radius: float
    level: float
    share: float
    horizontal: list[BallPartition]
    upper: list[BallPartition]
    lower: list[BallPartition]
    loss: PartitionLoss

    def __str__(self) -> str:
        few, many = self.upper[0], self.lower[0]
        return (
            f"{self.share:.1%} of the draws are within {self.radius:.3f} of the estimate by {self.loss.says}; they "
            f"have {few.n_clusters} (at {few.distance:.3f}) to {many.n_clusters} clusters (at {many.distance:.3f})"
        )


def credible_ball(
    labels: ArrayLike,
    draws: Any,
    *,
    level: float = 0.95,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    normalize: Literal["n2", "pairs"] | None = None,
    weights: ArrayLike | None = None,
) -> CredibleBall:
    """Return the smallest ball around a partition that holds a share `level` of the draws, and its bounds.

    Parameters
    ----------
    labels : array-like of N
        The estimate: any whole numbers or strings. It need not be a draw.
    draws : array-like, M x N
        Rows are draws; memory-mapped arrays and stores are read a few draws at a time, twice.
    level : float in (0, 1]
    loss : {"vi", "binder"}
    unit : {"bits", "nats"}, optional
        Unit of "vi"; bits by default.
    normalize : {"n2", "pairs"}, optional
        Normalisation of "binder": divide by N^2 (the default), or by the number of ordered pairs of different items.
    weights : array of M, optional
        Nonnegative weight of each draw; equal by default.

    Raises
    ------
    InputError
        For a level outside (0, 1], labels and draws that do not fit together, a similarity matrix in the place of draws,
        another loss, an option of the other one, or weights that do not fit.

    Notes
    -----
    Time O(M N): 10,000 draws of 2,000 items in 0.1 s (`benchmarks/uncertainty.py`). Memory for one block of draws.

    References
    ----------
    [wade2018] section 4.

    Examples
    --------
    >>> ball = credible_ball([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 1, 2]], level=0.75)
    >>> ball.radius, ball.share, [(p.n_clusters, p.share) for p in ball.lower]
    (0.5, 0.75, [(3, 0.25)])
    >>> print(ball)
    75.0% of the draws are within 0.500 of the estimate by variation of information (bits); they have 2 (at 0.000) to 3 clusters (at 0.500)
    """  # noqa: E501
    check_level(level)
    metric = metric_of(loss, unit, normalize)
    blocks, counts = given_draws(draws, weights)
    found = measured(labels, blocks, metric)
    inside, radius = _inside(found, counts, level)
    distance, K = found.units, found.n_clusters
    fewest, most = K[inside].min(), K[inside].max()
    sets = (inside, inside & (fewest == K), inside & (most == K))
    bounds = [_furthest(distance, among, found.tolerance) for among in sets]
    horizontal, upper, lower = _partitions(bounds, blocks, counts / counts.sum(), found)
    share = float(counts[inside].sum() / counts.sum())
    return CredibleBall(radius * found.unit, level, share, horizontal, upper, lower, metric)


def check_level(level: object, name: str = "level") -> None:
    """Raise `InputError` unless 0 < level <= 1."""
    if isinstance(level, bool) or not isinstance(level, Real) or not 0.0 < float(level) <= 1.0:
        raise InputError(f"{name}={level!r}: expected a probability above 0 and at most 1, such as 0.95")


def _inside(found: Distances, counts: Array, level: float) -> tuple[NDArray[np.bool_], int]:
    """Draws in the ball, and its radius in units. Draws of weight zero are in no ball."""
    counted = np.flatnonzero(counts > 0)
    order = counted[np.argsort(found.units[counted], kind="stable")]
    sorted_units = found.units[order]
    reached = np.cumsum(counts[order]) >= level * counts.sum() * (1.0 - ROUNDING)
    last = int(np.argmax(reached))
    apart = np.flatnonzero(np.diff(sorted_units[last:]) > found.tolerance)
    last = last + int(apart[0]) if len(apart) else len(order) - 1
    inside = np.zeros(len(counts), dtype=bool)
    inside[order[: last + 1]] = True
    return inside, int(sorted_units[last])


def _furthest(units: NDArray[np.int64], among: NDArray[np.bool_], tolerance: int) -> NDArray[np.bool_]:
    """Mark those of `among` that tie for the largest distance."""
    return np.asarray(among & (units >= units[among].max() - tolerance))


def _partitions(
    bounds: list[NDArray[np.bool_]], blocks: LabelBlocks, shares: Array, found: Distances
) -> list[list[BallPartition]]:
    """The different partitions of each bound; the draws are read once more, and only these are kept."""
    from partita.kernels.partition_draws import number_draws

    merged: dict[bytes, BallPartition] = {}
    members: list[dict[bytes, None]] = [{} for _ in bounds]
    needed = np.any(bounds, axis=0)
    for first, block in blocks:
        rows = np.flatnonzero(needed[first : first + len(block)])
        if not len(rows):
            continue
        numbered = np.empty((len(rows), blocks.n_items), dtype=np.int64)
        sizes, hashes = np.empty(len(rows), dtype=np.int64), np.empty((len(rows), 2), dtype=np.uint64)
        number_draws(np.ascontiguousarray(block[rows]), numbered, sizes, hashes)
        for row, own in zip(rows, numbered):
            b = first + int(row)
            key = own.astype(np.int32).tobytes()
            so_far = merged[key].share if key in merged else 0.0
            distance = float(found.units[b] * found.unit)
            merged[key] = BallPartition(own, distance, int(found.n_clusters[b]), so_far + float(shares[b]))
            for bound, its in zip(bounds, members):
                if bound[b]:
                    its[key] = None
    return [sorted((merged[key] for key in its), key=lambda p: (-p.share, p.labels.tolist())) for its in members]
