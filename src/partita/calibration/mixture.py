"""Mixtures of Gaussian or Student components by expectation and maximisation, for items with weights.

The objective is the weighted log-likelihood sum_i d_i log sum_m pi_m p_m(x_i), with a touch of a prior on the
covariances: each gets one pseudo-item whose scatter is that of all items divided by M^(2/d) [after fraley2007],
so that a component on few items, or on items in a plane, stays a density. An integer weight is the same as copies.

Kinds of components: "full" (a covariance each), "student" (the same with one common number of degrees of freedom,
estimated [peel2000]: heavy tails), "tied" (one covariance for all), "diagonal" (axes of the coordinates given).

Cost: N M d^2 an iteration, N M d for "diagonal". In many dimensions with few items the covariances are mostly noise:
fit in fewer dimensions (`partita.calibration.selection` does).

References
----------
[fraley2007] Fraley, Raftery: Bayesian regularization for normal mixture estimation. Journal of Classification 24, 2007.
[peel2000] Peel, McLachlan: Robust mixture modelling using the t distribution. Statistics and Computing 10, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

__all__ = ["KINDS", "Kind", "Mixture", "MixtureFit", "fit_mixture", "n_parameters"]

Array = NDArray[np.float64]
Kind = Literal["full", "student", "tied", "diagonal"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Pseudo-items in each covariance.
PRIOR_ITEMS = 1.0
# Share of the largest variance below which a direction holds no information, only rounding.
FLAT = 1e-9
# A component without items keeps this many, so that nothing is divided by zero.
NO_ITEMS = 1e-8
# Degrees of freedom: at the start, and the range in which they are looked for; 200 is a Gaussian for all purposes.
FIRST_FREEDOM, FREEDOMS = 10.0, (2.05, 200.0)
# Distances beyond this are as good as infinite, and their squares still are numbers.
FARTHEST = 1e150


@dataclass(frozen=True)
class Mixture:
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
        return self._joint(X)[0]

    def log_density(self, X: Array) -> Array:
        """Return the logarithm of p(x_i), N."""
        return _normalised(self.log_joint(X))[1]

    def responsibilities(self, X: Array) -> Array:
        """Return the posterior of the components, N x M, rows on the simplex."""
        return _normalised(self.log_joint(X))[0]

    def _joint(self, X: Array) -> tuple[Array, Array]:
        """Logarithm of pi_m p_m(x_i), and squared Mahalanobis distances."""
        d = X.shape[1]
        diagonal = self.kind == "diagonal"
        squared = np.empty((len(X), len(self.shares)))
        for m, (mean, U) in enumerate(zip(self.means, self.whiteners, strict=True)):
            Z = np.clip(X - mean, -FARTHEST, FARTHEST)
            Z = np.clip(Z * U if diagonal else Z @ U, -FARTHEST, FARTHEST)
            squared[:, m] = np.einsum("nd,nd->n", Z, Z)
        log_volume = np.log(self.whiteners if diagonal else self.whiteners.diagonal(axis1=1, axis2=2)).sum(axis=1)
        start = np.log(self.shares) + log_volume
        if self.kind != "student":
            return start - d / 2 * np.log(2 * np.pi) - squared / 2, squared
        v = self.freedom
        start += gammaln((v + d) / 2) - gammaln(v / 2) - d / 2 * np.log(v * np.pi)
        return start - (v + d) / 2 * np.log1p(squared / v), squared


@dataclass(frozen=True)
class MixtureFit:
    """A mixture with its responsibilities (N x M) and weighted log-likelihood on the items it was fitted to."""

    mixture: Mixture
    responsibilities: Array
    log_likelihood: float
    n_iter: int


def n_parameters(kind: Kind, M: int, d: int) -> int:
    """Return free parameters of a mixture.

    >>> n_parameters("full", 3, 2)
    17
    """
    triangle = d * (d + 1) // 2
    shape = {"full": M * triangle, "student": M * triangle + 1, "tied": triangle, "diagonal": M * d}[kind]
    return M - 1 + M * d + shape


def fit_mixture(
    X: Array,
    weights: Array,
    start: Array,
    kind: Kind = "full",
    *,
    log_prior: Array | None = None,
    scatter: Array | None = None,
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
    tol : float
        Ends when the mean log-likelihood of an item rises by less.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> fit_mixture(X, np.ones(6), np.eye(2)[[0, 0, 0, 1, 1, 1]]).mixture.means.round(2).tolist()
    [[0.1], [5.1]]
    """
    scatter = covariance(X, weights) if scatter is None else scatter
    pseudo = PRIOR_ITEMS * scatter / start.shape[1] ** (2 / X.shape[1])
    total = float(weights.sum())
    mixture = _maximise(X, start * weights[:, None], None, kind, pseudo, np.inf if kind != "student" else FIRST_FREEDOM)
    last = -np.inf
    for iteration in range(1, max_iter + 1):
        joint, squared = mixture._joint(X)
        R, log_density = _normalised(joint if log_prior is None else joint + log_prior)
        value = float(weights @ log_density)
        if value - last < tol * total and iteration > 2:
            break
        last = value
        mixture = _maximise(X, R * weights[:, None], squared, kind, pseudo, mixture.freedom)
    R, log_density = _normalised(mixture.log_joint(X))
    return MixtureFit(mixture, R, float(weights @ log_density), iteration)


