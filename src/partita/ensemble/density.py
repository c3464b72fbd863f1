"""Density clusters of largest excess of mass, HDBSCAN's choice [campello2013]: as many as the data have.

Written from the publication, because one tree serves every least size: of a few least sizes the one whose number of
clusters is closest to K is taken (the largest among ties), which costs nothing beside the tree. Items called noise go
to the cluster of their nearest labelled item: what is noise is for the other members to say. Cost: O(n^2 d).

The number of clusters is the method's own: where it sees two clusters in one, the evidence holds both readings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.ensemble.base import Clustering, Member
from partita.ensemble.tree import reachability_tree
from partita.ensemble.vote import neighbor_vote, voters_of

__all__ = ["Density", "n_dense"]

# Least sizes tried, as shares of the items, beside the smallest that means anything.
SHARES = (0.08, 0.05, 0.03, 0.02, 0.01, 0.005)
SMALLEST = 5
# Of the number of dense clusters: their least size, and the share of the items that they hold at least.
OF_COUNT, HELD = 8, 0.5


@dataclass(frozen=True)
class Density(Member):
    """HDBSCAN with noise filled in; hard, its own number of clusters, near K.

    Parameters
    ----------
    smoothing : int
        m of the mutual reachability.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> labels = Density().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "density"
    idea = "density clusters of largest excess of mass (HDBSCAN), noise filled in"
    finds_number = True

    smoothing: int = 4

    def varied(self, draw: int) -> Density:
        return self._cycled(draw, smoothing=(3, 7, 4, 9))

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        from partita.kernels.density_tree import excess_of_mass

        tree = reachability_tree(X, self.smoothing)
        sizes = {max(round(share * len(X)), 3) for share in SHARES} | {SMALLEST}
        labels, off = np.full(len(X), -1, dtype=np.int64), np.inf
        for least in sorted(sizes, reverse=True):
            candidate = excess_of_mass(*tree, least)
            distance = abs(int(candidate.max()) + 1 - n_clusters)
            if distance < off:
                labels, off = candidate, distance
        noise = labels < 0
        if noise.all():
            return Clustering(np.zeros(len(X), dtype=np.int64))
        if noise.any():
            labels[noise] = neighbor_vote(labels[~noise], voters_of(X[noise], X[~noise], 1))
        return Clustering(labels)


def n_dense(X: Array) -> int:
    """Return how many dense clusters of eight items or more hold at least half of the items; 1 where these hold fewer.

    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> n_dense(X), n_dense(np.random.default_rng(0).normal(size=(60, 20)))
    (2, 1)
    """
    from partita.kernels.density_tree import excess_of_mass

    labels = excess_of_mass(*reachability_tree(X, Density.smoothing), OF_COUNT)
    return int(labels.max()) + 1 if (labels >= 0).mean() >= HELD else 1
