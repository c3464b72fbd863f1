"""The verdict on the number of clusters: what every criterion said, what follows, how sure, and whether they disagree.

Each voter c that names K_c adds w_c to the score of K_c and h w_c to its neighbours; the test of one cluster adds its
weight to K = 1 or takes it away. Probabilities are the scores exponentiated and scaled to sum to one, a pool of experts
[genest1986]: the answer is the most probable K, `sure` its probability.

How the weights were chosen: once, by penalised maximum likelihood of the true K over all sets of
`benchmarks/n_clusters.py` together (29 development sets, 9 further real or drawn ones, 41 generated ones with K from 1
to 10, generated ones weighing half), rounded; never one set at a time. What was left out of the voters (eigengap,
soft_threshold, held_out_pairs, correlation_clustering, second_order_difference) added nothing there.
The benchmark prints each criterion alone, the verdict, and how often it was right when it said it was sure, also with
each set judged by weights fitted without it; `--fit` fits the weights anew.

`sure` is about the number of classes that people gave such sets. Where all criteria see two well separated clusters of
which one holds two classes (iris), it is high and the classes are three.

[genest1986] Genest, Zidek: Combining probability distributions. Statistical Science 1, 1986.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.n_clusters.base import Criterion, Judgement, criterion, only_tests_one
from partita.n_clusters.evidence import KEvidence
from partita.wording import Printed, aligned, count, ranges

__all__ = ["VOTERS", "Verdict", "doubts", "judge_all", "likely_of", "notes_on", "pooled"]

# Weight of each voter, in units of log odds.
VOTERS: dict[str, float] = {
    "valley_splits": 1.6,
    "stability": 1.5,
    "hdbscan_count": 1.5,
    "eigengap_ratio": 0.8,
    "one_cluster": 1.2,
    "expected_loss": 4.0,
}
# Share of a weight that the neighbours of the number named get.
NEIGHBOR = 0.35
# Weight of a criterion that was asked for and is no voter.
ASKED_FOR = 1.0
# Numbers of clusters over which the probabilities go at least, where there are as many items.
LEAST_RANGE = 20
# Probability that the likely numbers hold together.
LIKELY = 0.8
# Least probability of a number of clusters that is printed.
SHOWN = 0.005
# How the note begins that says what each criterion said.
DISAGREE = "criteria disagree"
# Rounding error of a sum of probabilities.
ROUNDING = 1e-12
# Below this probability the reader is told to look at several numbers.
DOUBTFUL = 0.5
# The search grows by this factor, at most so often, where a criterion names the largest number tried.
GROWTH, GROWN = 2, 2


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Printed):
    """Verdict on the number of clusters, and the evidence behind it.

    Attributes
    ----------
    n_clusters : int
    sure : float in [0, 1]
        Probability of `n_clusters`: over the sets of the benchmark it is right about so often.
    probabilities : array
        Probabilities of 1, 2, ... clusters.
    likely : tuple of int
        The fewest numbers that hold a probability of .8 together, ascending.
    judgements : tuple of Judgement
    weights : dict
        Weight of each criterion in the verdict.
    disagree : bool
        Whether criteria named different numbers.
    notes : tuple of str
    """

    n_clusters: int
    sure: float
    probabilities: Array
    likely: tuple[int, ...]
    judgements: tuple[Judgement, ...]
    weights: Mapping[str, float]
    disagree: bool
    notes: tuple[str, ...]

    def probability_of(self, n_clusters: int) -> float:
        """Return the probability of a number of clusters; 0 past the largest that was looked at."""
        return float(self.probabilities[n_clusters - 1]) if n_clusters <= len(self.probabilities) else 0.0

    def within(self, least: int, most: int) -> Verdict:
        """Return the verdict on numbers from `least` to `most`, as if others were not possible.

        Where none of them has a probability it stays as it is.
        """
        K = np.arange(1, len(self.probabilities) + 1)
        p = np.where((least <= K) & (most >= K), self.probabilities, 0.0)
        if not p.any() or np.array_equal(p, self.probabilities):
            return self
        p /= p.sum()
        n_clusters = self.n_clusters if least <= self.n_clusters <= most else int(p.argmax()) + 1
        sure, likely = float(p[n_clusters - 1]), likely_of(p)
        before = doubts(self.n_clusters, self.sure, self.likely)
        notes = (*(said for said in self.notes if said not in before), *doubts(n_clusters, sure, likely))
        return replace(self, n_clusters=n_clusters, sure=sure, probabilities=p, likely=likely, notes=notes)

    def ended_at(self, n_clusters: int) -> Verdict:
        """Return the verdict of a fit at its number that ended with fewer clusters, since one more would hold no item.

        What was probable of the number that was fitted is probable of the one that it ended at.
        """
        p = self.probabilities.copy()
        p[n_clusters - 1] += p[self.n_clusters - 1]
        p[self.n_clusters - 1] = 0.0
        sure, likely = float(p[n_clusters - 1]), likely_of(p)
        notes = tuple(notes_on(self.judgements, n_clusters, sure, likely, found=self.n_clusters))
        return replace(self, n_clusters=n_clusters, sure=sure, probabilities=p, likely=likely, notes=notes)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each criterion: name, idea, number of clusters or None, weight, note."""
        return [
            {
                "criterion": judgement.criterion,
                "idea": Criterion.registry[judgement.criterion].idea,
                "n_clusters": judgement.n_clusters,
                "weight": self.weights[judgement.criterion],
                "note": judgement.note,
            }
            for judgement in self.judgements
        ]

    def __repr__(self) -> str:
        return f"<Verdict: {count(self.n_clusters, 'cluster')}, with a probability of {self.sure:.2f}>"

    def __str__(self) -> str:
        probable = [
            (f"{K}", f"{p:.2f}", "the answer" if self.n_clusters == K else "")
            for K, p in enumerate(self.probabilities, start=1)
            if p >= SHOWN or self.n_clusters == K
        ]
        said = [
            (row["criterion"], "none" if row["n_clusters"] is None else str(row["n_clusters"]), f"{row['weight']:.1f}")
            for row in self.rows()
        ]
        tables = [("clusters", "probability", ""), *probable], [("criterion", "clusters", "weight"), *said]
        return "\n\n".join(aligned(table) for table in tables)


