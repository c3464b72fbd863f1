"""Iterations of spherical k-means [dhillon2001].

    max over unit centres c_k of  sum_i d_i cos(x_i, c_l(i)),  d_i the weight of item i

which is k-means on the rows scaled to unit length with centres scaled to unit length too: c_k is the normalised mean of
its rows. Neither step lowers the objective. A cluster that runs empty takes the row of least cosine from a cluster that
has others, which does not lower it either: ||s - x|| + 1 >= ||s||, s the sum of the rows left behind and x.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from partita.arrays import Array, Labels

__all__ = ["ascend", "directions"]


def directions(unit: Array, labels: Labels, centres: Array, weights: Array | None = None) -> tuple[Array, float]:
    """Return the unit centres of a partition and its objective.

    Rows that cancel exactly leave the centre where it was.
    """
    n, K = len(unit), len(centres)
    d = np.ones(n) if weights is None else weights
    sums = sp.csr_array((d, labels, np.arange(n + 1)), shape=(n, K)).T @ unit
    lengths = np.linalg.norm(sums, axis=1)
    known = lengths > 0
    centres = np.where(known[:, None], sums / np.where(known, lengths, 1.0)[:, None], centres)
    return centres, float(lengths.sum())


def ascend(
    unit: Array, centres: Array, max_iter: int, weights: Array | None = None
) -> tuple[Labels, list[float], bool]:
    """Iterate from unit centres and return labels, the objective after each iteration, and whether labels stayed.

    >>> ascend(np.eye(2), np.eye(2), 10)[1]
    [2.0, 2.0]
    """
    n, K = len(unit), len(centres)
    labels, trace = np.full(n, -1, dtype=np.int64), []
    for _ in range(max_iter):
        before = labels
        cosine = unit @ centres.T
        labels = cosine.argmax(axis=1).astype(np.int64)
        _fill(labels, cosine[np.arange(n), labels], K)
        centres, value = directions(unit, labels, centres, weights)
        trace.append(value)
        if (labels == before).all():
            return labels, trace, True
    return labels, trace, False


def _fill(labels: Labels, own: Array, n_clusters: int) -> None:
    """Give each empty cluster the row of least cosine from a cluster that has others, in place."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for k in np.flatnonzero(sizes == 0):
        spare = np.flatnonzero(sizes[labels] > 1)
        row = spare[own[spare].argmin()]
        sizes[labels[row]] -= 1
        labels[row], own[row] = k, 1.0
        sizes[k] = 1
