"""Components within clusters: whether a mixture of a cluster's items alone has several, and how deep valleys are.

A cluster that a mixture describes best by several components is several clusters that overlap, one with long tails, or
a curve cut into pieces. Between the components of the first the density hardly falls; along a straight line from one
piece of a curve to the next it falls far, since the line leaves the curve.

Cost: of each cluster a few short fits to its items among 4,000, in their first five principal directions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from partita.arrays import Array, Labels
from partita.calibration.mixture import MixtureDensity, covariance
from partita.calibration.selection import FEW_DIMENSIONS, OwnMixtures
from partita.calibration.subspace import Subspace
from partita.kernels.ellipsoids import n_parameters
from partita.kernels.threads import available_cores, limit_threads
from partita.runs import outcomes_of

__all__ = ["Within", "components_within"]

# Items that mixtures are fitted to, and the fewest of a cluster that is looked at.
MOST_ITEMS, FEWEST = 4_000, 12
SEED = 0
# Components tried, and how many more after the best.
MOST, PATIENCE = 7, 2
# Points of a line at which the density is looked at.
POINTS = 21


@dataclass(frozen=True, eq=False)
class Within:
    """Components of each cluster's own mixture.

    Attributes
    ----------
    n_components : array of K int
        Number of components of least BIC.
    depth : array of K, nonnegative
        The deepest valley of the log-density, in nats, on the straight lines that connect the means of all components;
        of all ways to connect them, the one with the shallowest valleys. 0 for one component.
    of_one : array of N in [0, 1]
        Probability of each item that another item of its cluster is of the same component; 1 for one component.
    """

    n_components: NDArray[np.int64]
    depth: Array
    of_one: Array


def components_within(X: Array, labels: Labels, weights: Array | None = None) -> Within:
    """Fit a mixture to each cluster's items alone, with as many components as BIC prefers.

    Parameters
    ----------
    X : N x d array
    labels : array of N int, 0..K-1
    weights : array of N, optional

    Returns
    -------
    Within

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)) + np.repeat([[0, 0], [4, 0], [20, 0]], 100, axis=0)
    >>> found = components_within(X, np.repeat([0, 0, 1], 100))
    >>> found.n_components.tolist(), found.of_one[[0, 299]].round(1).tolist(), bool(found.depth[0] > 0)
    ([2, 1], [0.5, 1.0], True)
    """
    n, K = len(X), int(labels.max()) + 1
    w = np.ones(n) if weights is None else weights
    seen = np.flatnonzero(w > 0)
    if len(seen) > MOST_ITEMS:
        seen = np.sort(np.random.default_rng(SEED).choice(seen, MOST_ITEMS, replace=False))
    out = Within(np.ones(K, dtype=np.int64), np.zeros(K), np.ones(n))

    def best_of(k: int) -> tuple[Subspace, MixtureDensity] | None:
        own = seen[labels[seen] == k]
        return None if len(own) < FEWEST else _best_by_bic(X[own], w[own])

    with limit_threads(1):
        found = outcomes_of(best_of, range(K), len(seen), available_cores())
    for k, best in enumerate(found):
        if best is None:
            continue
        subspace, mixture = best
        own = np.flatnonzero(labels == k)
        R = mixture.responsibilities(subspace.coordinates(X[own], mixture.means.shape[1]))
        out.n_components[k], out.depth[k] = len(mixture.shares), _depth(mixture)
        out.of_one[own] = R @ np.average(R, axis=0, weights=np.maximum(w[own], np.finfo(float).tiny))
    return out


def _best_by_bic(X: Array, weights: Array) -> tuple[Subspace, MixtureDensity] | None:
    """The mixture of several components of least BIC, and where it is a density; None where one component has less."""
    subspace = Subspace.of(X, weights)
    q = min(subspace.rank, FEW_DIMENSIONS)
    if q == 0:
        return None
    Z = subspace.coordinates(X, q)
    own = OwnMixtures(Z, weights, covariance(Z, weights))
    price = (n_parameters("full", 2, q) - n_parameters("full", 1, q)) / 2 * float(np.log(weights.sum()))
    best, most = 1, own.of("full", 1).log_likelihood
    for m in range(2, min(own.most, MOST) + 1):
        value = own.of("full", m).log_likelihood - (m - 1) * price
        if value > most:
            best, most = m, value
        elif m - best >= PATIENCE:
            break
    return (subspace, own.of("full", best).mixture) if best > 1 else None


def _depth(mixture: MixtureDensity) -> float:
    """The deepest valley that has to be crossed to reach every mean, by the shallowest ways (single linkage)."""
    along = np.linspace(0.0, 1.0, POINTS)[:, None]
    M = len(mixture.shares)
    between = np.zeros((M, M))
    for a in range(M):
        for b in range(a):
            height = mixture.log_density((1 - along) * mixture.means[a] + along * mixture.means[b])
            between[a, b] = between[b, a] = min(height[0], height[-1]) - height.min()
    return float(linkage(squareform(between), "single")[-1, 2])
