"""What can be wrong with the options of a command and is told before the libraries are loaded, which takes seconds."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from partita.cli.options import (
    DrawsOptions,
    FitOptions,
    InputKind,
    Model,
    PartitionOptions,
    PredictOptions,
    ReproduceOptions,
    ScoreOptions,
    VerifyOptions,
    options_that_count,
)
from partita.errors import InputError
from partita.paths import (
    DRAW_SUFFIXES,
    FEATURE_SUFFIXES,
    GRAPH_SUFFIXES,
    MATRIX_SUFFIXES,
    STANDARD_INPUT,
    TABLE_SUFFIXES,
    name_of,
    require_file,
    require_format,
    require_placed,
)
from partita.registry import did_you_mean

__all__ = [
    "MODELS_OF",
    "TAKEN_BY_INPUT",
    "check_draws",
    "check_fit",
    "check_partition",
    "check_predict",
    "check_reproduce",
    "check_score",
    "check_verify",
    "criteria",
    "losses",
    "n_clusters_of",
    "names_in_files",
    "require_affinity",
    "require_loss",
    "require_manifest",
    "require_models",
    "require_solver",
    "was_cut_short",
]

# The head of a class, or how it says its name.
CLASS_OR_NAME = re.compile(r'^class (\w+)(?:\(([^)]*)\))?:|^    name(?:: ClassVar\[str\])? = "([\w-]+)"', re.MULTILINE)
# Builders that take a matrix or a graph, with such an `--input` alone.
TAKEN_BY_INPUT = ("precomputed", "graph_ensemble")
# Models that have an option of their own.
MODELS_OF: dict[str, tuple[Model, ...]] = {
    **dict.fromkeys(("sizes", "steps", "probabilities"), ("soft",)),
    "normalization": ("soft", "symnmf", "copositive", "kernel-kmeans", "spectral"),
    **dict.fromkeys(("method", "share", "theta"), ("scams",)),
}
# Files that `partita fit` reads for what they hold.
SUFFIXES: dict[InputKind, tuple[str, ...]] = {
    "features": (*FEATURE_SUFFIXES, *GRAPH_SUFFIXES),
    "distances": MATRIX_SUFFIXES,
    "affinity": MATRIX_SUFFIXES,
    "edges": (*TABLE_SUFFIXES, ".npy", ".npz", *GRAPH_SUFFIXES),
}


def check_fit(options: FitOptions, *, alone: bool = True) -> None:
    """Look at the names, the number of clusters and the files of `partita fit`.

    A file that is not `alone` may be of a format that is not read: the others are fitted all the same.

    Raises
    ------
    InputError
    """
    n_clusters_of(options.k)
    if options.affinity not in (None, "auto"):
        require_affinity(options.affinity, of_pairs=options.holds in ("affinity", "edges"))
    if options.solver is not None:
        require_solver(options.solver.partition(":")[0])
    require_models(options)
    if options.share is not None and not 0 < options.share < 1:
        raise InputError(f"--share {options.share:g}: expected a number above 0 and below 1")
    _require_encoding(options.encoding)
    if options.file != STANDARD_INPUT and alone:
        require_format(options.file, SUFFIXES[options.holds])
        require_placed(options, options.file)
    elif options.file != STANDARD_INPUT:
        require_file(options.file)
    for links in (options.must_link, options.cannot_link, options.pair_weight):
        if links is not None:
            require_format(links, SUFFIXES["edges"])
    _require_free(options.folder, force=options.force or was_cut_short(options))


def check_predict(options: PredictOptions) -> None:
    """Look at the model and the files of `partita predict`.

    Raises
    ------
    InputError
    """
    if not options.model.exists():
        raise InputError(f"{options.model} does not exist; pass an output folder of partita fit, or its model/")
    if options.out.suffix.lower() not in ("", ".csv", ".txt") or options.out == STANDARD_INPUT:
        raise InputError(f"{options.out} is written as CSV: give --out a name that ends in .csv")
    if options.out.exists() and not (options.force and options.out.is_file()):
        raise InputError(f"{options.out} exists already: pass --force to replace it, or another --out")
    if options.file != STANDARD_INPUT:
        require_format(options.file, FEATURE_SUFFIXES)


def check_partition(options: PartitionOptions) -> None:
    """Look at the loss and the files of `partita partition`.

    Raises
    ------
    InputError
    """
    require_loss(options.loss)
    if not 0 < options.level <= 1:
        raise InputError(f"--level {options.level:g}: expected a share of the posterior above 0 and at most 1")
    if not (options.file.is_dir() or options.file.name.lower().endswith(".zarr.zip")):
        require_format(options.file, DRAW_SUFFIXES)
    if options.items is not None:
        require_format(options.items, FEATURE_SUFFIXES)
    for file in (options.start, options.weights):
        if file is not None:
            require_file(file)
    _require_free(options.out, force=options.force)


def check_draws(options: DrawsOptions) -> None:
    """Look at the sampler and the files of `partita draws`.

    Raises
    ------
    InputError
    """
    if options.sampler is not None and options.sampler not in (known := _known("partita.mixture", "Sampler")):
        _refuse("--sampler", options.sampler, known)
    if options.file != STANDARD_INPUT:
        require_format(options.file, FEATURE_SUFFIXES)
    _require_free(options.out or Path(f"{name_of(options.file)}-draws"), force=options.force)


def check_score(options: ScoreOptions) -> None:
    """Look at the files of `partita score`.

    Raises
    ------
    InputError
    """
    for file in (options.labels, options.truth):
        require_format(file, TABLE_SUFFIXES)


def check_reproduce(options: ReproduceOptions) -> None:
    """Look at the name and the folder of `partita reproduce`.

    Raises
    ------
    InputError
    """
    if options.list_names:
        return
    if options.name is None:
        raise InputError("name a table or figure, or `all`; `partita reproduce --list` names them")
    known = _known("partita.reproduce", "Experiment")
    if options.name not in ("all", *known):
        raise InputError(
            f"there is no table or figure called {options.name!r} (`partita reproduce --list` names them all)"
            f"{did_you_mean(options.name, known)}"
        )
    if options.out.exists() and not options.out.is_dir():
        raise InputError(f"{options.out} is a file; name a folder with --out")


def check_verify(options: VerifyOptions) -> None:
    """Look for the manifest of the folder that `partita verify` is given.

    Raises
    ------
    InputError
    """
    require_manifest(options.folder)


def require_manifest(folder: Path) -> Path:
    """Return the manifest of an output folder.

    Raises
    ------
    InputError
        Where there is none.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        raise InputError(f"{folder} has no manifest.json; pass an output folder of fit, partition, draws or demo")
    return path


