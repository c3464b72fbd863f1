"""Splits at valleys: evidence is parted at its deepest valley as long as one smooth cluster would have none as deep.

Each part is tested as `one_cluster` tests the whole (`partita.n_clusters.valley`), with a graph and references of its
own; it is parted where its valley is `margin` times as deep as that of every reference. What is not parted is a
cluster, unless it holds less than `share` of the items. It may answer 1, and it needs no number of clusters to begin
with: any shape counts that no valley crosses.

Cost: 2 K - 1 tests of at most `max_items` items together a level. Weak where clusters overlap without a valley, and on
clusters of less than a tenth of what they are parted from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.n_clusters.valley import FEWEST, valley_test

__all__ = ["ValleySplits"]


@dataclass(frozen=True)
class ValleySplits(Criterion):
    """Clusters that no valley crosses.

    Parameters
    ----------
    n_references : int
        Smooth boxes a part is compared with at most.
    margin : float
        How much deeper than all of theirs a valley must be.
    share : float
        Least size of a cluster as a share of the items.
    max_items : int
        Items beyond which the evidence is reduced.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 50, axis=0)
    >>> ValleySplits().judge(KEvidence(features=X)).n_clusters
    3
    """

    name = "valley_splits"
    idea = "parted at valleys until none is deeper than in a smooth box"

    n_references: int = 19
    margin: float = 1.1
    share: float = 0.02
    max_items: int = 1_000

    def __post_init__(self) -> None:
        if self.n_references < 1 or self.margin < 1.0 or not 0.0 <= self.share < 1.0:
            raise InputError(
                f"n_references={self.n_references}, margin={self.margin}, share={self.share}: expected a reference or "
                "more, a margin of at least 1 and a share below 1"
            )

    def _judge(self, evidence: KEvidence) -> Judgement:
        evidence = evidence.reduced(self.max_items)
        n, rng = evidence.n_items, evidence.generator(9)
        if n < FEWEST:
            return self._silent(np.array([], dtype=np.int64), f"{evidence.items_in_words} are too few for a test")
        parts, clusters = [np.arange(n)], 0
        while parts:
            items = parts.pop()
            if len(items) < max(self.share * n, 1):
                continue
            split = None
            if len(items) >= FEWEST:
                own = evidence if len(items) == n else evidence.subset(items)
                test = valley_test(own, self.n_references, rng, margin=self.margin)
                if test is not None and test.valley.depth > self.margin * test.null.max():
                    split = test.valley.side
            if split is None:
                clusters += 1
            else:
                parts += [items[split == side] for side in np.unique(split)]
        found = max(clusters, 1)
        return Judgement(self.name, found, np.array([found]), np.array([np.nan]))
