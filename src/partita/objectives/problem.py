"""The problem that a solver works on: the factorization P ~ W diag(a) W^T, its objective and its gradient.

With Y = P D W, D the item weights, G = W^T D W, c_k = (W^T D Y)_kk and H = G o G:

    f(W, a) = ||D^1/2 (P - W diag(a) W^T) D^1/2||^2 = ||P||_D^2 - 2 a^T c + a^T H a
    gradient = 4 (W diag(a) G diag(a) - Y diag(a)),   in the metric of D

so one product with P gives value and gradient, whatever P is. An objective says which a goes with (c, H); since that a
is the minimiser over the a it allows (or is fixed), the gradient is that of min_a f (envelope theorem).

A pair may count with a weight omega_ij, zero where it was not observed; the affinity then applies omega o P. With rest
the weight of the pairs not listed and z_ij = W_i o W_j, H becomes rest G o G + sum over the pairs listed of
d_i d_j (omega_ij - rest) z_ij z_ij^T, and the gradient follows. For unobserved pairs that is the same as filling them
in with the model at every iteration. The diagonal counts like any other pair.

Memberships and their products with P are arrays of whatever kind the affinity applies to: what is done to their N rows
goes through `partita.kernels.rows`, and only what is K x K comes to the host. Pair weights are NumPy's alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.base import Affinity, PairWeights
from partita.arrays import Array
from partita.kernels.namespace import namespace
from partita.kernels.rows import row_pass
from partita.objectives.curvature import curvature_bound, squared_units
from partita.objectives.descent import Base, Descent, descend, gradient_rows
from partita.objectives.objective import Objective
from partita.objectives.point import Between, Cross, Point
from partita.objectives.segment import Segment, segment_between

# Listed pairs taken at a time, so that no array of pairs x K is made.
CHUNK = 1 << 16

__all__ = ["Problem"]


class Problem:
    """An affinity, an objective and item weights: evaluates memberships and counts products with P.

    `squared_norm`, the constant ||P||^2 of the objective, is found when it is asked for, unless it is given: no iterate
    depends on it, and where only the membership is read any number does.

    Examples
    --------
    >>> from partita.affinity import DenseAffinity
    >>> from partita.objectives import SoFObjective
    >>> problem = Problem(DenseAffinity(np.eye(2)), SoFObjective())
    >>> problem.total(problem.evaluate(np.eye(2)))
    0.0
    """

    def __init__(
        self,
        affinity: Affinity,
        objective: Objective,
        weights: Array | None = None,
        *,
        squared_norm: float | None = None,
    ) -> None:
        self.affinity = affinity
        self.objective = objective
        self.weights = weights
        self.n_products = 0
        if squared_norm is not None:
            self.__dict__["squared_norm"] = squared_norm

    def fresh(self, objective: Objective | None = None) -> Problem:
        """Copy the problem, or pose it for another objective, with its own count of products, sharing what is known."""
        known = self.__dict__.get("squared_norm")
        return Problem(self.affinity, objective or self.objective, self.weights, squared_norm=known)

    @cached_property
    def squared_norm(self) -> float:
        """||P||^2, weighted: the constant of the objective."""
        total, pairs = self.affinity.squared_norm(self.weights), self.pair_weights
        if pairs is None:
            return total
        d = 1.0 if self.weights is None else self.weights[pairs.first] * self.weights[pairs.second]
        # The affinity holds omega_ij P_ij; the objective wants omega_ij P_ij^2.
        return total + float(np.sum(d * pairs.weight * (1.0 - pairs.weight) * pairs.value**2))

    def evaluate(self, W: Array) -> Point:
        """Return everything about the membership W, for one product with P."""
        self.n_products += self.affinity.products
        return self.point_of(W, self.affinity @ self._weighted(W))

    def evaluate_beside(self, W: Array, other: Point) -> tuple[Point, Cross | None]:
        """Return `evaluate` and what W shares with another point, in the same pass; None where pairs have weights."""
        if self.pair_weights is not None:
            return self.evaluate(W), None
        self.n_products += self.affinity.products

        def work(W: Array, Y: Array, V: Array, d: Array | None) -> tuple[Any, Any]:
            weighted = V if d is None else d * V
            return (), (*_sums(W, Y, d), W.T @ weighted, namespace(W).sum(weighted * Y, axis=0))

        Y = self.affinity @ self._weighted(W)
        _, (gram, attraction, *cross) = row_pass(W, work, Y, other.W, self.column)
        return self._point(W, Y, gram, attraction), Cross(*cross)

    def line(self, first: Point, second: Point, cross: Cross | None, t: float) -> Point | Between:
        """Return the point first + t (second - first): K x K work given what the two have in common, else as
        `between`.
        """
        if cross is None:
            return self.between(first, second, t)
        s = 1.0 - t
        mixed = cross.gram + cross.gram.T
        gram = s * s * first.gram + t * t * second.gram + s * t * mixed
        c = s * s * first.attraction + t * t * second.attraction + 2.0 * s * t * cross.attraction
        H = gram * gram
        a = self.objective.scale(c, H)
        return Between(first, second, t, gram, a, float(a @ H @ a - 2.0 * a @ c))

    def between(self, first: Point, second: Point, t: float) -> Point:
        """Return the point first + t (second - first), from the products already known: no product with P."""

        def work(W: Array, V: Array, Y: Array, Z: Array, d: Array | None) -> tuple[Any, Any]:
            W, Y = W + t * (V - W), Y + t * (Z - Y)
            return (W, Y), _sums(W, Y, d)

        (W, Y), sums = row_pass(first.W, work, second.W, first.product, second.product, self.column)
        return self._point(W, Y, *sums)

    def best_between(self, first: Point, second: Point) -> Point:
        """Return the lowest point of the segment from `first` to `second`, the ends included; no product with P.

        The lowest of all where `Objective.slope` knows its stationary points; else see `partita.objectives.segment`.
        """
        t = self.segment(first, second).lowest(self.objective)
        return min(first, second, self.between(first, second, t), key=lambda point: point.value)

    def segment(self, first: Point, second: Point) -> Segment:
        """Return what c and H are along the segment from `first` to `second`; see `partita.objectives.segment`."""
        pairs = self.pair_weights
        return segment_between(first, second, self.column, pairs, None if pairs is None else self.excess)

    def total(self, point: Point) -> float:
        """Return F including ||P||^2, never below zero."""
        return max(self.squared_norm + point.value, 0.0)

    def gradient(self, point: Point) -> Any:
        """Return 4 (W A G A - Y A): the gradient in the metric of the weights, [zhao2015] eq. (5) with a scale."""
        rows = gradient_rows(point.W, self.linear(point))
        (gradient,), _ = row_pass(
            point.W, lambda W, Y, more: ([rows(W, Y, more)], ()), point.product, self.of_pairs(point)
        )
        return gradient

    def descend(
        self,
        base: Point | Between,
        curvature: float,
        *,
        u: Array | None = None,
        keep: bool = True,
        measured: tuple[Point, float, Array | None] | None = None,
    ) -> Descent:
        """Return one projected gradient step from `base`; see `partita.objectives.descent`."""
        of_other = None if measured is None else self._base(*measured)
        return descend(self._base(base, curvature, u), self.objective.domain, self.column, keep=keep, measured=of_other)

    def _base(self, base: Point | Between, curvature: float, u: Array | None) -> Base:
        return Base(base, self.linear(base), self.of_pairs(base), float(curvature), u)

    def linear(self, point: Point | Between) -> tuple[Array, Array]:
        """Return (b, Q) such that the gradient is W Q - Y diag(b)."""
        rest = 1.0 if self.pair_weights is None else self.pair_weights.rest
        return 4.0 * point.scale, 4.0 * rest * ((point.scale[:, None] * point.gram) * point.scale)

    def of_pairs(self, point: Point | Between) -> Any:
        """Return the contribution of the weights of the pairs listed to the gradient; None without weights."""
        if self.pair_weights is None or isinstance(point, Between):
            return None
        return 4.0 * ((self._modelled(point.W, point.scale) @ self._weighted(point.W)) * point.scale)

    def squared_units(self, base: Point | Between) -> Array | None:
        """Return units in which the columns of a row are equally curved, or None for steps of one length.

        None where one scale serves all clusters, where pairs have weights, and where columns overlap too much.
        """
        if self.objective.scales != "own" or self.pair_weights is not None:
            return None
        return squared_units(base)

    def curvature_bound(self, base: Point | Between, u: Array | None = None) -> float:
        """Return the largest curvature of one row's quadratic; see `partita.objectives.curvature`."""
        return curvature_bound(base, u, self.pair_weights, self.weights)

    def inner(self, X: Array, Y: Array) -> float:
        """Return <X, Y> in the metric of the weights."""
        if self.weights is None:
            return float(np.vdot(X, Y))
        return float(self.weights @ np.einsum("nk,nk->n", X, Y))

    @cached_property
    def total_weight(self) -> float:
        """Sum of the item weights; N when there are none."""
        return float(self.affinity.n_items if self.weights is None else self.weights.sum())

    @cached_property
    def column(self) -> Array | None:
        """The item weights as a column, where the affinity's arrays are."""
        return None if self.weights is None else self.affinity.native(self.weights[:, None])

    def _weighted(self, W: Array) -> Array:
        return W if self.column is None else self.column * W

    @property
    def rounding(self) -> float:
        """The unit roundoff of the affinity's arrays, in units of that of double precision."""
        return self.affinity.rounding

    def point_of(self, W: Array, Y: Array) -> Point:
        """Return the point W whose product Y = P D W is known already: no product with P."""
        _, sums = row_pass(W, lambda W, Y, d: ((), _sums(W, Y, d)), Y, self.column)
        return self._point(W, Y, *sums)

    def _point(self, W: Array, Y: Array, gram: Array, attraction: Array) -> Point:
        curvature = gram * gram
        if self.pair_weights is not None:
            curvature = self._corrected(W, curvature)
        a = self.objective.scale(attraction, curvature)
        return Point(W, Y, gram, attraction, curvature, a, float(a @ curvature @ a - 2.0 * a @ attraction))

    def _corrected(self, W: Array, H: Array) -> Array:
        """H with the pairs of `pair_weights` counted as they are weighted."""
        pairs = self.pair_weights
        assert pairs is not None
        H = pairs.rest * H
        for low in range(0, len(pairs), CHUNK):
            part = slice(low, low + CHUNK)
            Z = W[pairs.first[part]] * W[pairs.second[part]]
            H += (Z * self.excess[part, None]).T @ Z
        return H

    def _modelled(self, W: Array, a: Array) -> sp.csr_array:
        """(omega - rest) o (W diag(a) W^T) over the pairs of `pair_weights`."""
        pairs = self.pair_weights
        assert pairs is not None
        order, columns, bounds = self._pair_structure
        WA, values = W * a, np.empty(len(pairs))
        for low in range(0, len(pairs), CHUNK):
            part = slice(low, low + CHUNK)
            values[part] = np.einsum("pk,pk->p", WA[pairs.first[part]], W[pairs.second[part]])
        values *= pairs.weight - pairs.rest
        return sp.csr_array((values[order], columns, bounds), shape=self.affinity.shape)

    @cached_property
    def pair_weights(self) -> PairWeights | None:
        return self.affinity.pair_weights

    @cached_property
    def _pair_structure(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The pairs listed in CSR order: sorted once, not at every gradient."""
        pairs = self.pair_weights
        assert pairs is not None
        order = np.lexsort((pairs.second, pairs.first))
        counts = np.bincount(pairs.first, minlength=self.affinity.n_items)
        return order, pairs.second[order], np.r_[0, np.cumsum(counts)]

    @cached_property
    def excess(self) -> Array:
        """d_i d_j (omega_ij - rest) of the pairs listed."""
        pairs = self.pair_weights
        assert pairs is not None
        excess = pairs.weight - pairs.rest
        return excess if self.weights is None else excess * self.weights[pairs.first] * self.weights[pairs.second]


def _sums(W: Array, Y: Array, d: Array | None) -> tuple[Array, Array]:
    """A block's share of G = W^T D W and of c = diag(W^T D Y)."""
    weighted = W if d is None else d * W
    return W.T @ weighted, namespace(W).sum(weighted * Y, axis=0)
