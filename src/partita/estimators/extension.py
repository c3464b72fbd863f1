"""Out-of-sample prediction (extension): what is kept of a fit, and one small simplex problem for each new row.

For a new item with (normalised) affinities p to the fitted items and t steps of diffusion, its row of the diffused
affinity is p^T S^(t-1); all that enters the row's problem is p^T L with the landing matrix L = S^(t-1) D W diag(a),
kept at N x K. Paths that come back through the new item itself are left out, and the fitted items do not move.

Where memberships are partitions, a new item goes to the cluster whose mean is nearest in the space of the kernel:
largest 2 p^T z_k / n_k - z_k^T P z_k / n_k^2 over the indicators z_k.

Evidence F F^T gives the image f of a new item, p = F f: then F^T L is kept in the place of L, and nothing of N rows.

Where factors are only nonnegative, the row is looked for in y >= 0 and then read as the fitted rows were: its columns
scaled by the same K factors, divided by its sum; a row of zeros is a uniform membership.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import DiffusedAffinity, Evidence, FactorEvidence
from partita.affinity.normalise import How, Normalised, normalise_rows
from partita.arrays import Array
from partita.errors import InputError
from partita.estimators.scaling import Scaling
from partita.kernels.nonnegative import minimise_nonnegative
from partita.kernels.rows import row_pass
from partita.objectives import Domain, Problem
from partita.solvers import solve_rows

__all__ = ["Extension"]


# Numbers of one batch of rows.
BATCH = 4_000_000


def _nearest(within: Array, closeness: Array) -> Array:
    """One-hot rows: the cluster of the nearest mean."""
    return np.asarray(np.eye(len(within))[(2.0 * closeness - within.diagonal()).argmax(axis=1)])


# The row's problem in each domain.
SOLVE: dict[str, Callable[[Array, Array], Array]] = {
    "simplex": solve_rows,
    "nonnegative": minimise_nonnegative,
    "partitions": _nearest,
    "orthonormal": _nearest,
}


@dataclass(frozen=True)
class Extension:
    """Out-of-sample prediction of memberships from a finished fit."""

    evidence: Evidence
    how: How
    factors: Array
    landing: Array
    quadratic: Array
    scaling: Scaling | None = None
    domain: str = "simplex"
    balance: Array | None = None
    weights: Array | None = None
    """Weights of the fitted items, where they count in the normalisation."""
    diffused: bool = False
    used: NDArray[np.intp] | None = None
    """Which columns of given rows are the fitted items, where some were left out."""
    folded: bool = False
    """Whether rows are images of new items, and `factors`, `landing` and `weights` are of their entries."""

    @classmethod
    def of_fit(
        cls,
        evidence: Evidence,
        normalised: Normalised,
        problem: Problem,
        W: Array,
        scale: Array,
        scaling: Scaling | None,
        labels: NDArray[np.intp],
        used: NDArray[np.intp] | None = None,
    ) -> Extension:
        """Keep what out-of-sample prediction needs of a fit."""
        affinity, weights, domain = problem.affinity, problem.weights, problem.objective.domain
        if domain.hard:
            W = np.eye(W.shape[1])[labels]
        weighted = W if weights is None else weights[:, None] * W
        _, (gram,) = row_pass(W, lambda W, V: ((), [W.T @ V]), weighted)
        quadratic = scale[:, None] * gram * scale
        landing = weighted * scale
        if domain.hard:
            landing = weighted / np.maximum(weighted.sum(axis=0), np.finfo(float).tiny)
            quadratic = np.diag(np.einsum("nk,nk->k", landing, affinity @ landing))
        if isinstance(affinity, DiffusedAffinity) and affinity.steps > 1:
            d = affinity.weights
            landing = DiffusedAffinity(affinity.base, affinity.steps - 1, d) @ landing
            landing = landing if d is None else d[:, None] * landing
        balance = None if domain.name == "simplex" else domain.columns(W, weights)
        how, factors, own = normalised.how, normalised.factors, normalised.weights
        diffused = isinstance(affinity, DiffusedAffinity)
        folded = isinstance(evidence, FactorEvidence) and how != "frobenius"
        if folded:
            factors, landing, own = evidence.folded(how, factors, landing, own)  # type: ignore[attr-defined]
        return cls(
            evidence, how, factors, landing, quadratic, scaling, domain.name, balance, own, diffused, used, folded
        )

    def membership(self, X: Any) -> Array:
        """Return the membership of each row of X: features, or rows of distances or affinities to the fitted items."""
        return self._membership(self.factor(X))

    def expected(self, ways: Array) -> Array:
        """Return the membership of each of b items that may be any of n rows of features: that of the mean affinities.

        Parameters
        ----------
        ways : n x b x d array
        """
        n, b, d = ways.shape
        mean = sp.kron(np.full((1, n), 1.0 / n), sp.eye_array(b), format="csr")
        return self._membership(self._solved(mean @ self._affinities(ways.reshape(n * b, d))))

    def _membership(self, rows: Array) -> Array:
        return (
            rows
            if self.balance is None or Domain.registry[self.domain].hard
            else Domain.registry[self.domain].membership(rows, self.balance)
        )

    def factor(self, X: Any) -> Array:
        """Return the row of the factor for each row of X; on the simplex it is the membership."""
        n = X.shape[0]
        # A row's problem takes about K^2 numbers while it is solved.
        width = max(self.evidence.row_size, len(self.quadratic) ** 2)
        if isinstance(self.evidence, FactorEvidence) and not self.folded:
            width = max(width, len(self.factors))
        size = max(1, BATCH // width)
        parts = [self._batch(X[low : low + size]) for low in range(0, n, size)]
        return np.concatenate(parts) if parts else np.empty((0, self.landing.shape[1]))

    def _batch(self, X: Any) -> Array:
        if self.used is not None:
            X = X[:, self.used]
        rows = self._affinities(X)
        observed = self.evidence.observed(rows)
        return self._solved(rows) if observed is None else self._partly(rows, observed)

    def _affinities(self, X: Any) -> Any:
        given = X if self.scaling is None else self.scaling(X)
        return self.evidence.images(given) if self.folded else self.evidence.rows(given)

    def _solved(self, rows: Any) -> Array:
        rows = normalise_rows(rows, self.factors, self.how, self.evidence.self_affinity, self.weights)
        solve = SOLVE[self.domain]
        if sp.issparse(rows):
            return solve(self.quadratic, np.asarray(rows @ self.landing))
        # Row by row, so that rounding does not depend on how many rows came together.
        return solve(self.quadratic, np.array([row @ self.landing for row in rows]).reshape(len(rows), -1))

    def _partly(self, rows: Any, observed: sp.csr_array) -> Array:
        """Rows some of whose pairs were not observed: each row's own problem, over the fitted items observed alone."""
        if self.how != "none" or self.diffused or Domain.registry[self.domain].hard:
            raise InputError(
                "a new item lacks some of its affinities, and a fit that is normalised, diffused or hard needs them "
                "all: fill them in, or fit with normalization='none' and steps=1"
            )
        solve, out = SOLVE[self.domain], np.empty((observed.shape[0], self.landing.shape[1]))
        for i, (low, high) in enumerate(pairwise(observed.indptr)):
            known = observed.indices[low:high]
            L = self.landing[known]
            d = 1.0 if self.weights is None else self.weights[known, None]
            out[i] = solve(L.T @ (L / d), (observed.data[low:high] @ L)[None])[0]
        return out
