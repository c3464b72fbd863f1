"""Which items of a graph belong to no cluster: those with little support in their own.

Of evidence without features there is no box that a background could fill. An item's support, its affinity to its own
cluster, is compared with that of the others in the cluster: its square root is about normal, and what the lower tail
holds beyond a normal one is the local false discovery rate [efron2004].

[efron2004] Large-scale simultaneous hypothesis testing: the choice of a null hypothesis. JASA 99.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.doubt.outliers import FEWEST_ITEMS, REFERENCE, density_ratio

__all__ = ["weak_support_probability"]

# Median absolute deviations of a normal distribution in its standard deviation.
NORMAL = 1.4826
# Two standard errors of that for one item: a spread that came out too small by chance makes no outliers.
SLACK = 2.3


def weak_support_probability(support: Array, labels: NDArray[np.int64], degree: Array | None = None) -> Array:
    """Return the probability of each item that it does not belong to its cluster, nor then to another.

    Parameters
    ----------
    support : array of N, nonnegative
        Affinity to the own cluster.
    labels : array of N
    degree : array of N, optional
        Affinity to all clusters: that of the own one by default.

    Returns
    -------
    array of N in [0, 1]
        1 where the support is zero: an item without a link into its cluster. In a cluster most of whose items have
        none, as the sides of a bipartite graph, that says nothing, and only items without any link are outliers.

    Examples
    --------
    >>> support = np.random.default_rng(0).lognormal(sigma=0.2, size=200)
    >>> support[:3] = 0.1, 0.01, 0.0
    >>> p = weak_support_probability(support, np.zeros(200, dtype=np.int64))
    >>> bool((p[:3] > 0.9).all()), int((p > 0.5).sum())
    (True, 3)
    """
    out = np.where(support > 0, 0.0, 1.0)
    degree = support if degree is None else degree
    for k in np.unique(labels):
        own = labels == k
        if 2 * np.count_nonzero(support[own]) < own.sum():
            out[own & (degree > 0)] = 0.0
    z = np.full(len(support), np.inf)
    for k in np.unique(labels):
        own = np.flatnonzero((labels == k) & (support > 0))
        if len(own) < FEWEST_ITEMS:
            continue
        root = _spread_out(np.sqrt(support[own]))
        middle = np.median(root)
        spread = NORMAL * np.median(np.abs(root - middle)) * (1.0 + SLACK / np.sqrt(len(own)))
        if spread > np.finfo(float).eps * max(1.0, abs(float(middle))):
            z[own] = (root - middle) / spread
    low = np.flatnonzero(z < 0)  # the lower half, and as many of a half normal distribution
    if len(low) < FEWEST_ITEMS:
        return out
    null = -np.abs(np.random.default_rng(0).standard_normal(REFERENCE))
    ratio = density_ratio(-z[low], np.ones(len(low)), -null)
    out[low] = 1.0 - 1.0 / np.maximum(ratio, 1.0)
    return out


def _spread_out(x: Array) -> Array:
    """Values with ties, as sums of equal weights have them, evenly over the places that are nearest to each.

    >>> _spread_out(np.array([1.0, 2.0, 2.0, 2.0, 2.0, 5.0])).tolist()
    [1.0, 1.75, 2.25, 2.75, 3.25, 5.0]
    """
    values, which, count = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) < 2:
        return x
    between = (values[1:] + values[:-1]) / 2
    low = np.r_[2 * values[0] - between[0], between]
    high = np.r_[between, 2 * values[-1] - between[-1]]
    order = np.argsort(which, kind="stable")
    rank = np.empty(len(x))
    rank[order] = np.arange(len(x)) - np.repeat(np.cumsum(count) - count, count)
    spread = low[which] + (high - low)[which] * (rank + 0.5) / count[which]
    return np.where(count[which] > 1, spread, x)
