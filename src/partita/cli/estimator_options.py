"""Make an estimator from the options of `partita fit`; options that do not apply to it are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from partita.affinity import Builder, Precomputed
from partita.affinity.distances import require_metric
from partita.cli.early import MODELS_OF, TAKEN_BY_INPUT, n_clusters_of, require_affinity, require_models, require_solver
from partita.cli.options import FitOptions, Model
from partita.ensemble import GraphEnsemble
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
from partita.solvers import Checkpoint, Solver
from partita.wording import listed

__all__ = ["MODELS", "estimator_of", "implied_affinity"]

MODELS: dict[Model, type[FactorizationEstimator]] = {
    "soft": SoftClustering,
    "sof": SoF,
    "baum-eagon": BaumEagon,
    "symnmf": SymNMF,
    "copositive": CopositiveFactorization,
    "kernel-kmeans": KernelKMeans,
    "spectral": SpectralRelaxation,
    "scams": SCAMS,
}
# Options that describe an affinity.
OF_AFFINITIES = ("metric", "kernel", "n_neighbors", "n_landmarks", "scale")


def estimator_of(options: FitOptions) -> FactorizationEstimator:
    """Return the estimator that the options describe.

    Raises
    ------
    InputError
        For values that mean nothing, and options that do not go with one another.
    """
    k = n_clusters_of(options.k)
    shared: dict[str, Any] = {
        "affinity": _builder(options),
        "n_init": options.n_init or "auto",
        "max_iter": options.max_iter,
        "tol": options.tol,
        "max_seconds": options.max_seconds,
        "scale_features": _scale_features(options),
        "missing": options.missing or "error",
        "on_interrupt": "best",
        "checkpoint": _checkpoint(options),
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "verbose": 0 if options.quiet else 1,
    }
    if shared["affinity"] == "precomputed":
        shared["symmetrize"] = options.symmetrize
    if shared["affinity"] == "auto" and options.metric is not None:
        require_metric(options.metric)
        shared["metric"] = options.metric
    if options.start is not None:
        shared["start"] = options.start
    kind = MODELS[options.model]
    own = _own_options(options, kind)
    estimator = kind(k, **own, **shared)
    if options.solver is None:
        return estimator
    return kind(k, **own, **shared, solver=_solver(options.solver, estimator, options.model))


def _scale_features(options: FitOptions) -> str:
    """The scaling of the features; only soft chooses one itself."""
    return "none" if options.scale_features == "auto" and options.model != "soft" else options.scale_features


def _own_options(options: FitOptions, kind: type[FactorizationEstimator]) -> dict[str, Any]:
    """The options given that only some models have, each one that this model takes."""
    require_models(options)
    own = {name: getattr(options, name) for name in MODELS_OF if getattr(options, name) not in (None, "auto")}
    if options.probabilities is None and options.model == "soft":  # recorded by 0.1.0, which had no other default
        own["probabilities"] = "fitted"
    for name, value in own.items():
        for constraint in kind._parameter_constraints[name]:
            choices = getattr(constraint, "options", None)
            if isinstance(value, str) and choices is not None and value not in choices:
                raise InputError(
                    f"--{name} {value} does not go with --model {options.model}: expected one of "
                    f"{', '.join(sorted(choices))}"
                )
    return own


def _checkpoint(options: FitOptions) -> Checkpoint | None:
    """The checkpoint, kept until the output has been written, so that nothing that goes wrong there costs the fit."""
    if options.unfinished is None:
        if options.checkpoint_seconds is not None:
            raise InputError("--checkpoint-seconds and --max-seconds: name a folder with --checkpoint")
        return None
    seconds = {} if options.checkpoint_seconds is None else {"seconds": options.checkpoint_seconds}
    return Checkpoint(options.unfinished, **seconds, keep=True, replace=options.checkpoint is None)


# The affinity --------------------------------------------------------------------------------------------------------


def builders() -> dict[str, type[Builder]]:
    """Return the builder of each `--affinity` that is made of features, those that take a metric first.

    >>> list(builders())[:4]
    ['neighbors', 'relative', 'ensemble', 'landmarks']
    """
    found = {_word(name): kind for name, kind in Builder.registry.items() if name not in TAKEN_BY_INPUT}
    return dict(sorted(found.items(), key=lambda one: ("metric" not in one[1].command_options, one[0])))


def _builder(options: FitOptions) -> Builder | Literal["auto", "precomputed", "precomputed_distance"]:
    """The affinity that the options describe; a name where they describe none and the model chooses."""
    if options.holds in ("affinity", "edges"):
        named = _word(options.affinity or "")
        of_graph, as_it_is = named == _word(GraphEnsemble.name), named == _word(Precomputed.name)
        for name in ("affinity", *OF_AFFINITIES):
            if getattr(options, name) not in (None, "auto") and not (name == "affinity" and (of_graph or as_it_is)):
                raise InputError(f"{_flag(name)} builds an affinity, and --input {options.holds} already is one")
        plain = options.missing != "unobserved" and options.unstored == "zero"
        if of_graph and not plain:
            raise InputError("--affinity graph-ensemble takes every pair: leave out --missing and --unstored")
        if of_graph:
            return GraphEnsemble(symmetrize=options.symmetrize, seed=options.seed)
        if options.model == "soft" and options.affinity == "auto" and plain:
            return "auto" if options.holds == "edges" else "precomputed"
        return Precomputed(missing=options.missing or "error", unstored=options.unstored, symmetrize=options.symmetrize)
    if options.unstored != "zero":
        raise InputError(f"--unstored goes with --input affinity or edges, not with --input {options.holds}")
    if options.symmetrize is not None and options.holds != "distances":
        raise InputError(
            f"--symmetrize goes with --input affinity, distances or edges, not with --input {options.holds}"
        )
    metric = _metric(options)
    which = options.affinity
    if which in (None, "auto"):
        if _takes_what_it_chooses(options) and not _describing(options):
            return "auto" if options.holds == "features" else "precomputed_distance"
        which = "neighbors" if options.model in ("soft", "scams") else "relative"
    said = f", not with {which}" if options.affinity not in (None, "auto") else ": name one of them"
    require_affinity(which)
    kind = builders()[_word(which)]
    takes = kind.command_options
    gaps = options.missing == "unobserved" and not kind.mixed
    if "metric" not in takes and (options.holds != "features" or gaps):
        raise InputError(f"--affinity {which} takes complete features: use --affinity neighbors or relative")
    chosen: dict[str, Any] = {}
    for name in OF_AFFINITIES:
        value = getattr(options, name)
        if value is None:
            continue
        if name not in takes:
            raise InputError(f"{_flag(name)} goes with --affinity {_takers(name)}{said}")
        chosen[takes[name]] = _scale(value) if name == "scale" else value
    if "metric" in takes:  # a neighbour graph keeps the seed of its approximate search, whatever --seed says
        chosen[takes["metric"]] = metric
    elif "seed" in {field.name for field in fields(kind)}:  # type: ignore[arg-type]
        chosen["seed"] = options.seed
    return kind(**chosen)


def implied_affinity(options: FitOptions) -> list[str]:
    """Return a word where options that describe a neighbour graph are why it is taken in the place of the default.

    >>> from pathlib import Path
    >>> len(implied_affinity(FitOptions(Path("a.csv"), n_neighbors=20))), implied_affinity(FitOptions(Path("a.csv")))
    (1, [])
    """
    given = _describing(options)
    if not given or not _takes_what_it_chooses(options):
        return []
    verb, those = ("describe", "them") if len(given) > 1 else ("describes", "it")
    return [
        f"the affinity is a neighbour graph, which {listed(given)} {verb}; without {those}, several clustering methods "
        "would be the evidence"
    ]


def _takes_what_it_chooses(options: FitOptions) -> bool:
    """Whether the affinity of features or distances is left to the model, where no option describes one."""
    return options.affinity == "auto" and options.model == "soft" and options.holds in ("features", "distances")


def _describing(options: FitOptions) -> list[str]:
    """The options given that describe an affinity: a metric of complete features is one of what the model chooses."""
    left = options.holds == "features" and options.missing != "unobserved"
    return [
        _flag(name) for name in OF_AFFINITIES if getattr(options, name) is not None and not (name == "metric" and left)
    ]


def _metric(options: FitOptions) -> str:
    """The distance between items, which missing cells and given distances decide with the option."""
    metric = options.metric or "euclidean"
    if options.holds == "distances":
        if options.metric is not None:
            raise InputError("--metric goes with features: the file holds distances already")
        if options.missing == "unobserved":
            raise InputError("--missing unobserved goes with features or an affinity, not with distances")
        return "precomputed"
    if options.missing == "unobserved":
        if metric not in ("euclidean", "nan_euclidean", "gower"):
            raise InputError(f"--missing unobserved needs --metric nan_euclidean or gower, not {metric}")
        return "gower" if metric == "gower" else "nan_euclidean"
    return metric


def _takers(name: str) -> str:
    """The affinities that take an option.

    >>> _takers("scale"), _takers("n_neighbors")
    ('relative, nystrom or random-features', 'neighbors, relative or landmarks')
    """
    *others, last = (which for which, kind in builders().items() if name in kind.command_options)
    return f"{', '.join(others)} or {last}" if others else last


def _flag(name: str) -> str:
    return f"--{_word(name)}"


def _word(name: str) -> str:
    """A name as the command line has it."""
    return name.replace("_", "-")


def _scale(text: str) -> float | Literal["balanced"]:
    if text == "balanced":
        return cast(Literal["balanced"], text)
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"--scale {text}: expected a positive number or balanced") from error


# The solver ----------------------------------------------------------------------------------------------------------


def _solver(text: str, estimator: FactorizationEstimator, model: str) -> Solver:
    """A solver that can do what the model asks, from NAME or NAME:OPTION=VALUE,OPTION=VALUE."""
    name, _, chosen = text.partition(":")
    domain = estimator._model().objective.domain.name
    able = sorted(other for other, kind in Solver.registry.items() if domain in kind.domains)
    require_solver(name)
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
