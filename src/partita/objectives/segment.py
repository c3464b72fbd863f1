"""The lowest point of a segment between two memberships: K x K work, no product with P.

Along W + t (V - W) = s W + t V, s = 1 - t, everything that an objective asks of a membership is a polynomial, whose
coefficients the two ends and one cross product give; Y and Z are the products of W and V with P:

    c(t) = s^2 diag(W^T Y) + 2 s t diag(W^T Z) + t^2 diag(V^T Z)      of degree two
    G(t) = s^2 W^T W + s t (W^T V + V^T W) + t^2 V^T V                of degree two
    H(t) = G(t) o G(t), and for a pair with a weight z(t) z(t)^T with z = w_i o w_j of degree two: of degree four

(all in the metric of the item weights). All terms are nonnegative where P and memberships are, so that values have all
their digits however small a cluster gets; and the terms of second order are taken from V - W, so that slopes keep
theirs however short the segment is.

An objective whose scale is fixed is then a polynomial of degree four, and one with a common scale -C(t)^2 / h(t), with
C of degree two and h of degree four: their stationary points are the roots of a polynomial of degree three or four
(`Objective.slope`), and the lowest of these and of the ends is the lowest point of the segment.

Where each cluster has a nonnegative scale of its own there is no such polynomial. There the lowest is taken of the
points of `GRID`, and of the minima that lie where the slope turns from down to up between two of them: a minimum whose
whole basin lies between two neighbouring points may be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from scipy.optimize import brentq

from partita.affinity.base import PairWeights
from partita.arrays import Array
from partita.kernels.namespace import namespace
from partita.kernels.rows import row_pass
from partita.objectives.objective import Objective
from partita.objectives.point import Point

__all__ = ["Segment", "segment_between"]


# Grid of values and slopes where no polynomial has the stationary points for its roots: even, and towards the
# ends, where clusters that are empty at one of them come up.
NEAR_END = 10.0 ** np.arange(-6, -1)
GRID = np.concatenate([[0.0], NEAR_END, np.linspace(0.0, 1.0, 33)[1:-1], 1.0 - NEAR_END[::-1], [1.0]])
# Precision to which a t where the slope turns is found: values differ by its square.
PRECISION = 1e-9
# A leading coefficient of at most this share of the largest changes a polynomial on [0, 1] by rounding.
ROUNDING = 1e-15
# Listed pairs taken at a time, so that no array of pairs x 3 K is made.
CHUNK = 1 << 14
# s^2, s t and t^2 by powers of t.
BASIS = np.array([[1.0, -2.0, 1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Segment:
    """c and H at s W + t V.

    Attributes
    ----------
    first, second : Point
        W and V.
    attraction : 3 x K array
        The coefficients of s^2, s t and t^2 in c.
    gram : 3 x K x K array
        Coefficients of G.
    pairs : 3 x 3 x K x K array, optional
        Coefficients of their products in what weights of pairs add to H.
    rest : float
        Weight of G o G in H.
    attraction_of_move, gram_of_move : arrays of K and K x K
        diag((V - W)^T P (V - W)) and (V - W)^T (V - W).
    """

    first: Point
    second: Point
    attraction: Array
    gram: Array
    pairs: Array | None
    rest: float
    attraction_of_move: Array
    gram_of_move: Array

    def value(self, objective: Objective, t: float) -> float:
        """Return the objective at t, without the constant ||P||^2."""
        return float(self._along(objective, np.array([t]))[0][0])

    def lowest(self, objective: Objective) -> float:
        """Return the t in [0, 1] of the lowest point; see the top of this file for what is guaranteed."""
        slope = objective.slope(*self._by_powers())
        inner = self._of_grid(objective) if slope is None else _roots(slope)
        values = self._along(objective, inner)[0]
        found = {0.0: self.first.value, 1.0: self.second.value} | dict(zip(inner.tolist(), values.tolist()))
        return min(found, key=lambda t: found[t])

    def _along(self, objective: Objective, t: Array) -> tuple[Array, Array]:
        """Values and slopes of the objective at each of some t.

        A slope is that with the scale held fixed: the scale is a minimiser.
        """
        values, slopes = np.empty(len(t)), np.empty(len(t))
        for at, (b, db) in enumerate(zip(_basis(t), _basis_slope(t))):
            c, dc = b @ self.attraction, db @ self.attraction
            G, dG = np.tensordot(b, self.gram, axes=1), np.tensordot(db, self.gram, axes=1)
            H, dH = self.rest * G * G, 2.0 * self.rest * G * dG
            if self.pairs is not None:
                H += np.einsum("a,b,abkl->kl", b, b, self.pairs)
                dH += 2.0 * np.einsum("a,b,abkl->kl", db, b, self.pairs)
            a = objective.scale(c, H)
            values[at], slopes[at] = a @ H @ a - 2.0 * a @ c, a @ dH @ a - 2.0 * a @ dc
        return values, slopes

    def _by_powers(self) -> tuple[Array, Array]:
        """The coefficients of c (3 x K) and of H (5 x K x K) by powers of t."""
        c, G = (np.tensordot(BASIS, part, axes=(0, 0)) for part in (self.attraction, self.gram))
        c[2], G[2] = self.attraction_of_move, self.gram_of_move
        H = np.zeros((5, *self.gram.shape[1:]))
        for i in range(3):
            for j in range(3):
                H[i + j] += self.rest * G[i] * G[j]
                if self.pairs is not None:
                    H[i + j] += np.einsum("a,b,abkl->kl", BASIS[:, i], BASIS[:, j], self.pairs)
        return c, H

    def _of_grid(self, objective: Objective) -> Array:
        """The lowest point of the grid, and where the slope turns from down to up."""
        values, slopes = self._along(objective, GRID)
        turns = np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] > 0))

        def slope(t: float) -> float:
            return float(self._along(objective, np.array([t]))[1][0])

        found = [brentq(slope, GRID[i], GRID[i + 1], xtol=PRECISION) for i in turns]
        lowest = int(np.argmin(values))
        if not np.isin([lowest - 1, lowest], turns).any():  # else the minimum beside it is as low
            found.append(GRID[lowest])
        return np.array(found)


def _basis(t: Array) -> Array:
    """s^2, s t and t^2."""
    return np.stack([(1.0 - t) ** 2, (1.0 - t) * t, t * t], axis=1)


def _basis_slope(t: Array) -> Array:
    return np.stack([2.0 * t - 2.0, 1.0 - 2.0 * t, 2.0 * t], axis=1)


def _roots(coefficients: Array) -> Array:
    """The real parts, between 0 and 1, of the roots: rounding may take a multiple one off the real axis."""
    largest = np.abs(coefficients).max()
    if not largest > 0.0:
        return np.empty(0)
    roots = np.real(polynomial.polyroots(polynomial.polytrim(coefficients / largest, ROUNDING)))
    return np.asarray(roots[(roots > 0.0) & (roots < 1.0)])


def segment_between(
    first: Point, second: Point, column: Array | None, pairs: PairWeights | None, excess: Array | None
) -> Segment:
    """Return the segment from `first` to `second`, from the products already known.

    Parameters
    ----------
    first, second : Point
    column : N x 1 array, optional
        Item weights.
    pairs, excess : PairWeights and array, optional
        Weights of pairs, and the d_i d_j (omega_ij - rest) of those listed.
    """

    def work(W: Any, V: Any, Y: Any, Z: Any, d: Any) -> tuple[Any, Any]:
        weighted, move = W if d is None else d * W, V - W
        turned = move if d is None else d * move
        xp = namespace(W)
        crossed = xp.sum(weighted * Z, axis=0)
        return (), (weighted.T @ V, crossed, turned.T @ move, xp.sum(turned * (Z - Y), axis=0))

    _, sums = row_pass(first.W, work, second.W, first.product, second.product, column)
    cross, crossed, gram_of_move, attraction_of_move = sums
    return Segment(
        first,
        second,
        attraction=np.stack([first.attraction, 2.0 * crossed, second.attraction]),
        gram=np.stack([first.gram, cross + cross.T, second.gram]),
        pairs=None if pairs is None or excess is None else _of_pairs(pairs, excess, first.W, second.W),
        rest=1.0 if pairs is None else pairs.rest,
        attraction_of_move=attraction_of_move,
        gram_of_move=gram_of_move,
    )


def _of_pairs(pairs: PairWeights, excess: Array, W: Array, V: Array) -> Array:
    """Contribution of the weights of the pairs listed to H: coefficients of the products of s^2, s t and t^2."""
    K = W.shape[1]
    out = np.zeros((3 * K, 3 * K))
    for low in range(0, len(pairs), CHUNK):
        part = slice(low, low + CHUNK)
        i, j = pairs.first[part], pairs.second[part]
        Z = np.concatenate([W[i] * W[j], W[i] * V[j] + V[i] * W[j], V[i] * V[j]], axis=1)
        out += (Z * excess[part, None]).T @ Z
    return out.reshape(3, K, 3, K).transpose(0, 2, 1, 3)
