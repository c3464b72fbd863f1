"""`partita fit`: options to estimator."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from partita.affinity import Builder, NeighborGraph, Precomputed, RelativeDistance
from partita.affinity.checks import Symmetrize
from partita.cli.inputs import InputKind, read_input
from partita.cli.run import Job, run_job
from partita.errors import InputError
from partita.estimators import SoF, SoftClustering
from partita.estimators.base import FactorizationEstimator
from partita.progress import ProgressBar
from partita.solvers import STARTS, Solver

__all__ = ["FitOptions", "run_fit"]


@dataclass(frozen=True)
class FitOptions:
    """The options of `partita fit`, as given."""

    file: Path
    k: str
    out: Path | None
    force: bool
    label_column: str | None
    id_column: str | None
    key: str | None
    input: InputKind
    model: Literal["soft", "sof"]
    affinity: Literal["relative", "neighbors"] | None
    solver: str
    start: str | None
    sizes: str | None
    steps: int | None
    normalization: str | None
    n_neighbors: int | None
    metric: str | None
    kernel: Literal["laplacian", "gaussian"] | None
    scale: str | None
    scale_features: str
    missing: Literal["error", "unobserved"]
    symmetrize: Symmetrize | None
    n_init: int | None
    n_jobs: int
    seed: int
    max_iter: int
    tol: float
    max_seconds: float | None
    strict: bool
    quiet: bool
    as_json: bool


def run_fit(options: FitOptions) -> int:
    """Read, fit, write; the exit code."""
    estimator = _estimator(options)  # wrong options are named before a large file is read
    with nullcontext() if options.quiet else ProgressBar() as bar, bar.stage("reading") if bar else nullcontext():
        items = read_input(
            options.file,
            options.input,
            label_column=options.label_column,
            id_column=options.id_column,
            key=options.key,
            missing=options.missing == "unobserved",
            scaled=options.scale_features != "none",
        )
    out = options.out or Path(f"{options.file.name.split('.')[0]}-partita")
    given = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}
    effective = estimator.get_params(deep=False) | {"affinity": estimator._builder().config()}
    return run_job(
        Job(
            command="fit",
            items=items,
            estimator=estimator,
            out=out,
            options=given | {"k": int(options.k)} | {name: _readable(value) for name, value in effective.items()},
            title=options.file.stem,
            force=options.force,
            strict=options.strict,
            quiet=options.quiet,
            as_json=options.as_json,
        )
    )


def _estimator(options: FitOptions) -> FactorizationEstimator:
    if options.k == "auto":
        raise InputError("--k auto is not available in this version: give the number of clusters, as --k 3")
    try:
        k = int(options.k)
    except ValueError as error:
        raise InputError(f"--k {options.k}: expected a whole number of clusters") from error
    if k < 1:
        raise InputError(f"--k {k}: at least one cluster is needed")
    if options.solver not in Solver.registry:
        raise InputError(f"--solver {options.solver}: expected one of {', '.join(sorted(Solver.registry))}")
    if options.start is not None and options.start not in STARTS:
        raise InputError(f"--start {options.start}: expected one of {', '.join(STARTS)}")
    shared: dict[str, Any] = {
        "affinity": _builder(options),
        "solver": Solver.registry[options.solver](),
        "n_init": options.n_init or "auto",
        "max_iter": options.max_iter,
        "tol": options.tol,
        "max_seconds": options.max_seconds,
        "scale_features": options.scale_features,
        "missing": options.missing,
        "on_interrupt": "best",
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "verbose": 0 if options.quiet else 1,
    }
    if options.start is not None:
        shared["start"] = options.start
    own = {name: getattr(options, name) for name in ("sizes", "steps", "normalization")}
    own = {name: value for name, value in own.items() if value is not None}
    if options.model == "sof":
        if own:
            raise InputError(f"--{next(iter(own))} goes with --model soft, not with --model sof")
        return SoF(k, **shared)
    return SoftClustering(k, **own, **shared)


def _builder(options: FitOptions) -> Builder:
    """The affinity that the options describe."""
    if options.input in ("affinity", "edges"):
        for name in ("affinity", "metric", "kernel", "n_neighbors", "scale"):
            if getattr(options, name) is not None:
                flag = name.replace("_", "-")
                raise InputError(f"--{flag} builds an affinity, and --input {options.input} already is one")
        return Precomputed(missing=options.missing, symmetrize=options.symmetrize)
    if options.symmetrize is not None:
        raise InputError(f"--symmetrize goes with --input affinity, not with --input {options.input}")
    metric = options.metric or "euclidean"
    if options.input == "distances":
        if options.metric is not None:
            raise InputError("--metric goes with features: the file holds distances already")
        if options.missing == "unobserved":
            raise InputError("--missing unobserved goes with features or an affinity, not with distances")
        metric = "precomputed"
    elif options.missing == "unobserved":
        if metric not in ("euclidean", "nan_euclidean", "gower"):
            raise InputError(f"--missing unobserved needs --metric nan_euclidean or gower, not {metric}")
        metric = "gower" if metric == "gower" else "nan_euclidean"
    which = options.affinity or ("neighbors" if options.model == "soft" else "relative")
    chosen: dict[str, Any] = {"metric": metric}
    if which == "neighbors":
        if options.scale is not None:
            raise InputError("--scale goes with --affinity relative: a neighbour graph has no scale")
        if options.n_neighbors is not None:
            chosen["n_neighbors"] = options.n_neighbors
        if options.kernel is not None:
            chosen["weights"] = options.kernel
        return NeighborGraph(**chosen)
    if options.n_neighbors is not None:
        chosen["n"] = options.n_neighbors
    if options.kernel is not None:
        chosen["kernel"] = options.kernel
    if options.scale is not None:
        chosen["scale"] = _scale(options.scale)
    return RelativeDistance(**chosen)


def _scale(text: str) -> float | Literal["balanced"]:
    if text == "balanced":
        return cast(Literal["balanced"], text)
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"--scale {text}: expected a positive number or balanced") from error


def _readable(value: Any) -> Any:
    if isinstance(value, Solver):
        return value.name
    return value
