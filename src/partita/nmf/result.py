"""Result of a factorization of a similarity matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.membership import Membership
from partita.runs import Status

__all__ = ["NMFRestart", "NMFResult"]


@dataclass(frozen=True, eq=False)
class NMFRestart:
    """One run from one start. `labels` are numbered in order of appearance; `trace` has the objective at each check
    where a tolerance was given, and at the end.
    """

    start: str
    objective: float
    status: Status
    optimality: float
    n_iter: int
    seconds: float
    labels: NDArray[np.int64]
    trace: Array


@dataclass(frozen=True, eq=False)
class NMFResult:
    """The best of all restarts by objective, and all of them.

    Attributes
    ----------
    membership : Membership
        Rows of the mean of the balanced W and H^T, or of the plain H^T, divided by their sums; columns by falling size
        of their clusters, those that are nobody's largest last, dead components left out.
    labels : array of N
        Argmax of the membership, 0..n_clusters-1.
    n_clusters : int
        Clusters of that partition: at most the K asked for.
    W, H, offset : arrays N x K, K x N and N (or None)
        The factors as they were solved for.
    components : array
        Row of H that each column of the membership is.
    objective : float
        Objective of the method; over all ordered pairs, diagonal included.
    residual : float
        ||V - model||^2 over all ordered pairs, whatever the method.
    misfit : float
        Relative residual ||V - model|| / ||V||.
    membership_misfit : float
        ||V - Q Q^T|| / ||V|| over the pairs of two different items, Q the membership.
    status : {"converged", "max_iter", "max_seconds", "interrupted"}
        Status of the best restart; "interrupted" and "max_seconds" also when restarts were left out for it.
    optimality : float
        How far one more update would move the factors, relative to their norm.
    restarts : tuple of NMFRestart
    notes : tuple of str
        Empty clusters, dead components, unassigned items, restarts left out.
    """

    method: str
    membership: Membership
    labels: NDArray[np.int64]
    W: Array
    H: Array
    offset: Array | None
    components: NDArray[np.intp]
    objective: float
    residual: float
    misfit: float
    membership_misfit: float
    status: Status
    optimality: float
    n_iter: int
    seconds: float
    seed: int | None
    restarts: tuple[NMFRestart, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition."""
        return int(self.labels.max()) + 1

    @property
    def n_components(self) -> int:
        """K, as it was asked for."""
        return int(self.W.shape[1])

    @property
    def partitions(self) -> NDArray[np.int64]:
        """The partition of each restart, a row each: starts for a search."""
        return np.stack([restart.labels for restart in self.restarts])
