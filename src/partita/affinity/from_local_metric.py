"""A neighbour graph under local covariance metrics: each item measures distance in the shape its surroundings have.

    L_ij^2 = (x_i - x_j)^T (S_i^-1 + S_j^-1) (x_i - x_j) / 2,
    S_i = (1 - s) C_i + s (tr C_i / d) I,      C_i the second moments about x_i of its `n_local` nearest items

so that steps along a thin band are short and steps across it long. With shrinkage s = 1 every S_i is a multiple of the
identity and the distance is the self-tuned Euclidean one. The k closest are looked for among the `n_local` nearest by
plain distance. An idea from local discriminant and tensor-voting metrics, written here for graphs.

Costs N d^2 numbers and N n_local d^2 operations: for tens of features, not hundreds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partita.affinity.base import Affinity
from partita.affinity.from_neighbors import Index, NeighborEvidence, NeighborGraph, nearest
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["LocalMetricGraph"]

# Rows whose differences to their neighbours are held at a time.
BLOCK = 512


@dataclass(frozen=True)
class LocalMetricGraph(NeighborGraph):
    """A self-tuned neighbour graph under local covariance metrics.

    Parameters
    ----------
    n_local : int
        Nearest items from which an item's covariance is estimated, and among which its neighbours are.
    shrinkage : float
        s in (0, 1]: towards a multiple of the identity.
    n_neighbors, connection, weights, smoothing
        As in `NeighborGraph`; the metric is Euclidean and the search exact.

    Examples
    --------
    >>> X = np.array([[float(i), 0.1 * (i % 2)] for i in range(20)] + [[9.5, 1.2]])
    >>> P = LocalMetricGraph(n_neighbors=3, n_local=8).build(X, n_clusters=2).affinity
    >>> P.shape
    (21, 21)
    """

    name = "local_metric"
    command_options: ClassVar = {}

    n_local: int = 30
    shrinkage: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric != "euclidean":
            raise InputError(f"metric={self.metric!r}: a local covariance metric starts from Euclidean distances")
        if self.n_local < self.n_neighbors:
            raise InputError(
                f"n_local={self.n_local} is fewer than n_neighbors={self.n_neighbors}: expected at least as many"
            )
        if not 0 < self.shrinkage <= 1:
            raise InputError(f"shrinkage={self.shrinkage}: expected above 0 and at most 1")

    def _neighbors(self, X: Array) -> tuple[Index, Array]:
        m = min(self.n_local, len(X) - 1)
        if m < 1:
            return super()._neighbors(X)
        index, _ = nearest(X, X, m, "euclidean", None, itself=True)
        precision = self.precision(X, X, index)
        return self.closest(X, X, index, precision, precision, self.n_neighbors)

    def precision(self, X: Array, Y: Array, index: Index) -> Array:
        """Return S^-1 of each row of X from the rows `index` of Y about it, M x d x d."""
        d = X.shape[1]
        out = np.empty((len(X), d, d))
        for low in range(0, len(X), BLOCK):
            difference = Y[index[low : low + BLOCK]] - X[low : low + BLOCK, None, :]
            C = np.einsum("nki,nkj->nij", difference, difference) / index.shape[1]
            spread = np.trace(C, axis1=1, axis2=2) / d
            spread[spread <= 0] = 1.0
            S = (1 - self.shrinkage) * C + self.shrinkage * spread[:, None, None] * np.eye(d)
            out[low : low + BLOCK] = np.linalg.inv(S)
        return out

    def closest(self, X: Array, Y: Array, index: Index, own: Array, others: Array, k: int) -> tuple[Index, Array]:
        """Return the k closest of the candidates `index` under the local metrics, and their distances."""
        distance = np.empty(index.shape)
        for low in range(0, len(X), BLOCK):
            rows = index[low : low + BLOCK]
            difference = Y[rows] - X[low : low + BLOCK, None, :]
            square = np.einsum("nki,nij,nkj->nk", difference, own[low : low + BLOCK], difference)
            square += np.einsum("nki,nkij,nkj->nk", difference, others[rows], difference)
            distance[low : low + BLOCK] = np.sqrt(np.maximum(square / 2, 0.0))
        order = np.argsort(distance, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(index, order, axis=1), np.take_along_axis(distance, order, axis=1)

    def _evidence(
        self, X: Array | None, sigma: Array, affinity: Affinity | None, core: Array | None
    ) -> LocalMetricEvidence:
        return LocalMetricEvidence(self, X, sigma, affinity, core)


class LocalMetricEvidence(NeighborEvidence):
    """A graph under local metrics, and the neighbours of new items under theirs."""

    _builder: LocalMetricGraph
    _precision: Array | None = None

    def _nearest(self, X: Array) -> tuple[Index, Array]:
        builder, fitted = self._builder, self._X
        assert fitted is not None
        if self._precision is None:
            m = min(builder.n_local, len(fitted) - 1)
            index, _ = nearest(fitted, fitted, m, "euclidean", None, itself=True)
            self._precision = builder.precision(fitted, fitted, index)
        index, _ = nearest(X, fitted, min(builder.n_local, len(fitted)), "euclidean", None, itself=False)
        own = builder.precision(X, fitted, index)
        return builder.closest(X, fitted, index, own, self._precision, builder.n_neighbors + 1)
