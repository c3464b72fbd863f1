"""The calibration of a saved model: JSON and arrays, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.calibration import Alternative, Calibration, Calibrator, Reliability

__all__ = ["calibration_state", "restored_calibration"]

PREFIX = "calibration."
BINS = ("predicted", "observed", "count")


def calibration_state(
    calibrator: Calibrator, calibration: Calibration
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `model.json` and the arrays hold."""
    config, arrays = calibrator.state()
    said: dict[str, Any] = {
        "method": calibration.method,
        "kind": calibration.kind,
        "n_components": calibration.n_components,
        "n_dimensions": calibration.n_dimensions,
        "stability": _json(calibration.stability),
        "alternatives": [asdict(a) | {"bic": _json(a.bic)} for a in calibration.alternatives],
    }
    if calibration.reliability is not None:
        arrays = arrays | {f"bins.{name}": getattr(calibration.reliability, name) for name in BINS}
    return config | {"said": said}, {PREFIX + name: array for name, array in arrays.items()}


def restored_calibration(config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> tuple[Calibrator, Calibration]:
    """From `calibration_state`; KeyError or ValueError where they do not fit together."""
    own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    calibrator = Calibrator.restored(config, own)
    said = dict(config["said"])
    alternatives = tuple(Alternative(**(a | {"bic": _number(a["bic"])})) for a in said.pop("alternatives"))
    bins = Reliability(*(own[f"bins.{name}"] for name in BINS)) if "bins.count" in own else None
    said["stability"] = _number(said["stability"])
    temperature = calibrator.temperature
    return calibrator, Calibration(
        **said,
        temperature=temperature.value,
        smoothing=temperature.smoothing,
        reliability=bins,
        alternatives=alternatives,
    )


def _json(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
