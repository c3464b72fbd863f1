"""The number of clusters of the partition of least expected loss: for draws of partitions the well-posed question.

Of the draws of a posterior, or of the clusterings of an ensemble, `partita.partition.search_partition` finds the
partition with the least expected loss; K is a by-product. The score of a K is the least loss among the partitions of K
clusters that the search scored. It may answer 1.

Cost: that of the search, O(M N K) a pass; of `max_items` items, drawn at random, where there are more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.n_clusters.base import Better, Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.partition import search_partition

__all__ = ["ExpectedLoss"]


@dataclass(frozen=True)
class ExpectedLoss(Criterion):
    """Clusters of the partition of least expected loss.

    Parameters
    ----------
    loss : str
        As in `search_partition`.
    max_items : int
        Items beyond which a sample is taken.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> draws = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> ExpectedLoss().judge(KEvidence(draws=draws)).n_clusters
    2
    """

    name = "expected_loss"
    idea = "clusters of the partition of least expected loss"
    requires = frozenset({"draws"})

    loss: str = "vi"
    max_items: int = 3_000

    def _judge(self, evidence: KEvidence) -> Judgement:
        draws = evidence.draws
        if evidence.n_items > self.max_items:
            columns = np.sort(evidence.generator(7).choice(evidence.n_items, self.max_items, replace=False))
            draws = draws[:, columns]
        found = search_partition(draws, loss=self.loss, random_state=evidence.seed)
        tried = np.array([t.n_clusters for t in found.tried] + [found.n_clusters])
        losses = np.array([t.loss for t in found.tried] + [found.expected_loss])
        sizes = np.arange(1, int(tried.max()) + 1)
        better: Better = "larger" if found.loss.is_score else "smaller"
        least = np.full(len(sizes), np.nan)
        for K in np.unique(tried):
            own = losses[tried == K]
            least[K - 1] = own.max() if found.loss.is_score else own.min()
        own_counts = np.array([len(np.unique(row)) for row in draws])
        return Judgement(
            self.name,
            found.n_clusters,
            sizes,
            least,
            better,
            sure=float((own_counts == found.n_clusters).mean()),
            note="sure: share of the draws with as many clusters",
        )
