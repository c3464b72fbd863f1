"""Spherical k-means [dhillon2001]: directions alone, by the cosine with K unit centres.

    max over unit centres c_k of  sum_i cos(x_i, c_l(i))

The iteration is `partita.kernels.spherical_kmeans`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import kmeans_plusplus

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, seed_of
from partita.errors import InputError
from partita.kernels.spherical_kmeans import ascend

__all__ = ["SphericalKMeans"]


@dataclass(frozen=True)
class SphericalKMeans(Baseline):
    """k-means by the cosine; hard. Cost: N K d an iteration. Ended when no label changes.

    Parameters
    ----------
    n_init, max_iter : int

    Raises
    ------
    InputError
        For a row of zeros, which has no direction.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[1.0, 0.0], [9.0, 1.0], [0.0, 1.0], [1.0, 7.0]])
    >>> labels = SphericalKMeans().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_
    """

    name = "spherical-k-means"
    idea = "nearest of K directions"
    source = "[dhillon2001]; ours on scikit-learn's k-means++ (scikit-learn has no spherical k-means)"
    left_open = (
        "[zhao2015]: the start, and whether features are centred. Here k-means++ on the unit rows, one start a run, "
        "raw features."
    )
    requires = "features"

    n_init: int = 1
    max_iter: int = 300

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X: Array = evidence.features
        size = np.abs(X).max(axis=1)
        if not size.all():
            raise InputError(
                f"row {int(size.argmin())} is all zero and has no direction; leave it out, or use 'k-means'"
            )
        unit = X / size[:, None]  # first by the largest entry, so that no square is lost
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        runs = []
        for _ in range(self.n_init):
            centres, _ = kmeans_plusplus(unit, n_clusters, random_state=seed_of(rng))
            runs.append(ascend(unit, centres, self.max_iter))
        labels, _, converged = max(runs, key=lambda run: run[1][-1])
        return BaselineResult(labels, None, converged)
