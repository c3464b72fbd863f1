"""Do the arrays of a saved model go together: as many items, clusters and features in one as in the other?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError

__all__ = ["require_fitting"]

Arrays = dict[str, NDArray[Any]]
# Counts and numbers of a fit, by whether they are whole.
COUNTS, NUMBERS = ("n_clusters_", "n_iter_", "n_products_", "n_features_in_"), ("objective_",)
# Arrays with a row, or an entry, for each fitted item that entered the evidence.
BY_ITEM = ("X", "sigma", "core", "images", "items", "least")
# Arrays with a column for each feature.
BY_FEATURE = ("X", "landmarks")
FLOATS = {"factors", "landing", "quadratic", "balance", "weights", "scaling.centre", "scaling.spread", "used", "factor"}
# How far the rows of a membership may be from the simplex: it is written as it was fitted.
ROUNDING = 1e-6


def require_fitting(config: dict[str, Any], arrays: Arrays) -> None:
    """Raise `ModelError` for arrays that cannot be of one fit.

    Compiled code goes through the evidence without looking at bounds, so what it reads has to be as long as it says.
    """
    fitted = config["fitted"]
    for name in COUNTS:
        if type(fitted[name]) is not int or fitted[name] < 0:
            raise ModelError(f"{name} is {fitted[name]!r}, expected a whole number; fit it again")
    for name in NUMBERS:
        if not isinstance(fitted[name], (int, float)) or isinstance(fitted[name], bool):
            raise ModelError(f"{name} is {fitted[name]!r}, expected a number; fit it again")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and np.isinf(array).any() and name not in ("evidence.sigma", "evidence.core"):
            raise ModelError(f"array {name!r} of the model holds infinite numbers; fit it again")
    K, d = fitted["n_clusters_"], fitted["n_features_in_"]
    W, labels, landing = arrays["membership"], arrays["labels"], arrays["landing"]
    factors, scale = arrays["factors"], arrays["scale"]
    if W.ndim != 2 or W.dtype.kind != "f" or W.shape[1] != K or K < 1 or not len(W) or d < 1:
        raise ModelError(f"the membership of the model has shape {W.shape}, expected a row of {K} for each item")
    if not (W >= -ROUNDING).all() or not (abs(W.sum(axis=1) - 1) <= ROUNDING).all():
        raise ModelError("the rows of the model's membership are no probabilities; fit it again")
    if labels.shape != (len(W),) or labels.dtype.kind not in "iu" or not ((labels >= 0) & (labels < K)).all():
        raise ModelError(f"the labels of the model should be one of 0..{K - 1} for each item; fit it again")
    if scale.ndim != 1 or len(scale) not in (1, K) or scale.dtype.kind != "f":
        raise ModelError(f"the scale of the model has shape {scale.shape}, expected 1 or {K} numbers; fit it again")
    if factors.ndim != 1 or landing.shape != (len(factors), K) or arrays["quadratic"].shape != (K, K):
        raise ModelError("the arrays of the model do not fit together; fit it again")
    for name in FLOATS & arrays.keys():
        if arrays[name].dtype.kind != "f":
            raise ModelError(f"array {name!r} of the model is of type {arrays[name].dtype}, expected floats")
    wanted = {"balance": (K,), "weights": (len(factors),), "scaling.centre": (d,), "scaling.spread": (d,)}
    wanted |= {"factor": W.shape}
    for name, shape in wanted.items():
        if name in arrays and arrays[name].shape != shape:
            raise ModelError(f"array {name!r} of the model has shape {arrays[name].shape}, expected {shape}")
    used = arrays.get("used")
    if used is not None and not (used.ndim == 1 and ((used >= 0) & (used < d)).all()):
        raise ModelError("the model uses columns that it does not have; fit it again")
    if not isinstance(config["columns"], list | None) or len(config["columns"] or range(d)) != d:
        raise ModelError(f"the model names its columns by {config['columns']!r}, expected {d} names; fit it again")
    _require_evidence(arrays, d)
    names = config["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ModelError("the names of the model's features are no words; fit it again")


def _require_evidence(arrays: Arrays, n_features: int) -> None:
    sizes = {}
    centre, length = arrays.get("evidence.centre"), arrays.get("evidence.length")
    if centre is not None and (centre.shape != (n_features,) or centre.dtype.kind != "f"):
        raise ModelError(f"array 'evidence.centre' of the model has shape {centre.shape}, expected ({n_features},)")
    if length is not None and (length.ndim or not length > 0):
        raise ModelError("array 'evidence.length' of the model should be one positive number; fit it again")
    for name in BY_FEATURE:
        array = arrays.get(f"evidence.{name}")
        if array is not None and (array.ndim != 2 or array.shape[1] != n_features):
            raise ModelError(
                f"array 'evidence.{name}' of the model has shape {array.shape}, expected {n_features} columns"
            )
    for name in BY_ITEM:
        array = arrays.get(f"evidence.{name}")
        if array is not None:
            if array.ndim > 2 or array.dtype.kind != "f":
                raise ModelError(f"array 'evidence.{name}' of the model is {array.dtype} of shape {array.shape}")
            if array.ndim:  # a number for all items together is none of each
                sizes[name] = len(array)
    if len(set(sizes.values())) > 1:
        raise ModelError(f"the evidence of the model is of several numbers of items ({sizes}); fit it again")
