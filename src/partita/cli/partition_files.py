"""The files of `partita partition`: labels, memberships, certainties, cores, bounds, modes, what was tried."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from partita.io import write_memberships
from partita.io.output import atomic_text_file
from partita.membership import Membership

if TYPE_CHECKING:
    from partita.report import PartitionReport

__all__ = ["write_partition_files"]


def write_partition_files(folder: Path, report: PartitionReport, *, psm: bool) -> None:
    """Every table of a partition; a row is an item, in the order of `labels.csv`, but for `tried.csv`.

    `labels.csv` is the partition. `memberships.csv` is the soft answer to the same draws, its `label` the largest
    membership of the row, which for items on a boundary may be another cluster. Draws that lack items have no
    certainties, cores, modes and no ball; cores are left out too where they would take long.
    """
    estimator, ids = report.estimator, [report.id_of(i) for i in range(report.n_items)]
    labels = estimator.labels_.tolist()
    membership = Membership(estimator.membership_)
    _write(folder / "labels.csv", ["id", "label"], zip(ids, map(str, labels), strict=True))
    tried = ([t.method, str(t.n_clusters), f"{t.loss:.17g}"] for t in estimator.tried_)
    _write(folder / "tried.csv", ["method", "n_clusters", "loss"], tried)
    write_memberships(
        folder / "memberships.csv", ids, membership.labels, membership.matrix, estimator.entropy_, membership.margin
    )
    certainty, cores, modes, ball = report.certainty, report.cores, report.modes, report.ball
    if certainty is not None:
        values = np.column_stack([certainty.together, certainty.matched, certainty.loss]).tolist()
        rows = ([name, str(k), *(f"{v:.17g}" for v in row)] for name, k, row in zip(ids, labels, values, strict=True))
        _write(folder / "item_certainty.csv", ["id", "label", "together", "matched", "loss"], rows)
    if cores is not None:
        held = ["" if core < 0 else str(core) for core in cores.labels.tolist()]
        _write(folder / "cores.csv", ["id", "core"], zip(ids, held, strict=True))
    if modes is not None:
        _write_columns(folder / "modes.csv", ids, [(f"mode_{m}", mode.labels) for m, mode in enumerate(modes.modes, 1)])
    if ball is not None:
        bounds = {side: getattr(ball, side) for side in ("horizontal", "upper", "lower")}
        named = [(f"{side}_{m}", tie.labels) for side, ties in bounds.items() for m, tie in enumerate(ties)]
        _write_columns(folder / "credible_ball.csv", ids, named)
    if psm:
        np.save(folder / "psm.npy", estimator.psm())


def _write_columns(path: Path, ids: list[str], partitions: list[tuple[str, np.ndarray]]) -> None:
    """A column for each partition, a row for each item."""
    rows = ([name, *(str(labels[i]) for _, labels in partitions)] for i, name in enumerate(ids))
    _write(path, ["id", *(name for name, _ in partitions)], rows)


def _write(path: Path, header: list[str], rows: Iterable[Iterable[str]]) -> None:
    with atomic_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
