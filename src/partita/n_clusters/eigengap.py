"""The largest gap between consecutive eigenvalues of the normalised Laplacian [luxburg2007].

A graph of K connected components has K eigenvalues of zero; where they are weakly joined these stay small. The answer
is the K with the largest l_{K+1} - l_K ("GH" of [li2014]). `eigengap_ratio` takes (l_{K+1} + e) / (l_K + e), which sees
a gap among small eigenvalues too; l_1 is always zero, so that it cannot answer 1.

Cost: `most` + 1 leading eigenvectors, products only; features of more than 20,000 items are sampled.

Weak where clusters overlap or differ in density: the eigenvalues then rise evenly.

[luxburg2007] A tutorial on spectral clustering. Statistics and Computing 17, 2007.
[li2014] SCAMS: simultaneous clustering and model selection. CVPR 2014, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partita.arrays import Array
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence

__all__ = ["Eigengap", "EigengapRatio"]

# Gaps that differ by no more are the same: rounding of an eigenvalue.
SAME = 1e-9
# Added to both eigenvalues of a ratio: what is smaller is as good as zero. Chosen over development sets and Gaussian
# clusters together: 1e-6 is as good on the former and half as often right on the latter, 1e-2 the other way round.
FLOOR = 3e-4


@dataclass(frozen=True)
class Eigengap(Criterion):
    """Largest gap of the Laplacian's eigenvalues.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((5, 5)))
    >>> Eigengap().judge(KEvidence(affinity=P)).n_clusters
    3
    """

    name = "eigengap"
    idea = "largest gap of the Laplacian's eigenvalues"
    fewest: ClassVar[int] = 1

    def _judge(self, evidence: KEvidence) -> Judgement:
        values = evidence.spectral.laplacian_values
        sizes = np.arange(self.fewest, len(values))
        if not len(sizes):
            return self._silent(sizes, f"{len(values)} eigenvalues are too few to compare")
        scores = self._scores(values)[self.fewest - 1 :]
        if values[-1] <= SAME:
            K = len(values) if len(values) == evidence.n_items else int(sizes[-1])
            return Judgement(self.name, K, sizes, scores, note="all eigenvalues computed are zero: at least so many")
        best = int(np.flatnonzero(scores >= scores.max() - SAME * abs(scores.max()))[0])
        if self.fewest > 1 and scores[best] <= 1.0 + SAME:
            return self._silent(sizes, "all eigenvalues but the first are the same")
        return Judgement(self.name, int(sizes[best]), sizes, scores, note="" if self.fewest == 1 else "cannot answer 1")

    def _scores(self, values: Array) -> Array:
        return np.diff(values)


@dataclass(frozen=True)
class EigengapRatio(Eigengap):
    """Largest ratio of consecutive eigenvalues of the Laplacian, each plus 3e-4.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> P = np.kron(np.eye(3), np.ones((5, 5)))
    >>> EigengapRatio().judge(KEvidence(affinity=P)).n_clusters
    3
    """

    name = "eigengap_ratio"
    idea = "largest ratio of the Laplacian's eigenvalues"
    fewest = 2

    def _scores(self, values: Array) -> Array:
        return np.asarray((values[1:] + FLOOR) / (values[:-1] + FLOOR))