def _require_encoding(name: str | None) -> None:
    try:
        codecs.lookup(name or "utf-8")
    except LookupError as error:
        raise InputError(
            f"--encoding {name}: expected the name of an encoding, such as utf-8, cp1252 or utf-16"
        ) from error


def _require_free(out: Path | None, *, force: bool) -> None:
    if out is not None and out.is_file():
        raise InputError(f"{out} is a file; choose the name of a new folder with --out")
    if out is not None and out.is_dir() and not force:
        raise InputError(f"{out} already exists; pass --force to replace it, or choose another folder with --out")


def was_cut_short(options: FitOptions) -> bool:
    """Return whether the output folder holds what this command wrote when it was interrupted, and it can go on.

    With a checkpoint that was named it is enough that file and checkpoint are the same, since another fit is refused
    when it begins, and what a time limit stopped can go on too.
    """
    result = _read_json(options.folder / "result.json")
    status, given = result.get("status"), result.get("parameters")
    if options.checkpoint is not None:
        same = {"checkpoint": str(options.checkpoint), "file": str(options.file)}
        return status in ("interrupted", "max_seconds") and isinstance(given, dict) and same.items() <= given.items()
    if status != "interrupted" or options.unfinished is None or not options.unfinished.is_dir():
        return False
    replay = _read_json(options.folder / "manifest.json").get("replay")
    return isinstance(replay, dict) and replay.get("options") == json.loads(json.dumps(options_that_count(options)))


