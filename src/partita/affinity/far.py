"""Items that lie far from all others: fewer than make a cluster, and much farther from their neighbours than the rest.

One such item changes where every method cuts: it is a piece of each neighbour graph, the longest edge of each tree and
a component of its own, and the clusters of all other items are then what is left over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["JUMP", "far_items"]

# How many times as far from its neighbour as all others an item must be, and the share of the items that may be far.
JUMP, SHARE = 3.0, 0.05


def far_items(reach: Array, n_neighbors: int) -> NDArray[np.bool_]:
    """Return which items are far from the others, always fewer than `n_neighbors` and than a twentieth.

    Parameters
    ----------
    reach : array of N
        Distance of each item to its `n_neighbors`-th closest other item.

    Examples
    --------
    >>> far_items(np.r_[np.ones(60), 20.0, 15.0], 10)[-3:].tolist()
    [False, True, True]
    >>> bool(far_items(np.arange(1.0, 61.0), 10).any())
    False
    """
    out = np.zeros(len(reach), dtype=bool)
    order = np.argsort(-reach, kind="stable")[: min(n_neighbors - 1, int(SHARE * len(reach))) + 1]
    largest = reach[order]
    jumps = np.flatnonzero((largest[:-1] >= JUMP * largest[1:]) & (largest[1:] > 0))
    if len(jumps):
        out[order[: jumps[-1] + 1]] = True
    return out
