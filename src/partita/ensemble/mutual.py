"""Modularity of the mutual neighbour graph: two items are linked where each is among the nearest of the other.

An item at the edge of a sparse cluster has neighbours in a dense one that do not have it among theirs; a noise item
beside a ring, likewise. The union of both choices, which the other graph methods see, keeps these links, and the mutual
graph drops them [brito1997]: at a given number of neighbours it is the better one for finding the clusters that stand
out most from the rest, and the worse one for holding sparse clusters together [maier2009]. So it is a voice beside
`Modularity` and not in its place. Clusters maximise, at the resolution gamma that gives K of them [blondel2008],

    sum_c (e_c - gamma a_c^2),

e_c the share of the weight of links that is within cluster c, and a_c the share of the ends of links that are in it.
What is left in more than K pieces is linked by weak links first, as any neighbour graph is.

Where the number of clusters is sought it has no draws: the odds of a number were learned on those of the other methods
(`partita.ensemble.validity`), and with it the answer is no better.

Cost: the neighbour search that the other methods have made, and up to 18 runs of Louvain's method at nnz each pass.

[brito1997] M. Brito, E. Chavez, A. Quiroz, J. Yukich, Connectivity of the mutual k-nearest-neighbor graph in clustering
and outlier detection, Statistics & Probability Letters 35 (1997).
[maier2009] M. Maier, M. Hein, U. von Luxburg, Optimal construction of k-nearest-neighbor graphs for identifying noisy
clusters, Theoretical Computer Science 410 (2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.ensemble.base import Clustering, Member, neighbor_graph
from partita.ensemble.modularity import at_resolution_of

__all__ = ["Mutual"]


@dataclass(frozen=True)
class Mutual(Member):
    """Louvain on the mutual neighbour graph at the resolution that gives K clusters; hard.

    Parameters
    ----------
    n_neighbors : int
        Others that an item chooses; fewer choose it back.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> labels = Mutual().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "mutual"
    idea = "modularity of the mutual neighbour graph, resolution bisected to K"
    seeks_number = False

    n_neighbors: int = 10

    def varied(self, draw: int) -> Mutual:
        return self._cycled(draw, n_neighbors=(8, 12, 15, 7))

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        graph = neighbor_graph(X, self.n_neighbors, n_clusters, connection="mutual")
        return Clustering(at_resolution_of(graph.matrix, n_clusters))
