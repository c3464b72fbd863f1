"""A Gaussian mixture: clusters are ellipsoids, and every item has its responsibilities.

The covariance model (full, tied, diagonal, spherical) is the one with the best BIC, so that a hundred items in nine
dimensions are not given six full covariances. A ridge of 1e-4 of the mean variance keeps components from collapsing.
Above `max_dimensions` features, where a covariance cannot be estimated, the mixture sees the leading principal axes
that hold `variance` of the variance, at most `max_dimensions` of them. Cost: two runs of k-means and four of EM, a step
of n K d^2 with a covariance each and n K d with the others; most end after five steps.

Weak on curved and nested shapes; it is there for overlapping and elongated groups, where graphs and trees are weak.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from partita.arrays import Array
from partita.ensemble.base import Clustering, Member, principal_axes
from partita.kernels.ellipsoids import Climbed, Items, Shape, climb, log_joint, n_parameters, normalised

__all__ = ["Mixture"]

SHAPES: tuple[Shape, ...] = ("full", "tied", "diagonal", "spherical")
# A member need not be a maximum to the last digit.
MAX_ITER, TOLERANCE = 200, 1e-3
# Steps after which covariance models are compared, and how much larger BIC may be an item: later steps change less.
FIRST, FAR = 5, 1.0


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
        axes = self._axes(X)
        Z = X - centre if axes is None else (X - centre) @ axes
        # At least the square root of the rounding: items that all but coincide.
        ridge = self.ridge * float(Z.var(axis=0).mean()) + np.finfo(float).tiny ** 0.5
        best = _best_by_bic(Z, n_clusters, ridge, rng)
        fitted = best.components

        def responsibilities(Y: Array) -> Array:
            return normalised(log_joint(fitted, Y - centre if axes is None else (Y - centre) @ axes))[0]

        return Clustering(best.responsibilities, responsibilities)

    def _axes(self, X: Array) -> Array | None:
        """Leading principal axes, or None where all features are kept."""
        if X.shape[1] <= self.max_dimensions:
            return None
        axes, squares = principal_axes(X)
        share = np.cumsum(squares) / max(squares.sum(), np.finfo(float).tiny)
        kept = min(int(np.searchsorted(share, self.variance)) + 1, self.max_dimensions)
        return np.asarray(axes[:, :kept])


def _best_by_bic(Z: Array, n_clusters: int, ridge: float, rng: np.random.Generator) -> Climbed:
    """The mixture of the covariance model with the least BIC; those far behind after a few steps are left there."""
    n, d = Z.shape
    scatter = Z.T @ Z / n + ridge * np.eye(d)
    items: dict[Shape, Items] = {}

    def bic(shape: Shape) -> float:
        return float(n_parameters(shape, n_clusters, d) * np.log(n)) - 2 * found[shape].log_likelihood

    found: dict[Shape, Climbed] = {}
    for shapes in (SHAPES[:2], SHAPES[2:]):  # each pair from a start of its own: a poor one does not spoil all
        means = KMeans(n_clusters, n_init=1, random_state=int(rng.integers(2**31 - 1))).fit(Z)
        for shape in shapes:
            if shape != "spherical" and n_parameters(shape, n_clusters, d) > n:  # BIC would not take more than items
                continue
            items[shape] = Items.of(Z, np.ones(n), shape, scatter=scatter, ridge=ridge)
            found[shape] = climb(items[shape], np.eye(n_clusters)[means.labels_], max_iter=FIRST, tol=TOLERANCE)
    least = min(bic(shape) for shape in found)
    near = [shape for shape in found if bic(shape) <= least + FAR * n]
    for shape in near:
        if found[shape].n_iter == FIRST:
            begun = found[shape].responsibilities
            found[shape] = climb(items[shape], begun, max_iter=MAX_ITER - FIRST, tol=TOLERANCE)
    return found[min(near, key=bic)]
