"""Memberships of further items from those of their neighbours: how a clustering of a resample reaches all items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.affinity.from_neighbors import nearest
from partita.arrays import Array, Labels

__all__ = ["VOTERS", "neighbor_vote", "voters_of"]

# Neighbours that vote for an item that a clustering has not seen.
VOTERS = 5


def voters_of(Y: Array, X: Array, n_neighbors: int) -> NDArray[np.intp]:
    """Return the rows of X that vote for each row of Y: its nearest ones, nearest first."""
    return nearest(Y, X, min(n_neighbors, len(X)), "euclidean", None, itself=False)[0]


def neighbor_vote(membership: Labels | Array, voters: NDArray[np.intp]) -> NDArray[np.generic]:
    """Return the membership of further items: the mean of their voters', or the label of most weight.

    Voter r votes with weight 1 / r for a label, so that a tie goes to the nearer.

    >>> neighbor_vote(np.array([0, 0, 1]), voters_of(np.array([[8.0]]), np.array([[0.0], [1.0], [9.0]]), 2)).tolist()
    [1]
    """
    if membership.ndim == 2:
        return np.asarray(membership[voters].mean(axis=1))
    k = int(membership.max()) + 1
    cells = k * np.arange(len(voters))[:, None] + membership[voters]
    shares = np.broadcast_to(1.0 / np.arange(1.0, voters.shape[1] + 1.0), voters.shape)
    votes = np.bincount(cells.ravel(), shares.ravel(), minlength=k * len(voters)).reshape(-1, k)
    return np.asarray(votes.argmax(axis=1), dtype=np.int64)
