"""`partita partition`: one partition from partition draws, what else was found, and how sure it is."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say
from partita.cli.record import SCHEMA_VERSION, as_json, finite, write_manifest
from partita.cli.replay import options_as_given
from partita.errors import InputError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.io import output_folder, read_draws, read_labels, sha256_of_file, versions, write_json, write_memberships
from partita.io.label_files import LabelTable, match_labels
from partita.io.output import atomic_text_file
from partita.membership import Membership
from partita.memory import peak_memory
from partita.partition.chains import ChainComparison
from partita.partition.credible_ball import BallPartition, CredibleBall
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from partita.partition.modes import Mode
from partita.partition.named_draws import NamedDraws
from partita.progress import ProgressBar

__all__ = ["PartitionOptions", "run_partition"]

# Tied partitions on a bound of the credible ball that are written to result.json; the number is always.
LISTED = 10


@dataclass(frozen=True)
class PartitionOptions:
    """The options of `partita partition`, as given."""

    file: Path
    loss: str
    unit: Literal["bits", "nats"] | None
    a: float | None
    normalize: Literal["n2", "pairs"] | None
    max_clusters: int | None
    level: float
    key: str | None
    chains: int | None
    start: Path | None
    missing: Literal["error", "unobserved"]
    n_init: int
    n_jobs: int
    seed: int
    max_seconds: float | None
    out: Path | None
    force: bool
    strict: bool
    quiet: bool
    as_json: bool


def run_partition(options: PartitionOptions) -> int:
    """Read, search, write; the exit code."""
    began = time.perf_counter()
    loss = _loss(options)
    if not 0 < options.level <= 1:
        raise InputError(f"--level {options.level:g}: expected a share of the posterior above 0 and at most 1")
    with nullcontext() if options.quiet else ProgressBar() as bar, bar.stage("reading") if bar else nullcontext():
        draws = _with_chains(read_draws(options.file, key=options.key, missing=options.missing), options.chains)
        digest = sha256_of_file(options.file) if options.file.is_file() else None
    ids = [str(i) for i in range(draws.labels.shape[1])] if draws.items is None else draws.items.tolist()
    estimator = BayesianPartition(
        loss,
        unit=options.unit or "bits",
        max_clusters=options.max_clusters,
        n_init=options.n_init,
        starts=() if options.start is None else (_start(options.start, ids),),
        max_seconds=options.max_seconds,
        missing=options.missing,
        on_interrupt="best",
        random_state=options.seed,
        n_jobs=options.n_jobs,
        verbose=0 if options.quiet else 1,
    )
    name = options.file.name.split(".")[0]
    out = options.out or Path(f"{name}-partition")
    with output_folder(out, force=options.force) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # its status says so
            estimator.fit(draws)
        with deferred_interrupt() as interrupted:
            result = _write(options, folder, estimator, ids, digest, began)
    if options.as_json:
        sys.stdout.write((out / "result.json").read_text(encoding="utf-8"))
    elif not options.quiet:
        _print_summary(estimator, result, out)
    if result["status"] == "interrupted" or interrupted():
        say("partita: interrupted; the best partition so far was written", quiet=options.quiet)
        return INTERRUPTED
    if options.strict and (doubt := _doubt(estimator)):
        say(f"partita: {doubt}, and --strict was given")
        return NOT_CONVERGED
    return DONE


def _doubt(estimator: BayesianPartition) -> str:
    """Why the answer is not that of a finished search on draws of one posterior; empty where nothing says so."""
    result, agreement = estimator.result_, estimator.agreement_
    if result.status != "converged":
        return f"not converged ({result.status})"
    if agreement is not None and not agreement.agree:
        return "the chains disagree"
    return "max_clusters keeps a better partition from being found" if result.cap_bound else ""


def _loss(options: PartitionOptions) -> str | PartitionLoss:
    """A name, or a loss with the options that it alone has."""
    if options.loss not in PartitionLoss.registry:
        raise InputError(f"--loss {options.loss}: expected one of {', '.join(PartitionLoss.registry)}")
    entropic = PartitionLoss.registry[options.loss].entropic and PartitionLoss.registry[options.loss].unit is not None
    if options.unit is not None and not entropic:
        raise InputError(f"--unit goes with losses that are entropies, not with --loss {options.loss}")
    if options.normalize is not None and options.loss != "binder":
        raise InputError(f"--normalize goes with --loss binder, not with --loss {options.loss}")
    if options.a is None and options.normalize is None:
        return options.loss
    a = 1.0 if options.a is None else options.a
    if options.loss == "binder":
        return Binder(a=a, normalize=options.normalize or "n2")
    if options.loss == "vi":
        return VariationOfInformation(a=a, unit=options.unit or "bits")
    raise InputError(f"--a goes with --loss vi or binder, not with --loss {options.loss}")


def _with_chains(draws: NamedDraws, chains: int | None) -> NamedDraws:
    if chains is None:
        return draws
    M = draws.labels.shape[0]
    if chains < 1 or M % chains:
        raise InputError(f"--chains {chains}: {M:,} draws are not {chains} chains of one length")
    return NamedDraws(draws.labels, np.repeat(np.arange(chains), M // chains), draws.items)


def _start(file: Path, ids: list[str]) -> NDArray[Any]:
    """A partition from a file of labels, in the order of the items."""
    table = read_labels(file)
    items = LabelTable(np.array(ids), ids, "", Path("the draws"))
    return match_labels(items, table)[1]


def _write(
    options: PartitionOptions,
    folder: Path,
    estimator: BayesianPartition,
    ids: list[str],
    digest: str | None,
    began: float,
) -> dict[str, Any]:
    """Every file of the output folder; what `result.json` says."""
    from partita.report import PartitionReport, write_partition_report

    membership = Membership(estimator.membership_)
    ball = None if estimator.draws_ is None else estimator.credible_ball(options.level)
    _write_labels(folder / "labels.csv", ids, estimator.labels_)
    _write_tried(folder / "tried.csv", estimator)
    write_memberships(
        folder / "memberships.csv",
        ids,
        membership.labels,
        membership.matrix,
        estimator.entropy_,
        membership.margin,
    )
    if ball is not None:
        _write_ball(folder / "credible_ball.csv", ids, ball)
    given = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}
    report = PartitionReport(
        title=options.file.name.split(".")[0],
        source=options.file.name,
        ids=ids,
        estimator=estimator,
        ball=ball,
        parameters=given,
        seconds=time.perf_counter() - began,
        versions=versions(),
        command=" ".join(["partita", *sys.argv[1:]]) if sys.argv else None,
    )
    search, soft = estimator.result_, estimator.membership_result_
    result = as_json(
        {
            "schema_version": SCHEMA_VERSION,
            "command": "partition",
            "parameters": given,
            "n_items": len(ids),
            "n_draws": None if estimator.draws_ is None else estimator.draws_.n_given,
            "n_clusters": estimator.n_clusters_,
            "sizes": np.bincount(estimator.labels_),
            "loss": estimator.loss_.name,
            "unit": estimator.loss_.unit,
            "expected_loss": estimator.expected_loss_,
            "tried": [{"method": t.method, "n_clusters": t.n_clusters, "loss": t.loss} for t in search.tried],
            "gap": search.gap,
            "cap_bound": search.cap_bound,
            "credible_ball": None if ball is None else _ball(ball),
            "modes": None if report.modes is None else [_mode(mode) for mode in report.modes.modes],
            "objective": soft.objective,
            "misfit": soft.misfit,
            "chains": _chains(estimator.agreement_),
            "status": search.status,
            "n_iter": soft.n_iter,
            "n_products": soft.n_products,
            "seconds": time.perf_counter() - began,
            "peak_memory_bytes": peak_memory(),
            "seed": options.seed,
            "versions": versions(),
            "input_sha256": digest,
            "notes": list(estimator.notes_),
        }
    )
    write_json(folder / "result.json", result)
    with (
        nullcontext() if options.quiet else ProgressBar() as bar,
        bar.stage("writing the report") if bar else nullcontext(),
    ):
        write_partition_report(folder / "report.html", report)
    write_manifest(
        folder, "partition", result, source=options.file.name, kind="draws", replay=options_as_given(options)
    )
    return result


def _write_labels(path: Path, ids: list[str], labels: NDArray[np.int64]) -> None:
    _write_rows(path, ["id", "label"], ([name, str(label)] for name, label in zip(ids, labels.tolist(), strict=True)))


def _write_tried(path: Path, estimator: BayesianPartition) -> None:
    rows = ([t.method, str(t.n_clusters), f"{t.loss:.17g}"] for t in estimator.tried_)
    _write_rows(path, ["method", "n_clusters", "loss"], rows)


def _write_ball(path: Path, ids: list[str], ball: CredibleBall) -> None:
    """A column for each partition on a bound, a row for each item."""
    named = [
        (f"{side}_{number}", partition)
        for side in ("horizontal", "upper", "lower")
        for number, partition in enumerate(getattr(ball, side))
    ]
    rows = ([name, *(str(partition.labels[i]) for _, partition in named)] for i, name in enumerate(ids))
    _write_rows(path, ["id", *(name for name, _ in named)], rows)


def _write_rows(path: Path, header: list[str], rows: Any) -> None:
    import csv

    with atomic_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _chains(found: ChainComparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    told = ("agree", "verdict", "max_difference", "mean_difference", "allowed_difference", "allowed_r_hat")
    return {
        "n_chains": len(found.chains),
        **{name: getattr(found, name) for name in told},
        "r_hat": finite(found.r_hat),
        "effective_sample_size": finite(found.effective_sample_size),
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
            {"n_clusters": tie.n_clusters, "distance": tie.distance, "share": tie.share} for tie in ties[:LISTED]
        ],
    }


def _print_summary(estimator: BayesianPartition, result: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    loss = estimator.loss_
    drawn = f" from {result['n_draws']:,} draws" if result["n_draws"] else ""
    console.print(
        f"{result['n_items']:,} items in {result['n_clusters']} clusters{drawn}; expected {escape(loss.says)} "
        f"{result['expected_loss']:.6g}; sizes {', '.join(map(str, result['sizes']))}"
    )
    ball = result["credible_ball"]
    if ball is not None:
        unit = f" {ball['unit']}" if ball["unit"] else ""
        few, many = ball["upper"]["partitions"][0], ball["lower"]["partitions"][0]
        console.print(
            f"{ball['share']:.1%} of the draws are within {ball['radius']:.4g}{unit} of it; they have "
            f"{few['n_clusters']} to {many['n_clusters']} clusters"
        )
    if result["modes"] is not None and len(result["modes"]) > 1:
        told = ", ".join(f"{mode['weight']:.0%} (K = {mode['n_clusters']})" for mode in result["modes"])
        console.print(f"the posterior has {len(result['modes'])} modes, with shares {told}: the page shows each")
    console.print(f"soft memberships: misfit {result['misfit']:.3f}; {result['status']}, {result['seconds']:.1f} s")
    for note in result["notes"]:
        console.print(f"note: {escape(note)}")
    console.print(f"written to {escape(str(out))}: report.html, labels.csv, memberships.csv, tried.csv, result.json")
