"""Result of the local search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Labels
from partita.partition.result import PartitionResult
from partita.runs import Status

__all__ = ["LocalResult", "PathPoint", "mean_size"]


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The partition at one theta.

    Attributes
    ----------
    theta, gamma, lam : float
        As used; gamma = theta / N.
    labels : array of N
    n_clusters : int
    objective : float
        J, as in `LocalResult`.
    share : float
        theta over the number of clusters of the mean size: the share at which gamma would be what it is.
    """

    theta: float
    gamma: float
    lam: float
    labels: Labels
    n_clusters: int
    objective: float
    share: float


@dataclass(frozen=True, eq=False)
class LocalResult:
    """Result of the local search.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    n_clusters : int
    objective : float
        J with the affinity as `LocalSearch.prepare` makes it, `gamma` and `lam`: what `partition_objective` says.
    gamma, theta, lam : float
        As used; theta = gamma N. Where no price was given lam may be less than 1 (`partita.scams.local`).
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
    status: Status
    seconds: float
    notes: tuple[str, ...] = ()


def mean_size(labels: Labels) -> float:
    """Return the size of the cluster of an item, on average: sum n_k^2 / N.

    >>> mean_size(np.array([0, 0, 0, 1]))
    2.5
    """
    sizes = np.bincount(labels).astype(np.float64)
    return float((sizes**2).sum() / len(labels))
