"""Unweighted correlation clustering [bansal2002]: +1 for pairs above the mean affinity, -1 for the others.

The partition with the fewest disagreements (similar pairs apart, dissimilar ones together) has its own number of
clusters. It is Binder's loss with a similarity matrix of zeros and ones, and is searched by the same engine. The paper
on SCAMS [li2014, section 2] compares with it: everything hangs on the threshold.

Without an affinity of its own the evidence is thresholded in its relative distances, not in a neighbour graph, where
every pair outside the graph would be dissimilar. Cost: N^2 a pass, of at most `max_items` items. It splits off what
does not fit as clusters of their own; none of the criteria that `judge_all` counts.

[bansal2002] Bansal, Blum, Chawla: Correlation clustering. FOCS 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.affinity import RelativeDistance
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.partition import search_partition
from partita.partition.losses import Binder

__all__ = ["CorrelationClustering"]


@dataclass(frozen=True)
class CorrelationClustering(Criterion):
    """Clusters of the partition with the fewest disagreements.

    Parameters
    ----------
    threshold : float, optional
        Affinity above which a pair is similar; the mean of all pairs by default.
    max_items : int
        Items beyond which the evidence is reduced.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((5, 5)))
    >>> CorrelationClustering().judge(KEvidence(affinity=P)).n_clusters
    3
    """

    name = "correlation_clustering"
    idea = "fewest disagreements with similar and dissimilar pairs"

    threshold: float | None = None
    max_items: int = 1_000

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.reduced(self.max_items)
        if evidence.affinity is None and evidence.features is not None:
            P = RelativeDistance().build(evidence.features, n_clusters=1).affinity.to_dense()
        else:
            P = evidence.graph.to_dense()
        apart = ~np.eye(len(P), dtype=bool)
        # At least the mean, up to rounding: pairs that are all alike are all similar.
        mean = float(P[apart].mean())
        limit = mean * (1.0 - 1e-9) if self.threshold is None else self.threshold
        similar = (limit < P) | ~apart
        found = search_partition(
            similarity=similar.astype(np.float64),
            loss=Binder(normalize="pairs"),
            n_init=2,
            random_state=evidence.seed,
        )
        return Judgement(
            self.name,
            found.n_clusters,
            np.array([found.n_clusters]),
            np.array([found.expected_loss]),
            "smaller",
            note=f"{found.expected_loss:.1%} of the pairs disagree",
        )
