"""Genie [gagolewski2016]: single linkage corrected by the Gini index of sizes (`partita.ensemble.Genie`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult
from partita.ensemble import Genie as Member
from partita.errors import InputError

__all__ = ["Genie"]


@dataclass(frozen=True)
class Genie(Baseline):
    """Genie at its published settings; hard. Cost: N^2 d for the spanning tree, nothing N x N.

    Parameters
    ----------
    gini : float
        Threshold in [0, 1]; 1 is single linkage.

    Raises
    ------
    InputError
        For fewer distinct rows than clusters: copies are never apart in the tree.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> Genie().cluster(evidence, 2, np.random.default_rng(0)).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    name = "genie"
    idea = "single linkage corrected by the Gini index of sizes"
    source = "[gagolewski2016]; partita.ensemble.Genie, written from the publication"
    left_open = ""
    requires = "features"
    random = False

    gini: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.gini <= 1.0:
            raise InputError(f"gini={self.gini!r}: expected a number in [0, 1]")

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X: Array = evidence.features
        distinct, inverse = np.unique(X + 0.0, axis=0, return_inverse=True)
        if len(distinct) < n_clusters:
            raise InputError(f"{len(distinct)} distinct rows cannot be {n_clusters} clusters; ask for fewer")
        if len(distinct) == n_clusters:
            labels = np.arange(n_clusters, dtype=np.int64)
        else:
            labels = Member(gini=self.gini).cluster(distinct, n_clusters, rng).labels
        return BaselineResult(labels[inverse.ravel()], None)
