"""Draws that lack items: P_ij is the share, among the draws that have both items, in which they are together.

With o_bi = 1 where draw b has item i, P_ij = sum_b v_b o_bi o_bj [z_bi = z_bj] / C_ij, C = O^T diag(v) O. The
numerators are low-rank like those of complete draws, but every pair has a denominator of its own, so that products
with P need P: an N x N array, checked against the memory there is. Pairs that no draw has are unobserved.
"""

from __future__ import annotations

import numpy as np

from partita.affinity.base import Array, Unobserved
from partita.affinity.dense import DenseAffinity
from partita.affinity.label_blocks import LabelBlocks
from partita.affinity.label_products import label_rows
from partita.errors import InputError
from partita.kernels.threads import row_bounds
from partita.memory import require_pairs

__all__ = ["incomplete_affinity"]

ROWS = 256
# A share of the draws below this is a rounding error of sums of shares.
ROUNDING = 1e-12


def incomplete_affinity(labels: LabelBlocks, shares: Array) -> DenseAffinity:
    """P of draws whose missing labels are -1; M N^2 operations.

    Raises
    ------
    InputError
        For an item that no draw has.
    MemoryLimitError
        Where two N x N arrays would not fit.

    Examples
    --------
    >>> labels = LabelBlocks(np.array([[0, 0, 1], [0, -1, 0]]), missing=True)
    >>> incomplete_affinity(labels, np.array([0.5, 0.5])).to_dense().tolist()
    [[1.0, 1.0, 0.5], [1.0, 1.0, 0.0], [0.5, 0.0, 1.0]]
    """
    N = labels.n_items
    require_pairs(N, "draws that lack items", "leave out items that some draws lack, or the draws", copies=2)
    present = np.empty((labels.n_draws, N))
    for b, block in labels:
        present[b : b + len(block)] = block >= 0
    own = shares @ present
    if not own.all():
        raise InputError(f"item {int(own.argmin())} is in no draw that counts: leave it out")
    P = np.empty((N, N))
    pairs = []
    for low, high in row_bounds(N, ROWS):
        rows = np.arange(low, high)
        both = (present[:, rows] * shares[:, None]).T @ present
        # Equal labels are together, but two missing ones are equal too.
        together = label_rows(labels, shares, rows) - (1.0 - own[rows, None] - own + both)
        unseen = both < ROUNDING
        P[rows] = np.clip(np.divide(together, both, out=np.zeros_like(P[rows]), where=~unseen), 0.0, 1.0)
        first, second = np.nonzero(unseen)
        pairs.append((first + low, second))
    P = (P + P.T) / 2
    unobserved = Unobserved(*(np.concatenate(side) for side in zip(*pairs)))
    return DenseAffinity(P, unobserved if len(unobserved) else None)
