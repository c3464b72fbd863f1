"""Mixtures of Gaussian or Student components by expectation and maximisation, for items with weights.

The objective is the weighted log-likelihood sum_i d_i log sum_m pi_m p_m(x_i), with a touch of a prior on the
covariances: each cluster gets d + 2 pseudo-items whose scatter is that of all items divided by M^(2/d) [fraley2007]. A
component on few items, or on items in a plane, stays a density, and one on a chance cluster of a few dozen is more
rarely the likeliest. An integer weight is the same as copies.

Kinds of components: "full" (a covariance each), "student" (the same with one common number of degrees of freedom,
estimated [peel2000]: heavy tails), "tied" (one covariance for all), "diagonal" (axes of the coordinates given).

Cost: N M d^2 an iteration, N M d for "tied" and "diagonal" (`partita.kernels.ellipsoids`). In many dimensions with few
items the covariances are mostly noise: fit in fewer dimensions (`partita.calibration.selection` does).

References
----------
[fraley2007] Fraley, Raftery: Bayesian regularization for normal mixture estimation. Journal of Classification 24, 2007.
[peel2000] Peel, McLachlan: Robust mixture modelling using the t distribution. Statistics and Computing 10, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from partita.arrays import Array
from partita.kernels.ellipsoids import Ellipsoids, Items, climb, log_joint, normalised

__all__ = ["KINDS", "Kind", "MixtureDensity", "MixtureFit", "fit_mixture"]

Kind = Literal["full", "student", "tied", "diagonal"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Pseudo-items in each covariance, beside one for each dimension.
BESIDE = 2.0
# Share of the largest variance below which a direction holds no information, only rounding.
FLAT = 1e-9


@dataclass(frozen=True)
class MixtureDensity:
    """A fitted density.

    Attributes
    ----------
    kind : one of `KINDS`
    shares : M, positive, sum one
    means : M x d
    whiteners : M x d x d, or M x d for "diagonal"
        U with U U^T the inverse covariance: (x - mean) U has unit covariance.
    freedom : float
        Degrees of freedom; infinite but for "student".
    """

    kind: Kind
    shares: Array
    means: Array
    whiteners: Array
    freedom: float

    def log_joint(self, X: Array) -> Array:
        """Return the logarithm of pi_m p_m(x_i), N x M."""
        return log_joint(Ellipsoids(self.shares, self.means, self.whiteners, self.freedom), X)

    def log_density(self, X: Array) -> Array:
        """Return the logarithm of p(x_i), N."""
        return normalised(self.log_joint(X))[1]

    def responsibilities(self, X: Array) -> Array:
        """Return the posterior of the components, N x M, rows on the simplex."""
        return normalised(self.log_joint(X))[0]


@dataclass(frozen=True)
class MixtureFit:
    """A mixture with its responsibilities (N x M) and weighted log-likelihood on the items it was fitted to."""

    mixture: MixtureDensity
    responsibilities: Array
    log_likelihood: float
    n_iter: int


def fit_mixture(
    X: Array,
    weights: Array,
    start: Array,
    kind: Kind = "full",
    *,
    log_prior: Array | None = None,
    scatter: Array | None = None,
    pieces: float = 1.0,
    max_iter: int = 300,
    tol: float = 1e-6,
) -> MixtureFit:
    """Fit from a start.

    Parameters
    ----------
    X : N x d
    weights : N, positive
    start : N x M
        Responsibilities, rows on the simplex (or zero).
    log_prior : N x M, optional
        Added to the log-joint while fitting and not afterwards: what is known about each item from elsewhere.
    scatter : d x d, optional
        Covariance of which the pseudo-items are made; that of X by default.
    pieces : float
        Components of one cluster, which share its d + 2 pseudo-items: pieces of a curve are narrow.
    tol : float
        Ends when the mean log-likelihood of an item rises by less.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> fit_mixture(X, np.ones(6), np.eye(2)[[0, 0, 0, 1, 1, 1]]).mixture.means.round(2).tolist()
    [[0.1], [5.1]]
    """
    scatter = covariance(X, weights) if scatter is None else scatter
    pseudo_items = (X.shape[1] + BESIDE) / pieces
    components, R, log_likelihood, n_iter, _ = climb(
        Items.of(X, weights, kind, scatter=scatter),
        start,
        pseudo=pseudo_items / start.shape[1] ** (2 / X.shape[1]),
        pseudo_items=pseudo_items,
        log_prior=log_prior,
        max_iter=max_iter,
        tol=tol,
    )
    return MixtureFit(MixtureDensity(kind, *components), R, log_likelihood, n_iter)


def covariance(X: Array, weights: Array) -> Array:
    """Return the weighted covariance of all items, made regular."""
    Z = X - np.average(X, axis=0, weights=weights)
    C = (Z * weights[:, None]).T @ Z / weights.sum()
    floor = FLAT * max(float(C.diagonal().max()), np.finfo(float).tiny)
    return np.asarray(C + floor * np.eye(len(C)))
