"""Memberships averaged over resamples: how often an item would be in each cluster, had other items been seen.

The fit is made again to each of 20 samples of 60% of the items (at most 4,000), what it says of all items is aligned to
the membership of the whole, and the mean taken [dudoit2003]. Add-half smoothing by the number of resamples keeps an
item that never moved from being certain. It softens what depends on the sample; an error that all samples share stays.
Cost: 20 fits to samples and what they say of all N items.
"""

from __future__ import annotations

import numpy as np

from partita.arrays import Array
from partita.calibration.selection import matching
from partita.calibration.types import Refit
from partita.errors import InputError

__all__ = ["N_RESAMPLES", "averaged_membership", "smoothing_of_average"]


N_RESAMPLES = 20
SHARE = 0.6
MOST_ITEMS = 4_000
SEED = 0


def averaged_membership(refit: Refit, membership: Array, weights: Array | None) -> Array | None:
    """Return the mean over resamples of the aligned memberships, N x K.

    None where the samples are too small to be fitted.

    Parameters
    ----------
    refit : callable
        Fits again to the items it is given.
    membership : N x K
        Membership fitted to all items, which names the clusters.
    weights : N or None

    Examples
    --------
    >>> W = np.eye(2)[np.repeat([0, 1], 20)]
    >>> fits = []
    >>> def refit(items):  # the same clusters, called the other way round; every fourth time item 0 goes over
    ...     V = 1 - W
    ...     V[0] = W[0] if len(fits) % 4 == 0 else V[0]
    ...     fits.append(V)
    ...     return V[items].argmax(axis=1), V[items], lambda others: V[others]
    >>> averaged_membership(refit, W, None)[:2].round(2).tolist()
    [[0.75, 0.25], [1.0, 0.0]]
    """
    n, K = membership.shape
    d = np.ones(n) if weights is None else weights
    size = min(max(int(np.ceil(SHARE * n)), K + 1), n, MOST_ITEMS)
    total, fits = np.zeros((n, K)), 0
    for b in range(N_RESAMPLES):
        order = np.random.default_rng([SEED, b]).permutation(n)
        own, other = np.sort(order[:size]), np.sort(order[size:])
        try:
            _, W, predict = refit(own)
        except InputError:  # more clusters than items, say
            continue
        said = np.empty((n, K))
        said[own] = W
        if len(other):
            said[other] = predict(other)
        total += said[:, matching(membership, said, d)]
        fits += 1
    return total / fits if fits else None


def smoothing_of_average(n_clusters: int) -> float:
    """Return the share of the uniform membership that adds half a resample to each cluster.

    >>> round(smoothing_of_average(2), 4)
    0.0476
    """
    return 0.5 * n_clusters / (N_RESAMPLES + 0.5 * n_clusters)
