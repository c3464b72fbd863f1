"""Spectral clustering of a neighbour graph: k-means on the leading eigenvectors, each item's scaled to unit length.

The normalised affinity is regularised [qin2013]: each item is also joined, a little, to every other one. Without that
the leading eigenvectors of a sparse graph are those of a few loosely tied items and not of its communities.

Not among the defaults for features, where it sees what the factorization of the diffused graph sees.

[qin2013] T. Qin, K. Rohe, Regularized spectral clustering under the degree-corrected stochastic blockmodel, NIPS 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, LinearOperator
from sklearn.cluster import KMeans

from partita.affinity.shared_search import made_once
from partita.arrays import Array
from partita.ensemble.base import Clustering, Member, neighbor_graph
from partita.kernels.eigen import lanczos
from partita.memory import require_pairs

__all__ = ["Spectral"]

# Eigenvectors that are found at once, times a power of two: other numbers of clusters have use for them.
AT_ONCE = 16
# Items up to which all eigenvectors of a matrix cost less than some of an operator.
DENSE = 400
# Starts of k-means; and the least length of a row of the embedding.
STARTS, SMALL = 3, 1e-12


@dataclass(frozen=True)
class Spectral(Member):
    """k-means on a regularised spectral embedding; hard.

    Parameters
    ----------
    n_neighbors : int
        Of the graph, where features are given.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> labels = Spectral().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "spectral"
    idea = "k-means on eigenvectors of a neighbour graph"
    of_graphs = True

    n_neighbors: int = 10

    def varied(self, draw: int) -> Spectral:
        return self._cycled(draw, n_neighbors=(8, 12, 15, 7))

    def cluster(self, X: Array | sp.csr_array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        embedding = _eigenvectors(neighbor_graph(X, self.n_neighbors, n_clusters).matrix, n_clusters)[:, :n_clusters]
        length = np.linalg.norm(embedding, axis=1, keepdims=True)
        seed = int(rng.integers(2**31 - 1))
        found = KMeans(n_clusters, n_init=STARTS, random_state=seed).fit(embedding / np.maximum(length, SMALL))
        return Clustering(np.unique(found.labels_, return_inverse=True)[1].astype(np.int64))


def _eigenvectors(A: sp.csr_array, n_clusters: int) -> Array:
    """Leading eigenvectors, at least `n_clusters`, of (D + tau)^-1/2 (A + tau / n) (D + tau)^-1/2, tau mean degree."""
    n_vectors = AT_ONCE
    while n_vectors < n_clusters:
        n_vectors *= 2
    return made_once(lambda: _solved(A, n_vectors), "regularised eigenvectors", A, n_vectors)[0]


def _solved(A: sp.csr_array, n_vectors: int) -> tuple[Array]:
    n = A.shape[0]
    degree = np.asarray(A.sum(axis=1)).ravel()
    tau = max(float(degree.mean()), SMALL)
    root = 1.0 / np.sqrt(degree + tau)
    scaled = sp.diags_array(root) @ A @ sp.diags_array(root)
    if n > max(DENSE, 2 * n_vectors):
        operator = LinearOperator((n, n), matvec=lambda v: scaled @ v + tau / n * root * (root @ v), dtype=np.float64)
        try:
            return (np.ascontiguousarray(lanczos(operator, n_vectors)[1]),)
        except ArpackError:  # many eigenvalues are equal, as of a graph of equal pieces
            require_pairs(n, "a dense eigenproblem", "pass affinity='precomputed'", copies=2)
    vectors = np.linalg.eigh(scaled.toarray() + tau / n * np.outer(root, root))[1]
    return (np.ascontiguousarray(vectors[:, ::-1][:, :n_vectors]),)
