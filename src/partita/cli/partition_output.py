"""Output of `partita partition`: files and printed lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.cli.explanation_lines import explanation_lines
from partita.cli.manifest import SCHEMA_VERSION, as_json
from partita.estimators.partition_notes import MODES
from partita.io import write_memberships
from partita.io.output import atomic_text_file
from partita.membership import Membership
from partita.memory import peak_memory
from partita.partition.chains import ChainComparison
from partita.partition.credible_ball import BallPartition, CredibleBall
from partita.partition.losses import PartitionLoss
from partita.partition.modes import Mode
from partita.report import PartitionReport
from partita.report.partition_doubts import CERTAIN
from partita.report.partition_verdict import expected_words, one_mode_words, partition_headline, weight_words
from partita.wording import count, items, percent

__all__ = ["partition_record", "print_partition", "write_partition_files"]

# Tied partitions on a bound of the credible ball that `result.json` lists, which has their number always; sizes of
# clusters that are printed.
TIES_LISTED, SIZES_LISTED = 10, 8


# Files ---------------------------------------------------------------------------------------------------------------


def write_partition_files(folder: Path, report: PartitionReport, *, psm: bool) -> None:
    """Write every table of a partition; a row is an item, in the order of `labels.csv`, but for `tried.csv`.

    `labels.csv` is the partition. `memberships.csv` is the soft answer to the same draws, its `label` the largest
    membership of the row, which for items on a boundary may be another cluster. Draws that lack items have no
    certainties, cores, modes and no ball; cores are left out too where they would take long.
    """
    estimator, ids = report.estimator, [report.id_of(i) for i in range(report.n_items)]
    labels = estimator.labels_.tolist()
    membership = Membership(estimator.membership_)
    _write_rows(folder / "labels.csv", ["id", "label"], zip(ids, map(str, labels), strict=True))
    tried = ([t.method, str(t.n_clusters), f"{t.loss:.17g}"] for t in estimator.tried_)
    _write_rows(folder / "tried.csv", ["method", "n_clusters", "loss"], tried)
    write_memberships(
        folder / "memberships.csv", ids, membership.labels, membership.matrix, estimator.entropy_, membership.margin
    )
    certainty, cores, modes, ball = report.certainty, report.cores, report.modes, report.ball
    if certainty is not None:
        values = np.column_stack([certainty.together, certainty.matched, certainty.loss]).tolist()
        rows = ([name, str(k), *(f"{v:.17g}" for v in row)] for name, k, row in zip(ids, labels, values, strict=True))
        _write_rows(folder / "item_certainty.csv", ["id", "label", "together", "matched", "loss"], rows)
    if cores is not None:
        held = ["" if core < 0 else str(core) for core in cores.labels.tolist()]
        _write_rows(folder / "cores.csv", ["id", "core"], zip(ids, held, strict=True))
    if modes is not None:
        _write_partitions(
            folder / "modes.csv", ids, [(f"mode_{m}", mode.labels) for m, mode in enumerate(modes.modes, 1)]
        )
    if ball is not None:
        bounds = {side: getattr(ball, side) for side in ("horizontal", "upper", "lower")}
        named = [(f"{side}_{m}", tie.labels) for side, ties in bounds.items() for m, tie in enumerate(ties)]
        _write_partitions(folder / "credible_ball.csv", ids, named)
    if psm:
        np.save(folder / "psm.npy", estimator.psm())


def _write_partitions(path: Path, ids: list[str], partitions: list[tuple[str, np.ndarray]]) -> None:
    """A column for each partition, a row for each item."""
    rows = ([name, *(str(labels[i]) for _, labels in partitions)] for i, name in enumerate(ids))
    _write_rows(path, ["id", *(name for name, _ in partitions)], rows)


def _write_rows(path: Path, header: list[str], rows: Iterable[Iterable[str]]) -> None:
    with atomic_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


# result.json ---------------------------------------------------------------------------------------------------------


def partition_record(report: PartitionReport, *, seconds: float, seed: int, digest: str | None) -> dict[str, Any]:
    """Return the figures of a partition as plain JSON; `certain` counts the items that are in the matching cluster
    in 95% of the draws.
    """
    estimator, certainty, cores, modes = report.estimator, report.certainty, report.cores, report.modes
    search, soft = estimator.result_, estimator.membership_result_
    return as_json(
        {
            "schema_version": SCHEMA_VERSION,
            "command": "partition",
            "headline": partition_headline(report),
            "parameters": report.parameters,
            "n_items": report.n_items,
            "n_draws": estimator.n_draws_,
            "n_clusters": estimator.n_clusters_,
            "n_clusters_probabilities": None if estimator.draws_ is None else estimator.n_clusters_probabilities(),
            "sizes": report.sizes,
            "loss": estimator.loss_.name,
            "unit": estimator.loss_.unit,
            "expected_loss": estimator.expected_loss_,
            "tried": [{"method": t.method, "n_clusters": t.n_clusters, "loss": t.loss} for t in search.tried],
            "gap": search.gap,
            "cap_bound": search.cap_bound,
            "credible_ball": None if report.ball is None else _ball(report.ball),
            "modes": None if modes is None else [_mode(mode) for mode in modes.modes],
            "certain": None if certainty is None else int((certainty.matched >= CERTAIN).sum()),
            "cores": None if cores is None else {"n_items": len(cores.kept), "probability": cores.probability},
            "objective": soft.objective,
            "misfit": soft.misfit,
            "chains": _chains(estimator.agreement_),
            "status": search.status,
            "n_iter": soft.n_iter,
            "n_products": soft.n_products,
            "seconds": seconds,
            "peak_memory_bytes": peak_memory(),
            "seed": seed,
            "explanation": None if report.columns is None else report.columns.explanation.rows(),
            "versions": report.versions,
            "input_sha256": digest,
            "notes": list(estimator.notes_),
        }
    )


def _chains(found: ChainComparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    told = ("agree", "verdict", "max_difference", "mean_difference", "allowed_difference", "allowed_r_hat")
    return {
        "n_chains": len(found.chains),
        **{name: getattr(found, name) for name in told},
        "r_hat": found.r_hat,
        "effective_sample_size": found.effective_sample_size,
    }


def _ball(ball: CredibleBall) -> dict[str, Any]:
    return {
        "level": ball.level,
        "share": ball.share,
        "radius": ball.radius,
        "loss": ball.loss.name,
        "unit": ball.loss.unit,
        **{side: _bound(getattr(ball, side)) for side in ("horizontal", "upper", "lower")},
    }


def _mode(mode: Mode) -> dict[str, Any]:
    return {"weight": mode.weight, "n_clusters": mode.n_clusters, "spread": mode.spread}


def _bound(ties: list[BallPartition]) -> dict[str, Any]:
    return {
        "n_tied": len(ties),
        "partitions": [
            {"n_clusters": tie.n_clusters, "distance": tie.distance, "share": tie.share} for tie in ties[:TIES_LISTED]
        ],
    }


# What is printed -----------------------------------------------------------------------------------------------------


def print_partition(report: PartitionReport, result: dict[str, Any], out: Path) -> None:
    """Print the partition, its ball, modes, certainties, memberships, notes and files, a line each."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    for line in _lines(report, result):
        console.print(line)
    names = sorted(path.name for path in out.iterdir())
    console.print(f"written to {out}: {', '.join(sorted(names, key=lambda name: name != 'report.html'))}")