def _read_json(path: Path) -> dict[str, Any]:
    """Load the object of a JSON file; an empty one where there is none."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def require_affinity(name: str, *, of_pairs: bool = False) -> None:
    """Raise for the name of an affinity that there is not, or that takes pairs where the file does not hold them.

    Raises
    ------
    InputError
    """
    if name.replace("-", "_") in TAKEN_BY_INPUT and not of_pairs:
        raise InputError(f"--affinity {name}: a file that holds the affinity is read with --input affinity or edges")
    names = {*_known("partita.affinity", "Builder"), *names_in_files("partita.ensemble", "Builder")}
    known = sorted(each.replace("_", "-") for each in (names if of_pairs else names.difference(TAKEN_BY_INPUT)))
    if name.replace("_", "-") not in known:
        _refuse("--affinity", name, known)


def require_models(options: FitOptions) -> None:
    """Raise for an option that the model does not have.

    Raises
    ------
    InputError
    """
    for name, models in MODELS_OF.items():
        if getattr(options, name) not in (None, "auto") and options.model not in models:
            raise InputError(f"--{name} goes with --model {' or '.join(models)}, not with --model {options.model}")


def require_solver(name: str) -> None:
    """Raise for the name of a solver that there is not.

    Raises
    ------
    InputError
    """
    if name not in (known := _known("partita.solvers", "Solver")):
        _refuse("--solver", name, known)


def require_loss(name: str) -> None:
    """Raise for the name of a loss that there is not.

    Raises
    ------
    InputError
    """
    if name not in (known := losses()):
        _refuse("--loss", name, known)


def _refuse(option: str, name: str, known: Sequence[str]) -> NoReturn:
    raise InputError(f"{option} {name}: expected one of {', '.join(known)}{did_you_mean(name, known)}")


def criteria() -> tuple[str, ...]:
    """Return the names of the criteria for the number of clusters."""
    return _known("partita.n_clusters", "Criterion")


def losses() -> tuple[str, ...]:
    """Return the names of the losses of partitions."""
    return _known("partita.partition.losses", "PartitionLoss")


def _known(package: str, family: str) -> tuple[str, ...]:
    """Names in the registry of a package that is loaded; of one that is not they are read off its files."""
    loaded = sys.modules.get(package)
    return names_in_files(package, family) if loaded is None else tuple(sorted(getattr(loaded, family).registry))


def names_in_files(package: str, family: str) -> tuple[str, ...]:
    """Return the names that a package's classes of a family give themselves, without loading it.

    >>> names_in_files("partita.partition.losses", "PartitionLoss")
    ('binder', 'id', 'nid', 'nvi', 'omari', 'pear', 'vi', 'vi_lb')
    """
    folder = Path(__file__).parents[1].joinpath(*package.split(".")[1:])
    bases: dict[str, str] = {}
    names: list[tuple[str, str]] = []
    for file in folder.rglob("*.py"):
        kind = ""
        for head, parents, name in CLASS_OR_NAME.findall(file.read_text("utf-8")):
            if name:
                names.append((kind, name))
            else:
                kind = head
                bases[kind] = parents
    return tuple(sorted(name for kind, name in names if _descends(kind, family, bases)))


def _descends(kind: str, family: str, bases: dict[str, str]) -> bool:
    """Whether a class descends from another, by the heads of classes."""
    parents = re.findall(r"\w+", bases.get(kind, ""))
    return family in parents or any(_descends(each, family, bases) for each in parents if each != kind)


def n_clusters_of(text: str) -> int | str | tuple[int, int | None]:
    """Return the number of clusters, its bounds, or the word that leaves it to all criteria or to one.

    >>> n_clusters_of("3"), n_clusters_of("2-5"), n_clusters_of("2-"), n_clusters_of("auto")
    (3, (2, 5), (2, None), 'auto')

    Raises
    ------
    InputError
        For text that is none of these.
    """
    if text == "auto" or text in criteria():
        return text
    least, dash, most = text.partition("-")
    if dash and least.isdecimal() and (most.isdecimal() or not most):
        if not 1 <= int(least) <= int(most or least):
            raise InputError(f"--k {text}: expected bounds of at least 1, the smaller first, as in 2-12")
        return int(least), int(most) if most else None
    try:
        k = int(text)
    except ValueError as error:
        raise InputError(
            f"--k {text}: expected a whole number of clusters, bounds as in 2-12, auto, or a criterion as in "
            f"--k eigengap{_meant(text) or _others(text)}"
        ) from error
    if k < 1:
        raise InputError(f"--k {k}: at least one cluster is needed")
    return k


def _others(text: str) -> str:
    """A clause with the criteria, for a word that may be meant as one."""
    others = ", ".join(name for name in criteria() if name != "eigengap")
    return f"; the other criteria are {others}" if text.isidentifier() else ""


def _meant(text: str) -> str:
    """A clause for a number that is written as one that is not whole, or a word misspelt.

    >>> _meant("3.0"), _meant("Auto"), _meant("many")
    ("; did you mean '3'?", "; did you mean 'auto'?", '')
    """
    whole, point, rest = text.partition(".")
    if point and whole.isdecimal() and not rest.strip("0"):
        return f"; did you mean {whole!r}?"
    return did_you_mean(text, ("auto", *criteria()))
