"""Walktrap: items are near where short random walks from them end at the same items; Ward's tree over them, cut at K.

The distance of i and j is sum_k (P^t_ik - P^t_jk)^2 / d_k for t steps [pons2005], P the walk and d the degrees. Rows of
P^t D^-1/2 are kept through a random projection to 128 numbers, which changes such distances by a tenth, so that nothing
N x N is made of the walk; the tree needs N^2 / 2 distances. Cost: t nnz 128 and N^2 128.

Not among the defaults for features: there for graphs of nodes, where walks tell what degrees and cuts do not.

[pons2005] P. Pons, M. Latapy, Computing communities in large networks using random walks, ISCIS 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from partita.affinity.shared_search import made_once
from partita.arrays import Array
from partita.ensemble.base import Clustering, Member, walked_graph
from partita.memory import require_memory

__all__ = ["Walks"]

# Numbers that a row of the walk is projected to.
PROJECTED = 128
# The projection has a random stream of its own: the tree is the same at every number of clusters.
SEED = 0


@dataclass(frozen=True)
class Walks(Member):
    """Ward's tree over short random walks, cut into K clusters; hard.

    Parameters
    ----------
    n_neighbors : int
        Of the graph, where features are given.
    steps : int
        Length of the walks.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> labels = Walks().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "walks"
    idea = "Ward's tree over short random walks on a neighbour graph"
    of_graphs = True

    n_neighbors: int = 10
    steps: int = 4

    def varied(self, draw: int) -> Walks:
        return self._cycled(draw, n_neighbors=(8, 12, 15, 7), steps=(3, 5, 4, 6))

    def cluster(self, X: Array | sp.csr_array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        A = walked_graph(X, self.n_neighbors, n_clusters).matrix
        if A.shape[0] == 1:
            return Clustering(np.zeros(1, dtype=np.int64))
        (tree,) = made_once(partial(_tree, A, self.steps), "tree of walks", A, self.steps)
        labels = fcluster(tree, n_clusters, "maxclust")
        return Clustering(np.unique(labels, return_inverse=True)[1].astype(np.int64))


def _tree(A: sp.csr_array, steps: int) -> tuple[Array]:
    n = A.shape[0]
    require_memory(4 * n * n, f"the distances of {n:,} items", remedy="use fewer items")
    degree = np.asarray(A.sum(axis=1)).ravel()
    degree[degree == 0] = 1.0  # an item without links stays where it is
    walk = sp.diags_array(1.0 / degree) @ A
    root = 1.0 / np.sqrt(degree)
    if n <= PROJECTED:
        ends = np.diag(root)
    else:
        ends = np.random.default_rng(SEED).normal(size=(n, PROJECTED)) * (root / np.sqrt(PROJECTED))[:, None]
    for _ in range(steps):
        ends = walk @ ends
    return (linkage(pdist(ends), "ward"),)  # of a square array linkage warns that it may be of distances
