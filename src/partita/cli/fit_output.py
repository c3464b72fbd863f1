"""Output of `partita fit` and `partita demo`: files and printed lines."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from partita import metrics
from partita.calibration import Calibration
from partita.cli.console import stage
from partita.cli.explanation_lines import explanation_lines
from partita.cli.inputs import Input
from partita.cli.manifest import SCHEMA_VERSION, as_json
from partita.estimators.base import FactorizationEstimator
from partita.estimators.mixed_table import MixedTable
from partita.explanation import Explanation
from partita.io import save_model, versions, write_json, write_memberships
from partita.memory import peak_memory
from partita.n_clusters.verdict import DISAGREE
from partita.plots.order import membership_of
from partita.wording import count, in_digits

__all__ = ["Fit", "print_fit", "write_fit"]

# Margin below which an item counts as a boundary item in the summary.
SURE_MARGIN = 0.2
# Clusters that have a row in the terminal: of more the largest.
LISTED = 12
# Parameters that the page leaves out: they are the command's own, or said by the option of the seed.
OF_THE_COMMAND = {"on_interrupt", "random_state", "verbose"}


# How a fit ended, in words.
STATUS = {
    "converged": "converged",
    "max_iter": "stopped at the largest number of iterations",
    "max_seconds": "stopped at the time limit",
    "interrupted": "interrupted",
}


@dataclass(frozen=True)
class Fit:
    """Items, the estimator fitted to them, the seconds that took, and what it warned of."""

    title: str
    items: Input
    estimator: FactorizationEstimator
    seconds: float
    warnings: list[str]


def write_fit(
    folder: Path, fit: Fit, *, command: str, given: dict[str, Any], quiet: bool, at_default: Collection[str] = ()
) -> dict[str, Any]:
    """Write every file of the output folder but its manifest; return the contents of `result.json`.

    `given` are the options of the command, which the parameters of the estimator complete, and `at_default` those that
    have their defaults.
    """
    from partita.report import FitReport, write_report  # matplotlib is slow to import, and a wrong input needs none
    from partita.report.fit_report import numbers_of, parameters_of, untouched

    items, estimator = fit.items, fit.estimator
    table = _table(items)
    with stage("explaining the clusters", quiet=quiet):
        explanation = None if table is None else estimator.explain(table)
    result = as_json(_record(fit, command, given | parameters_of(estimator), explanation))
    write_memberships(
        folder / "memberships.csv",
        items.ids,
        estimator.labels_,
        estimator.membership_,
        estimator.entropy_,
        membership_of(estimator).margin,
        estimator.outlier_,
        estimator.certainty_,
    )
    write_json(folder / "result.json", result)
    if items.kind != "features" and items.ids != [str(row) for row in range(len(items.ids))]:
        estimator.items_ = np.array(items.ids)  # predict knows the columns of new items by these names
    (folder / "model").mkdir()
    save_model(estimator, folder / "model", columns=items.columns or None)
    columns, features = numbers_of(table)
    report = FitReport(
        title=fit.title,
        source=items.source,
        ids=items.ids,
        columns=columns,
        estimator=estimator,
        features=features,
        parameters={name: value for name, value in result["parameters"].items() if name not in OF_THE_COMMAND},
        scores=result.get("scores"),
        notes=result["notes"],
        reading=items.notes,
        seconds=fit.seconds,
        versions=result["versions"],
        command=" ".join(["partita", *sys.argv[1:]]) if sys.argv else None,
        classes=items.truth,
        explanation=explanation,
        untouched={*untouched(estimator), *at_default},
    )
    with stage("writing the report", quiet=quiet):
        write_report(folder / "report.html", report)
    return result


def _table(items: Input) -> MixedTable | None:
    """The columns of the file by which clusters are explained; None where it has none."""
    if items.features is None:
        return None
    if isinstance(items.X, MixedTable):
        return items.X
    return MixedTable(tuple(items.columns), MixedTable.of_array(items.features).columns)


def _record(fit: Fit, command: str, parameters: dict[str, Any], explanation: Explanation | None) -> dict[str, Any]:
    """The figures of a fit, as `result.json` names them."""
    items, estimator, found = fit.items, fit.estimator, fit.estimator.result_
    out: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "parameters": parameters,
        **_solved(estimator),
        "seconds": fit.seconds + found.earlier_seconds,
        "peak_memory_bytes": peak_memory(),
        "seed": found.seed,
        "versions": versions(),
        "input_sha256": items.sha256,
        "notes": [*items.notes, *found.notes, *dict.fromkeys(fit.warnings)],
    }
    if explanation is not None:
        out["explanation"] = explanation.rows()
    out |= _chosen(estimator) | _doubt(estimator)
    if items.truth is not None:
        labels, truth = estimator.labels_, items.truth
        out["scores"] = {
            "purity": metrics.purity(labels, truth),
            "rand": metrics.rand_index(labels, truth),
            "adjusted_rand": metrics.adjusted_rand_index(labels, truth),
            "accuracy": metrics.accuracy(labels, truth),
        }
    return out


def _solved(estimator: FactorizationEstimator) -> dict[str, Any]:
    """The clusters, and the figures of the solver."""
    found, membership = estimator.result_, membership_of(estimator)
    return {
        "n_items": len(estimator.labels_),
        "n_clusters": estimator.n_clusters_,
        "sizes": membership.sizes,
        "solver": found.solver_name,
        "objective": estimator.objective_,
        "misfit": found.misfit,
        "norm_is_exact": found.norm_is_exact,
        "scale": estimator.scale_,
        "status": found.status,
        "optimality": found.optimality,
        "n_iter": estimator.n_iter_,
        "n_products": estimator.n_products_,
        "restarts": [
            {"start": r.start, "objective": r.objective, "status": r.status, "n_iter": r.n_iter} for r in found.restarts
        ],
        "mean_entropy": float(estimator.entropy_.mean()),
        "n_boundary": len(membership.boundary(SURE_MARGIN)),
    }


def _chosen(estimator: FactorizationEstimator) -> dict[str, Any]:
    """What was chosen: parameters, the clusterings of an ensemble, the probabilities, the number of clusters."""
    from partita.report.headline import verdict_on

    out: dict[str, Any] = {}
    if estimator.chosen_:
        out["chosen"] = {name: taken._asdict() for name, taken in estimator.chosen_.items()}
    if hasattr(estimator, "ensemble_"):
        # What each clustering of an ensemble was, counted and would have said; its labels are too many to list here.
        out["ensemble"] = [
            {name: value for name, value in vars(draw).items() if name not in ("labels", "idea")}
            for draw in estimator.ensemble_
        ]
    calibration = getattr(estimator, "calibration_", None)
    if calibration is not None:
        out["calibration"] = _calibration(calibration)
    verdict = verdict_on(estimator)
    if verdict is not None:
        out["verdict"] = {
            "n_clusters": verdict.n_clusters,
            "sure": verdict.sure,
            "likely": verdict.likely,
            "disagree": verdict.disagree,
            "probabilities": verdict.probabilities,
            "criteria": verdict.rows(),
        }
    return out


def _doubt(estimator: FactorizationEstimator) -> dict[str, Any]:
    """What is sure and what is not."""
    from partita.report.headline import ERROR, OUTLIER, headline

    confident = estimator.confident(ERROR)
    return {
        "headline": headline(estimator),
        "certainty": float(estimator.certainty_.mean()),
        "n_outliers": int((estimator.outlier_ > OUTLIER).sum()),
        "confident": {
            "error": ERROR,
            "n_items": int(confident.mask.sum()),
            "expected_error": confident.expected_error,
            "standard_error": confident.standard_error,
            "coverage": confident.coverage,
        },
        "layers": estimator.layers().rows(),
    }


def _calibration(calibration: Calibration) -> dict[str, Any]:
    out, bins = asdict(calibration), calibration.reliability
    out["reliability"] = None if bins is None else {**asdict(bins), "error": bins.error}
    return out


def _verdict_line(K: int, verdict: dict[str, Any]) -> str:
    """The number of clusters, its probability, and the criteria that say otherwise.

    >>> said = [{"criterion": "stability", "n_clusters": 4}, {"criterion": "eigengap_ratio", "n_clusters": 2}]
    >>> _verdict_line(2, {"probabilities": [0.1, 0.8, 0.1], "criteria": said})
    '2 clusters (probability 0.80; stability finds 4)'
    >>> _verdict_line(4, {"probabilities": [0.1, 0.8, 0.1], "criteria": []})
    '4 clusters (probability below 0.01)'
    """
    other = [
        f"{row['criterion'].replace('_', ' ')} finds {row['n_clusters']}"
        for row in verdict["criteria"]
        if row["n_clusters"] not in (None, K)
    ]
    p = verdict["probabilities"]
    probable = f"probability {in_digits(p[K - 1] if len(p) >= K else 0.0)}"
    return f"{count(K, 'cluster')} ({'; '.join([probable, *[', '.join(other)] * bool(other)])})"


def print_fit(fit: Fit, result: dict[str, Any], out: Path) -> None:
    """Print what there is, how sure that is and what to doubt, the clusters, and where the files are."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from partita.report.headline import OUTLIER

    console = Console(highlight=False, soft_wrap=True)
    labels, certainty, outlier = fit.estimator.labels_, fit.estimator.certainty_, fit.estimator.outlier_
    table = Table()
    for name in ("cluster", "items", "share", "labels expected right", "probably in no cluster"):
        table.add_column(name, justify="right")
    sizes = np.bincount(labels, minlength=result["n_clusters"])
    largest = np.sort(np.argsort(-sizes, kind="stable")[:LISTED])
    for k in largest.tolist():
        own = labels == k
        right = f"{certainty[own].mean():.0%}" if own.any() else "-"
        none = (outlier[own] > OUTLIER).sum()
        table.add_row(str(k), f"{own.sum():,}", f"{own.mean():.1%}", right, f"{none:,}")
    for sentence in result["headline"]:
        console.print(escape(sentence))
    console.print(table)
    if len(sizes) > LISTED:
        console.print(f"and {count(len(sizes) - LISTED, 'more cluster')}: memberships.csv and report.html have all")
    for line in explanation_lines(result.get("explanation", [])):
        console.print(escape(line))
    if "verdict" in result:
        judged, held = fit.estimator._n_judged, result["n_clusters"]
        holding = f", of which {held} hold an item" if held < judged else ""
        console.print(_verdict_line(judged, result["verdict"]) + holding)
    took = f"{count(result['n_iter'], 'iteration')} ({result['seconds']:.1f} s)"
    console.print(f"{STATUS[result['status']]} after {took}; relative residual {result['misfit']:.3f}")
    if "scores" in result:
        scores = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in result["scores"].items())
        console.print(f"against the labels given (not used in the fit): {scores}")
    for note in result["notes"]:
        # The line on the number of clusters says who disagrees, and doubts about cells were said before the fit.
        if not note.startswith(DISAGREE) and note not in fit.items.doubts:
            console.print(f"note: {escape(note)}")
    console.print(f"written to {escape(str(out))}: report.html, memberships.csv, result.json, model/")