def covariance(X: Array, weights: Array) -> Array:
    """Return the weighted covariance of all items, made regular."""
    Z = X - np.average(X, axis=0, weights=weights)
    C = (Z * weights[:, None]).T @ Z / weights.sum()
    floor = FLAT * max(float(C.diagonal().max()), np.finfo(float).tiny)
    return np.asarray(C + floor * np.eye(len(C)))


def _maximise(X: Array, R: Array, squared: Array | None, kind: Kind, pseudo: Array, freedom: float) -> Mixture:
    """The M-step, R already multiplied by the weights."""
    d, M = X.shape[1], R.shape[1]
    n = R.sum(axis=0) + NO_ITEMS
    U, divisor = R, n
    if kind == "student" and squared is not None:
        u = (freedom + d) / (freedom + squared)  # [peel2000]: far items count less
        U, freedom = R * u, _freedom(R, u, freedom, d)
        divisor = U.sum(axis=0) + NO_ITEMS
    means = (U.T @ X) / divisor[:, None]
    if kind == "diagonal":
        squares = np.empty((M, d))
        for m in range(M):
            squares[m] = U[:, m] @ (X - means[m]) ** 2
        variances = (squares + pseudo.diagonal()) / (n + PRIOR_ITEMS)[:, None]
        return Mixture(kind, n / n.sum(), means, 1 / np.sqrt(variances), freedom)
    S = np.empty((M, d, d))
    for m in range(M):
        Z = X - means[m]
        S[m] = (Z * U[:, m, None]).T @ Z
    if kind == "tied":
        S[:] = (S.sum(axis=0) + pseudo) / (n.sum() + PRIOR_ITEMS)
    else:
        S = (S + pseudo) / (n + PRIOR_ITEMS)[:, None, None]
    whiteners = np.linalg.inv(np.linalg.cholesky(S)).transpose(0, 2, 1)
    return Mixture(kind, n / n.sum(), means, np.ascontiguousarray(whiteners), freedom)


def _freedom(R: Array, u: Array, freedom: float, d: int) -> float:
    """Degrees of freedom at which the expected log-likelihood is stationary [peel2000]."""
    half = (freedom + d) / 2
    constant = 1 + (R * (np.log(u) - u)).sum() / R.sum() + digamma(half) - np.log(half)

    def slope(v: float) -> float:
        return float(np.log(v / 2) - digamma(v / 2) + constant)

    low, high = FREEDOMS
    if slope(high) >= 0:
        return high
    return low if slope(low) <= 0 else float(brentq(slope, low, high, xtol=1e-3))


def _normalised(joint: Array) -> tuple[Array, Array]:
    """Responsibilities and log-densities."""
    top = joint.max(axis=1)
    R = np.exp(joint - top[:, None])
    total = R.sum(axis=1)
    return R / total[:, None], top + np.log(total)
