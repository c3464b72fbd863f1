"""Spherical k-means [dhillon2001]: directions alone, by the cosine with K unit centres.

    max over unit centres c_k of  sum_i cos(x_i, c_l(i))

which is k-means on the rows scaled to unit length with centres scaled to unit length too: c_k is the normalised mean of
its rows. Neither step lowers the objective. A cluster that runs empty takes the row of least cosine from a cluster that
has others, which does not lower it either: ||s - x|| + 1 >= ||s||, s the sum of the rows left behind and x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import kmeans_plusplus

from partita.baselines.base import Array, Baseline, BaselineEvidence, BaselineResult, Labels, seed_of
from partita.errors import InputError

__all__ = ["SphericalKMeans", "ascend"]


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


def ascend(unit: Array, centres: Array, max_iter: int) -> tuple[Labels, list[float], bool]:
    """Iterations from unit centres: labels, the objective after each iteration, and whether labels stayed.

    >>> ascend(np.eye(2), np.eye(2), 10)[1]
    [2.0, 2.0]
    """
    n, K = len(unit), len(centres)
    labels, trace = np.full(n, -1, dtype=np.int64), []
    for _ in range(max_iter):
        before = labels
        cosine = unit @ centres.T
        labels = cosine.argmax(axis=1).astype(np.int64)
        _fill(labels, cosine[np.arange(n), labels], K)
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, unit)
        lengths = np.linalg.norm(sums, axis=1)
        trace.append(float(lengths.sum()))
        # Rows that cancel exactly leave the centre where it was: every direction is as good.
        centres = np.where(lengths[:, None] > 0, sums / np.where(lengths > 0, lengths, 1.0)[:, None], centres)
        if (labels == before).all():
            return labels, trace, True
    return labels, trace, False


def _fill(labels: Labels, own: Array, n_clusters: int) -> None:
    """Give each empty cluster the row of least cosine from a cluster that has others, in place."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for k in np.flatnonzero(sizes == 0):
        spare = np.flatnonzero(sizes[labels] > 1)
        row = spare[own[spare].argmin()]
        sizes[labels[row]] -= 1
        labels[row], own[row] = k, 1.0
        sizes[k] = 1
