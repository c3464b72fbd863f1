"""Sentences and a table on the number of clusters: what the criteria said and how sure that is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.n_clusters import Agreement, Verdict
from partita.n_clusters.base import only_tests_one
from partita.n_clusters.verdict import SHOWN
from partita.report.document import chip, told
from partita.report.fit_report import FitReport
from partita.report.html import Markup, element, join, table
from partita.report.verdict import Sentence
from partita.wording import listed, percent

__all__ = ["behind_the_number", "how_many", "layers_table", "n_clusters_sentences", "other_answer"]

# From this probability another number of clusters is worth an answer of its own, of so many clusters at most.
WORTH_SEEING, LARGEST = 0.2, 30
# Share of a cluster's items that is a part of it, and not a few that move.
PART = 0.1
# Layers with fewer and with more clusters that are shown.
FEWER, MORE = 3, 3


def n_clusters_sentences(verdict: Verdict, n_clusters: int) -> tuple[Sentence, ...]:
    """Return sentences on a verdict, and on what to do where criteria disagree.

    Parameters
    ----------
    verdict : Verdict
    n_clusters : int
        Number of clusters of the fit: constraints may have asked for another number than the verdict's.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.n_clusters import KEvidence, judge_all
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> n_clusters_sentences(judge_all(KEvidence(features=X), ["stability"]), 2)[0].text[:71]
    'The number of clusters was left to 1 criterion: 2 has a probability of '
    """
    methods = _of_methods(verdict)
    n = len(verdict.judgements)
    asked = "unlike methods" if methods else f"{n} criteri{'on' if n == 1 else 'a'}"
    probable = percent(float(verdict.probabilities[n_clusters - 1]))
    text = f"The number of clusters was left to {asked}: {n_clusters} has a probability of {probable}"
    if len(verdict.likely) > 1:
        text += f"; {listed([str(k) for k in verdict.likely])} are the fewest numbers that hold 80% together"
    if methods:
        how = (
            "The probability is the share of their partitions at many numbers that have this one, each weighed by how "
            "far other methods agree on it and by whether it parts the items where few are, which was learned on drawn "
            "items whose clusters are known"
            if n_clusters > 1
            else "The probability is how often one cluster was right, on drawn items whose clusters are known, where "
            "partitions into several looked no better than here"
        )
    elif (
        any(j.criterion == Agreement.name and j.n_clusters == verdict.n_clusters for j in verdict.judgements) and n > 1
    ):
        how = (
            "The number is that of the partition which has most in common with what unlike methods find at many "
            "numbers of clusters; its probability is their agreement there, tempered by how often it was the number of "
            "known classes elsewhere"
        )
    else:
        how = "The probability pools the criteria, weighted by how well they told the number of known classes elsewhere"
    out = [
        Sentence("clusters", f"{text}."),
        Sentence("clusters", f"{how}; what counts as a cluster is for you to say."),
    ]
    if verdict.n_clusters != n_clusters:
        who = "Methods" if methods else "The criteria"
        text = f"{who} together say {verdict.n_clusters}, which bounds, constraints or distinct items do not allow."
        out.append(Sentence("clusters", text, "caution"))
    others = sorted({j.n_clusters for j in verdict.judgements if j.n_clusters is not None} - {n_clusters})
    if verdict.disagree and others:
        numbers = listed([str(k) for k in others])
        text = (
            f"The criteria disagree. Fit with {numbers} clusters too (--k {others[0]}) and compare: is what is split "
            "or joined there one cluster to you?"
        )
        out.append(Sentence("clusters", text, "caution"))
    return tuple(out)


def how_many(report: FitReport) -> Markup:
    """Return words on the number of clusters; nothing where it was given."""
    verdict = getattr(report.estimator, "verdict_", None)
    return Markup("") if verdict is None else told(n_clusters_sentences(verdict, report.estimator.n_clusters_))


def other_answer(report: FitReport) -> Markup:
    """Return the answer at the most probable other number of clusters beside this one, where that number is likely.

    From the draws that are the evidence of this answer too; nothing where there are none.
    """
    model, K = report.estimator, report.estimator.n_clusters_
    verdict = getattr(model, "verdict_", None)
    if verdict is None or getattr(model, "_consensus", None) is None:
        return Markup("")
    p = verdict.probabilities.copy()
    p[K - 1 : K] = 0.0
    other = int(np.argmax(p)) + 1
    if p[other - 1] < WORTH_SEEING or 1 in (K, other) or max(K, other) > LARGEST:
        return Markup("")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a number that nobody asked for
        try:
            there = model.at(other)
        except InputError:  # links leave fewer groups
            return Markup("")
    if there.n_clusters_ != other:  # the draws at that number support fewer clusters
        return Markup("")
    counts = np.zeros((K, other), dtype=np.int64)
    np.add.at(counts, (model.labels_, there.labels_), 1)
    counts = counts[:, beside(counts)]
    rows = [[chip(k), *(f"{n:,}" if n else "" for n in row)] for k, row in enumerate(counts.tolist())]
    heads = [f"{K} clusters", *(f"{letter(c)}" for c in range(other))]
    label = f"{K} clusters beside {other}"
    shown = table(heads, rows, numeric=range(1, other + 1), label=label)
    asked = f"model.at({other}) gives that answer, --k {other} fits it anew"
    words = f"Items of each cluster (rows) in each of the other answer's (columns); {asked}."
    return join([element("p", what_moves(counts, float(p.max()))), shown, element("p", words, class_="caption")])


def beside(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the columns of a table of counts in the order of the rows, each after the first whose items it has.

    >>> beside(np.array([[0, 6, 4], [9, 0, 0], [0, 8, 0]])).tolist()
    [1, 2, 0]
    """
    held = counts >= PART * np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.lexsort((-counts.max(axis=0), np.where(held.any(axis=0), held.argmax(axis=0), len(counts))))


