"""The directions in which a density is fitted: leading principal components of the items.

Beyond the first q directions the items are described by one Gaussian for all of them, with the principal variances. It
is the same for every component, so it leaves each posterior alone; and with it densities of different q are densities
of the same thing, whose likelihoods can be compared [raftery2006].

References
----------
[raftery2006] Raftery, Dean: Variable selection for model-based clustering. JASA 101, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.kernels.eigen import symmetric_eigen

__all__ = ["MOST_DIRECTIONS", "Subspace"]


# Share of the largest standard deviation below which a direction holds rounding only.
RANK = 1e-5
# Directions that are kept: no density is of more. And items that directions in more columns than these are of, a random
# sample of more.
MOST_DIRECTIONS, SEEN = 40, 2_000
# A coordinate beyond this is as good as infinite, and its square still is a number.
FARTHEST = 1e150


@dataclass(frozen=True)
class Subspace:
    """Principal directions.

    Attributes
    ----------
    centre : d
    basis : d x min(r, 40)
        Orthonormal, by falling variance; r is the rank of the items.
    variances : r
    """

    centre: Array
    basis: Array
    variances: Array

    @classmethod
    def of(cls, X: Array, weights: Array) -> Subspace:
        """Return the directions of weighted items. Cost: N d min(N, d), N at most 2,000 where d is larger.

        >>> Subspace.of(np.array([[0.0, 0.0], [2.0, 0.0]]), np.ones(2)).basis.tolist()
        [[1.0], [0.0]]
        """
        if SEEN < len(X) < X.shape[1]:
            seen = np.random.default_rng(0).permutation(len(X))[:SEEN]
            X, weights = X[seen], weights[seen]
        centre = np.average(X, axis=0, weights=weights)
        Y = (X - centre) * np.sqrt(weights / weights.sum())[:, None]
        if len(Y) < Y.shape[1]:  # the products of items have all that there is, in a fraction of the time
            squares, U = symmetric_eigen(Y @ Y.T)
            kept = np.flatnonzero(squares > RANK**2 * squares[-1])[::-1]
            spread = np.sqrt(squares[kept])
            V = Y.T @ U[:, kept[:MOST_DIRECTIONS]] / spread[:MOST_DIRECTIONS]
        else:
            _, spread, V = np.linalg.svd(Y, full_matrices=False)
            spread = spread[spread > RANK * spread[0]]
            V = V[: min(len(spread), MOST_DIRECTIONS)].T
        V = V * np.sign(V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])])  # the sign is no matter of rounding
        return cls(centre, np.ascontiguousarray(V), spread**2)  # as a saved one is, for the same last bits

    @property
    def rank(self) -> int:
        """Number of directions, r."""
        return len(self.variances)

    def coordinates(self, X: Array, q: int) -> Array:
        """Return the first q coordinates, N x q."""
        return np.asarray(np.clip(X - self.centre, -FARTHEST, FARTHEST) @ self.basis[:, :q])

    def log_likelihood_beyond(self, q: int) -> float:
        """Return the mean log-likelihood of an item in the directions after the first q."""
        return float(-0.5 * (np.log(2 * np.pi * self.variances[q:]) + 1).sum())
