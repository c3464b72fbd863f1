"""Expectation and maximisation for mixtures of Gaussian or Student components, by two matrix products a step.

The items are first brought into coordinates in which a given scatter is the identity ("full", "student", "tied": by its
Cholesky factor; "diagonal": each axis by its own deviation; "spherical": all by the mean one). The logarithm of a
component's density is then a sum over monomials of an item's coordinates, x_i x_j, x_i and 1, and so are the sums that
covariances are made of. With Phi the p x N matrix of monomials and R the M x N responsibilities, an E-step is C Phi and
an M-step R Phi^T: p = d (d + 1) / 2 + d + 1 for a covariance each, 2 d + 1 for axes, d + 2 for spheres, d + 1 for one
common covariance. What lies between the two products is compiled (`partita.kernels.ellipsoid_steps`).

Squares of coordinates lose what a component is narrower than all items by: a covariance of 1e-6 of the scatter is exact
to ten digits. The regularisation keeps it above that: `pseudo` scatter is added to a component's, as of `pseudo_items`
items, and `ridge` to its covariance. `log_joint`, for items that may lie anywhere, takes differences from the means.

Cost: N M p twice an iteration, and N p numbers.

References
----------
[liu1995] Liu, Rubin: ML estimation of the t distribution using EM and its extensions, ECM and ECME. Statistica
Sinica 5, 1995.
[liu1998] Liu, Rubin, Wu: Parameter expansion to accelerate EM: the PX-EM algorithm. Biometrika 85, 1998.
[peel2000] Peel, McLachlan: Robust mixture modelling using the t distribution. Statistics and Computing 10, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, log
from typing import Literal, NamedTuple, Protocol

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import digamma, gammaln, zeta

from partita.arrays import Array

__all__ = [
    "Cells",
    "Climbed",
    "Ellipsoids",
    "Items",
    "Shape",
    "climb",
    "log_density_of_own",
    "log_joint",
    "n_parameters",
    "normalised",
]

Shape = Literal["full", "student", "tied", "diagonal", "spherical"]

# A component without items keeps this many, so that nothing is divided by zero.
NO_ITEMS = 1e-8
# A responsibility that tells nothing of degrees of freedom.
NEXT_TO_NOTHING = 1e-6
# Degrees of freedom: at the start, and the range in which they are looked for; 200 is a Gaussian for all purposes.
FIRST_FREEDOM, FREEDOMS = 10.0, (2.05, 200.0)
# How precisely they are found, as a share, and in how many steps at most.
PRECISION, STEPS = 0.01, 100
# Logarithm of a responsibility that is lost in a sum with the largest one.
LOST = -37.0
# Distances beyond this are as good as infinite, and their squares still are numbers.
FARTHEST = 1e150
# No prior and no categories.
NOTHING = np.empty((0, 0))
# Rows whose differences from all means stay in the cache.
ROWS = 1 << 11


class Ellipsoids(NamedTuple):
    """Components: shares (M), means (M x d), whiteners U with U U^T the inverse covariance (M x d x d, or M x d where
    axes are those of the coordinates), and degrees of freedom.
    """

    shares: Array
    means: Array
    whiteners: Array
    freedom: float = np.inf


class Climbed(NamedTuple):
    """Components, responsibilities (N x M), weighted log-likelihood and iterations; with columns of categories, the
    logarithms of their probabilities in each component (M x e).
    """

    components: Ellipsoids
    responsibilities: Array
    log_likelihood: float
    n_iter: int
    log_probabilities: Array | None = None


class Maximised(NamedTuple):
    """Components, the logarithms that `expectation` starts from (M), and coefficients of the monomials whose sums are
    squared distances (M x p).
    """

    components: Ellipsoids
    log_scales: Array
    coefficients: Array


class Cells(Protocol):
    """Columns of categories beside the numbers, independent of them and of each other within a component."""

    @property
    def cells(self) -> Array:
        """N x e."""

    def log_probabilities(self, R: Array) -> Array:
        """Return the logarithms of the probabilities of each category, M x e, by responsibilities M x N."""


def log_density_of_own(Z: Array, weights: Array, ridge: float = 0.0) -> float:
    """Return the mean log-density at items of the normal distribution that has their mean and covariance.

    Parameters
    ----------
    Z : n x q array
    weights : array of n, nonnegative
    ridge : float
        Added to every variance.

    Notes
    -----
    It is -log det(2 pi e S) / 2, S the covariance.

    Examples
    --------
    >>> round(log_density_of_own(np.array([[-1.0], [1.0]]), np.ones(2)), 3)  # variance 1
    -1.419
    """
    centred = Z - np.average(Z, axis=0, weights=weights)
    covariance = (centred.T * weights) @ centred / weights.sum() + ridge * np.eye(Z.shape[1])
    return float(-np.linalg.slogdet(2 * np.pi * np.e * covariance)[1] / 2)


def n_parameters(shape: Shape, M: int, d: int) -> int:
    """Return free parameters of a mixture.

    >>> n_parameters("full", 3, 2)
    17
    """
    triangle = d * (d + 1) // 2
    own = {"full": M * triangle, "student": M * triangle + 1, "tied": triangle, "diagonal": M * d, "spherical": M}
    return M - 1 + M * d + own[shape]


def log_joint(components: Ellipsoids, X: Array) -> Array:
    """Return the logarithm of pi_m p_m(x_i), N x M.

    >>> one = Ellipsoids(np.ones(1), np.zeros((1, 1)), np.ones((1, 1)))
    >>> log_joint(one, np.zeros((1, 1))).round(3).tolist()
    [[-0.919]]
    """
    d, v = X.shape[1], components.freedom
    squared = np.empty((len(components.shares), len(X)))
    axes = components.whiteners.ndim == 2
    for low in range(0, len(X), ROWS):
        for m, (mean, U) in enumerate(zip(components.means, components.whiteners, strict=True)):
            Z = np.clip(X[low : low + ROWS] - mean, -FARTHEST, FARTHEST)
            Z = np.clip(Z * U if axes else Z @ U, -FARTHEST, FARTHEST)
            squared[m, low : low + ROWS] = np.einsum("nd,nd->n", Z, Z)
    far = squared / 2 if np.isinf(v) else (v + d) / 2 * np.log(squared + v)
    return np.ascontiguousarray((_log_scales(components, d)[:, None] - far).T)


def normalised(joint: Array) -> tuple[Array, Array]:
    """Return responsibilities and log-densities of a log-joint, N x M.

    >>> R, log_density = normalised(np.array([[0.0, 0.0]]))
    >>> R.tolist(), log_density.round(3).tolist()
    ([[0.5, 0.5]], [0.693])
    """
    top = joint.max(axis=1, keepdims=True)
    R = np.exp(joint - top)
    total = R.sum(axis=1, keepdims=True)
    R /= total
    return R, (top + np.log(total)).ravel()


def climb(
    items: Items,
    start: Array,
    *,
    pseudo: float = 0.0,
    pseudo_items: float = 0.0,
    log_prior: Array | None = None,
    categories: Cells | None = None,
    max_iter: int,
    tol: float,
) -> Climbed:
    """Return the components that expectation and maximisation climb to from a start.

    Parameters
    ----------
    items : Items
        N of them, made once for all starts.
    start : N x M
        Responsibilities, rows on the simplex (or zero).
    pseudo, pseudo_items : float
        So many times the items' `scatter` is added to the scatter of each component, and so many items to those that it
        is divided by.
    log_prior : N x M, optional
        Added to the log-joint while climbing and not afterwards.
    categories : optional
        Columns of categories, whose log-probability is added to that of the numbers.
    tol : float
        Ends when the mean log-likelihood of an item rises by less.

    Examples
    --------
    >>> items = Items.of(np.array([[0.0], [1.0], [5.0], [6.0]]), np.ones(4), "tied", scatter=np.eye(1))
    >>> climb(items, np.eye(2)[[0, 0, 1, 1]], max_iter=9, tol=0.0).components.means.round(2).tolist()
    [[0.5], [5.5]]
    """
    from partita.kernels.ellipsoid_steps import expectation

    prior = NOTHING if log_prior is None else np.array(log_prior.T, dtype=float, order="C")
    R = np.array(start.T, dtype=float, order="C")
    held = R * items.weights
    n = held.sum(axis=1)

    def maximised(freedom: float) -> tuple[Maximised, Array | None]:
        logs = None if categories is None else categories.log_probabilities(R * items.weights)
        return items.maximised(held, n, freedom, pseudo, pseudo_items), logs

    def expected(found: Maximised, logs: Array | None, prior: Array) -> tuple[Array, float]:
        """Squared distances and log-likelihood; R, `held` and n are written."""
        added = prior
        if categories is not None and logs is not None:
            added = logs @ categories.cells.T + (prior if prior.size else 0.0)
        squared, freedom = items.squared(found), found.components.freedom
        how = (found.log_scales, freedom, items.n_dimensions, added, items.weights, LOST)
        return squared, expectation(squared, *how, R, held, n)

    total, last = float(items.weights.sum()), -np.inf
    found, logs = maximised(np.inf if items.shape != "student" else FIRST_FREEDOM)
    for iteration in range(1, max_iter + 1):
        squared, value = expected(found, logs, prior)
        if value - last < tol * total and iteration > 2:
            break
        freedom, last = found.components.freedom, value
        if items.shape == "student":
            freedom = _freedom(R, items.weights, squared, freedom, items.n_dimensions)
        found, logs = maximised(freedom)
    if prior.size or iteration == max_iter:
        value = expected(found, logs, NOTHING)[1]
    log_likelihood = value - total * items.log_volume
    return Climbed(items.back(found.components), np.ascontiguousarray(R.T), log_likelihood, iteration, logs)


@dataclass(frozen=True, eq=False)
class Items:
    """Weighted items in coordinates of unit scatter: x = centre + frame z, and the monomials of z, a column each.

    >>> Items.of(np.array([[0.0], [2.0]]), np.ones(2), "tied", scatter=np.eye(1)).monomials.tolist()
    [[-1.0, 1.0], [1.0, 1.0]]
    """

    shape: Shape
    weights: Array
    Z: Array
    monomials: Array
    centre: Array
    frame: Array
    ridge: Array

    @classmethod
    def of(cls, X: Array, weights: Array, shape: Shape, *, scatter: Array, ridge: float = 0.0) -> Items:
        """Prepare items for components of a shape.

        Parameters
        ----------
        X : N x d
        weights : N, positive
        shape : Shape
        scatter : d x d, positive definite
        ridge : float
            Added to each variance.
        """
        d = X.shape[1]
        centre = np.average(X, axis=0, weights=weights)
        if shape in ("diagonal", "spherical"):
            variances = scatter.diagonal()
            frame = np.sqrt(variances if shape == "diagonal" else np.full(d, variances.mean()))
            Z, ridges = (X - centre) / frame, ridge / frame**2
        else:
            frame = np.linalg.cholesky(scatter)
            inverse = solve_triangular(frame, np.eye(d), lower=True)
            Z, ridges = (X - centre) @ inverse.T, ridge * inverse @ inverse.T
        Z = np.ascontiguousarray(Z.T)
        squares: list[Array] = []
        if shape == "spherical":
            squares = [np.einsum("dn,dn->n", Z, Z)[None]]
        elif shape == "diagonal":
            squares = [Z**2]
        elif shape != "tied":
            squares = [Z[i] * Z[i:] for i in range(d)]
        monomials = np.vstack([*squares, Z, np.ones((1, len(X)))])
        return cls(shape, np.array(weights, dtype=float), Z, monomials, centre, frame, ridges)

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume of a unit cube of z."""
        return float(np.log(self.frame if self.frame.ndim == 1 else self.frame.diagonal()).sum())

    @property
    def n_dimensions(self) -> int:
        return len(self.Z)

    def squared(self, found: Maximised) -> Array:
        """Squared Mahalanobis distances, M x N."""
        squared = found.coefficients @ self.monomials
        if self.shape == "tied":
            W = found.components.whiteners[0].T @ self.Z
            squared += np.einsum("dn,dn->n", W, W)
        return np.asarray(squared)

    def maximised(self, held: Array, n: Array, freedom: float, pseudo: float, pseudo_items: float) -> Maximised:
        """The M-step: `held` (M x N) and n (M) as `expectation` writes them."""
        from partita.kernels.ellipsoid_steps import maximised_axes, maximised_full

        M, d = len(n), self.n_dimensions
        n = n + NO_ITEMS
        sums = held @ self.monomials.T
        means, C = np.empty((M, d)), np.empty(sums.shape)
        # By the weights and not by the items, in fewer steps to the same end [liu1998].
        divisors = (sums[:, -1] + NO_ITEMS if self.shape == "student" else n) + pseudo_items
        if self.shape == "tied":
            s, counts = sums[:, :d], sums[:, -1:]
            means = s / (counts + NO_ITEMS)
            outer = means.T @ s
            S = (self.Z * held.sum(axis=0)) @ self.Z.T - outer - outer.T + (means * counts).T @ means
            S = (S + pseudo * np.eye(d)) / (n.sum() + pseudo_items) + self.ridge
            U = np.linalg.inv(np.linalg.cholesky(S)).T
            linear = means @ U @ U.T
            C = np.hstack([-2 * linear, np.einsum("mi,mi->m", linear, means)[:, None]])
            U = np.broadcast_to(U, (M, d, d))
        elif self.shape in ("diagonal", "spherical"):
            U = np.empty((M, d))
            maximised_axes(sums, divisors, NO_ITEMS, pseudo, self.ridge, means, U, C)
        else:
            U = np.empty((M, d, d))
            if not maximised_full(sums, divisors, NO_ITEMS, pseudo, self.ridge, means, U, C):
                raise np.linalg.LinAlgError("a covariance is not positive definite")
        components = Ellipsoids(n / n.sum(), means, U, freedom)
        return Maximised(components, _log_scales(components, d), C)

    def back(self, components: Ellipsoids) -> Ellipsoids:
        """The components in the coordinates of the items given."""
        shares, means, U, freedom = components
        if self.frame.ndim == 1:
            return Ellipsoids(shares, self.centre + means * self.frame, U / self.frame, freedom)
        whiteners = np.linalg.solve(self.frame.T, U)
        return Ellipsoids(shares, self.centre + means @ self.frame.T, np.ascontiguousarray(whiteners), freedom)


