"""The last digits of a code of a LASSO or elastic net, by an active set: exact, certified, from one nearly right.

With support S and signs g fixed the problem is a quadratic one. Steps go to its minimiser, or as far as the first entry
that changes sign, which leaves S; at the minimiser the atom that violates the optimality conditions most enters
[lee2007, feature-sign search]. Where atoms of S depend on each other the way goes along their null space, until one of
them leaves. The objective falls with every step, so the search is finite; from the support that ADMM found it takes a
few steps of |S|^3.

[lee2007] H. Lee, A. Battle, R. Raina, A. Y. Ng, Efficient sparse coding algorithms, NIPS 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from partita.arrays import Array

__all__ = ["polished"]

Support = NDArray[np.intp]

# Gradients below this share of their terms are rounding.
SLACK = 1e-10
# Atoms depend on each other where an eigenvalue of their Gram matrix is below this share of the largest; a Cholesky
# factor tells by its diagonal, the square root.
DEPENDENT = 1e-10


def polished(
    D: Array, y: Array, code: Array, tau: float, ridge: Array, own: int, n_affine: int, max_steps: int
) -> tuple[Support, Array] | None:
    """Return support and values of the optimal code; None where it was not reached in so many steps.

    Parameters
    ----------
    D : n x d array
        Atoms.
    y : array of d
        The target.
    code : array of n
        Where to begin.
    tau : float
        Positive.
    ridge : array of n
        Nonnegative: the objective has 1/2 sum_j ridge_j c_j^2.
    own : int
        The atom left out, -1 for none.
    n_affine : int
        How many entries, from the first, sum to one; 0 for none.
    """
    S = np.flatnonzero(code)
    most = len(D) if ridge.any() else min(D.shape)
    if len(S) > most:  # more atoms than can be independent: the largest
        S = np.sort(S[np.argsort(-np.abs(code[S]), kind="stable")[:most]])
    c = code[S]
    if n_affine:
        total = c[_sums(S, n_affine)].sum()
        if total <= 0:
            return None
        c = np.where(_sums(S, n_affine), c / total, c)
    seen = D @ y
    size = tau + float(np.abs(seen).max(initial=0.0))
    for _ in range(max_steps):
        signs, atoms = np.sign(c), D[S]
        gradient = atoms @ (c @ atoms) - seen[S] + tau * signs + ridge[S] * c
        level = _level(gradient, S, n_affine)
        gradient = gradient + np.where(_sums(S, n_affine), level, 0.0)
        if np.abs(gradient).max(initial=0.0) > SLACK * size:
            step, bounded = _direction(atoms, ridge[S], gradient, _sums(S, n_affine))
            with np.errstate(divide="ignore", invalid="ignore"):
                to_zero = np.where(c * step < 0, -c / step, np.inf)
            first = int(to_zero.argmin())
            if to_zero[first] <= 1.0 or not bounded:
                if not np.isfinite(to_zero[first]):
                    return None
                c = c + to_zero[first] * step
                S, c = np.delete(S, first), np.delete(c, first)
            else:
                c = c + step
            continue
        whole = (c @ atoms) @ D.T - seen
        whole[:n_affine] += level
        over = np.abs(whole)
        over[S] = 0.0
        if own >= 0:
            over[own] = 0.0
        worst = int(over.argmax())
        if over[worst] <= tau + SLACK * size:
            return S, c
        # It enters at rounding size with the sign that lowers the objective, and the next step moves it.
        S = np.append(S, worst)
        c = np.append(c, -np.sign(whole[worst]) * np.finfo(float).tiny)
    return None


def _sums(S: Support, n_affine: int) -> NDArray[np.bool_]:
    """Mark the entries that are among those that sum to one."""
    return np.less(S, n_affine)


def _level(gradient: Array, S: Support, n_affine: int) -> float:
    """The multiplier of sum(c) = 1: what the gradients of the entries that sum to one have in common."""
    among = _sums(S, n_affine)
    return -float(gradient[among].mean()) if among.any() else 0.0


def _direction(atoms: Array, ridge: Array, gradient: Array, among: NDArray[np.bool_]) -> tuple[Array, bool]:
    """The Newton step, or one along which the objective falls without end (False): the null space of the atoms."""
    gram = atoms @ atoms.T + np.diag(ridge)
    border = None
    if among.any():  # within the plane of codes whose sum stays
        normal = among / np.sqrt(among.sum())
        border = gram.trace() * np.outer(normal, normal)
        outside = gram @ normal
        gram = gram - np.outer(normal, outside) - np.outer(outside, normal)
        gram = gram + (normal @ outside) * np.outer(normal, normal) + border
    try:
        factor = cho_factor(gram)
        diagonal = factor[0].diagonal()
        if diagonal.min() ** 2 > DEPENDENT * diagonal.max() ** 2:
            return -cho_solve(factor, gradient), True
    except LinAlgError:
        pass
    values, vectors = eigh(gram)
    part = vectors.T @ gradient
    null = values <= DEPENDENT * values.max(initial=0.0)
    lost = np.where(null, part, 0.0)
    if np.abs(lost).max(initial=0.0) > np.sqrt(SLACK) * np.abs(gradient).max():
        way = -vectors @ lost
        bend = float(way @ (ridge * way))  # what is left of the curvature there
        return (way * (float(way @ way) / bend), True) if bend > 0 else (way, False)
    return -vectors @ np.where(null, 0.0, part / np.where(null, 1.0, values)), True
