"""scikit-learn's spectral clustering on a plain neighbour graph, labels by `cluster_qr`: the strong everyday peer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import SpectralClustering

from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, seed_of

__all__ = ["Spectral"]


@dataclass(frozen=True)
class Spectral(Baseline):
    """Spectral clustering with cluster_qr; hard. Cost: the neighbours, and some tens of products with their graph.

    Objective: the normalised cut of the graph, relaxed to the K leading eigenvectors of D^-1/2 P D^-1/2.

    Parameters
    ----------
    n_neighbors : int
        Neighbours in the graph that is made of features, the item itself among them, as scikit-learn counts; pairs that
        one of the two chose weigh a half. An affinity given is used in its place.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = Spectral(n_neighbors=3).cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "spectral"
    idea = "eigenvectors of a neighbour graph, labels by pivoted QR"
    source = "[shi2000], [damle2019]; scikit-learn SpectralClustering"
    left_open = ""
    requires = "affinity"
    random = False

    n_neighbors: int = 15

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        n = evidence.n_items
        if n_clusters == 1 or n_clusters == n:  # no eigenvectors to look at, or all of them
            return BaselineResult(np.arange(n, dtype=np.int64) % n_clusters, None)
        model = SpectralClustering(
            n_clusters,
            affinity="nearest_neighbors" if evidence.affinity is None else "precomputed",
            n_neighbors=min(self.n_neighbors, n),
            assign_labels="cluster_qr",
            random_state=seed_of(rng),
        )
        if evidence.affinity is None:
            given = evidence.features
        else:
            sparse = evidence.affinity.as_sparse()
            given = evidence.affinity.to_dense() if sparse is None else sparse
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            labels = model.fit_predict(given)
        apart = any("not fully connected" in str(one.message) for one in said)
        note = "the graph is in pieces: scikit-learn's eigenvectors may miss some" if apart else ""
        return BaselineResult(labels.astype(np.int64), None, True, note)
