"""Sentences and a table on the number of clusters: what the criteria said and how sure that is."""

from __future__ import annotations

from typing import Any

from partita.n_clusters import Agreement, Verdict
from partita.n_clusters.base import only_tests_one
from partita.n_clusters.verdict import SHOWN
from partita.report.document import told
from partita.report.fit_report import FitReport
from partita.report.html import Markup, element, join, table
from partita.report.verdict import Sentence
from partita.wording import listed, percent

__all__ = ["behind_the_number", "how_many", "layers_table", "n_clusters_sentences"]

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
