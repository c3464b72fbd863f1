"""HDBSCAN [campello2013] (scikit-learn): the most stable branches of the tree of density levels, as many as there are.

Items in no branch are noise; a comparison of partitions needs a label for each, so noise joins the cluster of the
nearest item that has one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn import cluster
from sklearn.neighbors import NearestNeighbors

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult

__all__ = ["HDBSCAN"]


@dataclass(frozen=True)
class HDBSCAN(Baseline):
    """HDBSCAN with its own number of clusters; hard. Cost: about N log N distances in few dimensions, N^2 in many.

    Parameters
    ----------
    min_cluster_size : int
        Items of the smallest cluster, and the neighbours that density is measured by.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([[0, 0], [30, 0]], 20, axis=0)
    >>> result = HDBSCAN().cluster(BaselineEvidence(features=X), 5, np.random.default_rng(0))
    >>> int(result.labels.max()) + 1, result.note
    (2, 'its own number of clusters: 2')
    """

    name = "hdbscan"
    idea = "stable branches of the tree of density levels"
    source = "[campello2013]; scikit-learn HDBSCAN"
    left_open = ""
    requires = "features"
    random = False
    own_number = True

    min_cluster_size: int = 5

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X: Array = evidence.features
        size = max(2, self.min_cluster_size)
        labels = np.full(len(X), -1, dtype=np.int64)
        if len(X) >= size:
            labels = cluster.HDBSCAN(min_cluster_size=size, copy=True).fit_predict(X).astype(np.int64)
        noise = labels < 0
        if noise.all():
            labels[:] = 0
        elif noise.any():
            nearest = NearestNeighbors(n_neighbors=1).fit(X[~noise])
            labels[noise] = labels[~noise][nearest.kneighbors(X[noise], return_distance=False)[:, 0]]
        note = f"its own number of clusters: {int(labels.max()) + 1}"
        if noise.any():
            note += f"; {int(noise.sum())} items of noise joined the nearest cluster"
        return BaselineResult(labels, None, True, note)
