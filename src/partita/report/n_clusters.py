"""Sentences and a table on the number of clusters: what the criteria said and how sure that is."""

from __future__ import annotations

from typing import Any

from partita.n_clusters import Verdict
from partita.report.fit_report import FitReport
from partita.report.html import Markup, element, join, table
from partita.report.verdict import Sentence
from partita.report.words import listed, percent

__all__ = ["how_many", "n_clusters_sentences"]


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
    n = len(verdict.judgements)
    asked = f"{n} criteri{'on' if n == 1 else 'a'}"
    probable = percent(float(verdict.probabilities[n_clusters - 1]))
    text = f"The number of clusters was left to {asked}: {n_clusters} has a probability of {probable}"
    if len(verdict.likely) > 1:
        text += f"; {listed([str(k) for k in verdict.likely])} are the fewest numbers that hold 80% together"
    by_consensus = any(j.criterion == "agreement" and j.n_clusters == verdict.n_clusters for j in verdict.judgements)
    how = (
        "The number is that of the partition of least expected loss over what unlike methods find at many numbers of "
        "clusters; its probability is their agreement there, tempered by how often it was the number of known classes "
        "elsewhere"
        if by_consensus and n > 1
        else "The probability pools the criteria, weighted by how well they told the number of known classes elsewhere"
    )
    out = [
        Sentence("clusters", f"{text}."),
        Sentence("clusters", f"{how}; what counts as a cluster is for you to say."),
    ]
    if verdict.n_clusters != n_clusters:
        text = (
            f"The criteria together say {verdict.n_clusters}, which bounds, constraints or distinct items do not allow."
        )
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


def how_many(report: FitReport) -> tuple[Markup, Markup]:
    """Return words, and the table of the criteria; nothing where the number of clusters was given."""
    verdict = getattr(report.estimator, "verdict_", None)
    if verdict is None:
        return Markup(""), Markup("")
    sentences = n_clusters_sentences(verdict, report.estimator.n_clusters_)
    words = join(
        [
            element("p", " ".join(s.text for s in sentences if s.tone == "plain")),
            *(element("p", element("b", "Note: "), s.text, class_="caution") for s in sentences if s.tone == "caution"),
        ]
    )
    heads = ["Criterion", "Clusters", "Weight", "What it looks at", "What it notes"]
    rows = [
        [_named(row), _answer(row, judgement.sure), f"{row['weight']:.1f}", row["idea"], row["note"]]
        for row, judgement in zip(verdict.rows(), verdict.judgements, strict=True)
    ]
    return words, table(heads, rows, numeric=(1, 2), long=(3, 4), label="Criteria for the number of clusters")


def _named(row: dict[str, Any]) -> str:
    return str(row["criterion"]).replace("_", " ")


def _answer(row: dict[str, Any], sure: float | None) -> str:
    """Answer of a criterion: a number, "not 1" for the test of one cluster, or "none"."""
    if row["n_clusters"] is not None:
        return str(row["n_clusters"])
    return "not 1" if row["criterion"] == "one_cluster" and sure is not None else "none"