def _log_scales(components: Ellipsoids, d: int) -> Array:
    """Logarithms of the densities at the means, times the shares; with v + d halves of log v of Student ones."""
    U, v = components.whiteners, components.freedom
    log_volumes = np.log(U if U.ndim == 2 else U.diagonal(axis1=1, axis2=2)).sum(axis=1)
    if np.isinf(v):
        constant = -d / 2 * np.log(2 * np.pi)
    else:
        constant = gammaln((v + d) / 2) - gammaln(v / 2) - d / 2 * np.log(np.pi) + v / 2 * np.log(v)
    return np.asarray(np.log(components.shares) + log_volumes + constant)


def _freedom(R: Array, weights: Array, squared: Array, freedom: float, d: int) -> float:
    """Degrees of freedom at which the likelihood with these responsibilities is stationary, the ends where it is not.

    The weights of far items move with the degrees, as in ECME [liu1995]: with those of the step before, Gaussian
    components take hundreds of steps. Responsibilities that are next to nothing are left out: most are. By Newton's
    method in 1 / v, in which the likelihood of nearly Gaussian components is nearly a parabola; it halves the interval
    where it would leave it.
    """
    from partita.kernels.ellipsoid_steps import telling

    ends = 1 / FREEDOMS[1], 1 / FREEDOMS[0]
    (low, high), at = ends, 1 / min(max(freedom, FREEDOMS[0]), FREEDOMS[1])
    tried = set()
    held, far = telling(R, weights, squared, NEXT_TO_NOTHING)
    total = held.sum()
    for _ in range(STEPS):
        tried.add(at)
        v = 1 / at
        half = (v + d) / 2
        u = (v + d) / (v + far)
        of_u = held @ u
        told = held @ np.log(u) - of_u
        rise = (total - 2 * of_u + held @ u**2) / (v + d)  # 1 - u is (s - d) / (v + s)
        slope = log(v / 2) - digamma(v / 2) + 1 + told / total + digamma(half) - log(half)
        curve = at - zeta(2, v / 2) / 2 + rise / total + zeta(2, half) / 2 - 1 / (v + d)  # zeta(2, x) is trigamma
        low, high = (low, at) if slope > 0 else (at, high)
        bend = v * (2 * slope + v * curve)
        found = at + (slope / bend if bend < 0 else -copysign(np.inf, slope))
        if not low < found < high:
            end = low if slope > 0 else high
            found = (at + end) / 2 if end in tried or end not in ends else end
        if abs(found - at) < PRECISION * at:
            return float(1 / found)
        at = found
    return float(1 / at)
