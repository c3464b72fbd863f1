"""Items that are scattered beneath clusters, which the methods do not see.

Methods know of no background: among many scattered items they take these for a cluster, or several, join true clusters
to make room for it, and agree on no number. So the items that a uniform background explains better than anything else
(`partita.doubt.background_probability`), if there is one, are left out; they go where their neighbours go. In few
dimensions the tails of clusters look like a background too, and whether there is one depends on the clusters. There the
question is asked again when there are clusters, and if these explain most of the items that were left out, the methods
see all. And a sparse cluster may fill its box as a background does: only where the clusters of the others are more
valid (`partita.ensemble.validity`) than those of all items, or are a single one, are items left out.

Cost: about as long as one method; where items may be left out, the methods run twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Labels
from partita.doubt import background_probability
from partita.ensemble.categories import Columns
from partita.ensemble.consensus import ITEMS

__all__ = ["are_scattered", "scattered_items"]

# Probability from which on something is believed; the share of scattered items below which they are seen like all
# others, and the share of them that has to be of the background when there are clusters.
HALF, FEWEST, MOST_OF = 0.5, 0.01, 0.5
# What clusters have to gain in log odds of being valid where they are left out: less is chance.
MORE_VALID = 1.0


def scattered_items(Y: Array, n_clusters: int, seed: int) -> NDArray[np.bool_] | None:
    """Return which items a uniform background explains, if there is one.

    None where they are few, along a line, among categories, and where hardly an item would be left for each cluster.

    Parameters
    ----------
    Y : n x d array
    n_clusters : int
        Clusters that the others have to hold at least.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scattered = scattered_items(np.r_[rng.normal(size=(300, 3)), rng.uniform(-20, 20, (100, 3))], 2, 0)
    >>> int(scattered[:300].sum()) < 5, int(scattered[300:].sum()) > 95
    (True, True)
    """
    if Y.shape[1] < 2 or Columns.of(Y).blocks:
        return None
    scattered = background_probability(Y, None, seed=seed) > HALF
    left = len(Y) - int(scattered.sum())
    return scattered if scattered.mean() >= FEWEST and left >= ITEMS * max(n_clusters, 2) else None


def are_scattered(Y: Array, scattered: NDArray[np.bool_], labels: Labels, seed: int) -> bool:
    """Tell whether most of these items belong to a background beneath these clusters.

    Parameters
    ----------
    Y : n x d array
    scattered : array of n bool
        By `scattered_items`.
    labels : array of n
        Clusters of all items, those left out among their neighbours.
    seed : int

    Examples
    --------
    >>> Y = np.random.default_rng(0).normal(size=(500, 2))
    >>> tails = np.hypot(*Y.T) > 2.2
    >>> are_scattered(Y, tails, np.zeros(500, dtype=np.int64), 0)
    False
    """
    still = background_probability(Y, labels, seed=seed) > HALF
    return bool(still[scattered].sum() >= MOST_OF * scattered.sum())
