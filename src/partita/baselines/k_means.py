"""k-means: min sum_i ||x_i - c_l(i)||^2 by Lloyd's iterations from a k-means++ start (scikit-learn)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans as Lloyd

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, seed_of

__all__ = ["KMeans", "lloyd"]


@dataclass(frozen=True)
class KMeans(Baseline):
    """k-means with Euclidean distances; hard. Cost: N K d an iteration.

    Parameters
    ----------
    n_init, max_iter : int

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [5.0], [5.1]])
    >>> labels = KMeans().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_
    """

    name = "k-means"
    idea = "nearest of K means"
    source = "[lloyd1982], start of [arthur2007]; scikit-learn KMeans"
    left_open = "[zhao2015]: the start, and whether features are scaled. Here k-means++, one start a run, raw features."
    requires = "features"

    n_init: int = 1
    max_iter: int = 300

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        return lloyd(evidence.features, n_clusters, rng, self.n_init, self.max_iter)


def lloyd(X: Array, n_clusters: int, rng: np.random.Generator, n_init: int, max_iter: int) -> BaselineResult:
    """Run k-means on the rows of X, here or as the last step of another method."""
    model = Lloyd(n_clusters, n_init=n_init, max_iter=max_iter, random_state=seed_of(rng)).fit(X)
    return BaselineResult(model.labels_.astype(np.int64), None, bool(model.n_iter_ < max_iter))
