"""The number of clusters that HDBSCAN finds by itself, noise left out [campello2013].

scikit-learn's, on the features. Clusters are what stays together longest as the level of density rises; K is what comes
out, at one least size of a cluster. It answers 1 where nothing splits, also where everything is noise.

Cost: N^2 d at worst; of a sample of `max_items` items where there are more. Weak in many dimensions, where density
differs little, and where clusters overlap.

[campello2013] Campello, Moulavi, Sander: Density-based clustering based on hierarchical density estimates. PAKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import HDBSCAN

from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["HDBSCANCount"]


@dataclass(frozen=True)
class HDBSCANCount(Criterion):
    """HDBSCAN's own number of clusters.

    Parameters
    ----------
    share : float
        Least size of a cluster as a share of the items.
    smallest : int
        Least size whatever the share.
    max_items : int
        Items beyond which a sample is taken.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> HDBSCANCount().judge(KEvidence(features=X)).n_clusters
    2
    """

    name = "hdbscan_count"
    idea = "HDBSCAN's own count, noise left out"
    requires = frozenset({"features"})

    share: float = 0.01
    smallest: int = 5
    max_items: int = 3_000

    def _judge(self, evidence: KEvidence) -> Judgement:
        X = evidence.features
        if len(X) > self.max_items:
            X = X[np.sort(evidence.generator(4).choice(len(X), self.max_items, replace=False))]
        least = max(self.smallest, round(self.share * len(X)))
        if len(X) < 2 * least:
            return self._silent([], f"fewer than {2 * least} distinct items: no two clusters of the least size")
        labels = HDBSCAN(min_cluster_size=least, copy=True).fit(X).labels_
        found = int(labels.max()) + 1
        return Judgement(
            self.name,
            max(found, 1),
            np.array([max(found, 1)]),
            np.array([np.nan]),
            note="" if found else "everything is noise: one cluster",
        )
