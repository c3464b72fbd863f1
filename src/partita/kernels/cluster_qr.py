"""Labels from leading eigenvectors, without a random start [damle2019], and spherical k-means from there [ng2002].

The pivoted QR of the transposed vectors picks K rows that point in the directions of K clusters. It costs N K^2
operations that do not run at the speed of a matrix product; where that is more than a tenth of a second the rows are
picked among a sample, in which a row is drawn in proportion to its squared length (Algorithm 2 of the paper): each
cluster has about one K-th of the whole then, however small it is. The sample is the same for the same vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from partita.kernels.eigen import singular_vectors
from partita.kernels.rows import row_pass
from partita.kernels.spherical_kmeans import ascend, directions

__all__ = ["cluster_qr", "spectral_partition"]

# N K^2 from which pivots are looked for in a sample, and its rows in units of K (ln K + 1).
SAMPLED_FROM = 100_000_000
SAMPLED_ROWS = 50
# Length of a row, of the longest one, up to which rounding explains it: its direction means nothing.
UNREACHED = 1e-10
# Rounds of k-means at most; a handful are usual.
MOST_ROUNDS = 100


def cluster_qr(vectors: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return labels from K leading eigenvectors by a pivoted QR of their transpose [damle2019]; no random start.

    >>> cluster_qr(np.eye(3)[[0, 0, 1, 2]]).tolist()[:2]
    [0, 0]
    """
    n, K = vectors.shape
    rows = _sampled(vectors) if n * K**2 >= SAMPLED_FROM else None
    candidates = vectors if rows is None or len(rows) < K else vectors[rows]
    _, pivots = scipy.linalg.qr(candidates.T, mode="r", pivoting=True)
    left, _, right = singular_vectors(candidates[pivots[:K]].T)
    turn = left @ right

    def labels(block: Any) -> tuple[Any, Any]:
        return (np.abs(block @ turn).argmax(axis=1).astype(np.int64),), ()

    return np.asarray(row_pass(vectors, labels)[0][0])


def spectral_partition(vectors: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
    """Return labels by spherical k-means on the rows of K leading eigenvectors, from the clusters of `cluster_qr`.

    Rows of zeros up to rounding, items that the vectors do not reach, keep the cluster that they are given there; a
    cluster that is empty there stays empty. `weights` are how often each item counts.

    >>> spectral_partition(np.eye(3)[[0, 0, 1, 2]]).tolist()[:2]
    [0, 0]
    """
    labels = cluster_qr(vectors)
    lengths = np.linalg.norm(vectors, axis=1)
    reached = np.flatnonzero(lengths > UNREACHED * lengths.max(initial=0.0))
    if not len(reached):
        return labels
    rows = vectors[reached] / lengths[reached, None]
    found, own = np.unique(labels[reached], return_inverse=True)
    counts = None if weights is None else weights[reached]
    even, _ = directions(rows, own, np.zeros((len(found), vectors.shape[1])))  # of a cluster whose items weigh nothing
    centres, _ = directions(rows, own, even, counts)
    labels[reached] = found[ascend(rows, centres, MOST_ROUNDS, counts)[0]]
    return labels


def _sampled(vectors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rows drawn in proportion to their squared length, each once."""
    K = vectors.shape[1]
    (squares,), _ = row_pass(vectors, lambda block: ((np.einsum("nk,nk->n", block, block),), ()))
    total = np.cumsum(squares)
    draws = np.random.default_rng(0).random(int(SAMPLED_ROWS * K * (np.log(K) + 1)))
    return np.unique(np.searchsorted(total, draws * total[-1], side="right"))
