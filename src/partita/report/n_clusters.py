"""Sentences and a table on the number of clusters: what the criteria said and how sure that is."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.n_clusters import Agreement, Verdict, is_of_classes, is_of_modes
from partita.n_clusters.base import only_tests_one
from partita.n_clusters.verdict import SHOWN
from partita.report.document import chip, told
from partita.report.fit_report import FitReport
from partita.report.headline import verdict_on
from partita.report.html import Markup, element, join, table
from partita.report.verdict import Sentence
from partita.wording import count, listed, percent, ranges

__all__ = ["behind_the_number", "how_many", "layers_table", "n_clusters_sentences", "other_answer"]

# From this probability another number of clusters is worth an answer of its own, of so many clusters at most.
WORTH_SEEING, LARGEST = 0.2, 30
# Share of a cluster's items that is a part of it, and not a few that move.
PART = 0.1
# Layers with fewer and with more clusters that are shown.
FEWER, MORE = 3, 3


def n_clusters_sentences(verdict: Verdict, n_clusters: int, *, given: bool = False) -> tuple[Sentence, ...]:
    """Return sentences on a verdict, and on what to do where criteria disagree.

    Parameters
    ----------
    verdict : Verdict
    n_clusters : int
        Number of clusters of the fit, or the one that was asked for: constraints may have asked for another number than
        the verdict's.
    given : bool
        Whether the number was given, and the verdict is on what would have been found.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.n_clusters import KEvidence, judge_all
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> n_clusters_sentences(judge_all(KEvidence(features=X), ["stability"]), 2)[0].text[:65]
    'The number of clusters was estimated by 1 criterion. 2 clusters h'
    """
    methods, n = _of_methods(verdict), len(verdict.judgements)
    by = "several clustering methods" if methods else f"{n} criteri{'on' if n == 1 else 'a'}"
    by = "a latent class model" if is_of_classes(verdict) else "the density" if is_of_modes(verdict) else by

    def probable(K: int) -> str:
        return f"{K} cluster{' has' if K == 1 else 's have'} a probability of {percent(verdict.probability_of(K))}"

    text = f"The number of clusters was {'given, and examined' if given else 'estimated'} by {by}. "
    text += f"{probable(n_clusters)}"
    if given and verdict.n_clusters != n_clusters:
        text += f"; they would find {verdict.n_clusters}: {probable(verdict.n_clusters)}"
    if len(verdict.likely) > 1:
        text += f". {ranges(verdict.likely)} together have a probability of at least 80%"
    how = _meaning_of_probability(verdict, n_clusters)
    out = [
        Sentence("clusters", f"{text}."),
        Sentence("clusters", f"{how}. What counts as a cluster is for you to say."),
    ]
    if verdict.n_clusters != n_clusters and not given:
        who = "Latent classes" if is_of_classes(verdict) else "Methods" if methods else "The criteria"
        text = f"{who} together say {verdict.n_clusters}, which bounds, constraints or distinct items do not allow."
        out.append(Sentence("clusters", text, "caution"))
    others = sorted({j.n_clusters for j in verdict.judgements if j.n_clusters is not None} - {n_clusters})
    if verdict.disagree and others:
        numbers = listed([str(k) for k in others])
        ways = ", ".join(f"--k {k}" for k in others)
        text = (
            f"The criteria disagree. Fit {numbers} clusters too ({ways}) and compare: does what is split or merged "
            "there look like one cluster to you?"
        )
        out.append(Sentence("clusters", text, "caution"))
    return tuple(out)


def _meaning_of_probability(verdict: Verdict, n_clusters: int) -> str:
    """What the probability of a number means, by what it is of."""
    methods = _of_methods(verdict)
    if is_of_classes(verdict):
        return (
            "Within a latent class the categorical columns are independent. The probability of a number is the mean of "
            "two: by the integrated likelihood of categories and labels, and by BIC. One cluster means that the "
            "columns are independent"
        )
    if is_of_modes(verdict):
        return (
            "Clusters of a single column, or of items along a line, are the modes of their density, which valleys "
            "part. The density is a mixture of some components or blocks of uniform density, which are as probable as "
            "BIC has it, and the probability of a number is that of the densities with so many modes"
        )
    if methods and n_clusters == 1:
        return (
            "The probability is how often there was one cluster in simulated data of which partitions into several "
            "looked no better than they do here"
        )
    if methods:
        return (
            "Each method clusters the items at many numbers of clusters, and the probability of a number is its share "
            "of these clusterings. A clustering counts more if other methods agree with it, and if its borders run "
            "where items are few; how much more was learned on simulated data. Components of a mixture count as far as "
            "they are probable to be the better clusters, as where clusters overlap"
        )
    agreed = any(
        said.criterion == Agreement.name and said.n_clusters == verdict.n_clusters for said in verdict.judgements
    )
    if agreed and len(verdict.judgements) > 1:
        return (
            "The number is that of the clustering which has most in common with those of different methods at many "
            "numbers of clusters; its probability follows from how far they agree, and from how often such an answer "
            "was the number of known classes elsewhere"
        )
    return "The probability pools the criteria, weighted by how often each found the number of known classes elsewhere"


def how_many(report: FitReport) -> Markup:
    """Return words on the number of clusters."""
    model = report.estimator
    verdict, given = verdict_on(model), isinstance(model.n_clusters, Integral)
    if verdict is not None:
        return told(n_clusters_sentences(verdict, model._n_judged, given=given))
    if not given:
        return Markup("")
    words = (
        "The number of clusters was given, and whether it is right was not examined: fit without --k to estimate it."
    )
    return told([Sentence("clusters", words)])


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
            # Labels are all that is shown: where no density was trusted here, none is looked for there.
            there = model._at(other, as_fitted=getattr(model, "calibration_", None) is None)
        except InputError:  # links leave fewer groups
            return Markup("")
    if there.n_clusters_ != other:  # the draws at that number support fewer clusters
        return Markup("")
    counts = np.zeros((K, other), dtype=np.int64)
    np.add.at(counts, (model.labels_, there.labels_), 1)
    counts = counts[:, beside(counts)]
    rows = [[chip(k), *(f"{n:,}" if n else "" for n in row)] for k, row in enumerate(counts.tolist())]
    heads = [f"{K} clusters", *(letter(c) for c in range(other))]
    label = f"{K} clusters beside {other}"
    called = ["Cluster", *(f"in {letter(c)}" for c in range(other))]
    shown = table(heads, rows, numeric=range(1, other + 1), label=label, names=called)
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
    """Return sentences on another answer: how likely it is, and which clusters split, merge or exchange items in it.

    Parameters
    ----------
    counts : K x L array
        Items of each cluster (rows) in each cluster of the other answer (columns).
    probability : float
        That of the other number.

    Examples
    --------
    >>> print(what_moves(np.array([[30, 0, 0], [0, 40, 10]]), 0.25))  # doctest: +NORMALIZE_WHITESPACE
    3 clusters in the place of 2 have a probability of 25%. Cluster 1 would split into B (40) and C (10). The other
    clusters would stay as they are.
    """
    K, L = counts.shape
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    of_other = counts / np.maximum(counts.sum(axis=0), 1)
    said, moved = [], set[int]()
    for k in range(K):
        parts = np.flatnonzero(share[k] >= PART).tolist()
        if len(parts) < 2:
            continue
        named = []
        for c in parts:
            beside = [j for j in range(K) if j != k and max(share[j, c], of_other[j, c]) >= PART]
            moved |= {k, *beside}
            with_others = f", with {listed([f'{counts[j, c]:,} of cluster {j}' for j in beside])}" if beside else ""
            named.append(f"{letter(c)} ({counts[k, c]:,}{with_others})")
        said.append(f"Cluster {k} would split into {listed(named)}")
    for c in range(L):
        joined = np.flatnonzero(share[:, c] >= 1.0 - PART)
        if len(joined) > 1:
            moved |= {int(k) for k in joined}
            said.append(f"Clusters {listed([str(k) for k in joined])} would merge into {letter(c)}")
        elif counts[:, c].any() and not (share[:, c] >= PART).any():
            of = [str(k) for k in np.flatnonzero(counts[:, c])]
            items = f"cluster{'s' * (len(of) > 1)} {listed(of)}"
            said.append(f"{letter(c)} would be a cluster of {count(int(counts[:, c].sum()), 'item')} of {items}")
    first = (
        f"{count(L, 'cluster')} in the place of {K} ha{'s' if L == 1 else 've'} a probability of {percent(probability)}"
    )
    rest = "The other clusters would stay as they are" if said else "No cluster would split or merge"
    return ". ".join([first, *said, *[rest] * (len(moved) < K)]) + "."


def behind_the_number(report: FitReport) -> Markup:
    """Return what criteria said, or methods at each number; nothing where the number of clusters was not examined."""
    verdict = verdict_on(report.estimator)
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
        if is_of_classes(verdict):
            heads[-1] = "Agreement of labels with labels drawn by the memberships"
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
    """Return which clusters would merge with fewer clusters, and which would split with more."""
    model, K = report.estimator, report.estimator.n_clusters_
    if not hasattr(model, "_given"):  # a model that was loaded
        return Markup("")
    near = [one for one in model.layers().splits if K - FEWER < one.n_clusters <= K + MORE]
    if not near:
        return Markup("")
    rows = []
    for one in near:
        sizes = f"{one.sizes[0]:,} and {one.sizes[1]:,}"
        if one.n_clusters < K:
            says = "one cluster splits in two"
        elif one.n_clusters == K:
            says = f"one cluster splits into {one.parts[0]} and {one.parts[1]}"
        else:
            says = f"cluster {one.cluster} splits in two" if one.n_clusters == K + 1 else "one more cluster splits"
        rows.append([f"{one.n_clusters}", says, sizes, f"{one.stability:.2f}"])
    heads = ["Clusters", "What happens there", "Items of the two", "Stability"]
    words = (
        "Layers around the answer: each has one cluster more than the one before, of which one splits in two. The "
        "stability of a split is the probability that two items, one of each side, are in different clusters"
        f"{'' if hasattr(model, 'verdict_') else ', if there are several clusters at all'}."
    )
    return join([table(heads, rows, numeric=(0, 3), label="Layers"), element("p", words, class_="caption")])


def _named(row: dict[str, Any]) -> str:
    return str(row["criterion"]).replace("_", " ")


def _answer(row: dict[str, Any], sure: float | None) -> str:
    """Answer of a criterion: a number, "not 1" for the test of one cluster, or "none"."""
    if row["n_clusters"] is not None:
        return str(row["n_clusters"])
    return "not 1" if only_tests_one(row["criterion"]) and sure is not None else "none"
