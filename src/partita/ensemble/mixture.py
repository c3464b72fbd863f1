"""A Gaussian mixture: clusters are ellipsoids, and every item has its responsibilities.

The covariance model (full, tied, diagonal, spherical) is the one with the best BIC, so that a hundred items in nine
dimensions are not given six full covariances. A ridge of 1e-4 of the mean variance keeps components from collapsing.
Above `max_dimensions` features, where a covariance cannot be estimated, the mixture sees the leading principal axes
that hold `variance` of the variance, at most `max_dimensions` of them. Cost: one run of k-means, from which four of EM
start, n K d^2 a step with a covariance each and n K d with the others.

Weak on curved and nested shapes; it is there for overlapping and elongated groups, where graphs and trees are weak.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from partita.ensemble.base import Array, Clustering, Member
from partita.kernels.eigen import symmetric_eigen
from partita.kernels.ellipsoids import Climbed, Shape, climb, log_joint, n_parameters, normalised

__all__ = ["Mixture"]

SHAPES: tuple[Shape, ...] = ("full", "tied", "diagonal", "spherical")
# A member need not be a maximum to the last digit.
MAX_ITER, TOLERANCE = 200, 1e-3


@dataclass(frozen=True)
class Mixture(Member):
    """Gaussian mixture with K components; soft.

    Parameters
    ----------
    ridge : float
        Added to every variance, as a share of the mean variance of the features.
    max_dimensions : int
        Features up to which they are taken as they are.
    variance : float
        Share of the variance that the principal axes hold otherwise.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> Q = Mixture().cluster(X, 2, np.random.default_rng(0)).membership
    >>> Q.shape, len(set(Q[:30].argmax(axis=1)))
    ((60, 2), 1)
    """

    name = "mixture"
    idea = "Gaussian mixture, covariance model by BIC"

    ridge: float = 1e-4
    max_dimensions: int = 20
    variance: float = 0.9

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        centre = X.mean(axis=0)
        axes = self._axes(X - centre)
        Z = X - centre if axes is None else (X - centre) @ axes
        # At least the square root of the rounding: items that all but coincide.
        ridge = self.ridge * float(Z.var(axis=0).mean()) + np.finfo(float).tiny ** 0.5
        weights = np.ones(len(Z))
        scatter = Z.T @ Z / len(Z) + ridge * np.eye(Z.shape[1])
        means = KMeans(n_clusters, n_init=1, random_state=int(rng.integers(2**31 - 1))).fit(Z).labels_
        start = np.eye(n_clusters)[means]
        best: Climbed | None = None
        score = np.inf
        for shape in SHAPES:
            found = climb(Z, weights, start, shape, scatter=scatter, ridge=ridge, max_iter=MAX_ITER, tol=TOLERANCE)
            bic = n_parameters(shape, n_clusters, Z.shape[1]) * np.log(len(Z)) - 2 * found.log_likelihood
            if best is None or bic < score:
                best, score = found, bic
        assert best is not None
        fitted = best.components

        def responsibilities(Y: Array) -> Array:
            return normalised(log_joint(fitted, Y - centre if axes is None else (Y - centre) @ axes))[0]

        return Clustering(best.responsibilities, responsibilities)

    def _axes(self, X: Array) -> Array | None:
        """Leading principal axes of centred data, or None where all features are kept."""
        if X.shape[1] <= self.max_dimensions:
            return None
        values, vectors = symmetric_eigen(X.T @ X)
        share = np.cumsum(values[::-1].clip(0)) / max(values.clip(0).sum(), np.finfo(float).tiny)
        kept = min(int(np.searchsorted(share, self.variance)) + 1, self.max_dimensions)
        return np.asarray(vectors[:, ::-1][:, :kept])
