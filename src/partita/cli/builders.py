"""`partita fit`: options to the builder of the affinity; options that say nothing to it are refused."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, cast

from partita.affinity import (
    Builder,
    Landmarks,
    LowRankRepresentation,
    MatchingPursuit,
    NeighborGraph,
    Nystrom,
    Precomputed,
    RandomFeatures,
    RelativeDistance,
    SparseSubspace,
)
from partita.ensemble import Ensemble
from partita.errors import InputError

if TYPE_CHECKING:
    from partita.cli.fit import FitOptions

__all__ = ["builder_of"]

# Options that describe an affinity.
OWN = ("metric", "kernel", "n_neighbors", "n_landmarks", "scale")
# Affinities of complete features in Euclidean space: the builder, and what it calls the options it takes.
OF_FEATURES: dict[str, tuple[type[Builder], dict[str, str]]] = {
    "ensemble": (Ensemble, {}),
    "landmarks": (Landmarks, {"n_landmarks": "n_landmarks", "n_neighbors": "n_neighbors"}),
    "nystrom": (Nystrom, {"n_landmarks": "n_landmarks", "kernel": "kernel", "scale": "scale"}),
    "lrr": (LowRankRepresentation, {}),
    "random-features": (RandomFeatures, {"n_landmarks": "n_features", "kernel": "kernel", "scale": "scale"}),
    "ssc": (SparseSubspace, {}),
    "ssc-omp": (MatchingPursuit, {}),
}


def builder_of(options: FitOptions) -> Builder:
    """The affinity that the options describe."""
    if options.input in ("affinity", "edges"):
        for name in ("affinity", *OWN):
            if getattr(options, name) is not None:
                raise InputError(f"{_flag(name)} builds an affinity, and --input {options.input} already is one")
        return Precomputed(missing=options.missing, unstored=options.unstored, symmetrize=options.symmetrize)
    if options.unstored != "zero":
        raise InputError(f"--unstored goes with --input affinity or edges, not with --input {options.input}")
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
    which = options.affinity or ("neighbors" if options.model in ("soft", "scams") else "relative")
    if which in OF_FEATURES:
        return _of_features(which, options)
    if options.n_landmarks is not None:
        raise InputError(f"--n-landmarks goes with --affinity {_takers('n_landmarks')}, not with {which}")
    chosen: dict[str, Any] = {"metric": metric}
    if which == "neighbors":
        if options.scale is not None:
            raise InputError(f"--scale goes with --affinity {_takers('scale')}: a neighbour graph has no scale")
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


def _of_features(which: str, options: FitOptions) -> Builder:
    """A builder that takes complete features, and only some of the options."""
    kind, takes = OF_FEATURES[which]
    if options.input != "features" or options.missing == "unobserved":
        raise InputError(f"--affinity {which} takes complete features: use --affinity neighbors or relative")
    random = "seed" in {field.name for field in fields(kind)}  # type: ignore[arg-type]
    chosen: dict[str, Any] = {"seed": options.seed} if random else {}
    for name in OWN:
        value = getattr(options, name)
        if value is None:
            continue
        if name not in takes:
            raise InputError(f"{_flag(name)} goes with --affinity {_takers(name)}, not with {which}")
        chosen[takes[name]] = _scale(value) if name == "scale" else value
    return kind(**chosen)


def _takers(name: str) -> str:
    """The affinities that take an option."""
    first = {"n_landmarks": (), "scale": ("relative",)}.get(name, ("neighbors", "relative"))
    *others, last = (*first, *(which for which, (_, takes) in OF_FEATURES.items() if name in takes))
    return f"{', '.join(others)} or {last}" if others else last


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _scale(text: str) -> float | Literal["balanced"]:
    if text == "balanced":
        return cast(Literal["balanced"], text)
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"--scale {text}: expected a positive number or balanced") from error
