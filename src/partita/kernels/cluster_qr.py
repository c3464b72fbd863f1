"""Labels from leading eigenvectors, without a random start [damle2019], and k-means from there [ng2002].

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
from sklearn.cluster import KMeans

from partita.kernels.eigen import singular_vectors
from partita.kernels.rows import row_pass

__all__ = ["cluster_qr", "spectral_partition"]

# N K^2 from which pivots are looked for in a sample, and its rows in units of K (ln K + 1).
SAMPLED_FROM = 100_000_000
SAMPLED_ROWS = 50


def cluster_qr(vectors: NDArray[np.float64]) -> NDArray[np.int64]:
    """Labels from K leading eigenvectors by a pivoted QR of their transpose [damle2019]; no random start.

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
    """Labels by k-means on the rows of K leading eigenvectors, each at length one, from the clusters of `cluster_qr`.

    Rows of zeros, items that the vectors do not reach, keep the cluster that they are given there, and so does a
    cluster that is left empty there. `weights` are how often each item counts.

    >>> spectral_partition(np.eye(3)[[0, 0, 1, 2]]).tolist()[:2]
    [0, 0]
    """
    labels = cluster_qr(vectors)
    lengths = np.linalg.norm(vectors, axis=1)
    reached = lengths > 0
    rows, own = vectors[reached] / lengths[reached, None], labels[reached]
    counts = np.ones(len(rows)) if weights is None else weights[reached]
    found = np.unique(own)
    if len(found) < 2 or not counts.any():
        return labels
    members = [(rows[own == k], counts[own == k]) for k in found]
    means = [np.average(some, axis=0, weights=w if w.any() else None) for some, w in members]
    labels[reached] = found[KMeans(len(found), init=np.array(means), n_init=1).fit(rows, sample_weight=counts).labels_]
    return labels


def _sampled(vectors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rows drawn in proportion to their squared length, each once."""
    K = vectors.shape[1]
    (squares,), _ = row_pass(vectors, lambda block: ((np.einsum("nk,nk->n", block, block),), ()))
    total = np.cumsum(squares)
    draws = np.random.default_rng(0).random(int(SAMPLED_ROWS * K * (np.log(K) + 1)))
    return np.unique(np.searchsorted(total, draws * total[-1], side="right"))
