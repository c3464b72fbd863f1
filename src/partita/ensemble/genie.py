"""Genie: a single-linkage tree that does not let small clusters stay behind [gagolewski2016].

Written from the publication. Edges of the minimum spanning tree are merged shortest first while the Gini index of the
cluster sizes is at most `gini`; above it, the shortest edge that touches one of the smallest clusters. So outliers are
taken in early and cannot use up the K clusters. Draws alternate between plain distances, as published, and mutual
reachability, which closes thin bridges. Cost: O(n^2 d) for the tree, nothing n x n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.ensemble.base import Clustering, Member
from partita.ensemble.tree import reachability_tree

__all__ = ["Genie"]


@dataclass(frozen=True)
class Genie(Member):
    """Single linkage corrected by the Gini index; hard, K clusters.

    Parameters
    ----------
    gini : float
        Threshold in [0, 1]; 1 is single linkage.
    smoothing : int
        m of the mutual reachability: the distance to an item's m-th closest other; 1 gives plain distances.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [99.0]])
    >>> Genie(gini=0.2).cluster(X, 2, np.random.default_rng(0)).membership.tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """

    name = "genie"
    idea = "single linkage corrected by the Gini index of sizes (Genie)"

    gini: float = 0.3
    smoothing: int = 1

    def varied(self, draw: int) -> Genie:
        return self._cycled(draw, gini=(0.3, 0.3, 0.5, 0.2), smoothing=(5, 1, 5, 3))

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        from partita.kernels.trees import gini_merges, pieces

        first, second, _ = reachability_tree(X, self.smoothing)
        return Clustering(np.asarray(pieces(first, second, gini_merges(first, second, n_clusters, self.gini))))
