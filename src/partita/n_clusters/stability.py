"""Stability under resampling: at the right K, partitions of subsamples agree [benhur2002].

Each of B subsamples of `share` of the items gets its own graph, embedding and partition at every K; the score of K is
the mean adjusted Rand index, on the items they share, over all pairs of subsamples, so that agreement by chance counts
nothing. Small K agree easily: the answer is the largest K whose score is within `slack` of the best. K = 1 always
agrees with itself and is not scored.

Cost: B sets of leading eigenvectors; of `max_items` items where there are more (`KEvidence.reduced`).

[benhur2002] Ben-Hur, Elisseeff, Guyon: A stability based method for discovering structure in clustered data. PSB 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.ensemble.weights import adjusted_rand
from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["Stability"]

# Partitions that agree less than this are no better than chance in a handful of items.
LEAST = 0.2
# Fewer items than this in a subsample tell nothing.
FEWEST = 4


@dataclass(frozen=True)
class Stability(Criterion):
    """Largest K at which subsamples agree as well as at the best.

    Parameters
    ----------
    share : float in (0, 1)
        Items in a subsample.
    n_samples : int
        B >= 2.
    slack : float
        Score given up for more clusters.
    max_items : int
        Items beyond which the evidence is reduced.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    >>> Stability().judge(KEvidence(features=X)).n_clusters
    3
    """

    name = "stability"
    idea = "agreement of partitions of subsamples"
    can_name_one = False

    share: float = 0.7
    n_samples: int = 8
    slack: float = 0.01
    max_items: int = 1_500

    def __post_init__(self) -> None:
        if not 0.0 < self.share < 1.0 or self.n_samples < 2:
            raise InputError(
                f"share={self.share}, n_samples={self.n_samples}: expected 0 < share < 1 and two samples or more"
            )

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.reduced(self.max_items)
        n, rng = evidence.n_items, evidence.generator(5)
        size = round(self.share * n)
        sizes = np.arange(2, min(evidence.most, size - 1) + 1)
        if size < FEWEST or not len(sizes):
            return self._silent(sizes, f"{evidence.items_in_words} are too few to resample")
        where = [np.sort(rng.choice(n, size, replace=False)) for _ in range(self.n_samples)]
        parts = [evidence.subset(rows) for rows in where]
        pairs = [(a, b) for a in range(self.n_samples) for b in range(a)]
        shared = [np.intersect1d(where[a], where[b], return_indices=True)[1:] for a, b in pairs]
        scores = np.array(
            [
                np.mean(
                    [
                        adjusted_rand(parts[a].partition(int(K))[i], parts[b].partition(int(K))[j])
                        for (a, b), (i, j) in zip(pairs, shared)
                    ]
                )
                for K in sizes
            ]
        )
        if scores.max() < LEAST:
            return Judgement(self.name, None, sizes, scores, note="no number of clusters has partitions that agree")
        best = int(np.flatnonzero(scores >= scores.max() - self.slack)[-1])
        return Judgement(
            self.name,
            int(sizes[best]),
            sizes,
            scores,
            sure=float(np.clip(scores[best], 0.0, 1.0)),
            note="sure: mean adjusted Rand index of two subsamples; cannot answer 1",
        )
