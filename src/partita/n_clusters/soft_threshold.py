"""Soft thresholding of the Laplacian's eigenvalues [liu2013, section 4.2].

    K = N - int(sum_i f_tau(s_i)),   f_tau(s) = 1 if s >= tau else log2(1 + s^2 / tau^2)

over all N eigenvalues s_i of the normalised Laplacian. Each of those at least tau takes one from N, so only the ones
below tau are needed: leading eigenvectors of the affinity until one passes. An eigenvalue near zero counts as a
cluster, one near tau hardly; tau = .08 is the paper's for motion segmentation ("ST" of [li2014]).

Cost: as many leading eigenvectors as there are eigenvalues below tau. Weak on neighbour graphs: their Laplacians have
many small eigenvalues, and tau is in absolute terms.

[liu2013] Liu, Lin, Yan, Sun, Yu, Ma: Robust recovery of subspace structures by low-rank representation. IEEE TPAMI 35,
2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.solvers.spectral import leading_eigenvectors

__all__ = ["SoftThreshold", "soft_count"]

# Items up to which all eigenvalues are computed at once, and the most that are looked at otherwise.
DENSE = 2_000
MOST = 200
# Eigenvalues of exact zero come out as large as this.
ROUNDING = 1e-9


def soft_count(values: np.ndarray, tau: float) -> int:
    """Return N - int(sum f_tau), for eigenvalues of which any that are left out are at least tau.

    >>> soft_count(np.array([0.0, 0.0, 0.5]), 0.08)
    2
    """
    below = values[values < tau]
    return int(np.ceil(float((1.0 - np.log2(1.0 + (below / tau) ** 2)).sum()) - ROUNDING))


@dataclass(frozen=True)
class SoftThreshold(Criterion):
    """Count of small eigenvalues, softly.

    Parameters
    ----------
    tau : float in (0, 1)

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((5, 5)))
    >>> SoftThreshold().judge(KEvidence(affinity=P)).n_clusters
    3
    """

    name = "soft_threshold"
    idea = "small eigenvalues of the Laplacian, counted softly"

    tau: float = 0.08

    def __post_init__(self) -> None:
        if not 0.0 < self.tau < 1.0:
            raise InputError(
                f"tau={self.tau}: expected a number between 0 and 1, where the Laplacian's eigenvalues lie"
            )

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.spectral
        n, values = evidence.n_items, evidence.laplacian_values
        if values[-1] < self.tau and len(values) < n:
            if n <= DENSE:
                values = np.maximum(1.0 - scipy.linalg.eigvalsh(evidence.normalised.to_dense())[::-1], 0.0)
            wanted = 2 * len(values)
            while values[-1] < self.tau and len(values) < min(n, MOST):
                values = np.maximum(1.0 - leading_eigenvectors(evidence.normalised, min(wanted, n, MOST))[0], 0.0)
                wanted *= 2
        K = max(1, soft_count(values, self.tau))
        note = ""
        if values[-1] < self.tau and len(values) < n:
            note = f"at least: {len(values)} eigenvalues lie below tau={self.tau:g}, and no more were computed"
        sizes = np.arange(1, len(values) + 1)
        return Judgement(self.name, K, sizes, values, "crossing", note=note)
