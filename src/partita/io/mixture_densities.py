"""The predictive density of a mixture as JSON and arrays, and back: the same numbers, so the same densities to the bit.

Compiled code evaluates it without looking at bounds, so lengths, labels and offsets are looked at here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import InputError, ModelError
from partita.io.model_kind import Arrays, Config
from partita.io.taken import Held, Stated
from partita.mixture.base import Model
from partita.mixture.density import GaussianDensity, PredictiveDensity, StudentDensity
from partita.mixture.units import Units

__all__ = ["density_state", "restored_density"]

PREFIX = "density."
STUDENT, GAUSSIAN = "student", "gaussian"
# Arrays of a conjugate prior by their number of dimensions, all of length d, and its numbers.
PRIOR_ARRAYS = {"centre": 1, "scale": 2, "whitener": 2, "spread": 2, "spread_root": 2}
PRIOR_NUMBERS = ("kappa", "freedom", "log_det")
COMPONENTS = ("first", "log_weight", "mean", "whitener", "log_det")


def density_state(density: PredictiveDensity) -> tuple[Config, Arrays]:
    """What `model.json` and the arrays hold."""
    units = density.units
    arrays: dict[str, Any] = {"centre": units.centre, "unit": units.unit, "constant": units.constant}
    if isinstance(density, StudentDensity):
        model = density.model
        arrays |= {"items": model.items, "labels": density.labels, "alphas": density.alphas}
        arrays |= {f"prior.{name}": getattr(model.prior, name) for name in PRIOR_ARRAYS}
        config: Config = {
            "kind": STUDENT,
            "prior": {name: float(getattr(model.prior, name)) for name in PRIOR_NUMBERS},
            "concentration": dict(zip(("first", "shape", "rate"), map(float, model.alpha), strict=True)),
        }
    elif isinstance(density, GaussianDensity):
        config = {"kind": GAUSSIAN}
        arrays |= {name: getattr(density, name) for name in COMPONENTS}
    else:
        raise InputError(f"a density of type {type(density).__name__} cannot be saved")
    return config, {PREFIX + name: array for name, array in arrays.items()}


def restored_density(stated: Stated, held: Held, n_items: int) -> PredictiveDensity:
    """From `density_state`.

    Raises
    ------
    ModelError
    """
    unit = held.floats(PREFIX + "unit", None)
    d = len(unit)
    if not d or not (unit > 0).all():
        raise ModelError("the units of the model are no positive numbers; save the model again")
    units = Units(held.floats(PREFIX + "centre", d), unit, held.flags(PREFIX + "constant", d))
    if stated.word("kind", among=(STUDENT, GAUSSIAN)) == STUDENT:
        return _student(stated, held, units, n_items)
    return _gaussian(held, units)


def _student(stated: Stated, held: Held, units: Units, n_items: int) -> StudentDensity:
    from partita.kernels.mixture_linear import PriorArrays

    d = len(units.unit)
    items = held.floats(PREFIX + "items", n_items, d)
    labels, _ = held.partitions(PREFIX + "labels", None, n_items)
    alphas = held.floats(PREFIX + "alphas", len(labels))
    told, first = stated.part("prior"), stated.part("concentration")
    numbers: dict[str, Any] = {name: told.number(name) for name in PRIOR_NUMBERS}
    parts: Any = {name: held.floats(f"{PREFIX}prior.{name}", *(d,) * sides) for name, sides in PRIOR_ARRAYS.items()}
    prior = PriorArrays(conjugate=True, **numbers, **parts)
    sound = np.isfinite(list(numbers.values())).all() and prior.kappa > 0 and prior.freedom > d - 1
    if not sound or not len(labels) or not (alphas > 0).all():
        raise ModelError("the prior or the draws of the model's density are out of range; save the model again")
    model = Model(items, prior, (first.number("first"), first.number("shape"), first.number("rate")))
    return StudentDensity(units, model, labels, alphas)


def _gaussian(held: Held, units: Units) -> GaussianDensity:
    d = len(units.unit)
    log_weight = held.floats(PREFIX + "log_weight", None)
    n = len(log_weight)
    first = held.whole(PREFIX + "first", None).astype(np.int64)
    if len(first) < 2 or first[0] != 0 or first[-1] != n or (first[1:] <= first[:-1]).any():
        raise ModelError("the components of the model's density are not those of its draws; save the model again")
    mean = held.floats(PREFIX + "mean", n, d)
    whitener = held.floats(PREFIX + "whitener", n, d, d)
    return GaussianDensity(units, first, log_weight, mean, whitener, held.floats(PREFIX + "log_det", n))
