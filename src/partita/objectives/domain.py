"""Constraint sets of the factor (domains), which tell the models of [zhao2015] Table 1 apart.

They all minimise ||P - W diag(a) W^T||^2; the constraint on W makes the model.

    simplex        W >= 0, W 1 = 1     SoF, one scale, a scale for each cluster
    nonnegative    W >= 0              SymNMF, copositive factorization
    partitions     W = Y (Y^T D Y)^-1/2 with Y the indicators of a partition: kernel k-means
    orthonormal    W^T D W = I         spectral relaxation of kernel k-means

A domain knows the nearest feasible factor, how a start (a membership) becomes a factor, how a factor becomes a
membership, and how far a step would still move an item: the stationarity that `optimality` measures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from partita.affinity.base import Affinity
from partita.arrays import Array
from partita.kernels.cluster_qr import spectral_partition
from partita.kernels.eigen import singular_vectors
from partita.kernels.namespace import namespace
from partita.kernels.nonnegative import minimise_nonnegative
from partita.kernels.simplex import project_rows, row_descent, row_projection
from partita.objectives.point import Point
from partita.registry import enrol

__all__ = ["NONNEGATIVE", "ORTHONORMAL", "PARTITIONS", "SIMPLEX", "Domain", "Posed", "single_moves"]


# A row that sums to no more than this once its columns are scaled, when most sum to about one, is zero: multiplicative
# updates only come near.
ZERO_ROW = 1e-8
# Below this share of the scale that a column would get on its own it is switched off.
SWITCHED_OFF = 0.01
# A single move must lower the objective by more than this share of its terms; less is rounding.
ROUNDING = 1e-12


class Posed(Protocol):
    """The part of a `Problem` that domains use."""

    @property
    def affinity(self) -> Affinity: ...

    @property
    def weights(self) -> Array | None: ...

    @property
    def total_weight(self) -> float: ...

    def evaluate(self, W: Array) -> Point: ...

    def inner(self, X: Array, Y: Array) -> float: ...


class Domain(ABC):
    """Constraint set of N x K factors (domain). `weights` are the item weights D; None is one for each."""

    name: ClassVar[str]
    equation: ClassVar[str]
    hard: ClassVar[bool] = False
    """Whether memberships are partitions: zeros and ones."""
    registry: ClassVar[dict[str, Domain]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Domain.registry, cls, cls())

    @abstractmethod
    def project(self, V: Array, weights: Array | None = None) -> Array:
        """Return the feasible factor nearest to V (for partitions: the one that V points to, row by row)."""

    def row_projection(self, factor: Array, u: Array | None = None) -> Callable[[Array], Array]:
        """Return `project` for blocks of rows of such a factor, where rows are projected each on its own.

        With `u` the nearest row by sum_k (p_k - v_k)^2 / u_k, which is the same where entries are projected one by one.
        """
        return self.project

    def row_descent(self, factor: Array) -> Callable[..., tuple[Array, float, float, float]] | None:
        """Return gradient, step, projection and sums of a block of rows in one compiled pass, where there is one
        that pays.

        Called with W, Y, weights (N x 1, or None), b, Q, B and u (or None): the projection of
        W - (W Q - Y diag(b)) diag(u) / B, and the three sums of `Problem.descend`.
        """
        return None

    def unit(self, problem: Posed, point: Point) -> float:
        """Return the unit in which the move of a row is measured: the size of a row of a factor."""
        return 1.0

    def violation(self, factor: Array, weights: Array | None = None) -> float:
        """Return the distance of the factor from its projection, at the worst entry; 0 when feasible."""
        return float(np.abs(self.project(factor, weights) - factor).max())

    def begin(self, problem: Posed, W: Array) -> Array:
        """Return the factor that a run starts from, given a membership."""
        return W

    def columns(self, factor: Array, weights: Array | None = None) -> Array:
        """Return K factors that bring the columns to one scale before rows are read as memberships."""
        return np.ones(factor.shape[1])

    @abstractmethod
    def membership(self, factor: Array, columns: Array, weights: Array | None = None) -> Array:
        """Return the memberships, rows on the simplex, that the factor stands for."""

    def unassigned(self, factor: Array, columns: Array) -> NDArray[np.intp]:
        """Return items that the factor says nothing about."""
        return np.empty(0, dtype=np.intp)

    def moved(self, problem: Posed, point: Point, gradient: Array, bound: float, u: Array | None = None) -> Array:
        """Return moves of the items by a natural gradient step, in `unit`s.

        `u` are squared units of the columns, if any.
        """
        if u is None:
            after = self.project(point.W - gradient / bound, problem.weights)
        else:
            after = self.row_projection(point.W, u)(point.W - gradient / (bound / u))
        return (after - point.W) / self.unit(problem, point)


class Simplex(Domain):
    """Rows on the probability simplex: the factor is the membership.

    `compiled_from` are entries of a factor from which on steps are compiled, where other than for a single fit.
    """

    name = "simplex"
    equation = "W >= 0, W 1 = 1"

    def __init__(self, compiled_from: int | None = None) -> None:
        self.compiled_from = compiled_from

    def project(self, V: Array, weights: Array | None = None) -> Array:
        return project_rows(V)

    def row_projection(self, factor: Array, u: Array | None = None) -> Callable[[Array], Array]:
        return row_projection(factor, u)

    def row_descent(self, factor: Array) -> Callable[..., tuple[Array, float, float, float]] | None:
        return row_descent(factor, self.compiled_from)

    def membership(self, factor: Array, columns: Array, weights: Array | None = None) -> Array:
        return factor


class Nonnegative(Domain):
    """Nonnegative factors H.

    Membership: P ~ H H^T is P ~ W diag(a) W^T with W = H diag(s), a = 1 / s^2, for any s. The s >= 0 that brings the
    row sums of W closest to one (least squares) is taken and each row divided by its sum: where P is exactly such a
    product with W on the simplex, that W comes back. A column that this would switch off is scaled by its
    self-weighted mean instead, and the others with it. An item whose row is zero is unassigned; its membership is
    uniform.
    """

    name = "nonnegative"
    equation = "W >= 0"

    def project(self, V: Array, weights: Array | None = None) -> Array:
        xp = namespace(V)
        return xp.where(V > 0, V, xp.zeros_like(V))  # type: ignore[no-any-return]

    def begin(self, problem: Posed, W: Array) -> Array:
        """Return sqrt(alpha) W with the common alpha that makes ||P - alpha W W^T|| least: one product.

        An item whose row of P is zero starts at the zero that is its optimum, and stays there: a descent would only
        come near it.
        """
        point = problem.evaluate(W)
        total = float(point.curvature.sum())
        alpha = float(point.attraction.sum()) / total if total > 0 else 0.0
        xp = namespace(W)
        reached = xp.any(point.product != 0, axis=1, keepdims=True)
        return xp.where(reached, float(np.sqrt(alpha)) * W if alpha > 0 else W, xp.zeros_like(W))  # type: ignore[no-any-return]

    def columns(self, factor: Array, weights: Array | None = None) -> Array:
        weighted = factor if weights is None else weights[:, None] * factor
        gram, sums = factor.T @ weighted, weighted.sum(axis=0)
        s = minimise_nonnegative(gram, sums[None])[0]
        squares = gram.diagonal()
        own = np.divide(sums, squares, out=np.zeros_like(sums), where=squares > 0)
        return own if (s < SWITCHED_OFF * own).any() else np.asarray(s)

    def membership(self, factor: Array, columns: Array, weights: Array | None = None) -> Array:
        W = factor * columns
        sums = W.sum(axis=1, keepdims=True)
        known = sums[:, 0] > ZERO_ROW
        out = np.full(factor.shape, 1.0 / factor.shape[1])
        out[known] = W[known] / sums[known]
        return out

    def unassigned(self, factor: Array, columns: Array) -> NDArray[np.intp]:
        return np.flatnonzero(factor @ columns <= ZERO_ROW)

    def unit(self, problem: Posed, point: Point) -> float:
        return float(np.sqrt(np.trace(point.gram) / problem.total_weight))


class Partitions(Domain):
    """Normalised indicators of a partition into K clusters, none of them empty; the columns are D-orthonormal."""

    name = "partitions"
    hard = True
    equation = "W = Y (Y^T D Y)^-1/2, Y the indicators of a partition"

    def project(self, V: Array, weights: Array | None = None) -> Array:
        return self.of_labels(V.argmax(axis=1), V.shape[1], weights)

    @staticmethod
    def of_labels(labels: NDArray[np.integer], n_clusters: int, weights: Array | None = None) -> Array:
        """Return the factor of a partition; a cluster without items is a column of zeros."""
        d = np.ones(len(labels)) if weights is None else weights
        sizes = np.bincount(labels, weights=d, minlength=n_clusters)
        W = np.zeros((len(labels), n_clusters))
        W[np.arange(len(labels)), labels] = 1.0 / np.sqrt(sizes[labels])
        return W

    def begin(self, problem: Posed, W: Array) -> Array:
        """Return the most probable cluster of each item.

        An empty cluster gets the item that belongs least to its own.
        """
        labels, K = W.argmax(axis=1), W.shape[1]
        own = W.max(axis=1)
        for k in range(K):
            sizes = np.bincount(labels, minlength=K)
            if sizes[k] == 0:
                spare = np.flatnonzero(sizes[labels] > 1)
                labels[spare[own[spare].argmin()]] = k
        return self.of_labels(labels, K, problem.weights)

    def membership(self, factor: Array, columns: Array, weights: Array | None = None) -> Array:
        return (factor > 0).astype(np.float64)

    def moved(self, problem: Posed, point: Point, gradient: Array, bound: float, u: Array | None = None) -> Array:
        """Return moves of items to the cluster where the objective would be lower.

        Zero for items that no move improves.
        """
        gain, target = single_moves(problem, point)
        out = np.zeros_like(point.W)
        movers = np.flatnonzero(gain > 0)
        out[movers] = -(point.W[movers] > 0).astype(np.float64)
        out[movers, target[movers]] += 1.0
        return out


class Orthonormal(Domain):
    """D-orthonormal columns; the factor matters up to a rotation. The membership is the partition read off its rows."""

    name = "orthonormal"
    hard = True
    equation = "W^T D W = I"

    def project(self, V: Array, weights: Array | None = None) -> Array:
        root = np.ones(len(V)) if weights is None else np.sqrt(weights)
        left, _, right = singular_vectors(root[:, None] * V)
        return np.asarray((left @ right) / root[:, None])

    def begin(self, problem: Posed, W: Array) -> Array:
        return self.project(W, problem.weights)

    def membership(self, factor: Array, columns: Array, weights: Array | None = None) -> Array:
        return np.eye(factor.shape[1])[spectral_partition(factor, weights)]

    def moved(self, problem: Posed, point: Point, gradient: Array, bound: float, u: Array | None = None) -> Array:
        """Return the part of P's image of the span outside of it, over the largest eigenvalue there.

        Zero if it is invariant.
        """
        weighted = point.W if problem.weights is None else problem.weights[:, None] * point.W
        inside = weighted.T @ point.product
        largest = float(np.abs(np.linalg.eigvalsh((inside + inside.T) / 2)).max())
        if largest == 0:
            return np.zeros_like(point.W)
        size = np.sqrt(problem.inner(point.W, point.W) / problem.total_weight)
        return np.asarray((point.product - point.W @ inside) / (largest * size))


def single_moves(problem: Posed, point: Point) -> tuple[Array, NDArray[np.intp]]:
    """Return the largest gain in tr(W^T P W) by a single move of each item, and the cluster it moves to.

    With y_ik = sum_{j in k} d_j P_ij, S_k the sum and n_k the size of cluster k, tr = sum_k S_k / n_k, and item i moves
    2 d_i y_ik - d_i^2 P_ii out of S_k and 2 d_i y_il + d_i^2 P_ii into S_l. No product with P; N K work. The last item
    of a cluster does not leave it. A gain that rounding explains is zero.
    """
    d = np.ones(len(point.W)) if problem.weights is None else problem.weights
    labels = point.W.argmax(axis=1)
    K = point.W.shape[1]
    items = np.arange(len(labels))
    sizes = np.bincount(labels, weights=d, minlength=K)
    counts = np.bincount(labels, minlength=K)
    y = point.product * np.sqrt(sizes)
    sums = sizes * point.attraction  # c_k = S_k / n_k
    own = d * d * problem.affinity.diagonal()
    into = (sums + 2.0 * d[:, None] * y + own[:, None]) / (sizes + d[:, None]) - sums / np.maximum(sizes, 1e-300)
    left = sizes[labels] - d
    stays = counts[labels] <= 1
    out = (sums[labels] - 2.0 * d * y[items, labels] + own) / np.where(stays, 1.0, left) - point.attraction[labels]
    gain = into + out[:, None]
    gain[items, labels] = -np.inf
    target = gain.argmax(axis=1)
    best = gain[items, target]
    scale = np.abs(point.attraction).sum() + np.abs(into[items, target]) + np.abs(out)
    return np.where(stays | (best <= ROUNDING * scale), 0.0, best), target


SIMPLEX = Domain.registry["simplex"]
NONNEGATIVE = Domain.registry["nonnegative"]
PARTITIONS = Domain.registry["partitions"]
ORTHONORMAL = Domain.registry["orthonormal"]
