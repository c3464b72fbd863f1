"""Second-order difference of the distance to K subspaces [zhang2012, section 3].

With W_K the mean squared distance of the items to the K flats that the partition at K fits,

    SOD(K) = ln W_{K-1} + ln W_{K+1} - 2 ln W_K,     K = argmax over 2 .. K_max.

The dimension of the subspaces is known and the same for all. K = 1 cannot be the answer: there is no W_0. Cost: one
thin SVD a cluster and K.

[zhang2012] Zhang, Szlam, Wang, Lerman: Hybrid linear modeling via local best-fit flats. IJCV 100, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["SecondOrderDifference", "distance_to_flats"]

# ln W of items that lie on their flats: squared distances of this share of the mean squared length are rounding.
ROUNDING = 1e-14


def distance_to_flats(X: Array, labels: np.ndarray, dimension: int, *, affine: bool = False) -> float:
    """Return the mean squared distance of the items to the flats of their clusters, each of the `dimension` leading
    directions.

    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    >>> distance_to_flats(X, np.array([0, 0, 1, 1]), 1)
    0.0
    """
    total = 0.0
    for k in np.unique(labels):
        own = X[labels == k]
        if affine:
            own = own - own.mean(axis=0)
        if min(own.shape) > dimension:
            total += float((np.linalg.svd(own, compute_uv=False)[dimension:] ** 2).sum())
    return total / len(X)


@dataclass(frozen=True)
class SecondOrderDifference(Criterion):
    """Second-order difference of ln W_K, for subspaces of known dimension.

    Parameters
    ----------
    affine : bool
        Flats through the clusters' means, not through the origin.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> rng = np.random.default_rng(0)
    >>> lines = [rng.normal(size=(30, 1)) * rng.normal(size=(1, 6)) for _ in range(3)]
    >>> P = np.kron(np.eye(3), np.ones((30, 30)))
    >>> X = np.vstack(lines) + rng.normal(size=(90, 6)) / 50
    >>> SecondOrderDifference().judge(KEvidence(features=X, affinity=P, dimension=1)).n_clusters
    3
    """

    name = "second_order_difference"
    idea = "bend in the distance to K subspaces of known dimension"
    requires = frozenset({"features", "dimension"})
    can_name_one = False

    affine: bool = False

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.spectral
        X, most, d = evidence.features, evidence.most, evidence.dimension
        assert d is not None
        sizes = np.arange(2, most)
        if not len(sizes):
            return self._silent(sizes, "fewer than three numbers of clusters to compare")
        floor = ROUNDING * max(float((X**2).sum(axis=1).mean()), np.finfo(float).tiny)
        W = [distance_to_flats(X, evidence.partition(int(K)), d, affine=self.affine) for K in evidence.sizes]
        logs = np.log(np.maximum(W, floor))
        scores = logs[:-2] + logs[2:] - 2.0 * logs[1:-1]
        return Judgement(self.name, int(sizes[np.argmax(scores)]), sizes, scores, note="cannot answer 1")
