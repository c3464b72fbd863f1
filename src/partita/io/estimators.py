"""A fitted estimator as a folder of numbers and JSON, and back. No pickle: loading runs no code from the folder."""

from __future__ import annotations

import inspect
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita import estimators
from partita.affinity import Builder
from partita.errors import InputError, ModelError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.extension import Extension
from partita.estimators.scaling import Scaling
from partita.io.calibrations import calibration_state, restored_calibration
from partita.io.fitting import require_fitting
from partita.io.models import read_model, write_model
from partita.io.output import output_folder
from partita.io.typed import require_options
from partita.membership import row_entropy
from partita.objectives import Domain
from partita.scams import ADMM
from partita.solvers import Solver

__all__ = ["load", "save", "save_model"]

# Attributes of a fit that are numbers or short arrays.
SCALARS = ("n_clusters_", "objective_", "n_iter_", "n_products_", "n_features_in_")


def save(estimator: FactorizationEstimator, path: str | Path) -> None:
    """Save a fitted estimator to a new folder: `model.json` and `arrays.safetensors`.

    What scores new items is kept, with memberships, labels and parameters; not kept are `result_` (traces and
    restarts) and `affinity_`.

    Parameters
    ----------
    estimator : any of the factorizations, fitted
        SoF, SoftClustering, SCAMS, BaumEagon, SymNMF, CopositiveFactorization, KernelKMeans or SpectralRelaxation.
    path : str or Path
        A folder that does not exist yet.

    Raises
    ------
    InputError
        Where the folder exists, the estimator is not one of ours, or a parameter is a function, which a folder of
        numbers and JSON cannot hold.
    NotFittedError
        Before `fit`.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = estimators.SoftClustering(n_clusters=3).fit(X)
    >>> with tempfile.TemporaryDirectory() as home:
    ...     save(model, f"{home}/iris")
    ...     bool((load(f"{home}/iris").predict(X) == model.predict(X)).all())
    True
    """
    if not isinstance(estimator, FactorizationEstimator):
        raise InputError(
            f"{type(estimator).__name__} cannot be saved: expected one of {', '.join(_saved())}; pickle it"
        )
    check_is_fitted(estimator)
    if Path(path).exists():
        raise InputError(f"{path} already exists; pass the name of a new folder")
    with output_folder(path) as folder:
        save_model(estimator, folder)


def _saved() -> list[str]:
    """Names of the estimators whose models are written."""
    return [name for name in estimators.__all__ if issubclass(getattr(estimators, name), FactorizationEstimator)]


def save_model(estimator: FactorizationEstimator, folder: Path) -> None:
    """Write the model's files into an existing folder."""
    check_is_fitted(estimator)
    extension = estimator._extension
    config = {
        "estimator": type(estimator).__name__,
        "parameters": {name: _plain(name, value) for name, value in _model_parameters(estimator).items()},
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
    write_model(folder, config=config, arrays=arrays)


def load(path: str | Path) -> FactorizationEstimator:
    """Load an estimator that `save` or `partita fit` wrote.

    Parameters
    ----------
    path : str or Path
        The model folder, or an output folder of `partita fit`.

    Returns
    -------
    The estimator, fitted: `predict`, `predict_proba`, `membership_`, `labels_` ...

    Raises
    ------
    ModelError
        Where the folder is missing, corrupt or not one of ours.
    MemoryLimitError
        Where its arrays would not fit.

    Notes
    -----
    No code of the folder is run, and names in it are looked up among Partita's own and never imported. What it holds
    is held against its own description, types and shapes (`partita.io.tensors`, `typed`, `fitting`), so a file that
    was damaged or made up is refused; whether its numbers are those of an honest fit nobody can tell.
    """
    config, arrays = read_model(path)
    try:
        return _restored(config, arrays)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        raise ModelError(
            f"{path}: the model is incomplete or was changed ({type(error).__name__}: {error}); fit it again"
        ) from error


def _restored(config: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> FactorizationEstimator:
    if config["estimator"] not in _saved():
        raise ModelError(
            f"unknown estimator {config['estimator']!r}; this version knows {', '.join(_saved())}: upgrade Partita, or "
            "fit it again"
        )
    kind: type[FactorizationEstimator] = getattr(estimators, config["estimator"])
    known = inspect.signature(kind).parameters
    estimator = kind(**{name: _revived(value) for name, value in config["parameters"].items() if name in known})
    estimator._validate_params()
    builder = _builder(config["affinity"])
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


def _builder(config: dict[str, Any]) -> Builder:
    """A builder by its name in the registry, its options looked at first."""
    name = config.get("name")
    if name not in Builder.registry:
        raise ModelError(f"unknown affinity {name!r}: upgrade Partita, or fit it again")
    require_options(Builder.registry[name], {key: value for key, value in config.items() if key != "name"})
    return Builder.from_config(config)


def _scaling(arrays: dict[str, np.ndarray[Any, Any]]) -> Scaling | None:
    centre = arrays.get("scaling.centre")
    return None if centre is None else Scaling(centre, arrays["scaling.spread"])


def _model_parameters(estimator: FactorizationEstimator) -> dict[str, Any]:
    """All but where a fit was to be gone on with: a place on one machine is no part of a model."""
    return {name: value for name, value in estimator.get_params(deep=False).items() if name != "checkpoint"}


def _plain(name: str, value: Any) -> Any:
    """A parameter as JSON."""
    if isinstance(value, Builder):
        return {"builder": value.config()}
    if isinstance(value, Solver):
        options = {field.name: getattr(value, field.name) for field in fields(value)}  # type: ignore[arg-type]
        return {"solver": value.name, **options}
    if isinstance(value, ADMM):
        return {"admm": asdict(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return list(value)
    if name == "start":
        return "given"  # the array has done its work; a refit would need it again
    if name == "random_state":
        return None  # a generator's state is not part of the model
    raise InputError(f"{name}={value!r} cannot be saved: a model folder holds numbers, names and no code")


def _revived(value: Any) -> Any:
    if isinstance(value, dict) and "builder" in value:
        return _builder(value["builder"])
    if isinstance(value, dict) and "solver" in value:
        kind = Solver.registry[value["solver"]]
        return kind(**require_options(kind, {k: v for k, v in value.items() if k != "solver"}))
    if isinstance(value, dict) and "admm" in value:
        return ADMM(**require_options(ADMM, value["admm"]))
    return value
