"""`partita fit`: options to estimator."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from partita.affinity.checks import Symmetrize
from partita.cli.builders import builder_of
from partita.cli.inputs import InputKind, read_input, read_links, read_pair_weights
from partita.cli.replay import options_as_given
from partita.cli.run import Job, run_job, solver_text
from partita.errors import InputError
from partita.estimators import (
    SCAMS,
    BaumEagon,
    CopositiveFactorization,
    KernelKMeans,
    SoF,
    SoftClustering,
    SpectralRelaxation,
    SymNMF,
)
from partita.estimators.base import FactorizationEstimator
from partita.n_clusters import Criterion
from partita.progress import ProgressBar
from partita.solvers import STARTS, Checkpoint, Solver

__all__ = ["FitOptions", "run_fit"]

MODELS: dict[str, type[FactorizationEstimator]] = {
    "soft": SoftClustering,
    "sof": SoF,
    "baum-eagon": BaumEagon,
    "symnmf": SymNMF,
    "copositive": CopositiveFactorization,
    "kernel-kmeans": KernelKMeans,
    "spectral": SpectralRelaxation,
    "scams": SCAMS,
}
# Options that only some models have.
OWN = ("sizes", "steps", "probabilities", "normalization", "method", "share", "theta")


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
    model: Literal["soft", "sof", "baum-eagon", "symnmf", "copositive", "kernel-kmeans", "spectral", "scams"]
    affinity: (
        Literal["relative", "neighbors", "ensemble", "landmarks", "nystrom", "random-features", "ssc", "ssc-omp", "lrr"]
        | None
    )
    solver: str | None
    start: str | None
    sizes: str | None
    probabilities: str | None
    steps: int | None
    method: Literal["local", "admm"] | None
    share: float | None
    theta: float | None
    normalization: str | None
    n_neighbors: int | None
    n_landmarks: int | None
    metric: str | None
    kernel: Literal["laplacian", "gaussian"] | None
    scale: str | None
    scale_features: str
    missing: Literal["error", "unobserved"]
    symmetrize: Symmetrize | None
    unstored: Literal["zero", "unobserved"]
    must_link: Path | None
    cannot_link: Path | None
    pair_weight: Path | None
    n_init: int | None
    n_jobs: int
    seed: int
    max_iter: int
    tol: float
    max_seconds: float | None
    checkpoint: Path | None
    checkpoint_seconds: float | None
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
            only_stored=options.unstored == "unobserved",
        )
    links = {"must_link": options.must_link, "cannot_link": options.cannot_link}
    known: dict[str, Any] = {name: read_links(file, items.ids) for name, file in links.items() if file is not None}
    if options.pair_weight is not None:
        known["pair_weight"] = read_pair_weights(options.pair_weight, items.ids)
    out = options.out or Path(f"{options.file.name.split('.')[0]}-partita")
    given = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}
    effective = estimator.get_params(deep=False) | {"affinity": estimator._builder().config()}
    return run_job(
        Job(
            command="fit",
            items=items,
            estimator=estimator,
            known=known,
            out=out,
            options=given | {"k": _k(options.k)} | {name: _readable(value) for name, value in effective.items()},
            title=options.file.stem,
            force=options.force,
            strict=options.strict,
            quiet=options.quiet,
            as_json=options.as_json,
            replay=options_as_given(options),
        )
    )


def _estimator(options: FitOptions) -> FactorizationEstimator:
    k = _k(options.k)
    if options.start is not None and options.start not in STARTS:
        raise InputError(f"--start {options.start}: expected one of {', '.join(STARTS)}")
    shared: dict[str, Any] = {
        "affinity": builder_of(options),
        "n_init": options.n_init or "auto",
        "max_iter": options.max_iter,
        "tol": options.tol,
        "max_seconds": options.max_seconds,
        "scale_features": options.scale_features,
        "missing": options.missing,
        "on_interrupt": "best",
        "checkpoint": _checkpoint(options),
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "verbose": 0 if options.quiet else 1,
    }
    if options.start is not None:
        shared["start"] = options.start
    kind = MODELS[options.model]
    own = {name: getattr(options, name) for name in OWN}
    own = {name: value for name, value in own.items() if value is not None}
    for name, value in own.items():
        able = [model for model, other in MODELS.items() if name in other._parameter_constraints]
        if options.model not in able:
            raise InputError(f"--{name} goes with --model {' or '.join(able)}, not with --model {options.model}")
        for constraint in kind._parameter_constraints[name]:
            choices = getattr(constraint, "options", None)
            if isinstance(value, str) and choices is not None and value not in choices:
                raise InputError(
                    f"--{name} {value} does not go with --model {options.model}: expected one of "
                    f"{', '.join(sorted(choices))}"
                )
    estimator = kind(k, **own, **shared)
    if options.solver is not None:
        estimator.set_params(solver=_solver(options.solver, estimator, options.model))
    return estimator


def _k(text: str) -> int | str:
    """The number of clusters, or the word that leaves it to all criteria or to one."""
    if text == "auto" or text in Criterion.registry:
        return text
    try:
        k = int(text)
    except ValueError as error:
        raise InputError(
            f"--k {text}: expected a whole number of clusters, auto, or one of {', '.join(sorted(Criterion.registry))}"
        ) from error
    if k < 1:
        raise InputError(f"--k {k}: at least one cluster is needed")
    return k


def _checkpoint(options: FitOptions) -> Checkpoint | None:
    """Kept until the output has been written, so that nothing that goes wrong there costs the fit."""
    if options.checkpoint is None:
        if options.checkpoint_seconds is not None:
            raise InputError("--checkpoint-seconds goes with --checkpoint")
        return None
    seconds = {} if options.checkpoint_seconds is None else {"seconds": options.checkpoint_seconds}
    return Checkpoint(options.checkpoint, **seconds, keep=True)


def _solver(text: str, estimator: FactorizationEstimator, model: str) -> Solver:
    """A solver that can do what the model asks, from NAME or NAME:OPTION=VALUE,OPTION=VALUE."""
    name, _, chosen = text.partition(":")
    domain = estimator._model().objective.domain.name
    able = sorted(other for other, kind in Solver.registry.items() if domain in kind.domains)
    if name not in Solver.registry:
        raise InputError(f"--solver {name}: expected one of {', '.join(able)}")
    if name not in able:
        raise InputError(f"--solver {name} does not go with --model {model}: expected one of {', '.join(able)}")
    kind: Any = Solver.registry[name]
    types = {field.name: get_type_hints(kind)[field.name] for field in fields(kind)}
    options: dict[str, Any] = {}
    for pair in chosen.split(",") if chosen else ():
        option, value = _solver_option(name, pair, types)
        if option in options:
            raise InputError(f"--solver {text}: {option} is given twice")
        options[option] = value
    return kind(**options)  # type: ignore[no-any-return]


def _solver_option(solver: str, pair: str, types: dict[str, Any]) -> tuple[str, Any]:
    """An option of a solver, of the type that it is declared with."""
    option, given, value = pair.partition("=")
    if option not in types or not given:
        raise InputError(
            f"--solver {solver}: {pair!r} is no OPTION=VALUE; options are {', '.join(types) or 'none'} "
            f"(as in --solver {solver}:{next(iter(types), 'OPTION')}=...)"
        )
    allowed = [types[option]] if get_origin(types[option]) is Literal else get_args(types[option]) or [types[option]]
    words = [word for kind in allowed if get_origin(kind) is Literal for word in get_args(kind)]
    readers: dict[Any, Callable[[str], Any]] = {
        bool: lambda text: {"true": True, "false": False}[text.lower()],
        int: int,
        float: float,
    }
    read = [kind for kind in allowed if kind in readers]
    if value in words or not read:  # a word that is none of its own is the solver's to refuse
        return option, value
    for kind in read:
        with suppress(ValueError, KeyError):
            return option, readers[kind](value)
    expected = [kind.__name__ for kind in read] + words
    raise InputError(f"--solver {solver}: {option}={value} is not {' or '.join(expected)}")


def _readable(value: Any) -> Any:
    if isinstance(value, Checkpoint):
        return str(value.folder)
    return solver_text(value) if isinstance(value, Solver) else value
