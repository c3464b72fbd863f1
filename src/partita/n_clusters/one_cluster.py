"""A test of one cluster: is there a valley in the evidence that one smooth cluster would not have?

The statistic, its reference and what it does not see are described in `partita.n_clusters.valley`. Where one cluster is
rejected the criterion names no number: `sure` is then 1 - p, and p otherwise, the least level at which one cluster
would be rejected.

Cost: at most `n_references` + 14 graphs of at most `max_items` items and their leading eigenvectors, whatever N.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.n_clusters.valley import FEWEST, valley_test

__all__ = ["OneCluster"]


@dataclass(frozen=True)
class OneCluster(Criterion):
    """One cluster, unless a valley speaks against it.

    Parameters
    ----------
    level : float in (0, 1)
        One cluster is rejected where p <= level.
    n_references : int
        B; p is a multiple of 1 / (B + 1).
    max_items : int
        Items beyond which the evidence is reduced.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> OneCluster().judge(KEvidence(features=X)).n_clusters
    1
    >>> X[:50] += 9
    >>> OneCluster().judge(KEvidence(features=X)).n_clusters is None
    True
    """

    name = "one_cluster"
    idea = "test of one cluster: a valley deeper than a smooth box has"
    can_name_several = False

    level: float = 0.05
    n_references: int = 39
    max_items: int = 1000

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0 or self.n_references < 1:
            raise InputError(f"level={self.level}, n_references={self.n_references}: expected 0 < level < 1, B >= 1")

    def _judge(self, evidence: KEvidence) -> Judgement:
        sizes = np.array([1])
        evidence = evidence.reduced(self.max_items)
        if evidence.n_items < FEWEST:
            return self._silent(sizes, f"{evidence.items_in_words} are too few to tell one cluster from more")
        test = valley_test(evidence, self.n_references, evidence.generator(8))
        if test is None:
            return Judgement(self.name, 1, sizes, np.array([1.0]), "crossing", 1.0, "p = 1: all pairs are alike")
        p, depth = test.p, test.valley.depth
        one = p > self.level
        what = "the graph falls apart" if np.isinf(depth) else f"a valley of depth {depth:.2f}"
        return Judgement(
            self.name,
            1 if one else None,
            sizes,
            np.array([p]),
            "crossing",
            sure=p if one else 1.0 - p,
            note=f"p = {p:.3g}: {what}, {np.median(test.null):.2f} in one smooth cluster"
            + ("" if one else "; more than one cluster, how many it does not say"),
        )
