"""The report on a fit: verdict, pictures and tables in one HTML file that needs nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.explanation import Explanation
from partita.io import atomic_write_text
from partita.plots.order import membership_of
from partita.plots.projection import Projection, project
from partita.report.calibration import calibration_sentences
from partita.report.document import chip, document, figure, section, verdict_block
from partita.report.fit_report import FitReport
from partita.report.headline import OUTLIER, headline
from partita.report.html import Markup, element, join, table
from partita.report.item_map import item_map
from partita.report.map_section import interactive_map
from partita.report.n_clusters import how_many
from partita.report.pictures import draw_pictures
from partita.report.provenance import provenance
from partita.report.tables import Ambiguous, ClusterRow, ambiguous_items, cluster_rows, method_rows
from partita.report.verdict import SURE_MARGIN, Sentence, verdict
from partita.report.words import percent

__all__ = ["render_report", "write_report"]

# Layers with fewer and with more clusters that are shown.
FEWER, MORE = 3, 3
# Ambiguous items listed.
AMBIGUOUS = 20
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
    projection = project(report.estimator, report.features, report.columns or None)
    pictures, without = draw_pictures(report, projection)
    number_words, number_table = how_many(report)
    return document(
        report.title,
        report.estimator.n_clusters_,
        _header(report),
        _verdict(report, without),
        section("How many clusters", number_words, figure(pictures.get("verdict"), wide=True), number_table),
        section("What merges, what splits", _layers(report)),
        section("Where the clusters lie", _map(report, projection, figure(pictures.get("partition")))),
        section("Clusters", figure(pictures.get("sizes")), _clusters(report)),
        section("Memberships", figure(pictures.get("profiles")), _ambiguous(report)),
        section(
            "Probabilities", figure(pictures.get("coverage")), _calibration(report), figure(pictures.get("reliability"))
        ),
        section("Evidence and fit", figure(pictures.get("evidence"))),
        section("What the clusterings said", _ensemble(report)),
        section("Restarts", figure(pictures.get("trace"))),
        section("Against the known classes", _scores(report)),
        section("How it was made", provenance(report)),
    )


def _header(report: FitReport) -> Markup:
    model = type(report.estimator).__name__
    return element("header", element("h1", report.title), element("p", f"{report.source}, clustered with {model}"))


def _verdict(report: FitReport, without: str | None) -> Markup:
    membership = membership_of(report.estimator)
    n_init = report.parameters.get("n_init")
    sentences = verdict(
        dataclasses.replace(report.estimator.result_, membership=membership),
        model=type(report.estimator).__name__,
        n_init=n_init if isinstance(n_init, int) else None,
    )
    model = report.estimator
    outliers = int((model.outlier_ > OUTLIER).sum())
    figures = [
        (f"{membership.n_items:,}", "items"),
        (str(membership.n_clusters), "clusters" if membership.n_clusters > 1 else "cluster"),
        (percent(float(model.certainty_.mean())), "of labels expected to be right"),
        *([(f"{outliers:,}", "outlier" if outliers == 1 else "outliers")] if outliers else []),
        (f"{float(membership.matrix.max(axis=1).mean()):.2f}", "mean largest membership"),
        (f"{report.estimator.result_.misfit:.2f}", "misfit: 0 all explained, 1 nothing"),
    ]
    said = dict.fromkeys([*map(str, report.notes), *report.estimator.result_.notes])  # a run may pass on those of a fit
    notes = [Sentence("notes", note, "caution") for note in said]
    if without:
        notes.append(Sentence("notes", without, "caution"))
    facts = [sentence for sentence in sentences if sentence.tone == "caution" or sentence.topic != "notes"]
    if report.classes is not None:
        words = "Cluster numbers are arbitrary: they name no class, also where the classes are numbers."
        facts.insert(1, Sentence("clusters", words))
    return verdict_block(figures, [*facts, *notes], headline(model))


def _layers(report: FitReport) -> Markup:
    """Which clusters would be one with fewer clusters, and which would be two with more."""
    K = report.estimator.n_clusters_
    near = [one for one in report.estimator.layers().splits if K - FEWER < one.n_clusters <= K + MORE]
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
    return join([table(heads, rows, numeric=(0, 3), label="Layers"), element("p", words)])


def _map(report: FitReport, projection: Projection, picture: Markup) -> Markup:
    model, membership = report.estimator, membership_of(report.estimator)
    found = item_map(
        projection,
        membership,
        report.ids,
        model.affinity_,
        np.asarray(model.item_index_),
        spread=report.features is None,
    )
    return interactive_map(found, membership.sizes.tolist(), picture)


def _clusters(report: FitReport) -> Markup:
    found = report.explained()
    rows = cluster_rows(membership_of(report.estimator))
    heads = ["Cluster", "Items", "Share", "Mean membership", "At boundary", "Typical item"]
    typical = [row.typical for row in rows]
    how = "The typical item is the surest one"
    if found is not None:
        typical = [next(iter(each.typical), None) for each in found]
        how += ", of equally sure ones the most central"
    cells = [_cluster_cells(row, item, report) for row, item in zip(rows, typical, strict=True)]
    clusters = table(heads, cells, numeric=(1, 2, 3, 4), label="Clusters")
    how += f". Boundary items have a margin below {SURE_MARGIN:g}."
    return join([clusters, element("p", how), _told_apart(found)])


def _told_apart(found: Explanation | None) -> Markup:
    """A sentence for each cluster on the columns that tell it apart, and what these sentences mean."""
    if found is None or len(found) == 1:
        return Markup("")
    rows = [[chip(each.cluster), each.words] for each in found]
    sentences = table(["Cluster", "Told apart by"], rows, long=(1,), label="What tells the clusters apart")
    return join([element("h3", "What tells them apart"), sentences, element("p", _of_rules(found))])


def _of_rules(found: Explanation) -> str:
    sample = ""
    if found.n_searched < found.n_items:
        sample = f" They were searched on a sample of {found.n_searched:,} of the {found.n_items:,} items."
    return (
        "A cluster is told apart by the few conditions that its items meet and others do not; the nearest cluster is "
        "the one whose memberships overlap with its own most. In brackets: of the items that such conditions pick, the "
        "share in the cluster, and of the cluster the share that they find, on items on which they were not searched. "
        "Where shuffled labels would do as well, nothing tells it apart. Clusters made from these columns can be told "
        f"apart by them in any case: that says what they are, not that they are real.{sample}"
    )


def _cluster_cells(row: ClusterRow, typical: int | None, report: FitReport) -> list[object]:
    return [
        chip(row.cluster),
        f"{row.size:,}",
        f"{100 * row.share:.1f}%",
        "" if row.certainty is None else f"{row.certainty:.3f}",
        f"{row.n_boundary:,}",
        "empty" if typical is None else report.id_of(typical),
    ]


def _ambiguous(report: FitReport) -> Markup:
    membership = membership_of(report.estimator)
    n = len(membership.boundary(SURE_MARGIN))
    if membership.n_clusters == 1:
        return Markup("")
    title = element("h3", "The most ambiguous items")
    if not n:
        return join([title, element("p", f"No item has a margin below {SURE_MARGIN:g}: there is none to show.")])
    rows = ambiguous_items(membership, AMBIGUOUS)
    said = (
        f"{'The' if n <= AMBIGUOUS else f'The first {AMBIGUOUS} of'} {n:,} item{'' if n == 1 else 's'} with a margin "
        f"(largest minus second largest membership) below {SURE_MARGIN:g}, the most ambiguous first."
    )
    cells = [[report.id_of(r.item), _top(r), f"{r.margin:.3f}", f"{r.entropy:.3f}"] for r in rows]
    heads = ["Item", "Largest memberships", "Margin", "Entropy (nats)"]
    return join([title, element("p", said), table(heads, cells, numeric=(2, 3), label="The most ambiguous items")])


def _calibration(report: FitReport) -> Markup:
    """Section on the calibration of the probabilities; empty for fitted ones."""
    calibration = getattr(report.estimator, "calibration_", None)
    if calibration is None or report.estimator.n_clusters_ == 1:
        return Markup("")
    sentences = calibration_sentences(calibration)
    return join(
        [
            element("p", " ".join(s.text for s in sentences if s.tone == "plain")),
            *(element("p", element("b", "Note: "), s.text, class_="caution") for s in sentences if s.tone == "caution"),
        ]
    )


def _top(row: Ambiguous) -> Markup:
    return join(element("span", chip(k), f" {value:.3f}", class_="top") for k, value in row.top)


def _ensemble(report: FitReport) -> Markup:
    """Table of the ensemble that the evidence was made of, a row a method."""
    methods = method_rows(getattr(report.estimator, "ensemble_", ()))
    if not methods:
        return Markup("")
    said = (
        "The evidence that two items belong together is the share of these clusterings that say so, each weighted by "
        "its agreement with the other methods. Agreement, with the others and with the result, is the adjusted Rand "
        "index: 0 by chance, 1 for the same partition. A method that agrees little with the result would have said "
        "something else. The share is that of the evidence."
    )
    heads = ["Method", "Draws", "Clusters", "Share", "With the others", "With the result"]
    rows = [
        [m.idea, m.n_draws, m.n_clusters, f"{100 * m.weight:.0f}%", f"{m.agreement:.2f}", f"{m.with_result:.2f}"]
        for m in methods
    ]
    return join([element("p", said), table(heads, rows, numeric=(1, 3, 4, 5), long=(0,), label="Clusterings")])


def _scores(report: FitReport) -> Markup:
    if not report.scores:
        return Markup("")
    known = [(*SCORES[name], report.scores[name]) for name in SCORES if name in report.scores]
    known += [(name, "", value) for name, value in report.scores.items() if name not in SCORES]
    rows = [[title, f"{value:.4f}" if np.isfinite(value) else "", meaning] for title, meaning, value in known]
    said = "The known classes were not used in the fit; they serve only to score its partition afterwards."
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
    return join([element("p", said), table(heads, rows, numeric=numbers, label="Classes by clusters")])
