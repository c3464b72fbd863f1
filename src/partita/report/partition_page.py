"""The report on a partition from draws: verdict, pictures and tables in one HTML file that needs nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from partita.estimators.partition_notes import EQUAL
from partita.io import atomic_write_text
from partita.metrics.chain_verdict import WORDS
from partita.report.document import chip, document, figure, folded, section, told, verdict_block
from partita.report.html import Markup, element, join, table
from partita.report.item_map import Standing, item_map
from partita.report.layout import lay_out, of_columns
from partita.report.map_section import interactive_map
from partita.report.partition_pictures import draw_partition_pictures
from partita.report.partition_report import SEEN, PartitionReport, partition_clusters, unsure_items
from partita.report.partition_uncertainty import ball_table, modes_table, what_holds
from partita.report.partition_verdict import partition_headline, partition_verdict
from partita.report.provenance import made, seconds_said
from partita.report.verdict import Sentence
from partita.wording import items

__all__ = ["render_partition_report", "write_partition_report"]

# Where facts are told, by their topics; cautions come at the top.
TOLD = {
    "top": ("certainty",),
    "ball": ("ball",),
    "modes": ("modes",),
    "chains": ("chains",),
    "search": ("clusters", "restarts", "convergence", "evidence"),
}
# Share of the draws in which an item is alone from which it is an outlier on the map.
ALONE = 0.5
# What the certainty of an item is a share of.
MATCHING = (
    "In the matching cluster: the share of the draws in which the item is in the cluster that matches its own. Of a "
    "draw's clusters and the estimate's, two match where each is the most similar to the other by the Jaccard index."
)
# Clusters and ambiguous items listed.
CLUSTERS, AMBIGUOUS = 100, 20


def write_partition_report(path: str | Path, report: PartitionReport) -> None:
    """Write the report as one HTML file, whole or not at all.

    Raises
    ------
    InputError
        If nothing can be written at `path`.

    Examples
    --------
    >>> import tempfile
    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> report = PartitionReport("Four items", "draws.csv", [], model, model.credible_ball(), {}, 0.1, {}, None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_partition_report(Path(folder, "report.html"), report)
    ...     Path(folder, "report.html").read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    atomic_write_text(path, render_partition_report(report))


def render_partition_report(report: PartitionReport) -> str:
    """Return the report as HTML text; the same fit gives the same text."""
    pictures, without = draw_partition_pictures(report)
    said = _sentences(report, without)
    notes = [Sentence("notes", f"{note[:1].upper()}{note[1:].rstrip('.')}.") for note in report.notes]
    return document(
        report.title,
        report.estimator.n_clusters_,
        _header(report),
        verdict_block(partition_headline(report), said["top"]),
        section("Map of the items", _map(report)),
        section("Clusters", _clusters(report)),
        section("Modes", told(said["modes"]), figure(pictures.get("modes")), modes_table(report)),
        section("Credible ball", told(said["ball"]), figure(pictures.get("ball")), ball_table(report)),
        section("What holds", what_holds(report)),
        section("The most ambiguous items", _ambiguous(report)),
        section("What the draws say of pairs", figure(pictures.get("similarity"), wide=True)),
        section("Number of clusters", figure(pictures.get("counts"))),
        section(
            "Behind the answer",
            folded("How the chains agree", told(said["chains"]), figure(pictures.get("chains")), _chains(report)),
            folded("How the search went", told(said["search"]), figure(pictures.get("losses"))),
            folded("How it was made", told(notes), _made(report)),
        ),
    )


def _header(report: PartitionReport) -> Markup:
    model = type(report.estimator).__name__
    words = f"{report.source}, one partition by {model}" if report.source else f"One partition by {model}"
    return element("header", element("h1", report.title), element("p", words))


def _sentences(report: PartitionReport, without: str | None) -> dict[str, list[Sentence]]:
    """What is said at the top, of the ball, of the chains and of the search."""
    said = partition_verdict(report)[1:]  # the first is in the headline
    facts = {
        place: [one for one in said if one.tone == "plain" and one.topic in topics] for place, topics in TOLD.items()
    }
    facts["top"] += [one for one in said if one.tone == "caution"]
    if without:
        facts["top"].append(Sentence("notes", without, "caution"))
    return facts


def _map(report: PartitionReport) -> Markup:
    """The items by how often they are with those of each cluster."""
    model, certainty = report.estimator, report.certainty
    where = "the share of the draws in which it is in the matching cluster"
    if certainty is None:
        where = "the mean share of the draws in which it is with the other items of its cluster"
    standing = Standing(
        labels=model.labels_,
        shares=report.closeness,
        certainty=np.clip(report.within if certainty is None else certainty.matched, 0.0, 1.0),
        outlier=np.zeros(report.n_items, bool) if certainty is None else model.outlier_ > ALONE,
        meaning=f"its certainty is {where}",
        bars="Mean co-clustering with each cluster",
        cells=None if report.columns is None else report.columns.cells,
    )
    axes = None if report.columns is None else report.columns.axes
    if axes is None:
        layout = lay_out(report.closeness, model.labels_, report.affinity)
    else:
        layout = of_columns(*axes, report.affinity, None)
    found = item_map(layout, standing, report.ids, report.affinity)
    if found is not None and found.nearest:
        found = replace(found, nearest="those that are most often in one cluster with the item")
    return interactive_map(found, report.sizes.tolist(), Markup(""))


def _clusters(report: PartitionReport) -> Markup:
    heads = ["Cluster", "Items", "Share", "Mean co-clustering", "Nearest cluster", "Co-clustering with it"]
    heads.append("Least certain items")
    rows = [
        [
            chip(row.cluster),
            f"{row.size:,}",
            f"{100 * row.share:.1f}%",
            f"{row.within:.3f}",
            "" if row.next is None else chip(row.next),
            "" if row.next is None else f"{row.across:.3f}",
            ", ".join(report.id_of(i) for i in row.least),
        ]
        for row in partition_clusters(report, CLUSTERS)
    ]
    K = report.estimator.n_clusters_
    listing = f"The {CLUSTERS} largest of {K:,} clusters. " if len(rows) < K else ""
    how = (
        f"{listing}Mean co-clustering: the mean share of the draws in which two items of the cluster are together (for "
        "a single item, in which it is alone). Nearest cluster: the other cluster whose items are together with its "
        "own most often, and in what share of the draws; empty where they hardly ever are."
    )
    listed = table(heads, rows, numeric=(1, 2, 3, 5), label="Clusters")
    by_columns = Markup("") if report.columns is None else report.columns.section()
    return join([listed, element("p", how, class_="caption"), by_columns])


def _ambiguous(report: PartitionReport) -> Markup:
    if report.estimator.n_clusters_ == 1:
        return Markup("")
    rows, n = unsure_items(report, AMBIGUOUS)
    if not n:
        said = (
            "Every item is together with the items of its own cluster in far more of the draws than with those of any "
            "other."
        )
        return element("p", said)
    said = (
        f"{'The' if n <= AMBIGUOUS else f'The first {AMBIGUOUS} of'} {items(n)} whose co-clustering with their own "
        "cluster exceeds that with the nearest other cluster by less than 0.5, the most ambiguous first. Beside a "
        f"cluster: the mean share of the draws in which the item is together with an item of it. {MATCHING}"
    )
    cells = [
        [
            report.id_of(row.item),
            join([chip(row.cluster), f" {row.within:.3f}"]),
            "" if row.across < SEEN else join([chip(row.next), f" {row.across:.3f}"]),
            _signed(row.within - row.across),
            "" if row.matched is None else f"{row.matched:.3f}",
        ]
        for row in rows
    ]
    heads = ["Item", "Own cluster", "Nearest cluster", "Difference", "In the matching cluster"]
    return join([element("p", said), table(heads, cells, numeric=(3, 4), label="The most ambiguous items")])


def _chains(report: PartitionReport) -> Markup:
    found = report.estimator.agreement_
    if found is None:
        return Markup("")
    hats = ", ".join(
        f"{_number(hat)} of {WORDS.get(name, name)} (effective draws: {_number(found.effective_sample_size[name], 0)})"
        for name, hat in found.r_hat.items()
    )
    verdict = "" if found.agree else f"{found.verdict.partition(':')[0].capitalize()}. "  # all of it is at the top
    said = (
        f"{verdict}The share of the draws in which two items are together differs between chains by at most "
        f"{found.max_difference:.3f} (chance allows up to {found.allowed_difference:.3f} where chains agree), on "
        f"average by {found.mean_difference:.4f}. R-hat: {hats}; where chains agree it is at most "
        f"{found.allowed_r_hat:.3f}."
    )
    return element("p", said)


def _made(report: PartitionReport) -> Markup:
    model, result, soft = report.estimator, report.estimator.result_, report.estimator.membership_result_
    draws = model.draws_
    drawn = "some lack items" if draws is None else f"{draws.n_draws:,} different"
    if model.n_draws_ is not None:
        drawn = f"{model.n_draws_:,}, {drawn}"
    run = [
        *[("Source", report.source)] * bool(report.source),
        ("Model", type(model).__name__),
        ("Loss", repr(result.loss)),
        ("Expected loss", f"{model.expected_loss_:.6g}"),
        ("Draws", drawn),
        ("Status", result.status.replace("_", " ")),
        ("Runs", f"{len(result.runs)}, {result.n_agreeing} as good as the best"),
        ("Gap to the worst run", f"{result.gap if result.gap > EQUAL else 0:.3g}"),
        ("Cap on clusters", "none" if model.max_clusters is None else f"{model.max_clusters}"),
        ("Memberships", f"{soft.solver_name}, {soft.status.replace('_', ' ')}, {soft.n_iter:,} iterations"),
        ("Seconds", seconds_said(report.seconds, f"{result.seconds:.2f} in the search")),
        ("Seed", "none: another run may differ" if result.seed is None else str(result.seed)),
    ]
    return made(run, report.parameters, report.versions, report.command, report.untouched)


def _number(value: float, digits: int = 3) -> str:
    """A figure of chains; chains that hardly move have an R-hat without bound."""
    if np.isnan(value):
        return "not known"
    return "above 1,000" if value > 1000 and digits else f"{value:,.{digits}f}"


def _signed(value: float) -> str:
    """Three decimals without a minus before zero.

    >>> _signed(-1e-9), _signed(-0.25)
    ('0.000', '-0.250')
    """
    return f"{round(value, 3) + 0.0:.3f}"