def _lines(report: PartitionReport, result: dict[str, Any]) -> list[str]:
    model = report.estimator
    K, probabilities = result["n_clusters"], result["n_clusters_probabilities"]
    often = " (some lack items)" if probabilities is None else _counts_words(model.n_clusters_probabilities(), K)
    drawn = f" from {count(result['n_draws'], 'draw')}{often}"
    out = [
        f"{items(result['n_items'])} in {count(K, 'cluster')}{drawn}; {expected_words(model.loss_)} "
        f"{result['expected_loss']:.6g}; sizes {_sizes_words(report.sizes)}"
    ]
    ball = report.ball
    if ball is not None:
        few, many = ball.upper[0].n_clusters, ball.lower[0].n_clusters
        have = count(few, "cluster") if few == many else f"{few} to {many} clusters"
        radius = f"{ball.radius:.4g}"
        unit = f" {ball.loss.unit.removesuffix('s' if radius == '1' else '')}" if ball.loss.unit else ""
        metric = _metric_words(report.estimator.loss_, ball.loss)
        out.append(
            f"{percent(ball.share)} of the draws are within {radius}{unit} of the estimate{metric}; they have {have}"
        )
    modes = report.modes
    if modes is not None and len(modes.modes) > 1:
        told = ", ".join(f"{mode.weight:.0%} (K = {mode.n_clusters})" for mode in modes.modes)
        out.append(
            f"the posterior has {len(modes.modes)} modes, with {told} of the draws: modes.csv has the partition of each"
        )
    elif modes is not None:
        out.append(one_mode_words(report))
    certainty = report.certainty
    if certainty is not None:
        n, median = int((certainty.matched >= CERTAIN).sum()), percent(float(np.median(certainty.matched)))
        out.append(
            f"{n:,} of {items(report.n_items)} in the matching cluster in at least {CERTAIN:.0%} of the draws, the "
            f"median item in {median} of them (item_certainty.csv)"
        )
    out.append(
        f"labels.csv has the partition; memberships.csv has soft memberships from the same draws (relative residual "
        f"{result['misfit']:.3f}){_otherwise(report)}"
    )
    if report.columns is not None and K > 1:
        out += explanation_lines(report.columns.explanation.rows())
    out.append(f"{result['status']}, {result['seconds']:.1f} s")
    out += [f"note: {note}" for note in report.notes]
    return out + [f"note: {note}" for note in result["notes"] if not note.startswith(MODES)]  # told above


