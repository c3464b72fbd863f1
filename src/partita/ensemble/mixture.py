"""A Gaussian mixture: clusters are ellipsoids, and every item has its responsibilities.

The covariance model (full, tied, diagonal, spherical) is the one with the best BIC, so that a hundred items in nine
dimensions are not given six full covariances. A ridge of 1e-4 of the mean variance keeps components from collapsing.
Above `max_dimensions` features, where a covariance cannot be estimated, the mixture sees the leading principal axes
that hold `variance` of the variance, at most `max_dimensions` of them. Cost: four runs of EM, each n K d^2 a step.

Weak on curved and nested shapes; it is there for overlapping and elongated groups, where graphs and trees are weak.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from partita.ensemble.base import Array, Clustering, Member
from partita.kernels.eigen import symmetric_eigen

__all__ = ["Mixture"]

COVARIANCES = ("full", "tied", "diag", "spherical")
MAX_ITER = 200


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
        best, score = None, np.inf
        for covariance in COVARIANCES:
            model = GaussianMixture(
                n_clusters,
                covariance_type=covariance,
                reg_covar=ridge,
                max_iter=MAX_ITER,
                random_state=int(rng.integers(2**31 - 1)),
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a member need not be a maximum to the last digit
                bic = float(model.fit(Z).bic(Z))
            if best is None or bic < score:
                best, score = model, bic
        assert best is not None
        fitted = best

        def responsibilities(Y: Array) -> Array:
            return np.asarray(fitted.predict_proba(Y - centre if axes is None else (Y - centre) @ axes))

        return Clustering(responsibilities(X), responsibilities)

    def _axes(self, X: Array) -> Array | None:
        """Leading principal axes of centred data, or None where all features are kept."""
        if X.shape[1] <= self.max_dimensions:
            return None
        values, vectors = symmetric_eigen(X.T @ X)
        share = np.cumsum(values[::-1].clip(0)) / max(values.clip(0).sum(), np.finfo(float).tiny)
        kept = min(int(np.searchsorted(share, self.variance)) + 1, self.max_dimensions)
        return np.asarray(vectors[:, ::-1][:, :kept])
