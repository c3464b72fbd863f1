"""Mean silhouette [rousseeuw1987] of the partition at K, in the space of the features.

(b - a) / max(a, b) with a an item's mean distance to its own cluster and b to the closest other one; the K of largest
mean, K >= 2. scikit-learn's. Cost: N^2 distances; of a sample of `max_items` items where there are more.

Likes round clusters: a ring about a cluster has its silhouette against it. It cannot answer 1.

[rousseeuw1987] Silhouettes. Journal of Computational and Applied Mathematics 20, 1987.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import silhouette_score

from partita.affinity.distances import distances
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["Silhouette"]


@dataclass(frozen=True)
class Silhouette(Criterion):
    """Largest mean silhouette.

    Parameters
    ----------
    max_items : int
        Items beyond which a sample is taken.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.repeat([[0.0], [9.0]], 20, axis=0) + np.arange(40)[:, None] / 40
    >>> Silhouette().judge(KEvidence(features=X)).n_clusters
    2
    """

    name = "silhouette"
    idea = "mean silhouette of the partition at K"
    requires = frozenset({"features"})
    can_name_one = False

    max_items: int = 2_000

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.spectral
        rows = np.arange(evidence.n_items)
        if len(rows) > self.max_items:
            rows = np.sort(evidence.generator(2).choice(len(rows), self.max_items, replace=False))
        sizes = evidence.sizes[1:]
        D = distances(evidence.features[rows], evidence.features[rows], "euclidean", None)
        scores = np.full(len(sizes), np.nan)
        for s, K in enumerate(sizes):
            labels = evidence.partition(int(K))[rows]
            if 2 <= len(np.unique(labels)) < len(rows):
                scores[s] = silhouette_score(D, labels, metric="precomputed")
        if np.isnan(scores).all():
            return self._silent(sizes, "no partition with 2 to N - 1 clusters")
        best = int(np.nanargmax(scores))
        return Judgement(self.name, int(sizes[best]), sizes, scores, note="cannot answer 1")
