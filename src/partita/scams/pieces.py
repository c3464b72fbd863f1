"""Connected components (pieces) of an affinity: sets of items that share no affinity, directly or through others.

No two components have anything in common that an objective could cut, so only the price of a cluster joins them in one:
it costs 2 gamma n_a n_b, and saves lambda. `partita.scams.local` asks here whether that happened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from partita.arrays import Labels

__all__ = ["joined_by_price", "least_joined", "pieces_of_affinity", "split_by_piece"]


# An affinity is none where N like it come to at most this share of all that either of its two items has.
NEGLIGIBLE = 1e-6
# Rows of a dense affinity that are looked at together.
ROWS = 256


def pieces_of_affinity(A: Any) -> Labels:
    """Return the connected component (piece) of each item, from 0 on.

    -1 for items without any affinity, which belong to none.

    Parameters
    ----------
    A : N x N array or CSR array
        Symmetric, nonnegative, diagonal of zeros.

    Notes
    -----
    Cost: a few passes over the stored entries.

    Examples
    --------
    >>> A = np.array([[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 2, 0], [0, 0, 2, 0, 0], [0, 0, 0, 0, 0]], dtype=float)
    >>> pieces_of_affinity(A).tolist(), pieces_of_affinity(sp.csr_array(A)).tolist()
    ([0, 0, 1, 1, -1], [0, 0, 1, 1, -1])
    """
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64).ravel()
    least = NEGLIGIBLE * degrees / A.shape[0]
    piece = _of_sparse(sp.csr_array(A), least) if sp.issparse(A) else _of_dense(A, least)
    piece[degrees <= 0.0] = -1
    found = piece >= 0
    piece[found] = np.unique(piece[found], return_inverse=True)[1]
    return piece


def _of_sparse(A: sp.csr_array, least: NDArray[np.float64]) -> Labels:
    entries = sp.coo_array(A)
    i, j = entries.coords
    linked = entries.data > np.minimum(least[i], least[j])
    graph = sp.csr_array((np.ones(int(linked.sum())), (i[linked], j[linked])), shape=A.shape)
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _of_dense(A: NDArray[np.float64], least: NDArray[np.float64]) -> Labels:
    """Connected components by search from each item, without an array of all links: each row is read once."""
    piece = np.full(len(A), -1, dtype=np.int64)
    for first in range(len(A)):
        if piece[first] >= 0:
            continue
        piece[first] = first
        waiting = np.array([first])
        while len(waiting):
            rows, waiting = waiting[:ROWS], waiting[ROWS:]
            linked = (A[rows] > np.minimum(least[rows, None], least)).any(axis=0)
            new = np.flatnonzero(linked & (piece < 0))
            piece[new] = first
            waiting = np.concatenate([waiting, new])
    return piece


def joined_by_price(labels: Labels, lam: float, piece: Labels) -> list[str]:
    """Return the note on clusters that hold items without any affinity in between; empty where there are none.

    >>> joined_by_price(np.array([0, 0, 0, 0]), 1.0, np.array([0, 0, 1, 1]))[0][:45]
    '1 cluster joins items that share no affinity,'
    >>> joined_by_price(np.array([0, 0, 1, 1]), 1.0, np.array([0, 0, 1, -1]))
    []
    """
    parts, _ = _parts(labels, piece)
    count = int((np.bincount(parts[:, 0]) > 1).sum()) if len(parts) else 0
    if not count:
        return []
    which = "1 cluster joins items that share" if count == 1 else f"{count} clusters join items that share"
    return [
        f"{which} no affinity, directly or through others: only the price of a cluster, {lam:.3g}, can pay for that; "
        "with a lower one they stay apart"
    ]


def least_joined(labels: Labels, piece: Labels) -> int:
    """Return n_a n_b of the two smallest parts, of different pieces, that are together in a cluster; 0 where none are.

    >>> least_joined(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 1, 2, 2, -1]))
    2
    """
    parts, sizes = _parts(labels, piece)
    order = np.lexsort((sizes, parts[:, 0]))
    cluster, sizes = parts[order, 0], sizes[order]
    first = np.flatnonzero(np.r_[True, cluster[1:] != cluster[:-1]])
    several = first[np.diff(np.r_[first, len(cluster)]) > 1]
    return int((sizes[several] * sizes[several + 1]).min()) if len(several) else 0


def split_by_piece(labels: Labels, piece: Labels) -> Labels:
    """Return the partition whose clusters are the parts of clusters in one piece; items without a piece stay together.

    >>> split_by_piece(np.array([0, 0, 0, 1]), np.array([0, 1, 1, 2])).tolist()
    [0, 1, 1, 2]
    """
    both = np.stack([labels, np.maximum(piece, 0)], axis=1)
    return np.asarray(np.unique(both, axis=0, return_inverse=True)[1].ravel(), dtype=np.int64)


def _parts(labels: Labels, piece: Labels) -> tuple[Labels, Labels]:
    """Cluster and piece of each part, and its size."""
    known = piece >= 0
    parts, sizes = np.unique(np.stack([labels[known], piece[known]], axis=1), axis=0, return_counts=True)
    return parts.astype(np.int64), sizes.astype(np.int64)
