"""Curvature of the objective along a row of the factor: which steps are short enough, and which units columns have.

A row's quadratic has the curvature Q = 4 A G A, K x K. Where every cluster has a scale of its own, Q_kk = 4 a_k^2 n_k
of one column may be many times that of another, and steps of one length for all would be as short as the most curved
column needs. Rows are then measured by sum_k w_k^2 / u_k with u_k = 1 / Q_kk: units in which columns are equally
curved.

So measured, Q has a largest eigenvalue of 1 where columns do not overlap, and of K where they are all alike. Columns
that overlap cannot take steps of their own: those run into saddles. From random starts, over 36 data sets, 10 fits of
108 ended higher by a thousandth than with steps of one length and 13 lower; with a bound of 2 on that eigenvalue 3 and
8 (`benchmarks/column_steps.py`).
"""

from __future__ import annotations

import numpy as np

from partita.affinity.base import PairWeights
from partita.arrays import Array
from partita.objectives.point import Between, Point

__all__ = ["curvature_bound", "squared_units"]


# Curvature, in units of the columns, up to which they take steps of their own.
COUPLED = 2.0
# Share of the largest curvature that a column is taken to have at least: one without a scale has none.
FLATTEST = 1e-3


def squared_units(base: Point | Between) -> Array | None:
    """Return the u_k, or None where columns overlap too much."""
    curved = 4.0 * base.scale**2 * base.gram.diagonal()
    top = curved.max()
    if top <= 0:
        return None
    u = np.asarray(1.0 / np.maximum(curved, FLATTEST * top))
    return u if curvature_bound(base, u) <= COUPLED else None


def curvature_bound(
    base: Point | Between, u: Array | None = None, pairs: PairWeights | None = None, weights: Array | None = None
) -> float:
    """Return the largest curvature of one row's quadratic, lambda_max(U^1/2 4 A G A U^1/2) for squared units `u` of
    the columns.

    With weights on pairs a bound, the smaller of two: that, with what heavier pairs add; and the largest trace.
    """
    a = base.scale if u is None else base.scale * np.sqrt(u)
    top = 4.0 * float(np.linalg.eigvalsh((a[:, None] * base.gram) * a)[-1])
    if pairs is None:
        return top
    assert isinstance(base, Point)  # lines between points are kept as points there
    heavier, largest = _row_weights(base.W, pairs, weights)
    square = 4.0 * float(np.max(a**2))
    return min(pairs.rest * top + square * heavier if pairs.rest else np.inf, square * largest)


def _row_weights(W: Array, pairs: PairWeights, weights: Array | None) -> tuple[float, float]:
    """Largest sum over j of d_j ||w_j||^2, times what pair (i, j) counts more than the rest; and what it counts."""
    d = 1.0 if weights is None else weights
    squares = d * np.einsum("nk,nk->n", W, W)
    n, excess = len(W), (pairs.weight - pairs.rest) * squares[pairs.second]
    heavier = np.bincount(pairs.first, np.maximum(excess, 0.0), minlength=n)
    return float(heavier.max()), float((pairs.rest * squares.sum() + np.bincount(pairs.first, excess, n)).max())