def letter(column: int) -> str:
    """Return the name of a cluster of the other answer, which no number of this one is taken for.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    return ("" if column < 26 else letter(column // 26 - 1)) + chr(ord("A") + column % 26)


def what_moves(counts: NDArray[np.int64], probability: float) -> str:
    """Return sentences on another answer: how likely it is, and which clusters part, join or exchange items in it.

    Parameters
    ----------
    counts : K x L array
        Items of each cluster (rows) in each cluster of the other answer (columns).
    probability : float
        That of the other number.

    Examples
    --------
    >>> print(what_moves(np.array([[30, 0, 0], [0, 40, 10]]), 0.25))  # doctest: +NORMALIZE_WHITESPACE
    3 clusters in the place of 2 have a probability of 25%. Cluster 1 would be in parts: B (40) and C (10). Clusters
    that are not named stay as they are.
    """
    K, L = counts.shape
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    said = []
    for k in range(K):
        parts = np.flatnonzero(share[k] >= PART)
        if len(parts) > 1:
            named = listed([f"{letter(int(c))} ({counts[k, c]:,})" for c in parts])
            said.append(f"Cluster {k} would be in parts: {named}")
    for c in range(L):
        joined = np.flatnonzero(share[:, c] >= 1.0 - PART)
        if len(joined) > 1:
            said.append(f"Clusters {listed([str(k) for k in joined])} would be one, {letter(c)}")
    first = f"{L} clusters in the place of {K} have a probability of {percent(probability)}"
    last = "Clusters that are not named stay as they are" if said else "No cluster would part or join another"
    return ". ".join([first, *said, last]) + "."


def behind_the_number(report: FitReport) -> Markup:
    """Return what criteria said, or methods at each number; nothing where the number of clusters was given."""
    verdict = getattr(report.estimator, "verdict_", None)
    if verdict is None:
        return Markup("")
    notes = [Sentence("clusters", f"{note[:1].upper()}{note[1:].rstrip('.')}.") for note in verdict.notes]
    if _of_methods(verdict):
        (said,) = verdict.judgements
        agreed = dict(zip(said.sizes.tolist(), said.scores.tolist(), strict=True))
        rows = [
            [f"{K}", f"{p:.2f}", f"{agreed[K]:.2f}" if K in agreed else ""]
            for K, p in enumerate(verdict.probabilities, start=1)
            if K in agreed or p >= SHOWN
        ]
        heads = ["Clusters", "Probability", "Agreement of methods"]
        label = "Numbers of clusters"
        return join([told(notes), table(heads, rows, numeric=(0, 1, 2), label=label)])
    heads = ["Criterion", "Clusters", "Weight", "What it looks at", "What it notes"]
    rows = [
        [_named(row), _answer(row, judgement.sure), f"{row['weight']:.1f}", row["idea"], row["note"]]
        for row, judgement in zip(verdict.rows(), verdict.judgements, strict=True)
    ]
    label = "Criteria for the number of clusters"
    return join([told(notes), table(heads, rows, numeric=(1, 2), long=(3, 4), label=label)])


def _of_methods(verdict: Verdict) -> bool:
    """Whether the methods of an ensemble say the number by themselves."""
    return [judgement.criterion for judgement in verdict.judgements] == [Agreement.name]


def layers_table(report: FitReport) -> Markup:
    """Return which clusters would be one with fewer clusters, and which would be two with more."""
    model, K = report.estimator, report.estimator.n_clusters_
    if not hasattr(model, "_given"):  # a model that was loaded
        return Markup("")
    near = [one for one in model.layers().splits if K - FEWER < one.n_clusters <= K + MORE]
    if not near:
        return Markup("")
    rows = []
    for one in near:
        sizes = f"{one.sizes[0]:,} and {one.sizes[1]:,}"
        if one.n_clusters <= K:
            says = f"clusters {one.parts[0]} and {one.parts[1]} part" if one.n_clusters == K else "two clusters part"
        else:
            says = f"cluster {one.cluster} parts" if one.n_clusters == K + 1 else "one more cluster parts"
        rows.append([f"{one.n_clusters}", says, sizes, f"{one.stability:.2f}"])
    heads = ["Clusters", "What happens there", "Items of the two", "Apart with probability"]
    words = (
        "Layers around the answer: each has one cluster more than the one before, which parts in two. The probability "
        "is that two items, one of each side, are in different clusters."
    )
    return join([table(heads, rows, numeric=(0, 3), label="Layers"), element("p", words, class_="caption")])


def _named(row: dict[str, Any]) -> str:
    return str(row["criterion"]).replace("_", " ")


def _answer(row: dict[str, Any], sure: float | None) -> str:
    """Answer of a criterion: a number, "not 1" for the test of one cluster, or "none"."""
    if row["n_clusters"] is not None:
        return str(row["n_clusters"])
    return "not 1" if only_tests_one(row["criterion"]) and sure is not None else "none"
