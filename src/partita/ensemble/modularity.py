"""Modularity of a neighbour graph: clusters hold more of the graph's weight than their degrees would by chance.

Louvain's method [blondel2008] with the resolution bisected until K clusters come out; where no resolution gives just K,
the least larger number is merged down, each time by the pair that costs modularity least. The penalty on degrees pulls
towards clusters of like volume, softly: unlike a spectral cut it does not shave off outliers, which is what images and
other real tables want.

Cost: a neighbour search, and up to 18 runs of Louvain at nnz each pass; other numbers of clusters of the same graph
share them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partita.affinity.shared_search import made_once
from partita.arrays import Array, Labels
from partita.ensemble.base import Clustering, Member, neighbor_graph
from partita.scope import key_of

__all__ = ["Modularity"]

# Resolutions searched, and halvings of their logarithm.
LOW, HIGH = 1e-3, 1e3
HALVINGS = 18


@dataclass(frozen=True)
class Modularity(Member):
    """Louvain at the resolution that gives K clusters; hard.

    Parameters
    ----------
    n_neighbors : int

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> labels = Modularity().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "modularity"
    idea = "modularity of a neighbour graph, resolution bisected to K"
    of_graphs = True

    n_neighbors: int = 10

    def varied(self, draw: int) -> Modularity:
        return self._cycled(draw, n_neighbors=(8, 12, 15, 7))

    def cluster(self, X: Array | sp.csr_array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        return Clustering(at_resolution_of(neighbor_graph(X, self.n_neighbors, n_clusters).matrix, n_clusters))


def at_resolution_of(matrix: sp.csr_array, n_clusters: int) -> Labels:
    """Return labels of the clusters of a graph at the resolution that gives `n_clusters`; loops are left out.

    Fewer come out only where even the largest resolution gives fewer.
    """
    from partita.kernels.louvain import louvain, merge_down

    graph = sp.csr_array(matrix - sp.diags_array(matrix.diagonal()))
    graph.eliminate_zeros()
    arrays = graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data
    key = key_of(graph)

    def at(resolution: float) -> Labels:  # all numbers of clusters begin with the same halvings
        made = made_once(lambda: (louvain(*arrays, resolution),), "clusters by modularity", str(key), resolution)
        return made[0]

    low, high = np.log(LOW), np.log(HIGH)
    found: tuple[Labels, int, float] | None = None
    labels = np.zeros(graph.shape[0], dtype=np.int64)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        labels = at(float(np.exp(middle)))
        k = int(labels.max()) + 1
        if k >= n_clusters and (found is None or k <= found[1]):
            found = labels, k, float(np.exp(middle))
        if k == n_clusters:
            break
        low, high = (low, middle) if k > n_clusters else (middle, high)
    if found is None:
        return labels
    labels, k, resolution = found
    if k > n_clusters:
        Q = sp.csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        between = (Q.T @ graph @ Q).toarray()
        labels = merge_down(between, between.sum(axis=1), n_clusters, resolution)[labels]
    return labels
