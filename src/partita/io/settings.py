"""Settings and parameters of estimators as JSON, and back: numbers, words, and what Partita knows by name.

A setting is a frozen dataclass of a family: a loss, a sampler, a solver ... It is written as its name and its options,
and made again of the class that the family knows by that name; the class looks at the values, here at their types.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from partita.affinity import Builder
from partita.errors import InputError, ModelError
from partita.mixture import GammaPrior, Sampler
from partita.mixture.priors import ComponentPrior, IndependentNormalInverseWishart, NormalInverseWishart
from partita.objectives import Objective
from partita.partition.losses import ConstantPotts, PartitionLoss
from partita.scams import ADMM
from partita.solvers import Solver

__all__ = [
    "SETTINGS",
    "fits",
    "kinds_of",
    "made_with",
    "parameters_of",
    "plain_parameter",
    "revived_builder",
    "revived_parameter",
]

Kind = TypeVar("Kind")

PRIORS: tuple[type[ComponentPrior], ...] = (NormalInverseWishart, IndependentNormalInverseWishart)
# Settings that are written as {family: {"name": ..., options}}: what they are instances of, and who is known by a name.
FAMILIES: dict[str, tuple[type, Callable[[], Mapping[str, type]]]] = {
    "loss": (PartitionLoss, lambda: {"constant_potts": ConstantPotts, **PartitionLoss.registry}),
    "sampler": (Sampler, lambda: Sampler.registry),
    "prior": (ComponentPrior, lambda: {kind.name: kind for kind in PRIORS}),
}
# Settings that are written as {word: {options}}, there being one class of them.
ALONE: dict[str, type] = {"admm": ADMM, "gamma": GammaPrior}
# Classes whose instances are settings.
SETTINGS: tuple[type, ...] = (Builder, Solver, Objective, *ALONE.values(), *(base for base, _ in FAMILIES.values()))
# JSON has one kind of number: what asks for a float takes a whole one too.
PLAIN: dict[Any, tuple[type, ...]] = {float: (float, int), int: (int,), str: (str,), type(None): (type(None),)}


def plain_parameter(name: str, value: object) -> Any:
    """Return a parameter as JSON.

    Raises
    ------
    InputError
        For what a folder of numbers and JSON cannot hold.

    Examples
    --------
    >>> from partita.partition.losses import Binder
    >>> plain_parameter("loss", Binder(a=0.5)), plain_parameter("random_state", np.random.default_rng(0))
    ({'loss': {'name': 'binder', 'a': 0.5, 'normalize': 'n2'}}, None)
    """
    if isinstance(value, SETTINGS):
        return _plain_setting(name, value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return list(value)
    if name == "n_clusters" and isinstance(value, (list, tuple)) and _are_bounds(value):
        return list(value)
    if name == "start":
        return "given"  # the array has done its work; a refit would need it again
    if name == "random_state":
        return None  # a generator's state is not part of the model
    raise _unsavable(name, value)


def revived_parameter(value: object) -> Any:
    """Return a parameter as it was before `plain_parameter`.

    Raises
    ------
    ModelError
        For settings that nothing in this version has, or options of other types.
    """
    if isinstance(value, list) and _are_bounds(value):
        return tuple(value)  # bounds of the number of clusters
    if not isinstance(value, dict):
        return value
    if "builder" in value:
        return revived_builder(value["builder"])
    if "solver" in value:
        kind = _known("solver", value["solver"], Solver.registry)
        return _made(kind, {name: option for name, option in value.items() if name != "solver"})
    if "objective" in value:
        kind = _known("objective", value["objective"], Objective.registry)
        options = {name: option for name, option in value.items() if name != "objective"}
        return _made(kind, options) if options else kind()
    for word, kind in ALONE.items():
        if word in value:
            return _made(kind, value[word])
    for family, (_, known) in FAMILIES.items():
        if family in value:
            kind = _known(family, value[family].get("name"), known())
            options = {name: option for name, option in value[family].items() if name != "name"}
            if family == "prior" and not all(map(_are_numbers, options.values())):
                raise ModelError(f"the {kind.name} prior of the model has options that are no numbers; fit it again")
            return _made(kind, options)
    return value


def revived_builder(config: dict[str, Any]) -> Builder:
    """Return a builder by its name in the registry, its options looked at first.

    Raises
    ------
    ModelError
    """
    kind = _known("affinity", config.get("name"), Builder.registry)
    _require_options(kind, {key: value for key, value in config.items() if key != "name"})
    return Builder.from_config(config)


def parameters_of(estimator: Any, *others: str) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON, but for `others`.

    Raises
    ------
    InputError
        For what a folder of numbers and JSON cannot hold.
    """
    given = estimator.get_params(deep=False)
    return {name: plain_parameter(name, value) for name, value in given.items() if name not in others}


