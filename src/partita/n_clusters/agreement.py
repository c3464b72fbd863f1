"""Agreement of different methods: the number of clusters of the partition that they find again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partita.ensemble import Ensemble
from partita.ensemble.consensus import Consensus
from partita.ensemble.on_graph import POWER
from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement
from partita.n_clusters.evidence import KEvidence
from partita.n_clusters.verdict import LEAST_RANGE, Verdict, doubts, likely_of, notes_on
from partita.wording import count

__all__ = ["Agreement", "is_of_classes", "is_of_modes", "verdict_of", "with_consensus"]

# Methods for graphs that agree at no number by more than this have found nothing together, and criteria are believed;
# less is enough at the answer itself, where a block model has evidence for it, and more is needed where it finds one
# cluster more probable: in a graph of forty nodes methods agree by chance.
NOTHING, BACKED, AGAINST = 1 / 3, 1 / 4, 1 / 2
# Of a graph, a number has the share of the draws' weight to this power as its probability, and so many times that if it
# is the consensus: fitted to how often the consensus was right (benchmarks/README.md).
TEMPER, FOUND = 0.3, 3.5


@dataclass(frozen=True)
class Agreement(Criterion):
    """Number of clusters of the consensus of different methods; see `partita.ensemble.consensus`.

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
    idea = "what different methods agree on at many numbers, weighed by how valid it is"
    requires = frozenset({"features"})
    can_name_one = False

    max_items: int = 2000

    def __post_init__(self) -> None:
        if self.max_items < 2:
            raise InputError(f"max_items={self.max_items}: expected at least 2")

    def _judge(self, evidence: KEvidence) -> Judgement:
        X = np.unique(evidence.features, axis=0)
        found = Ensemble(max_items=self.max_items, seed=evidence.seed).consensus(X, (1, evidence.max_clusters))
        if found is None:
            return self._silent(np.array([2]), f"{len(X)} distinct items are too few for methods to agree on")
        return replace(judgement(found), n_clusters=verdict_of(found).n_clusters)


def judgement(found: Consensus) -> Judgement:
    """Return what a consensus says as the judgement of a criterion."""
    sizes = np.unique(found.asked)
    scores = np.array([found.agreement_at(int(K)) for K in sizes])
    K = found.n_clusters
    if found.soft is not None:
        note = f"evidence for latent classes is largest at {K}"
        return Judgement(Agreement.name, K, sizes, scores, "larger", note=note, of_classes=True)
    if found.modes:
        note = f"the density has {count(K, 'mode')}"
        return Judgement(Agreement.name, K, sizes, scores, "larger", note=note, of_modes=True)
    note = f"methods agree best at {sizes[scores.argmax()]} (mean adjusted Rand index {scores.max():.2f})"
    return Judgement(Agreement.name, K, sizes, scores, "larger", note=note)


def is_of_classes(verdict: Verdict) -> bool:
    """Return whether a verdict is on the latent classes of a table of categories."""
    return any(said.of_classes for said in verdict.judgements)


def is_of_modes(verdict: Verdict) -> bool:
    """Return whether a verdict is on modes, of a single column or of items along a line."""
    return any(said.of_modes for said in verdict.judgements)


def verdict_of(found: Consensus, least: int = 1) -> Verdict:
    """Return the verdict of an ensemble of features, which also knows how probable one cluster is.

    An answer is worth one half for telling one cluster from several, and the other half times the adjusted Rand index
    of its labels with the truth. One cluster is the answer where more is to be expected of it than of the partition:
    where its odds exceed the mean of 1 and the partition's expected index. Of latent classes and of modes labels have
    the whole worth. Where at least `least` clusters are asked for, 2 or more, it is no answer.

    Parameters
    ----------
    found : Consensus
        Without `one`, one cluster is no answer.
    least : int
    """
    one = 0.0 if least > 1 or found.one is None else found.one
    shares, said = found.share_of(), judgement(found)
    p = np.zeros(min(max([LEAST_RANGE, *shares]) + 1, max(found.draws.shape[1], *shares, 1)))
    for K, share in shares.items():
        p[K - 1] = (1.0 - one) * share
    p[0] = one if shares else 1.0
    K = found.n_clusters
    by_labels = found.soft is not None or found.modes
    if one > (1.0 - one) * (found.expected if by_labels else (1.0 + found.expected) / 2):
        K = 1
        beside = f"{found.n_clusters} clusters have {p[found.n_clusters - 1]:.2f}"
        said = replace(said, n_clusters=None, note=f"one cluster has a probability of {one:.2f}, and {beside}")
    sure, likely = float(p[K - 1]), likely_of(p)
    return Verdict(K, sure, p, likely, (said,), {said.criterion: 1.0}, False, tuple(doubts(K, sure, likely)))


def with_consensus(verdict: Verdict, found: Consensus) -> Verdict:
    """Return the verdict of criteria on a graph with the consensus of methods for graphs as its answer, if believed.

    It is believed where methods agree by a third of what is possible beyond how they agree on neighbourhoods, or by a
    quarter on a partition that a block model has evidence for; by a half where this finds one cluster more probable.
    Criteria weigh in through the weights of the draws.
    """
    said = judgement(found)
    backed = found.backed and found.excess_at(found.n_clusters) > BACKED
    stays = not backed and found.best_agreement <= (AGAINST if found.against else NOTHING)
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
    # Criteria for valleys and eigenvalues see little in a sparse graph.
    one = float(verdict.probabilities[0]) * (1.0 - found.best_agreement)
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
