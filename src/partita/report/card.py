"""The card of a fitted estimator in a notebook: three sentences, the clusters, and notes to unfold.

It brings no style sheet, takes the notebook's colours, and is what the page says in short.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.estimators import BayesianPartition, DPGaussianMixture
from partita.estimators.base import FactorizationEstimator
from partita.report.headline import headline
from partita.report.html import Markup, element, join
from partita.report.partition_report import PartitionReport
from partita.report.partition_verdict import partition_headline
from partita.wording import count, percent

__all__ = ["card"]

# Clusters that are listed; a page has all.
LISTED = 12
CELL = "text-align:right;padding:.1em .9em .1em 0"


def card(model: Any) -> str:
    """Return a fitted estimator as a fragment of HTML.

    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> "4 items were divided into 2 clusters" in card(model)
    True
    """
    match model:
        case FactorizationEstimator():
            certainty = model.certainty_ if model._knows_doubt else None
            parts = [*_said(headline(model)), _sizes(model.labels_, model.n_clusters_, certainty)]
            notes = getattr(getattr(model, "result_", None), "notes", ())
        case BayesianPartition():
            report = PartitionReport.of(model)
            known = None if report.certainty is None else report.certainty.matched
            parts = [*_said(partition_headline(report)), _sizes(model.labels_, model.n_clusters_, known)]
            notes = model.notes_
        case DPGaussianMixture():
            parts, notes = _said(_of_draws(model)), model.result_.notes
        case _:
            raise TypeError(f"{type(model).__name__} has no card")
    title = element("p", element("b", type(model).__name__), style="margin:.2em 0")
    return element("div", title, *parts, _folded(notes), style="max-width:46em;line-height:1.4")


def _said(sentences: tuple[str, ...]) -> list[Markup]:
    return [element("p", sentence, style="margin:.3em 0") for sentence in sentences]


def _of_draws(model: DPGaussianMixture) -> tuple[str, ...]:
    """What the draws of a mixture are, and whether its chains agree."""
    found = model.result_
    K = model.n_clusters_trace_
    low, high = int(K.min()), int(K.max())
    have = count(low, "cluster") if low == high else f"{low} to {high} clusters, {np.median(K):.0f} in the median"
    what = f"{count(len(model.draws_), 'draw')} of {count(model.draws_.shape[1], 'item')} have {have}."
    words = "" if found.verdict is None else found.verdict.words.rstrip(".") + "."
    return tuple(filter(None, (what, words[:1].upper() + words[1:])))


def _sizes(labels: Any, n_clusters: int, certainty: Any) -> Markup:
    """A row for each cluster: its items, their share, and how sure their labels are on average."""
    sizes = np.bincount(labels, minlength=n_clusters)
    heads = ["Cluster", "Items", "Share", *["Certainty"] * (certainty is not None)]
    rows = []
    for k in range(min(n_clusters, LISTED)):
        cells = [str(k), f"{sizes[k]:,}", percent(sizes[k] / len(labels))]
        if certainty is not None:
            cells.append(percent(float(certainty[labels == k].mean())) if sizes[k] else "")
        rows.append(element("tr", *(element("td", cell, style=CELL) for cell in cells)))
    head = element("tr", *(element("th", name, scope="col", style=CELL) for name in heads))
    more = n_clusters - LISTED
    rest = element("p", f"and {count(more, 'cluster')} more", style="margin:.3em 0") if more > 0 else Markup("")
    table = element("table", element("thead", head), element("tbody", *rows), style="border-collapse:collapse")
    return join([table, rest])


def _folded(notes: Any) -> Markup:
    if not notes:
        return Markup("")
    listed = element("ul", *(element("li", note) for note in notes), style="margin:.3em 0")
    return element("details", element("summary", count(len(notes), "note")), listed)
