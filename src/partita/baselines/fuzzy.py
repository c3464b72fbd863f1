"""Fuzzy c-means [bezdek1981]: min sum_ik u_ik^m ||x_i - v_k||^2 over rows of U on the simplex and centres v.

Each half has a closed form, v_k = sum_i u_ik^m x_i / sum_i u_ik^m and u_ik proportional to ||x_i - v_k||^(-2/(m-1)),
and they alternate until no membership moves by more than `tol`; then both equations hold to that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult
from partita.errors import InputError

__all__ = ["FuzzyCMeans", "centres_of", "memberships_of", "squared_distances"]

# Squared distances below this share of the mean squared size of a row are rounding: the item sits on a centre.
ON_A_CENTRE = 1e-12


@dataclass(frozen=True)
class FuzzyCMeans(Baseline):
    """Fuzzy c-means; soft. Cost: N K d an iteration.

    Parameters
    ----------
    fuzzifier : float
        m > 1; near 1 it is k-means.
    n_init, max_iter : int
    tol : float
        Largest move of a membership in the last iteration.

    Raises
    ------
    InputError
        For a fuzzifier of 1 or less.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [5.0], [5.1], [2.55]])
    >>> result = FuzzyCMeans().cluster(evidence, 2, np.random.default_rng(0))
    >>> result.membership.max(axis=1).round(1).tolist()  # the last item lies between
    [1.0, 1.0, 1.0, 1.0, 0.5]
    """

    name = "fuzzy-c-means"
    idea = "means with memberships that fall off with distance"
    source = "[bezdek1981]; ours (scikit-learn has none)"
    left_open = ""
    requires = "features"

    fuzzifier: float = 2.0
    n_init: int = 1
    max_iter: int = 300
    tol: float = 1e-5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1.0 < self.fuzzifier < np.inf:
            raise InputError(f"fuzzifier={self.fuzzifier!r}: expected a number above 1; 1 itself is 'k-means'")

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X: Array = evidence.features - evidence.features.mean(axis=0)
        best, least, done = None, np.inf, False
        for _ in range(self.n_init):
            U = rng.dirichlet(np.ones(n_clusters), size=len(X))
            converged = False
            for _ in range(self.max_iter):
                before = U
                D = squared_distances(X, centres_of(X, U, self.fuzzifier))
                U = memberships_of(D, self.fuzzifier)
                converged = bool(np.abs(U - before).max() <= self.tol)
                if converged:
                    break
            value = float((U**self.fuzzifier * D).sum())
            if best is None or value < least:
                best, least, done = U, value, converged
        assert best is not None
        return BaselineResult(best.argmax(axis=1).astype(np.int64), best, done)


def centres_of(X: Array, U: Array, fuzzifier: float) -> Array:
    """Return v_k = sum_i u_ik^m x_i / sum_i u_ik^m."""
    weight = U**fuzzifier
    return np.asarray(weight.T @ X / weight.sum(axis=0)[:, None])


def squared_distances(X: Array, V: Array) -> Array:
    """Return ||x_i - v_k||^2, at least what rounding leaves of a zero."""
    square = np.einsum("nd,nd->n", X, X)
    D = square[:, None] - 2.0 * X @ V.T + np.einsum("kd,kd->k", V, V)
    return np.asarray(np.maximum(D, ON_A_CENTRE * square.mean() + np.finfo(float).tiny))


def memberships_of(D: Array, fuzzifier: float) -> Array:
    """Return u_ik proportional to D_ik^(-1/(m-1)), D the squared distances.

    >>> memberships_of(np.array([[1.0, 3.0]]), 2.0).tolist()
    [[0.75, 0.25]]
    """
    U = (D.min(axis=1, keepdims=True) / D) ** (1.0 / (fuzzifier - 1.0))
    return np.asarray(U / U.sum(axis=1, keepdims=True))