def made_with(kind: type[Kind], parameters: Mapping[str, Any], **others: Any) -> Kind:
    """Return an estimator of `parameters_of` and `others`, those that this version knows, checked as `fit` checks them.

    Raises
    ------
    ModelError
        For settings that nothing in this version has.
    ValueError
        For parameters that `fit` would refuse.
    """
    known = inspect.signature(kind).parameters
    revived = {name: revived_parameter(value) for name, value in parameters.items() if name not in others}
    estimator: Any = kind(**{name: value for name, value in (revived | others).items() if name in known})
    estimator._validate_params()
    return estimator  # type: ignore[no-any-return]


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the kinds of a union; a hint that is none is the only one."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def fits(value: object, hint: Any) -> bool:
    """Return whether a value of JSON could be of the type `hint`.

    Classes that JSON does not have are left to themselves.

    >>> fits(3, float), fits(True, int), fits("a", int | None), fits([1, 2], tuple[int, ...])
    (True, False, False, True)
    """
    kinds, origin = kinds_of(hint), get_origin(hint)
    if len(kinds) > 1:
        return any(fits(value, each) for each in kinds)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in get_args(hint))
    if hint is bool:
        return isinstance(value, bool)
    if isinstance(hint, type) and hint in PLAIN:
        return isinstance(value, PLAIN[hint]) and not isinstance(value, bool)
    if origin in (tuple, list, Sequence):
        return isinstance(value, (list, tuple))
    if origin in (dict, Mapping):
        return isinstance(value, dict)
    return True


def _plain_setting(name: str, value: object) -> dict[str, Any]:
    if isinstance(value, Builder):
        return {"builder": value.config()}
    if isinstance(value, Solver):
        return {"solver": value.name} | {field.name: getattr(value, field.name) for field in fields(value)}  # type: ignore[arg-type]
    if isinstance(value, Objective):
        if Objective.registry.get(value.name) is not type(value):
            raise InputError(f"{name}={type(value).__name__}() cannot be saved: give the objective a `name` of its own")
        if not is_dataclass(value) and vars(value):
            raise InputError(
                f"{name}={type(value).__name__}() cannot be saved: settings are fields of a frozen dataclass"
            )
        return {"objective": value.name} | (_options(name, value) if is_dataclass(value) else {})
    if isinstance(value, ADMM):
        return {"admm": asdict(value)}
    if isinstance(value, GammaPrior):
        return {"gamma": _options(name, value)}
    (family,) = (family for family, (base, _) in FAMILIES.items() if isinstance(value, base))
    return {family: {"name": _known_as(name, family, value), **_options(name, value)}}


def _known_as(name: str, family: str, value: object) -> str:
    """The name under which the settings are found again."""
    known = FAMILIES[family][1]()
    for word, kind in known.items():
        if kind is type(value) and is_dataclass(value):
            return word
    raise InputError(
        f"{name}={value!r} cannot be saved: {type(value).__name__} is no dataclass that Partita knows by a name; "
        f"give it a `name` of its own, or fit with one of {', '.join(known)}"
    )


def _options(name: str, value: Any) -> dict[str, Any]:
    return {field.name: _option(name, getattr(value, field.name)) for field in fields(value)}


def _option(name: str, value: object) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _unsavable(name, value) from error
    if not np.isfinite(numbers).all():
        raise _unsavable(name, value)
    return numbers.tolist()


def _known(family: str, name: Any, known: Mapping[str, Any]) -> Any:
    """Return what a family knows by that name."""
    if name not in known:
        raise ModelError(
            f"unknown {family} {name!r}; this version knows {', '.join(known)}: upgrade Partita, or "
            "import what defines it"
        )
    return known[name]


def _made(kind: type, options: Mapping[str, Any]) -> Any:
    """A dataclass of these options."""
    _require_options(kind, options)
    return kind(**options)


def _require_options(kind: type, given: Mapping[str, Any]) -> None:
    """Raise `ModelError` for options that the dataclass does not have, or that are of other types than it says."""
    known = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    hints = get_type_hints(kind)
    for name, value in given.items():
        if name not in known:
            raise ModelError(f"{kind.__name__} has no option {name!r}: upgrade Partita, or fit the model again")
        if not fits(value, hints[name]):
            raise ModelError(f"{kind.__name__}({name}={value!r}): expected {hints[name]}; fit the model again")


def _are_bounds(value: Sequence[object]) -> bool:
    """Whether they are bounds of the number of clusters, of which the upper one may be missing."""
    return all(bound is None or isinstance(bound, int) for bound in value)


def _are_numbers(value: object) -> bool:
    """None, a number, a list of them, or a list of lists."""
    if isinstance(value, list):
        return all(_are_numbers(entry) for entry in value)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _unsavable(name: str, value: object) -> InputError:
    return InputError(f"{name}={value!r} cannot be saved: a model folder holds finite numbers, names and no code")
