"""Low-rank representations of items by each other, in the coordinates of their principal directions.

X^T = U S V^T with items in columns, so V (N x r) holds the items. A minimiser is Z = V Z' and only Z', r x N, is ever
made. Three forms, from exact items to gross errors:

    shape       min ||Z||_*  s.t. X = X Z                        Z = V V^T, the shape interaction matrix [costeira1998]
    noisy       min ||Z||_* + tau/2 ||X - X Z||_F^2              Z = V (I - 1 / (tau S^2)) V^T over S^2 > 1 / tau
                                                                 [favaro2011, vidal2014]
    outliers    min ||Z||_* + lambda ||E||_{2,1}  s.t. X = X Z + E     inexact augmented Lagrangian [liu2013]

||E||_{2,1} sums the lengths of the items' errors: some items are far off, the others exact. In the coordinates U^T X =
S V^T its dictionary is the diagonal matrix S, so that the least squares step is a division and a round costs one
singular value decomposition of r x N numbers.

[costeira1998] J. Costeira, T. Kanade, A multibody factorization method for independently moving objects, IJCV 1998.
[favaro2011] P. Favaro, R. Vidal, A. Ravichandran, A closed form solution to robust subspace estimation and clustering,
CVPR 2011.
[liu2013] G. Liu et al., Robust recovery of subspace structures by low-rank representation, IEEE TPAMI 35, 2013.
[vidal2014] R. Vidal, P. Favaro, Low rank subspace clustering, Pattern Recognition Letters 43, 2014.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.arrays import Array
from partita.kernels.eigen import singular_vectors

__all__ = ["Coordinates", "Representation", "noisy", "outliers", "shape"]

# Singular values below this share of the largest are rounding.
RANK = 1e-9
# [liu2013, Algorithm 1]: first penalty, its growth and its largest value.
FIRST, GROWTH, LARGEST = 1e-6, 1.1, 1e10


class Coordinates(NamedTuple):
    """X = V S U^T: items V, singular values S, directions U (d x r)."""

    V: Array
    s: Array
    U: Array

    @classmethod
    def of(cls, X: Array) -> Coordinates:
        V, s, Ut = singular_vectors(X)
        r = int((s > RANK * s.max(initial=0.0)).sum())
        return cls(np.ascontiguousarray(V[:, :r]), s[:r], np.ascontiguousarray(Ut[:r].T))


class Representation(NamedTuple):
    """Z = V left values right: `left` (r x q) and `right` (q x N) have orthonormal columns and rows.

    `open` is the largest entry of X - X Z - E where a search ended before it reached its tolerance, and zero otherwise.
    """

    left: Array
    values: Array
    right: Array
    n_iter: int = 0
    open: float = 0.0


def shape(items: Coordinates) -> Representation:
    """Return Z = V V^T."""
    r = len(items.s)
    return Representation(np.eye(r), np.ones(r), items.V.T)


def noisy(items: Coordinates, tau: float) -> Representation:
    """Return the closed form: directions whose singular value is at most tau^-1/2 are noise."""
    kept = tau * items.s**2 > 1.0
    values = 1.0 - 1.0 / (tau * items.s[kept] ** 2)
    return Representation(np.eye(len(items.s))[:, kept], values, items.V.T[kept])


def outliers(items: Coordinates, weight: float, tol: float, max_iter: int) -> Representation:
    """Minimise by the inexact augmented Lagrangian method; its two equations hold to `tol`, at the worst entry."""
    V, s, _ = items
    X = s[:, None] * V.T
    Z, E = np.zeros_like(X), np.zeros_like(X)
    first, second = np.zeros_like(X), np.zeros_like(X)
    inverse = 1.0 / (1.0 + s**2)
    mu, missed = FIRST, np.inf
    left, values, right = np.zeros((len(s), 0)), np.zeros(0), np.zeros((0, len(V)))
    for n_iter in range(1, max_iter + 1):  # noqa: B007 - told
        left, values, right = _shrunk(Z + second / mu, 1.0 / mu)
        J = (left * values) @ right
        Z = inverse[:, None] * (s[:, None] * (X - E) + J + (s[:, None] * first - second) / mu)
        fitted = s[:, None] * Z
        E = _shorter(X - fitted + first / mu, weight / mu)
        equations = X - fitted - E, Z - J
        missed = max(float(np.abs(gap).max(initial=0.0)) for gap in equations)
        if missed < tol:
            break
        first += mu * equations[0]
        second += mu * equations[1]
        mu = min(GROWTH * mu, LARGEST)
    return Representation(left, values, right, n_iter, 0.0 if missed < tol else missed)


def _shrunk(M: Array, threshold: float) -> tuple[Array, Array, Array]:
    """Singular values less the threshold, and their vectors."""
    left, values, right = singular_vectors(M)
    kept = values > threshold
    return left[:, kept], values[kept] - threshold, right[kept]


def _shorter(M: Array, threshold: float) -> Array:
    """Columns shortened by the threshold, at most to nothing."""
    length = np.sqrt(np.einsum("ij,ij->j", M, M))
    share = np.divide(length - threshold, length, out=np.zeros_like(length), where=length > threshold)
    return np.asarray(M * share)
