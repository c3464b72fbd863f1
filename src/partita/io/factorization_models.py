"""Factorizations as saved models: what scores new items, memberships, labels and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita.errors import ModelError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.extension import Extension
from partita.estimators.scaling import Scaling
from partita.io.calibrations import calibration_state, restored_calibration
from partita.io.fitting import require_fitting
from partita.io.model_kind import Arrays, Config, ModelKind
from partita.io.parameters import made_with, plain_parameter, revived_builder, revived_parameter
from partita.membership import row_entropy
from partita.objectives import Domain

__all__ = ["FACTORIZATION"]

NOT_KEPT = ("checkpoint", "verbose")
# Attributes of a fit that are numbers or short arrays.
SCALARS = ("n_clusters_", "objective_", "n_iter_", "n_products_", "n_features_in_")


def _state(estimator: FactorizationEstimator) -> tuple[Config, Arrays]:
    check_is_fitted(estimator)
    extension = estimator._extension
    config = {
        "parameters": {name: plain_parameter(name, value) for name, value in _model_parameters(estimator).items()},
        "affinity": estimator._builder_.config(),
        "normalization": extension.how,
        "domain": extension.domain,
        "fitted": {name: getattr(estimator, name) for name in SCALARS},
        "feature_names": [str(name) for name in getattr(estimator, "feature_names_in_", [])],
        "columns": getattr(estimator, "_columns", None),
        "common_scale": np.ndim(estimator.scale_) == 0,
    }
    arrays = {
        "membership": estimator.membership_,
        "labels": estimator.labels_,
        "scale": np.atleast_1d(np.asarray(estimator.scale_, dtype=np.float64)),
        **extension.state(),
    }
    calibrator = getattr(estimator, "_calibrator", None)
    if calibrator is not None:
        config["calibration"], own = calibration_state(calibrator, estimator.calibration_)
        arrays |= own
    if hasattr(estimator, "factor_"):
        arrays |= {"factor": estimator.factor_, "unassigned": estimator.unassigned_}
    return config, arrays


def _restored(kind: type[FactorizationEstimator], config: Config, arrays: Arrays) -> FactorizationEstimator:
    estimator = made_with(kind, {name: revived_parameter(value) for name, value in config["parameters"].items()})
    builder = revived_builder(config["affinity"])
    require_fitting(config, arrays)
    prefix = "evidence."
    evidence = builder.restore({k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)})
    W, landing, factors = arrays["membership"], arrays["landing"], arrays["factors"]
    estimator._builder_ = builder
    estimator._extension = Extension(
        evidence,
        config["normalization"],
        factors,
        landing,
        arrays["quadratic"],
        _scaling(arrays),
        config.get("domain", "simplex"),
        arrays.get("balance"),
        arrays.get("weights"),
        "diffused" in arrays,
        arrays["used"].astype(np.intp) if "used" in arrays else None,
        "folded" in arrays,
    )
    if estimator._extension.domain not in Domain.registry:
        raise ModelError(f"unknown domain {estimator._extension.domain!r}: upgrade Partita, or fit it again")
    estimator._columns = config["columns"]
    estimator.membership_ = W
    estimator.labels_ = arrays["labels"]
    estimator.entropy_ = row_entropy(W)
    estimator.scale_ = float(arrays["scale"][0]) if config["common_scale"] else arrays["scale"]
    for name in SCALARS:
        setattr(estimator, name, config["fitted"][name])
    if "calibration" in config:
        estimator._calibrator, estimator.calibration_ = restored_calibration(config["calibration"], arrays)
    if "factor" in arrays:
        estimator.factor_, estimator.unassigned_ = arrays["factor"], arrays["unassigned"]
    if config["feature_names"]:
        estimator.feature_names_in_ = np.array(config["feature_names"], dtype=object)
    return estimator


def _scaling(arrays: Arrays) -> Scaling | None:
    centre = arrays.get("scaling.centre")
    return None if centre is None else Scaling(centre, arrays["scaling.spread"])


def _model_parameters(estimator: FactorizationEstimator) -> dict[str, Any]:
    """All but where a fit was to be gone on with and what it printed: a place and a screen are no part of a model."""
    return {name: value for name, value in estimator.get_params(deep=False).items() if name not in NOT_KEPT}


FACTORIZATION = ModelKind(_state, _restored)
