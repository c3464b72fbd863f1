"""One small simplex problem a row: the membership of new items given the fitted ones.

For a new item with affinities p to the fitted items, minimise over y on the simplex

    sum_j d_j (p_j - y^T diag(a) w_j)^2 = y^T Q y - 2 y^T b + const,   Q = A G A,  b = A W^T D p

a convex quadratic in K unknowns: the row of the fit's own objective without its diagonal. All rows are solved at once
by accelerated projected gradient, each row on its own, so that a row's answer does not depend on the company it comes
in; every few iterations block principal pivoting from the face a row has reached tries to finish it exactly. Cost: rows
x K^2 an iteration, rows x K^3 a pivot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.simplex import project_rows_numpy

__all__ = ["solve_rows"]


# A row is solved when a gradient step moves it by less than this; rounding keeps it from much less.
ROW_TOLERANCE = 1e-12
MAX_ITER = 20_000
# Iterations between attempts to finish by pivoting, the deviation from the optimality conditions (relative to the
# largest curvature) that rounding explains, and what makes a singular face solvable without moving a regular one.
FACE_EVERY = 25
FACE_TOLERANCE = 1e-12
RIDGE = 1e-15


def solve_rows(Q: Array, B: Array) -> Array:
    """Return argmin over the simplex of y^T Q y - 2 y^T b for each row b of B.

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
    for iteration in range(1, MAX_ITER + 1):
        after = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        V = Y + ((momentum - 1.0) / after)[:, None] * (Y - before)
        # Row by row sums of K terms in a fixed order, not a matrix product whose rounding depends on the batch.
        gradient = np.einsum("nk,kl->nl", V, Q) - B[active]
        new = project_rows_numpy(V - gradient)
        done = np.abs(new - V).max(axis=1) <= ROW_TOLERANCE
        uphill = np.einsum("nk,nk->n", V - new, new - Y) > 0  # [odonoghue2015]: drop the momentum
        before, Y, momentum = Y, new, np.where(uphill, 1.0, after)
        if iteration % FACE_EVERY == 0:
            exact, found = _by_faces(Q, B[active], Y)
            Y = np.where(found[:, None], exact, Y)
            done |= found
        if done.any():
            out[active[done]] = Y[done]
            if done.all():
                return out
            active, Y, before, momentum = active[~done], Y[~done], before[~done], momentum[~done]
    out[active] = Y
    return out


def _by_faces(Q: Array, B: Array, Y: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Each row's minimiser by block principal pivoting, and whether it was found.

    Solve the equations of a face; where entries come out negative leave them off the face, else take in the entry that
    violates the optimality conditions most. It nearly always ends after a few rounds; a row that cycles is not found.
    """
    n, K = Y.shape
    out, found = Y.copy(), np.zeros(n, dtype=bool)
    support = Y > 0
    active = np.arange(n)
    for _ in range(2 * K):
        S = support[active]
        # [Q_SS 1; 1^T 0] [y; lambda] = [b; 1], with identity rows for entries off the face.
        system = np.zeros((len(active), K + 1, K + 1))
        system[:, :K, :K] = np.where(S[:, :, None] & S[:, None, :], Q, 0.0)
        system[:, :K, :K] += (RIDGE * S + ~S)[:, :, None] * np.eye(K)
        system[:, :K, K] = system[:, K, :K] = S
        right = np.concatenate([np.where(S, B[active], 0.0), np.ones((len(active), 1))], axis=1)
        y = np.linalg.solve(system, right[:, :, None])[:, :K, 0]
        gradient = np.einsum("nk,kl->nl", y, Q) - B[active]
        level = np.where(S, gradient, 0.0).sum(axis=1, keepdims=True) / S.sum(axis=1, keepdims=True)
        violation = np.where(S, -np.inf, level - gradient)
        worst = violation.argmax(axis=1)
        negative = S & (y < 0)
        feasible = ~negative.any(axis=1)
        regular = np.where(S, np.abs(gradient - level), 0.0).max(axis=1) <= FACE_TOLERANCE * (1 + np.abs(level[:, 0]))
        stationary = violation.max(axis=1) <= FACE_TOLERANCE * (1 + np.abs(level[:, 0]))
        done = feasible & stationary & regular
        out[active[done]] = np.maximum(y[done], 0.0) / y[done].sum(axis=1, keepdims=True)
        found[active[done]] = True
        S &= ~negative
        add = np.flatnonzero(feasible & ~stationary)
        S[add, worst[add]] = True
        support[active] = S
        active = active[~done & S.any(axis=1)]
        if not len(active):
            break
    return out, found
