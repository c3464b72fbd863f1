"""The largest jump of the worst cluster's conductance.

The conductance of a cluster is the share of its affinity that goes to other clusters; phi(K) is the largest one of the
partition at K. Clusters that are there leak little, all K of them; the first cut through one of them leaks at once. The
answer is the K >= 2 with the largest (phi(K + 1) + e) / (phi(K) + e): no threshold says how much a cluster may leak,
so that the same settings serve affinities that are nearly zero between clusters and those that are not.

phi is the K-way expansion whose relation to the eigenvalues of the Laplacian higher-order Cheeger inequalities give
[lee2014]: `eigengap_ratio` asks the same of the eigenvalues, which leak between clusters themselves.

Own pairs of items are left out, of the partitions too: an item that is nearest to itself seems to leak little wherever
it is put.

Cost: `most` leading eigenvectors, partitions from 2 to `most`, and a product with each; features of more than 20,000
items are sampled.

Weak where one cluster is joined to another as closely as its own halves are, and it cannot answer 1.

[lee2014] J. R. Lee, S. Oveis Gharan, L. Trevisan, Multiway spectral partitioning and higher-order Cheeger inequalities.
Journal of the ACM 61, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["ConductanceJump", "conductances"]

# Ratios that differ by no more are the same.
SAME = 1e-9


@dataclass(frozen=True)
class ConductanceJump(Criterion):
    """Largest ratio of the worst conductances at K + 1 and at K, each plus `floor`.

    Parameters
    ----------
    floor : float > 0
        What is smaller is as good as no leak.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((5, 5))) + 0.01
    >>> ConductanceJump().judge(KEvidence(affinity=P, max_clusters=5)).n_clusters
    3
    """

    name = "conductance_jump"
    idea = "largest jump of the worst cluster's conductance"
    can_name_one = False

    floor: float = 0.005

    def __post_init__(self) -> None:
        if not self.floor > 0.0:
            raise InputError(f"floor={self.floor}: expected a number above 0")

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.spectral.without_own_pairs()
        sizes = np.arange(2, evidence.most)
        if not len(sizes):
            return self._silent(sizes, f"at most {evidence.most} clusters are looked at, too few to see a jump")
        leaks = [conductances(evidence, int(K)) for K in (*sizes, evidence.most)]
        worst = np.array([leak.max() for leak, _ in leaks])
        scores = (worst[1:] + self.floor) / (worst[:-1] + self.floor)
        best = int(np.flatnonzero(scores >= scores.max() - SAME * scores.max())[0])
        leak, by_chance = leaks[best]
        if scores[best] <= 1.0 + SAME or (leak >= (1.0 - SAME) * by_chance).any():
            return self._silent(sizes, "no partition leaks less than chance has it, or than the next one")
        return Judgement(self.name, int(sizes[best]), sizes, scores, note="cannot answer 1")


def conductances(evidence: KEvidence, n_clusters: int) -> tuple[Array, Array]:
    """Return the share of each cluster's affinity that leaves it, and what would leave it if pairs went by row sums
    alone.

    Of the partition at K; own pairs of items are left out.

    >>> leaks, by_chance = conductances(KEvidence(affinity=np.kron(np.eye(2), np.ones((3, 3))) + 1.0), 2)
    >>> leaks.round(3).tolist(), by_chance.tolist()
    ([0.429, 0.429], [0.5, 0.5])
    """
    labels = evidence.partition(n_clusters)
    members = np.eye(int(labels.max()) + 1)[labels]
    if evidence.weights is not None:
        members = members * evidence.weights[:, None]
    joined: Array = np.asarray(evidence.graph @ members)
    own = (members**2 * np.asarray(evidence.graph.diagonal())[:, None]).sum(axis=0)
    within = np.einsum("nk,nk->k", members, joined) - own
    volume = members.T @ joined.sum(axis=1) - own
    stays = np.divide(within, volume, out=np.zeros_like(within), where=volume > 0)
    return np.clip(1.0 - stays, 0.0, 1.0), 1.0 - volume / max(volume.sum(), np.finfo(float).tiny)
