"""One small simplex problem a row: the membership of new items given the fitted ones.

For a new item with affinities p to the fitted items, minimise over y on the simplex

    sum_j d_j (p_j - y^T diag(a) w_j)^2 = y^T Q y - 2 y^T b + const,   Q = A G A,  b = A W^T D p

a convex quadratic in K unknowns: the row of the fit's own objective without its diagonal. All rows are solved at once
by accelerated projected gradient with restarts, each row stopping on its own, so that a row's answer does not depend
on the company it comes in. Cost: rows x K^2 an iteration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.kernels.simplex import project_rows_numpy

__all__ = ["solve_rows"]

Array = NDArray[np.float64]

# A row is solved when a gradient step moves it by less than this; rounding keeps it from much less.
ROW_TOLERANCE = 1e-12
MAX_ITER = 20_000


def solve_rows(Q: Array, B: Array) -> Array:
    """Argmin over the simplex of y^T Q y - 2 y^T b for each row b of B.

    Parameters
    ----------
    Q : K x K, symmetric positive semidefinite
    B : M x K

    Examples
    --------
    >>> solve_rows(np.eye(2), np.array([[0.9, 0.3]])).round(12).tolist()
    [[0.8, 0.2]]
    """
    K = len(Q)
    out = np.full((len(B), K), 1.0 / K)
    if K == 1 or not len(B):
        return out
    # The units of P cancel: dividing Q and B by the largest eigenvalue gives a gradient of curvature one.
    top = float(np.linalg.eigvalsh(Q)[-1])
    if top <= 0:
        return out
    Q, B = Q / top, B / top
    active = np.arange(len(B))
    Y = out.copy()
    before, momentum = Y.copy(), np.ones(len(B))
    for _ in range(MAX_ITER):
        after = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        V = Y + ((momentum - 1.0) / after)[:, None] * (Y - before)
        # Row by row sums of K terms in a fixed order, not a matrix product whose rounding depends on the batch.
        gradient = np.einsum("nk,kl->nl", V, Q) - B[active]
        new = project_rows_numpy(V - gradient)
        moved = np.abs(new - V).max(axis=1)
        uphill = np.einsum("nk,nk->n", V - new, new - Y) > 0  # [odonoghue2015]: drop the momentum
        before, Y, momentum = Y, new, np.where(uphill, 1.0, after)
        open_ = moved > ROW_TOLERANCE
        if not open_.all():
            out[active[~open_]] = Y[~open_]
            if not open_.any():
                return out
            active, Y, before, momentum = active[open_], Y[open_], before[open_], momentum[open_]
    out[active] = Y
    return out
