"""One fit from input to output folder: what `fit` and `demo` share."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from partita import metrics
from partita.calibration import Calibration
from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say
from partita.cli.inputs import Input
from partita.cli.record import SCHEMA_VERSION, as_json, write_manifest
from partita.estimators.base import FactorizationEstimator
from partita.io import output_folder, save_model, versions, write_json, write_memberships
from partita.memory import peak_memory
from partita.plots.order import membership_of
from partita.progress import ProgressBar
from partita.solvers import Checkpoint, Solver, SolveResult

__all__ = ["Job", "run_job", "solver_text"]

# Share of isolated items or margin below which an item counts as a boundary item in the summary.
SURE_MARGIN = 0.2
# Warnings of a fit that the notes pass on.
TOLD = (ConvergenceWarning, DataConversionWarning)


@dataclass
class Job:
    """What to fit, and where the answer goes."""

    command: str
    items: Input
    estimator: FactorizationEstimator
    out: Path
    options: dict[str, Any]
    title: str
    known: dict[str, Any] = field(default_factory=dict)
    force: bool = False
    replace_if: Callable[[Path], bool] | None = None
    strict: bool = False
    quiet: bool = False
    as_json: bool = False
    notes: list[str] = field(default_factory=list)
    replay: dict[str, Any] | None = None


def run_job(job: Job) -> int:
    """Fit, write the output folder, print the summary; the exit code."""
    items, estimator = job.items, job.estimator
    began = time.perf_counter()
    with output_folder(job.out, force=job.force, replace_if=job.replace_if) as folder:
        with warnings.catch_warnings(record=True) as caught:
            for category in TOLD:
                warnings.simplefilter("always", category)
            estimator.fit(items.X, **job.known)
        seconds = time.perf_counter() - began
        with deferred_interrupt() as interrupted:
            _write(job, folder, seconds, [str(w.message) for w in caught if issubclass(w.category, TOLD)])
    ended = _ended(estimator.result_)
    if ended and isinstance(estimator.checkpoint, Checkpoint):
        estimator.checkpoint.remove()
    result = json.loads((job.out / "result.json").read_text(encoding="utf-8"))
    if job.as_json:
        sys.stdout.write((job.out / "result.json").read_text())
    elif not job.quiet:
        _print_summary(job, result)
    status = result["status"]
    if status == "interrupted":
        say(
            "partita: interrupted; the best result so far was written"
            + ("" if estimator.checkpoint is None else "; the same command with --force goes on from the checkpoint"),
            quiet=job.quiet,
        )
        return INTERRUPTED
    if interrupted():
        say("partita: interrupted when the fit had ended; its result was written", quiet=job.quiet)
        return INTERRUPTED
    if job.strict and status != "converged":
        say(f"partita: not converged ({status}), and --strict was given")
        return NOT_CONVERGED
    return DONE


def _ended(result: SolveResult) -> bool:
    """Whether there is nothing to go on with."""
    ends = ("converged", "max_iter")
    return result.status in ends and all(restart.status in ends for restart in result.restarts)


def solver_text(solver: Solver) -> str:
    """A solver with all its options, as `--solver` takes it."""
    given = {field.name: getattr(solver, field.name) for field in fields(solver)}  # type: ignore[arg-type]
    options = ",".join(f"{name}={str(value).lower()}" for name, value in given.items())
    return f"{solver.name}:{options}" if options else solver.name


def _write(job: Job, folder: Path, seconds: float, warned: list[str]) -> None:
    """Every file of the output folder."""
    from partita.report import FitReport, write_report  # matplotlib is slow to import, and a wrong input needs none

    items, estimator = job.items, job.estimator
    job.options["solver"] = solver_text(estimator._solver_)  # the model's own, where none was asked for
    estimator._columns = items.columns or None
    notes = [*items.notes, *job.notes, *estimator.result_.notes]
    notes += dict.fromkeys(warned)
    result = _result(job, seconds, notes)
    membership = membership_of(estimator)
    write_memberships(
        folder / "memberships.csv",
        items.ids,
        estimator.labels_,
        estimator.membership_,
        estimator.entropy_,
        membership.margin,
    )
    write_json(folder / "result.json", result)
    (folder / "model").mkdir()
    save_model(estimator, folder / "model")
    report = FitReport(
        title=job.title,
        source=items.source,
        ids=items.ids,
        columns=items.columns,
        estimator=estimator,
        features=items.features,
        parameters=result["parameters"],
        scores=result.get("scores"),
        notes=notes,
        seconds=seconds,
        versions=result["versions"],
        command=" ".join(["partita", *sys.argv[1:]]) if sys.argv else None,
        classes=items.truth,
    )
    with (
        nullcontext() if job.quiet else ProgressBar() as bar,
        bar.stage("writing the report") if bar else nullcontext(),
    ):
        write_report(folder / "report.html", report)
    write_manifest(folder, job.command, result, source=items.source, kind=items.kind, replay=job.replay)


def _result(job: Job, seconds: float, notes: list[str]) -> dict[str, Any]:
    estimator, fit = job.estimator, job.estimator.result_
    membership = membership_of(estimator)
    out: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "command": job.command,
        "parameters": job.options,
        "n_items": len(estimator.labels_),
        "n_clusters": estimator.n_clusters_,
        "sizes": membership.sizes,
        "solver": fit.solver_name,
        "objective": estimator.objective_,
        "misfit": fit.misfit,
        "norm_is_exact": fit.norm_is_exact,
        "scale": estimator.scale_,
        "status": fit.status,
        "optimality": fit.optimality,
        "n_iter": estimator.n_iter_,
        "n_products": estimator.n_products_,
        "restarts": [
            {"start": r.start, "objective": r.objective, "status": r.status, "n_iter": r.n_iter} for r in fit.restarts
        ],
        "mean_entropy": float(estimator.entropy_.mean()),
        "n_boundary": len(membership.boundary(SURE_MARGIN)),
        "seconds": seconds + fit.earlier_seconds,
        "peak_memory_bytes": peak_memory(),
        "seed": fit.seed,
        "versions": versions(),
        "input_sha256": job.items.sha256,
        "notes": notes,
    }
    if hasattr(estimator, "ensemble_"):
        # What each clustering of an ensemble was, counted and would have said; its labels are too many to list here.
        out["ensemble"] = [
            {name: value for name, value in vars(draw).items() if name not in ("labels", "idea")}
            for draw in estimator.ensemble_
        ]
    calibration = getattr(estimator, "calibration_", None)
    if calibration is not None:
        out["calibration"] = _calibration(calibration)
    verdict = getattr(estimator, "verdict_", None)
    if verdict is not None:
        out["verdict"] = {
            "n_clusters": verdict.n_clusters,
            "sure": verdict.sure,
            "likely": verdict.likely,
            "disagree": verdict.disagree,
            "probabilities": verdict.probabilities,
            "criteria": verdict.rows(),
        }
    if job.items.truth is not None:
        labels, truth = estimator.labels_, job.items.truth
        out["scores"] = {
            "purity": metrics.purity(labels, truth),
            "rand": metrics.rand_index(labels, truth),
            "adjusted_rand": metrics.adjusted_rand_index(labels, truth),
            "accuracy": metrics.accuracy(labels, truth),
        }
    return as_json(out)


def _calibration(calibration: Calibration) -> dict[str, Any]:
    """As JSON has it: no NaN."""
    out = asdict(calibration)
    bins = calibration.reliability
    out["reliability"] = None if bins is None else {**asdict(bins), "error": bins.error}
    out["stability"] = None if np.isnan(calibration.stability) else calibration.stability
    for alternative in out["alternatives"]:
        alternative["bic"] = None if np.isnan(alternative["bic"]) else alternative["bic"]
    return out


def _verdict_line(K: int, verdict: dict[str, Any]) -> str:
    """How many clusters, how probably, and which criteria say otherwise.

    >>> said = [{"criterion": "stability", "n_clusters": 4}, {"criterion": "eigengap_ratio", "n_clusters": 2}]
    >>> _verdict_line(2, {"probabilities": [0.1, 0.8, 0.1], "criteria": said})
    '2 clusters (probability 0.80; stability says 4)'
    """
    other = [
        f"{row['criterion'].replace('_', ' ')} says {row['n_clusters']}"
        for row in verdict["criteria"]
        if row["n_clusters"] not in (None, K)
    ]
    probable = f"probability {verdict['probabilities'][K - 1]:.2f}"
    return f"{K} cluster{'' if K == 1 else 's'} ({'; '.join([probable, *[', '.join(other)] * bool(other)])})"


def _print_summary(job: Job, result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    membership = membership_of(job.estimator)
    table = Table(title=escape(f"{job.title}: {result['n_items']:,} items in {result['n_clusters']} clusters"))
    for name in ("cluster", "items", "share", "mean membership", "boundary items"):
        table.add_column(name, justify="right")
    boundary = membership.margin < SURE_MARGIN
    for k, (size, sure) in enumerate(zip(membership.sizes, membership.certainty(), strict=True)):
        unsure = int(boundary[membership.labels == k].sum())
        share = size / membership.n_items
        table.add_row(str(k), f"{size:,}", f"{share:.1%}", "-" if np.isnan(sure) else f"{sure:.3f}", f"{unsure:,}")
    console.print(table)
    if "verdict" in result:
        console.print(_verdict_line(result["n_clusters"], result["verdict"]))
    console.print(
        f"{result['n_boundary']:,} of {result['n_items']:,} items sit on a boundary (margin below {SURE_MARGIN}); "
        f"misfit {result['misfit']:.3f}; {result['status']} after {result['n_iter']} iterations, "
        f"{result['n_products']} products, {result['seconds']:.1f} s"
    )
    if "scores" in result:
        scores = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in result["scores"].items())
        console.print(f"against the labels given (not used in the fit): {scores}")
    for note in result["notes"]:
        console.print(f"note: {escape(note)}")
    console.print(f"written to {escape(str(job.out))}: report.html, memberships.csv, result.json, model/")
