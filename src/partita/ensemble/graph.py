"""The factorization of a diffused neighbour graph: clusters are what a random walk does not leave.

The model of `SoftClustering()` with a scale per cluster, on each item's k nearest neighbours: an item's memberships are
soft. Strong on curved and touching shapes of like density; it is there for what no tree and no ellipsoid sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partita.affinity import DiffusedAffinity, SparseAffinity
from partita.affinity.normalise import normalise
from partita.affinity.shared_search import made_once
from partita.arrays import Array
from partita.ensemble.base import Clustering, Member, walked_graph
from partita.objectives import PerClusterObjective, Problem
from partita.objectives.domain import Simplex
from partita.solvers import ProjectedGradient, Starts, drive
from partita.solvers.spectral import cluster_qr, leading_eigenvectors
from partita.solvers.start import COARSE_FROM, mixed

__all__ = ["Graph"]

# A few steps from the spectral start: the partition has settled then, while in the long run clusters of which there are
# more than the items have join pieces that lie apart, and take what they gain for detail within others.
MAX_ITER = 8
TOLERANCE = 1e-3
# Share of pairs in the graph above which there is nothing for a diffusion to fill in, as in `SoftClustering`.
SPARSE = 0.5
# Eigenvectors are found for the next multiple of so many clusters: other numbers have use for them.
AT_ONCE = 12


class _OneOfMany(PerClusterObjective):
    """The objective of a member: small factors take compiled steps too, as many are fitted after one another."""

    domain = Simplex(compiled_from=0)


@dataclass(frozen=True)
class Graph(Member):
    """Factorization of a neighbour graph; soft.

    Parameters
    ----------
    n_neighbors : int
    steps : int
        Steps of the diffusion.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> labels = Graph().cluster(X, 2, np.random.default_rng(0)).labels
    >>> len(set(labels[:30])), len(set(labels))
    (1, 2)
    """

    name = "graph"
    idea = "factorization of a diffused neighbour graph"
    of_graphs = True

    n_neighbors: int = 10
    steps: int = 4

    def varied(self, draw: int) -> Graph:
        return self._cycled(draw, n_neighbors=(8, 12, 15, 7))

    def cluster(self, X: Array | sp.csr_array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        base = walked_graph(X, self.n_neighbors, n_clusters)
        normalised = normalise(base, "symmetric").affinity
        assert isinstance(normalised, SparseAffinity)
        diffuse = self.steps > 1 and base.density() < SPARSE
        affinity = DiffusedAffinity(normalised, self.steps) if diffuse else normalised
        result = drive(
            Problem(affinity, _OneOfMany(), squared_norm=0.0),  # only the membership is read
            ProjectedGradient(),
            Starts(affinity, n_clusters, graph=normalised),
            _start(normalised, n_clusters),
            n_init=1,
            max_iter=MAX_ITER,
            tol=TOLERANCE,
            seed=int(rng.integers(2**31 - 1)),
            warn=False,
        )
        return Clustering(result.membership.matrix)


def _start(graph: SparseAffinity, n_clusters: int) -> Array:
    """The start "spectral" of `Starts`, from eigenvectors that are shared by the numbers of clusters."""
    n_vectors = -(-n_clusters // AT_ONCE) * AT_ONCE

    def leading() -> tuple[Array]:
        return (leading_eigenvectors(graph, n_vectors, coarse_from=COARSE_FROM)[1],)

    (vectors,) = made_once(leading, "leading eigenvectors", graph.matrix, n_vectors)
    embedding = np.ascontiguousarray(vectors[:, :n_clusters])
    labels = cluster_qr(embedding)
    labels[~embedding.any(axis=1)] = -1
    return mixed(labels, n_clusters)
