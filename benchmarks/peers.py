"""Peers as `quality.py` calls them: baselines with their settings, and what partita does not keep as a baseline."""

from __future__ import annotations

import numpy as np

from partita import baselines
from partita.baselines import Baseline, BaselineEvidence
from partita.ensemble import Modularity

__all__ = ["FilledHDBSCAN", "FuzzyCMeans", "GenieTree", "Mixture", "ModularityAtK", "Peer"]


class Peer:
    """A baseline with `fit` and `labels_`."""

    def __init__(self, baseline: Baseline, n_clusters: int, seed: int = 0) -> None:
        self.baseline, self.n_clusters, self.seed = baseline, n_clusters, seed

    def fit(self, X: np.ndarray) -> Peer:
        evidence = BaselineEvidence(features=X)
        result = self.baseline.cluster(evidence, self.n_clusters, np.random.default_rng(self.seed))
        self.labels_, self.membership_ = result.labels, result.membership
        return self


def FuzzyCMeans(n_clusters: int, n_init: int = 10) -> Peer:
    """Fuzzifier 2, the best of ten starts."""
    return Peer(baselines.FuzzyCMeans(n_init=n_init), n_clusters)


def FilledHDBSCAN(n_clusters: int) -> Peer:
    """Its own settings and its own number of clusters; noise joins its nearest cluster."""
    return Peer(baselines.HDBSCAN(), n_clusters)


def Mixture(n_clusters: int) -> Peer:
    """Full covariances; a larger ridge where they are singular."""
    return Peer(baselines.GaussianMixture(), n_clusters)


class GenieTree(Peer):
    """Genie at its published settings: genieclust where it is installed, else ours."""

    def __init__(self, n_clusters: int) -> None:
        super().__init__(baselines.Genie(), n_clusters)

    def fit(self, X: np.ndarray) -> Peer:
        try:
            import genieclust
        except ImportError:
            return super().fit(X)
        self.labels_ = genieclust.Genie(self.n_clusters).fit_predict(X)
        return self


class ModularityAtK:
    """Louvain on 10 neighbours with the resolution bisected to K: our member of the ensemble, on all items."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray) -> ModularityAtK:
        distinct, inverse = np.unique(X, axis=0, return_inverse=True)
        self.labels_ = Modularity().cluster(distinct, self.n_clusters, np.random.default_rng(0)).labels[inverse.ravel()]
        return self
