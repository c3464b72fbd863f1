"""Parameters of estimators as JSON, and back: numbers, words, and the frozen settings that Partita knows by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from partita.affinity import Builder
from partita.errors import InputError, ModelError
from partita.io.typed import require_options
from partita.mixture import GammaPrior, Sampler
from partita.mixture.priors import ComponentPrior, IndependentNormalInverseWishart, NormalInverseWishart
from partita.objectives import Objective
from partita.partition.losses import ConstantPotts, PartitionLoss
from partita.scams import ADMM
from partita.solvers import Solver

__all__ = ["made_with", "plain_parameter", "revived_builder", "revived_parameter"]

Kind = TypeVar("Kind")

PRIORS: tuple[type[ComponentPrior], ...] = (NormalInverseWishart, IndependentNormalInverseWishart)
# Settings that are written as {family: {"name": ..., options}}: what they are instances of, and who is known by a name.
FAMILIES: dict[str, tuple[type, Callable[[], Mapping[str, type]]]] = {
    "loss": (PartitionLoss, lambda: {"constant_potts": ConstantPotts, **PartitionLoss.registry}),
    "sampler": (Sampler, lambda: Sampler.registry),
    "prior": (ComponentPrior, lambda: {kind.name: kind for kind in PRIORS}),
}


def plain_parameter(name: str, value: Any) -> Any:
    """A parameter as JSON.

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
    if isinstance(value, Builder):
        return {"builder": value.config()}
    if isinstance(value, Solver):
        options = {field.name: getattr(value, field.name) for field in fields(value)}  # type: ignore[arg-type]
        return {"solver": value.name, **options}
    if isinstance(value, Objective):
        if Objective.registry.get(value.name) is not type(value):
            raise InputError(f"{name}={type(value).__name__}() cannot be saved: give the objective a `name` of its own")
        return {"objective": value.name}
    if isinstance(value, ADMM):
        return {"admm": asdict(value)}
    if isinstance(value, GammaPrior):
        return {"gamma": _options(name, value)}
    for family, (base, _) in FAMILIES.items():
        if isinstance(value, base):
            return {family: {"name": _known_as(name, family, value), **_options(name, value)}}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return list(value)
    if name == "start":
        return "given"  # the array has done its work; a refit would need it again
    if name == "random_state":
        return None  # a generator's state is not part of the model
    raise _unsavable(name, value)


def revived_parameter(value: Any) -> Any:
    """From `plain_parameter`.

    Raises
    ------
    ModelError
        For settings that nothing in this version has, or options of other types.
    """
    if not isinstance(value, dict):
        return value
    if "builder" in value:
        return revived_builder(value["builder"])
    if "solver" in value:
        kind = Solver.registry[value["solver"]]
        return kind(**require_options(kind, {k: v for k, v in value.items() if k != "solver"}))
    if "objective" in value:
        if value["objective"] not in Objective.registry:
            raise ModelError(f"unknown objective {value['objective']!r}: upgrade Partita, or import what defines it")
        return Objective.registry[value["objective"]]()
    if "admm" in value:
        return ADMM(**require_options(ADMM, value["admm"]))
    if "gamma" in value:
        return GammaPrior(**require_options(GammaPrior, value["gamma"]))
    for family in FAMILIES:
        if family in value:
            return _revived_setting(family, value[family])
    return value


def revived_builder(config: dict[str, Any]) -> Builder:
    """A builder by its name in the registry, its options looked at first.

    Raises
    ------
    ModelError
    """
    name = config.get("name")
    if name not in Builder.registry:
        raise ModelError(f"unknown affinity {name!r}: upgrade Partita, or fit it again")
    require_options(Builder.registry[name], {key: value for key, value in config.items() if key != "name"})
    return Builder.from_config(config)


def made_with(kind: type[Kind], parameters: Mapping[str, Any]) -> Kind:
    """An estimator with these parameters, those that this version knows, checked as `fit` checks them.

    Raises
    ------
    ValueError
        For parameters that `fit` would refuse.
    """
    known = inspect.signature(kind).parameters
    estimator: Any = kind(**{name: value for name, value in parameters.items() if name in known})
    estimator._validate_params()
    return estimator  # type: ignore[no-any-return]


def _known_as(name: str, family: str, value: Any) -> str:
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


def _option(name: str, value: Any) -> Any:
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


def _revived_setting(family: str, config: Any) -> Any:
    known = FAMILIES[family][1]()
    name = config.get("name")
    if name not in known:
        raise ModelError(
            f"unknown {family} {name!r}; this version knows {', '.join(known)}: upgrade Partita, or "
            "import what defines it"
        )
    kind = known[name]
    options = require_options(kind, {key: value for key, value in config.items() if key != "name"})
    if family == "prior" and not all(value is None or _are_numbers(value) for value in options.values()):
        raise ModelError(f"the {name} prior of the model has options that are no numbers; fit it again")
    return kind(**options)


def _are_numbers(value: Any) -> bool:
    """A number, a list of them, or a list of lists."""
    if isinstance(value, list):
        return all(_are_numbers(entry) for entry in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unsavable(name: str, value: Any) -> InputError:
    return InputError(f"{name}={value!r} cannot be saved: a model folder holds finite numbers, names and no code")
