"""Robust single linkage: the tree of mutual reachability, cut into K clusters of at least a given share of the items.

An edge is a true split when both sides held at least that many items as it was merged; the K - 1 longest true splits
are cut. Items split off one by one, as outliers are, stay with what they were joined to. Where the tree has fewer true
splits the share is lowered until it has enough. Cost: O(n^2 d) for the tree.

Not among the defaults: close to Genie in what it sees, and weaker where clusters touch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.ensemble.base import Clustering, Member
from partita.ensemble.tree import reachability_tree

__all__ = ["SingleLinkage"]

# The share is lowered by this factor until K clusters come out.
LOWER = 0.8


@dataclass(frozen=True)
class SingleLinkage(Member):
    """Single linkage on mutual reachability with a least size of a cluster; hard, K clusters.

    Parameters
    ----------
    share : float
        Least size of a cluster, as a share of the items.
    smoothing : int
        m of the mutual reachability.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1], [99.0]])
    >>> SingleLinkage(share=0.4, smoothing=1).cluster(X, 2, np.random.default_rng(0)).membership.tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """

    name = "linkage"
    idea = "single linkage on mutual reachability, cut into clusters of a least size"

    share: float = 0.03
    smoothing: int = 5

    def varied(self, draw: int) -> SingleLinkage:
        return self._cycled(draw, share=(0.05, 0.02, 0.03), smoothing=(5, 8, 3))

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        from partita.kernels.trees import large_splits, pieces

        first, second, _ = reachability_tree(X, self.smoothing)
        least = max(int(np.ceil(self.share * len(X))), 1)
        true = large_splits(first, second, least)
        while true.sum() < n_clusters - 1 and least > 1:
            least = max(int(LOWER * least), 1)
            true = large_splits(first, second, least)
        kept = np.ones(len(first), dtype=bool)
        kept[np.flatnonzero(true)[::-1][: n_clusters - 1]] = False
        return Clustering(np.asarray(pieces(first, second, kept)))
