"""The gap statistic [tibshirani2001]: how much better k-means does than on items without clusters.

Gap(K) = mean over B references of ln W*_K - ln W_K, W_K the sum of squares within the clusters of k-means, references
uniform over the box of the principal axes. The answer is the smallest K with Gap(K) >= Gap(K+1) - s_{K+1}, s the
standard deviation of ln W* times sqrt(1 + 1/B). It may answer 1.

k-means is scikit-learn's, once a K and reference; beyond `max_items` items, of a sample. Cost: B K_max runs of k-means.
Weak on clusters that k-means does not see: rings, chains, very unequal spread.

[tibshirani2001] Estimating the number of clusters in a data set via the gap statistic. JRSS B 63, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from partita.arrays import Array
from partita.kernels.eigen import singular_vectors
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["GapStatistic"]


@dataclass(frozen=True)
class GapStatistic(Criterion):
    """Gap statistic with the rule of one standard error.

    Parameters
    ----------
    n_references : int
        B.
    n_init : int
        Starts of k-means, the best counts.
    max_items : int
        Items beyond which a sample is taken.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> GapStatistic().judge(KEvidence(features=X)).n_clusters
    2
    """

    name = "gap_statistic"
    idea = "k-means against items uniform over a box"
    requires = frozenset({"features"})

    n_references: int = 10
    n_init: int = 2
    max_items: int = 1_000

    def _judge(self, evidence: KEvidence) -> Judgement:
        rng = evidence.generator(3)
        X, w = evidence.features, evidence.weights
        if len(X) > self.max_items:
            rows = np.sort(rng.choice(len(X), self.max_items, replace=False))
            X, w = X[rows], None if w is None else w[rows]
        sizes = np.arange(1, min(evidence.most, len(X) - 1) + 1)
        centre = np.average(X, axis=0, weights=w)
        axes = singular_vectors(X - centre)[2]
        Z = (X - centre) @ axes.T
        low, high = Z.min(axis=0), Z.max(axis=0)
        if not (high > low).any():
            return Judgement(self.name, 1, sizes, np.full(len(sizes), np.nan), note="all items are the same")
        observed = self._dispersions(Z, w, sizes, rng)
        draws = [rng.uniform(low, high, size=Z.shape) for _ in range(self.n_references)]
        references = np.array([self._dispersions(draw, w, sizes, rng) for draw in draws])
        scores = references.mean(axis=0) - observed
        error = references.std(axis=0) * np.sqrt(1.0 + 1.0 / self.n_references)
        passed = np.flatnonzero(scores[:-1] >= scores[1:] - error[1:])
        if not len(passed):
            return Judgement(
                self.name, int(sizes[-1]), sizes, scores, "crossing", note="the gap rises up to the largest K tried"
            )
        return Judgement(self.name, int(sizes[passed[0]]), sizes, scores, "crossing")

    def _dispersions(self, Z: Array, w: Array | None, sizes: np.ndarray, rng: np.random.Generator) -> Array:
        """The logarithm of W_K for each K."""
        seed = int(rng.integers(2**31 - 1))
        inertia = [
            KMeans(int(K), n_init=self.n_init, random_state=seed).fit(Z, sample_weight=w).inertia_ for K in sizes
        ]
        floor = np.finfo(float).eps * max(inertia[0], np.finfo(float).tiny)
        return np.asarray(np.log(np.maximum(inertia, floor)))