def judge_all(
    evidence: KEvidence, criteria: Literal["auto"] | Sequence[str | Criterion | dict[str, Any]] = "auto"
) -> Verdict:
    """Return the verdict of several criteria on the number of clusters.

    Parameters
    ----------
    evidence : KEvidence
    criteria : "auto" or a sequence of names, configs or criteria
        "auto": the voters for which the evidence has what they need. A criterion that is no voter has weight 1.

    Returns
    -------
    Verdict
        May say 1. Where a criterion names the largest number tried or more, the answer is not one cluster, and
        `max_clusters` was left to us, more are tried.

    Raises
    ------
    InputError
        For an unknown criterion, none, or evidence that lacks what one of those asked for needs.

    Notes
    -----
    Costs what the criteria cost: with "auto" one set of leading eigenvectors and subsamples of at most 5,000 items,
    whatever N; never N x N.

    References
    ----------
    [genest1986].

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 50, axis=0)
    >>> verdict = judge_all(KEvidence(features=X))
    >>> verdict.n_clusters, verdict.sure > 0.8, verdict.disagree
    (3, True, False)
    """
    if isinstance(criteria, str):
        if criteria != "auto":
            criteria = [criteria]
        else:
            criteria = [name for name in VOTERS if all(evidence.has(n) for n in Criterion.registry[name].requires)]
    chosen = [criterion(one) for one in criteria]
    if not chosen:
        raise InputError("criteria is empty: expected 'auto', or the names of one criterion or more")
    notes: list[str] = []
    verdict = _judged(evidence, chosen)
    tried, given = evidence, evidence.max_clusters is not None
    for _ in range(0 if given else GROWN):
        largest = max((j.n_clusters or 0 for j in verdict.judgements), default=0)
        if verdict.n_clusters == 1 or largest < tried.most or tried.most == tried.n_items:
            break
        notes.append(f"a criterion found {largest}, and {tried.most} was the largest number tried: so larger ones were")
        tried = tried.grown(GROWTH * tried.most)
        verdict = _judged(tried, chosen)
    if verdict.n_clusters >= tried.most and 1 < tried.most < tried.n_items:
        notes.append(f"{tried.most} is the largest number tried: there may be more clusters; raise max_clusters")
    return replace(verdict, notes=(*verdict.notes, *notes))


