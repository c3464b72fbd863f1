"""SCAMS: the partition of least objective has its own number of clusters [li2014] (`partita.scams`).

gamma is a share of the size of the clusters found (`partita.scams.local`). A graph of few pairs is diffused first, S^16
of the normalised graph: within a cluster of a neighbour graph most pairs are empty, and any of its parts would do as a
cluster. Cost: N x N numbers and log2(steps) products of such matrices, of at most `max_items` items.

[li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: simultaneous clustering and model selection, CVPR 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import SPARSE, KEvidence
from partita.scams import LocalSearch, relative, scams_local

__all__ = ["SCAMSCount"]

# Of the graphs of the 29 development sets these had the most numbers right: 13, and 19 within one.
STEPS, SHARE_OF_GRAPHS = 16, 0.08


@dataclass(frozen=True)
class SCAMSCount(Criterion):
    """Clusters of SCAMS' partition.

    Parameters
    ----------
    share : float, optional
        As `LocalSearch` takes it; .08 for a graph that is diffused, and its default otherwise.
    steps : int, optional
        Steps of diffusion, a power of two: 16 for a sparse graph, 1 otherwise.
    max_items : int
        Items beyond which the evidence is reduced.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((9, 9)))
    >>> SCAMSCount().judge(KEvidence(affinity=P)).n_clusters
    3
    """

    name = "scams"
    idea = "the partition of least affinity cut and pairs joined has its own number"

    share: float | None = None
    steps: int | None = None
    max_items: int = 2_000

    def __post_init__(self) -> None:
        if self.steps is not None and (self.steps < 1 or self.steps & (self.steps - 1)):
            raise InputError(f"steps={self.steps}: expected a power of two")

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.reduced(self.max_items)
        graph = evidence.graph
        is_graph = graph.density() < SPARSE or (evidence.affinity is None and evidence.features is not None)
        steps = self.steps or (STEPS if is_graph else 1)
        share = self.share or (SHARE_OF_GRAPHS if steps > 1 else LocalSearch().share)
        matrix = graph.as_sparse()
        A: Any = graph.to_dense() if matrix is None else matrix
        if steps > 1:
            A = relative(A, "sym")
            while steps > 1:
                A, steps = A @ A, steps // 2
            A = 0.5 * (A + A.T)  # products round the two triangles apart
        if sp.issparse(A) and sp.csr_array(A).nnz > SPARSE * A.shape[0] ** 2:
            A = A.toarray()
        if not A.sum() > 0.0:
            return self._silent([1], "no two items have an affinity")
        found = scams_local(A, LocalSearch(share=share), seed=evidence.seed)
        sizes = np.array(sorted({point.n_clusters for point in found.steps} | {found.n_clusters}))
        scores = np.full(len(sizes), np.nan)
        for point in found.steps:
            scores[np.searchsorted(sizes, point.n_clusters)] = point.share
        note = f"an item's affinity to another cluster is less than {share:g} of the whole"
        return Judgement(self.name, found.n_clusters, sizes, scores, "crossing", note=note)
