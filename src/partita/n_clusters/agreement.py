"""Agreement of unlike methods: the number of clusters of the partition that they find again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partita.ensemble import Ensemble
from partita.ensemble.consensus import POWER, Consensus
from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.n_clusters.verdict import Verdict, likely_of, notes_on

__all__ = ["Agreement", "is_believed", "with_consensus"]

# Where criteria find one cluster, unlike methods must agree by more than this at some number to be believed instead.
ONE_STANDS = 2 / 3
# Methods that agree at no number by more than this have found nothing together, and the criteria's answer stays.
NOTHING = 1 / 3
# A number has the share of the draws' weight to this power as its probability, and so many times that if it is the
# consensus: fitted to how often the consensus was right (benchmarks/README.md).
TEMPER, FOUND = 0.3, 3.5


@dataclass(frozen=True)
class Agreement(Criterion):
    """Number of clusters of the consensus of unlike methods; see `partita.ensemble.consensus`.

    Parameters
    ----------
    max_items : int
        Items beyond which a random sample of them is looked at.

    Examples
    --------
    >>> from partita.n_clusters import KEvidence
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    >>> Agreement().judge(KEvidence(features=X)).n_clusters
    3
    """

    name = "agreement"
    idea = "partition of least expected loss over the draws of unlike methods at many numbers"
    requires = frozenset({"features"})

    max_items: int = 2000

    def __post_init__(self) -> None:
        if self.max_items < 2:
            raise InputError(f"max_items={self.max_items}: expected at least 2")

    def _judge(self, evidence: KEvidence) -> Judgement:
        X = np.unique(evidence.features, axis=0)
        found = Ensemble(max_items=self.max_items, seed=evidence.seed).consensus(X, np.ones(1), evidence.max_clusters)
        if found is None:
            return self._silent(np.array([2]), f"{len(X)} distinct items are too few for methods to agree on")
        return judgement(found)


def judgement(found: Consensus) -> Judgement:
    """Return what a consensus says as the judgement of a criterion."""
    sizes = np.unique(found.asked)
    scores = np.array([found.agreement[found.asked == K].mean() for K in sizes])
    K = found.n_clusters
    note = f"methods agree best at {sizes[scores.argmax()]} (mean adjusted Rand index {scores.max():.2f})"
    return Judgement(Agreement.name, K, sizes, scores, "larger", note=note)


def is_believed(found: Consensus, verdict: Verdict, least: int = 1) -> bool:
    """Return whether methods agree enough to be believed in the place of the criteria.

    What criteria say of one cluster, which no draw can say, stays unless methods agree at some number by more than two
    thirds; where methods agree nowhere by a third, the criteria's answer stays whatever it is. Where one cluster is no
    answer that is asked for, because at least `least` are, it does not stand in the way. Of a graph it is enough that
    methods agree by a third of what is possible beyond how they agree on neighbourhoods.
    """
    if found.fine is not None:
        return found.best_agreement > NOTHING
    return found.best_agreement > (ONE_STANDS if verdict.n_clusters == 1 >= least else NOTHING)


def with_consensus(verdict: Verdict, found: Consensus, least: int = 1) -> Verdict:
    """Return the verdict with the consensus of unlike methods as its answer, where it is believed.

    Criteria weigh in through the weights of the draws.
    """
    said, stays = judgement(found), not is_believed(found, verdict, least)
    if stays:
        said = replace(said, n_clusters=None, note=f"{said.note}: too little to go by")
    judgements, weights = (*verdict.judgements, said), {**verdict.weights, said.criterion: float(POWER)}
    if stays:
        return replace(verdict, judgements=judgements, weights=weights)
    K, shares = found.n_clusters, found.share_of()
    p = np.zeros(max(len(verdict.probabilities), *shares, K))
    for size, share in shares.items():
        p[size - 1] = share**TEMPER
    p[K - 1] = max(p[K - 1], np.finfo(float).tiny) * FOUND
    one = float(verdict.probabilities[0])
    if found.fine is not None:
        one *= 1.0 - found.best_agreement  # criteria for valleys and eigenvalues see little in a sparse graph
    p[1:] *= (1.0 - one) / p[1:].sum()
    p[0] = one
    sure, likely = float(p[K - 1]), likely_of(p)
    return replace(
        verdict,
        n_clusters=K,
        sure=sure,
        probabilities=p,
        likely=likely,
        judgements=judgements,
        weights=weights,
        disagree=len({j.n_clusters for j in judgements} - {None}) > 1,
        notes=tuple(notes_on(judgements, K, sure, likely)),
    )
