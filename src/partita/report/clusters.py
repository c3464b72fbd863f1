"""The clusters of a fit: a card for each, or one table where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partita.explanation import ClusterExplanation, Explanation
from partita.plots.order import membership_of
from partita.report.document import chip
from partita.report.fit_report import FitReport
from partita.report.headline import OUTLIER
from partita.report.html import Markup, element, join, table
from partita.report.thumbnails import image_shape, thumbnail
from partita.wording import count, items, percent

__all__ = ["CARDS", "TOLD_APART", "ClusterSummary", "cluster_section", "meaning_of_rules", "rule_words", "summaries"]

# Head of the column of rules.
TOLD_APART = "Told apart by (precision, recall)"
# Clusters that have cards; more are rows of a table.
CARDS = 12
# Items that a card shows, and a row of the table.
SHOWN, SHOWN_IN_ROW = 5, 3
# Probability of being together from which a cluster is one that another could merge with.
NEAR = 0.02


@dataclass(frozen=True)
class ClusterSummary:
    """Summary of one cluster for the page.

    Attributes
    ----------
    cluster, size : int
    share : float
        Of all items.
    certainty : float or None
        Mean probability that its labels are right; None for an empty cluster, for the only one, and where it is not
        known.
    told_apart : str
        What tells it from the others, a sentence; empty where there is no table to say it by.
    typical, outliers : tuple of int
        Its surest items, of equally sure ones the most central; and those that probably belong to no cluster.
    neighbor : int or None
        The cluster that it could merge with first.
    together : float
        Probability that two items, one of each, are in one cluster.
    """

    cluster: int
    size: int
    share: float
    certainty: float | None
    told_apart: str
    typical: tuple[int, ...]
    outliers: tuple[int, ...]
    neighbor: int | None
    together: float


def summaries(report: FitReport) -> list[ClusterSummary]:
    """Return a summary of every cluster, empty ones included."""
    model = report.estimator
    labels, K, W = model.labels_, model.n_clusters_, membership_of(model).matrix
    found, doubt = report.explained, model._knows_doubt
    together = _together(report)
    out = []
    for k in range(K):
        own = np.flatnonzero(labels == k)
        surest = own[np.argsort(-W[own, k], kind="stable")[:SHOWN]]
        near = int(together[k].argmax()) if K > 1 else k
        out.append(
            ClusterSummary(
                cluster=k,
                size=len(own),
                share=len(own) / len(labels),
                certainty=float(model.certainty_[own].mean()) if doubt and len(own) and K > 1 else None,
                told_apart="" if found is None or K == 1 else found[k].words,
                typical=tuple(surest.tolist()) if found is None else found[k].typical[:SHOWN],
                outliers=tuple(own[model.outlier_[own] > OUTLIER].tolist()) if doubt else (),
                neighbor=near if together[k, near] >= NEAR and near != k else None,
                together=float(together[k, near]),
            )
        )
    return out


def cluster_section(report: FitReport) -> Markup:
    """Return cards, or a table where there are more than a dozen clusters, and what the words in them mean."""
    rows = summaries(report)
    content = _cards(report, rows) if len(rows) <= CARDS else _table(report, rows)
    return join([content, *_meaning(report, rows)])


def _cards(report: FitReport, rows: Sequence[ClusterSummary]) -> Markup:
    return element("div", *(_card(report, row) for row in rows), class_="clusters")


def _card(report: FitReport, row: ClusterSummary) -> Markup:
    k = row.cluster
    size = f"{items(row.size)}, {percent(row.share)} of all"
    parts = [
        element("h3", element("span", "Cluster ", class_="unseen"), chip(k), f" {size}", id=f"cluster-{k}"),
        _bar(row),
        _rule(report, row),
        _items("Typical item" if len(row.typical) == 1 else "Typical items", row.typical, report),
        _items(f"{count(len(row.outliers), 'outlier')}:", row.outliers, report, pictures=False),
    ]
    if row.neighbor is not None:
        with_it = f"; an item of one and an item of the other are together with a probability of {row.together:.2f}"
        parts.insert(3, element("p", element("b", "Nearest cluster: "), chip(row.neighbor), with_it))
    return element("article", *parts, class_="cluster", aria_labelledby=f"cluster-{k}")


def _bar(row: ClusterSummary) -> Markup:
    """How sure its labels are, in words and as a bar."""
    if row.certainty is None:
        return Markup("") if row.size else element("p", "No item has its largest membership here.")
    fill = element("span", class_="fill", style=f"width:{100 * row.certainty:.1f}%;background:var(--k{row.cluster})")
    words = f"{percent(row.certainty)} of its labels are expected to be right"
    return element("p", element("span", fill, class_="track", aria_hidden="true"), words, class_="certainty")


def _rule(report: FitReport, row: ClusterSummary) -> Markup:
    """What tells the cluster from the others, or why nothing does."""
    if not row.told_apart:
        return Markup("")
    assert report.explained is not None
    found = report.explained[row.cluster].rule is not None
    return element("p", element("b", "Told apart by ") if found else "", row.told_apart)


def _items(name: str, rows: Sequence[int], report: FitReport, *, pictures: bool = True) -> Markup:
    """Items by their pictures where they are images, else by name."""
    if not rows:
        return Markup("")
    shape = image_shape(report.columns) if pictures and report.features is not None else None
    if shape is not None and report.features is not None:
        low, high = float(np.nanmin(report.features)), float(np.nanmax(report.features))
        shown = [thumbnail(report.features[i].reshape(shape), low, high, report.id_of(i)) for i in rows]
        return element("p", element("b", f"{name} "), *shown, class_="typical")
    more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return element("p", element("b", f"{name} "), ", ".join(report.id_of(i) for i in rows[:SHOWN]), more)


def _table(report: FitReport, rows: Sequence[ClusterSummary]) -> Markup:
    """A row for each cluster, with the columns that any of them fills."""
    found = report.explained
    told, sure = any(row.told_apart for row in rows), any(row.certainty is not None for row in rows)
    out = any(row.outliers for row in rows)
    merging = any(row.neighbor is not None for row in rows)
    heads = ["Cluster", "Items", "Share", *["Certainty"] * sure, *["Outliers"] * out]
    heads += [*["Nearest cluster"] * merging, "Typical items", *[TOLD_APART] * told]
    cells = []
    for row in rows:
        near: object = "" if row.neighbor is None else join([chip(row.neighbor), f" {row.together:.2f}"])
        typical = ", ".join(report.id_of(i) for i in row.typical[:SHOWN_IN_ROW]) or "empty"
        cell: list[object] = [chip(row.cluster), f"{row.size:,}", percent(row.share)]
        cell += ["" if row.certainty is None else percent(row.certainty)] * sure
        cell += [*[f"{len(row.outliers):,}"] * out, *[near] * merging]
        cells.append([*cell, typical, *["" if found is None else rule_words(found[row.cluster])] * told])
    numeric = range(1, 3 + sure + out)
    return table(heads, cells, numeric=numeric, long=[len(heads) - 1] * told, label="Clusters")


def rule_words(found: ClusterExplanation) -> str:
    """Return the rule against all other clusters with its precision and recall, or why there is none."""
    if found.rule is None:
        return found.words
    return f"{found.rule} ({percent(found.rule.precision.value)}, {percent(found.rule.recall.value)})"


def meaning_of_rules(found: Explanation) -> str:
    """Return what precision and recall of the rules are, and what rules do not say."""
    sample = ""
    if found.n_searched < found.n_items:
        sample = f" They were searched on a sample of {found.n_searched:,} of the {found.n_items:,} items."
    return (
        "A cluster is told apart by a rule of a few conditions. Its precision is the share of the items meeting it "
        "that are in the cluster, its recall the share of the cluster that meets it, both on items on which it was "
        "not searched. Clusters made from these columns can be told apart by them in any case: that says what they "
        f"are, not that they are real.{sample}"
    )


def _together(report: FitReport) -> np.ndarray:
    """Probability that two items, one of each cluster, are in one; zero where that is not known."""
    model = report.estimator
    K = model.n_clusters_
    if K == 1 or not hasattr(model, "_given"):  # a model that was loaded has no layers
        return np.zeros((K, K))
    return np.where(np.eye(K, dtype=bool), -1.0, model.layers()[K].together)


def _meaning(report: FitReport, rows: Sequence[ClusterSummary]) -> list[Markup]:
    found, out = report.explained, []
    if any(row.neighbor is not None for row in rows) and len(rows) > CARDS:
        words = "Beside the nearest cluster: the probability that an item of each are together."
        out.append(element("p", words, class_="caption"))
    if found is not None and len(rows) > 1:
        out.append(element("p", meaning_of_rules(found), class_="caption"))
    return out
