"""Items that lie far from all others: three times as far from their tenth neighbour as the rest, and no cluster.

Fewer than ten are none; more of them are none where they are scattered, the neighbours of each being others. One such
item changes where every method cuts: it is a piece of each neighbour graph, the longest edge of each tree and
a component of its own, and the clusters of all other items are then what is left over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["JUMP", "NEIGHBORS", "SHARE", "come_often", "far_items"]

# Neighbours of an item: fewer items are no cluster that lies apart from all others.
NEIGHBORS = 10
# How many times as far from its neighbour as all others an item must be, and the share of the items that may be far.
JUMP, SHARE = 3.0, 0.05
# Share of their neighbours that are far too, below which many far items are scattered.
SCATTERED = 0.5


def come_often(weights: Array) -> NDArray[np.bool_]:
    """Return which items, or values, come so often that they are no accident: `NEIGHBORS` times and more, and a
    twentieth of all. Such an item is a cluster by itself, however far it lies from the others.

    >>> come_often(np.r_[np.ones(100), 5.0, 12.0])[-3:].tolist()
    [False, False, True]
    """
    return np.asarray(weights >= max(NEIGHBORS, SHARE * weights.sum()))


def far_items(reach: Array, near: NDArray[np.intp] | None = None) -> NDArray[np.bool_]:
    """Return which items are far from the others: a twentieth of all at most, and fewer than `NEIGHBORS` or scattered.

    Parameters
    ----------
    reach : array of N
        Distance of each item to its `NEIGHBORS`-th closest other item.
    near : N x m array, optional
        The closest others of each. `NEIGHBORS` far items and more are scattered where most of these are not far, and a
        cluster, or several, where most are; without `near` there are none.

    Cost: a sort of N numbers.

    Examples
    --------
    >>> far_items(np.r_[np.ones(60), 20.0, 15.0])[-3:].tolist()
    [False, True, True]
    >>> bool(far_items(np.arange(1.0, 61.0)).any())
    False
    """
    out = np.zeros(len(reach), dtype=bool)
    order = np.argsort(-reach, kind="stable")[: int(SHARE * len(reach)) + 1]
    largest = reach[order]
    jumps = np.flatnonzero((largest[:-1] >= JUMP * largest[1:]) & (largest[1:] > 0))
    for n_far in (jumps + 1)[::-1].tolist():
        out[order[:n_far]] = True
        if n_far < NEIGHBORS or (near is not None and out[near[order[:n_far]]].mean() < SCATTERED):
            return out
        out[:] = False
    return out