def _judged(evidence: KEvidence, chosen: Sequence[Criterion]) -> Verdict:
    judgements = tuple(one.judge(evidence) for one in chosen)
    weights = {j.criterion: VOTERS.get(j.criterion, ASKED_FOR) for j in judgements}
    named = [j.n_clusters for j in judgements if j.n_clusters is not None]
    top = min(evidence.n_items, max([LEAST_RANGE, evidence.most, *named]) + 1)
    probabilities = pooled(judgements, weights, top)
    best = int(np.argmax(probabilities))
    if not named:
        best = 0  # nothing speaks for more
    likely = likely_of(probabilities)
    words = notes_on(judgements, best + 1, float(probabilities[best]), likely)
    return Verdict(
        best + 1,
        float(probabilities[best]),
        probabilities,
        likely,
        judgements,
        weights,
        len(set(named)) > 1,
        tuple(words),
    )


def likely_of(probabilities: Array) -> tuple[int, ...]:
    """Return the fewest numbers that hold a probability of .8 together, ascending.

    >>> likely_of(np.array([0.1, 0.2, 0.7]))
    (2, 3)
    """
    order = np.argsort(-probabilities, kind="stable")
    held = int(np.searchsorted(np.cumsum(probabilities[order]), LIKELY - ROUNDING)) + 1
    return tuple(sorted(int(K) + 1 for K in order[:held]))


def pooled(judgements: Sequence[Judgement], weights: Mapping[str, float], top: int) -> Array:
    """Return probabilities of 1, ..., `top` clusters.

    >>> one = Judgement("eigengap", 2, np.array([1, 2]), np.array([0.0, 1.0]))
    >>> pooled([one], {"eigengap": np.log(2.0)}, 3).round(2).tolist()
    [0.28, 0.44, 0.28]
    """
    score = np.zeros(top)
    for judgement in judgements:
        K, weight = judgement.n_clusters, weights[judgement.criterion]
        if only_tests_one(judgement.criterion):
            if judgement.n_clusters is not None or judgement.sure is not None:
                score[0] += weight if K == 1 else -weight
        elif K is not None:
            score[K - 1] += weight
            for near in (K - 2, K):
                if 0 <= near < top:
                    score[near] += NEIGHBOR * weight
    likelihood = np.exp(score - score.max())
    return np.asarray(likelihood / likelihood.sum())


def doubts(K: int, sure: float, likely: tuple[int, ...]) -> list[str]:
    """Return what is to be said of a number that is less probable than not."""
    span = f"{ranges(likely)} {'are' if len(likely) > 1 else 'is'}"
    words = (
        f"the probability of {count(K, 'cluster')} is only {sure:.2f}, and {span} plausible: compare several numbers"
    )
    return [words] if sure < DOUBTFUL else []


def notes_on(
    judgements: Sequence[Judgement], K: int, sure: float, likely: tuple[int, ...], *, found: int | None = None
) -> list[str]:
    """Return what is to be said of a verdict: who disagrees, how probable it is, who has no answer.

    `found` is the number that was found, where a fit ended with another one.
    """
    found = K if found is None else found
    named = [j for j in judgements if j.n_clusters is not None]
    silent = [j for j in judgements if j.n_clusters is None and not only_tests_one(j.criterion)]
    if not named:
        return ["no criterion could tell: " + "; ".join(f"{_called(j)}: {j.note}" for j in judgements)]
    out = []
    others = [f"{_called(j)} finds {j.n_clusters}" for j in named if j.n_clusters != found]
    if others and len(named) > 1:
        share = f"{len(named) - len(others)} of {len(named)} find {found}"
        out.append(f"{DISAGREE}: {share}, {', '.join(others)}")
    else:
        out += others
    if others or found != K:
        out += doubts(K, sure, likely)
    if silent:
        out.append("no answer from some criteria: " + "; ".join(f"{_called(j)}: {j.note}" for j in silent))
    return out


def _called(judgement: Judgement) -> str:
    """The criterion of a judgement in words."""
    return judgement.criterion.replace("_", " ")