def _counts_words(probabilities: dict[int, float], n_clusters: int) -> str:
    """Words for the most probable number of clusters, where the estimate has another.

    >>> _counts_words({2: 0.1, 3: 0.23, 4: 0.34, 5: 0.33}, 3), _counts_words({2: 0.7, 3: 0.3}, 2)
    (' (the most frequent number of clusters is 4, in 34%; 23% have 3)', '')
    """
    top = max(probabilities, key=lambda K: probabilities[K])
    if top == n_clusters:
        return ""
    most, own = (percent(probabilities.get(K, 0.0)) for K in (top, n_clusters))
    return f" (the most frequent number of clusters is {top}, in {most}; {own} have {n_clusters})"


def _sizes_words(sizes: NDArray[np.int64]) -> str:
    """Sizes of the clusters, the largest first, clusters of one item counted.

    >>> _sizes_words(np.array([1, 7, 1, 72])), _sizes_words(np.ones(82, dtype=int)), _sizes_words(np.array([1, 5]))
    ('72, 7 and 2 of a single item', '82 of a single item', '5, 1')
    """
    several, single = np.sort(sizes[sizes > 1])[::-1], int((sizes == 1).sum())
    said = [f"{size:,}" for size in several[:SIZES_LISTED].tolist()]
    if len(several) > SIZES_LISTED:
        said.append(f"... ({len(several) - SIZES_LISTED:,} more)")
    if single == 1:
        said.append("1")
    if single < 2:
        return ", ".join(said)
    alone = f"{single:,} of a single item"
    return f"{', '.join(said)} and {alone}" if said else alone


def _metric_words(loss: PartitionLoss, metric: PartitionLoss) -> str:
    """Words for the metric of a credible ball, where it is not the loss that was minimised.

    >>> from partita.partition.losses import Binder, LowerBound, VariationOfInformation
    >>> _metric_words(VariationOfInformation(a=1.5), VariationOfInformation())
    ' by the symmetric variation of information (a = 1)'
    >>> _metric_words(LowerBound(), VariationOfInformation()), _metric_words(Binder(), Binder())
    (' by variation of information', '')
    """
    if weight_words(loss):
        return f" by the symmetric {metric.title} (a = 1)"
    return "" if loss.name == metric.name else f" by {metric.title}"


def _otherwise(report: PartitionReport) -> str:
    """Words for the number of items whose largest membership is not in their cluster of the partition."""
    model = report.estimator
    n = int((Membership(model.membership_).labels != model.labels_).sum())
    return f", whose largest membership differs from the partition for {items(n)}" if n else ""
