"""Memberships of further items from those of their neighbours: how a clustering of a resample reaches all items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.affinity.from_neighbors import nearest
from partita.ensemble.base import Array, Labels

__all__ = ["neighbor_vote"]


def neighbor_vote(X: Array, membership: Labels | Array, Y: Array, n_neighbors: int) -> NDArray[np.generic]:
    """Return the membership of the rows of Y: the mean of their neighbours' among the rows of X, or the label of
    most weight.

    Neighbour r votes with weight 1 / r for a label, so that a tie goes to the nearer.

    >>> neighbor_vote(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]), np.array([[8.0]]), 2).tolist()
    [1]
    """
    index, _ = nearest(Y, X, min(n_neighbors, len(X)), "euclidean", None, itself=False)
    if membership.ndim == 2:
        return np.asarray(membership[index].mean(axis=1))
    k = int(membership.max()) + 1
    votes = np.zeros((len(Y), k))
    for rank in range(index.shape[1]):
        votes[np.arange(len(Y)), membership[index[:, rank]]] += 1.0 / (1.0 + rank)
    return np.asarray(votes.argmax(axis=1), dtype=np.int64)
