"""The page on a fit: three sentences, the map, the clusters, what to doubt; the optimizer folded at the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.io import atomic_write_text
from partita.plots.order import membership_of
from partita.report.behind import behind
from partita.report.clusters import cluster_section
from partita.report.document import chip, document, figure, folded, section, verdict_block
from partita.report.fit_report import FitReport
from partita.report.headline import OUTLIER, certainty_counts, headline, verdict_on
from partita.report.html import Markup, element, join, table
from partita.report.item_map import Standing, item_map
from partita.report.layout import Layout, closeness, lay_out, of_columns
from partita.report.map_section import interactive_map
from partita.report.n_clusters import how_many, layers_table, other_answer
from partita.report.pictures import draw_pictures
from partita.report.verdict import Sentence, verdict
from partita.wording import count

__all__ = ["render_report", "write_report"]

# Items in doubt that are listed, and the certainty below which an item is in doubt.
LISTED, DOUBTED = 20, 0.8
# Outlier probability worth telling, and membership that is not 0.00.
TOLD, SEEN = 0.05, 0.005
# The note of what was chosen, which is no caution.
CHOSEN = "chosen here: "
SCORES = {
    "purity": ("Purity", "share of items whose class is the commonest of their cluster"),
    "accuracy": ("Accuracy", "share of items right under the best one-to-one matching of clusters to classes"),
    "rand": ("Rand index", "share of pairs of items on which partition and classes agree"),
    "adjusted_rand": ("Adjusted Rand index", "the same, corrected for chance: 0 for random labels, 1 for equal ones"),
}


def write_report(path: str | Path, report: FitReport) -> None:
    """Write the report as one HTML file, whole or not at all.

    Raises
    ------
    InputError
        If nothing can be written at `path`.

    Examples
    --------
    >>> import tempfile
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [3.0], [3.1], [3.2]])
    >>> model = SoF(2, n_init=1, random_state=0).fit(X)
    >>> report = FitReport(
    ...     title="Six points", source="points.csv", ids=[], columns=["x"], estimator=model, features=X, parameters={},
    ...     scores=None, notes=[], seconds=0.1, versions={}, command=None,
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(Path(folder, "report.html"), report)
    ...     Path(folder, "report.html").read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    atomic_write_text(path, render_report(report))


def render_report(report: FitReport) -> str:
    """Return the report as HTML text; the same fit gives the same text."""
    model, layout = report.estimator, _layout(report)
    pictures, without = draw_pictures(report, layout)
    top, optimizer = _sentences(report, without)
    return document(
        report.title,
        model.n_clusters_,
        _header(report),
        verdict_block(headline(model), top),
        _reading(report),
        section("Map of the items", _map(report, layout, figure(pictures.get("partition")))),
        section("Clusters", cluster_section(report)),
        section("How many clusters", how_many(report), figure(pictures.get("verdict")), other_answer(report)),
        section("What merges, what splits", layers_table(report)),
        section("Labels in doubt", figure(pictures.get("coverage")), _doubted(report)),
        section("Against the known classes", _scores(report)),
        section("Behind the answer", *behind(report, pictures, optimizer)),
    )


def _header(report: FitReport) -> Markup:
    model = type(report.estimator).__name__
    words = f"{report.source}, clustered with {model}" if report.source else f"Clustered with {model}"
    return element("header", element("h1", report.title), element("p", words))


def _sentences(report: FitReport, without: str | None) -> tuple[list[Sentence], list[Sentence]]:
    """What belongs at the top, and what is said of the optimizer."""
    model, found = report.estimator, getattr(report.estimator, "result_", None)
    said: list[Sentence] = []
    if found is not None:
        n_init = report.parameters.get("n_init")
        result = dataclasses.replace(found, membership=membership_of(model))
        said = list(verdict(result, model=type(model).__name__, n_init=n_init if isinstance(n_init, int) else None))
    notes = list(dict.fromkeys([*map(str, report.notes), *([] if found is None else found.notes)]))
    number = verdict_on(model)
    notes = [note for note in notes if number is None or note not in number.notes]  # told with the number of clusters
    notes = [note for note in notes if note not in report.reading]
    chosen = [_whole(note) for note in notes if note.startswith(CHOSEN)]
    top = [one for one in said if one.tone == "caution" and one.topic not in ("notes", "restarts")]
    top += [Sentence("notes", _whole(note), "caution") for note in notes if not note.startswith(CHOSEN)]
    if without:
        top.append(Sentence("notes", without, "caution"))
    optimizer = [one for one in said if one not in top and one.topic != "notes"]
    return top, [*optimizer, *(Sentence("notes", words) for words in chosen)]


def _reading(report: FitReport) -> Markup:
    """How the file was read, folded: facts for the most part, and too many for the top of a page."""
    notes = [element("li", _whole(note)) for note in dict.fromkeys(report.reading)]
    if not notes:
        return Markup("")
    title = f"How the file was read ({count(len(notes), 'note')})"
    return element("section", folded(title, element("ul", *notes)), aria_label="How the file was read")


def _whole(note: str) -> str:
    """A note as a sentence."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _layout(report: FitReport) -> Layout:
    """Where the items lie: by their columns where there are one or two, or nothing to part; else by the evidence, or
    by memberships where it was not kept.
    """
    model, X = report.estimator, report.features
    affinity, index = getattr(model, "affinity_", None), getattr(model, "item_index_", None)
    if X is not None and (X.shape[1] <= 2 or model.n_clusters_ == 1):
        return of_columns(X, report.columns, affinity, index)
    close = model.membership_ if affinity is None else closeness(affinity, model.labels_, index)
    if close.shape[1] < model.n_clusters_:  # the last clusters are empty
        close = np.pad(close, ((0, 0), (0, model.n_clusters_ - close.shape[1])))
    return lay_out(close, model.labels_, affinity, index)


def _map(report: FitReport, layout: Layout, picture: Markup) -> Markup:
    model, membership = report.estimator, membership_of(report.estimator)
    doubt = model._knows_doubt
    standing = Standing(
        labels=membership.labels,
        shares=membership.matrix,
        certainty=np.clip(model.certainty_ if doubt else membership.margin, 0.0, 1.0),
        outlier=model.outlier_ > OUTLIER if doubt else np.zeros(membership.n_items, dtype=np.bool_),
        meaning="its certainty is the probability that its label is right"
        if doubt
        else "its certainty is its largest membership minus the second largest",
        bars="Memberships",
    )
    index = getattr(model, "item_index_", None)
    found = item_map(layout, standing, report.ids, getattr(model, "affinity_", None), index)
    return interactive_map(found, membership.sizes.tolist(), picture)


def _doubted(report: FitReport) -> Markup:
    """The items whose labels are least certain, and where else they could belong."""
    model = report.estimator
    if not model._knows_doubt or model.n_clusters_ == 1:
        return Markup("")
    certainty, second = model.certainty_, model.second_choice().cluster
    order = np.argsort(certainty, kind="stable")
    order = order[certainty[order] < DOUBTED]
    if not len(order):
        return element("p", f"Every label has a certainty of at least {DOUBTED:g}.")
    cells = []
    for i in order[:LISTED].tolist():
        own, other, w = int(model.labels_[i]), int(second[i]), model.membership_[i]
        out = float(model.outlier_[i])
        cells.append(
            [
                report.id_of(i),
                f"{certainty[i]:.2f}",
                join([chip(own), f" {w[own]:.2f}"]),
                "" if other == own or w[other] < SEEN else join([chip(other), f" {w[other]:.2f}"]),
                f"{out:.2f}" if out >= TOLD else "",
            ]
        )
    first = f"The {LISTED} least certain of " if len(order) > LISTED else ""
    said = (
        f"{first}{count(len(order), 'item')} with a certainty below {DOUBTED:g}, the least certain first. Beside a "
        f"cluster: the membership of the item in it. The certainty counts {certainty_counts(model)} too."
    )
    heads = ["Item", "Certainty", "Cluster", "Could be in", "Outlier with probability"]
    if not any(row[-1] for row in cells):
        heads, cells = heads[:-1], [row[:-1] for row in cells]
    return join([element("p", said), table(heads, cells, numeric=(1, 4), label="Labels in doubt")])


def _scores(report: FitReport) -> Markup:
    if not report.scores:
        return Markup("")
    known = [(*SCORES[name], report.scores[name]) for name in SCORES if name in report.scores]
    known += [(name, "", value) for name, value in report.scores.items() if name not in SCORES]
    rows = [[title, f"{value:.4f}" if np.isfinite(value) else "", meaning] for title, meaning, value in known]
    said = "The known classes were not used in the fit; they serve only to score its partition afterwards."
    if report.classes is not None:
        said += " Cluster numbers are arbitrary: they name no class, also where the classes are numbers."
    scores = table(["Score", "Value", "What it is"], rows, numeric=(1,), label="Scores")
    labels, K = report.estimator.labels_, report.estimator.n_clusters_
    counts = Markup("") if report.classes is None else class_table(report.classes, labels, K)
    return join([element("p", said), scores, counts])


# Known classes beside the clusters that were found: how many items of each class went into which cluster.
#
# The numbers of clusters are arbitrary; where classes have numbers too the two are easily taken for each other, and
# the table says which belong together.


# Classes and clusters up to which the table is shown: a larger one is not read.
LARGEST = 30


def class_counts(
    classes: Sequence[Any] | NDArray[Any], labels: NDArray[np.int64], n_clusters: int
) -> tuple[list[str], NDArray[np.int64]]:
    """Return names of the classes, whole numbers by size and others by alphabet, and their counts, a column a cluster.

    >>> names, counts = class_counts(["b", "a", "b"], np.array([0, 1, 1]), 2)
    >>> names, counts.tolist()
    (['a', 'b'], [[0, 1], [1, 1]])
    """
    words = np.array([str(value) for value in classes])
    names, codes = np.unique(words, return_inverse=True)
    counts = np.zeros((len(names), n_clusters), dtype=np.int64)
    np.add.at(counts, (codes, labels), 1)
    order = list(range(len(names)))
    if all(name.removeprefix("-").isdecimal() for name in names):
        order.sort(key=lambda c: int(names[c]))
    return [str(names[c]) for c in order], counts[order]


def class_table(classes: Sequence[Any] | NDArray[Any], labels: NDArray[np.int64], n_clusters: int) -> Markup:
    """Return a row a class, a column a cluster; nothing where there are too many of either to be read."""
    names, counts = class_counts(classes, labels, n_clusters)
    if max(len(names), n_clusters) > LARGEST:
        return Markup("")
    rows = [[name, *(f"{n:,}" if n else "" for n in row)] for name, row in zip(names, counts.tolist(), strict=True)]
    said = "Items of each class (rows) in each cluster (columns). A cluster of one class has one number in its column."
    heads = ["Class", *(chip(k) for k in range(n_clusters))]
    numbers = range(1, n_clusters + 1)
    called = ["Class", *(f"in cluster {k}" for k in range(n_clusters))]
    counted = table(heads, rows, numeric=numbers, label="Classes by clusters", names=called)
    return join([element("p", said), counted])
