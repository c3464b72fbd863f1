"""Calibration of a factorization fit: which features a density may use, and how the estimator is fitted again."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from partita.affinity import Affinity, Builder
from partita.calibration import Calibration, Calibrator, Refit, average, calibrate
from partita.membership import Membership

if TYPE_CHECKING:
    from partita.estimators.base import FactorizationEstimator

__all__ = ["calibrate_fit"]

Array = NDArray[np.float64]


def calibrate_fit(
    estimator: FactorizationEstimator,
    builder: Builder,
    features: Any,
    weights: Array | None,
    membership: Membership,
    *,
    plain: bool,
    averaged: bool,
) -> tuple[Array, Calibrator, Calibration]:
    """Calibrate the membership of the distinct items: what goes into the calibrator, the calibrator, what it is.

    Parameters
    ----------
    features : n x d array, or the n x n input of a pairwise builder
        Of the distinct items, scaled.
    weights : n, or None
    membership : Membership
    plain : bool
        False where pairs are constrained or weighted, or the fit was interrupted: then neither a density nor a fit to
        half the items would know of it, and the membership stays but for its hard zeros.
    averaged : bool
        Over resamples, in the place of a density.
    """
    if not plain or isinstance(features, Affinity):
        return membership.matrix, *calibrate(None, membership.matrix, membership.labels, None, None)
    euclidean = not builder.pairwise and getattr(builder, "metric", "euclidean") == "euclidean"
    X = features if euclidean and np.isfinite(features).all() else None
    refit = _refit(estimator, builder, features, weights, membership.n_clusters)
    if averaged:
        return average(membership.matrix, membership.labels, weights, refit)
    return membership.matrix, *calibrate(X, membership.matrix, membership.labels, weights, refit)


def _refit(
    estimator: FactorizationEstimator, builder: Builder, features: Any, weights: Array | None, n_clusters: int
) -> Refit:
    given = isinstance(estimator.start, str)
    changes: dict[str, Any] = {
        "n_clusters": n_clusters,  # "auto" might choose another one
        "probabilities": "fitted",
        "scale_features": "none",  # they are scaled
        "start": estimator.start if given else "spectral",
        "random_state": int(estimator.random_state) if isinstance(estimator.random_state, Integral) else 0,
        "verbose": 0,
        "checkpoint": None,
    }

    def refit(items: NDArray[np.intp]) -> tuple[NDArray[np.int64], Array, Any]:
        part = features[items][:, items] if builder.pairwise else features[items]
        model = clone(estimator).set_params(**changes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a half may not converge; what it says is held-out evidence all the same
            model.fit(part, sample_weight=None if weights is None else weights[items])

        def predict(others: NDArray[np.intp]) -> Array:
            rows = features[others][:, items] if builder.pairwise else features[others]
            return np.asarray(model.predict_proba(rows))

        return model.labels_, model.membership_, predict

    return refit
