"""Scaling of features before distances are taken: a choice, since it decides what a distance means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from partita.affinity import Builder
from partita.arrays import Array
from partita.ensemble.builder import frame_of
from partita.errors import InputError
from partita.estimators.items import Items

__all__ = ["ScaleFeatures", "Scaling", "dominating_column"]

ScaleFeatures = Literal["none", "standard", "minmax", "auto"]

# Share of the total variance from which one column decides every Euclidean distance.
DOMINATES = 0.9


@dataclass(frozen=True)
class Scaling:
    """(X - centre) / spread, column by column; a constant column has spread one."""

    centre: Array
    spread: Array

    @classmethod
    def of(cls, X: Array, weights: Array | None, how: ScaleFeatures) -> Scaling | None:
        """Return the scaling that `how` asks for, fitted on X; None for none.

        "auto": "standard" where the units of features differ (`partita.ensemble.Ensemble` has the rule), else "none".

        >>> Scaling.of(np.array([[0.0], [4.0]]), None, "minmax")(np.array([[1.0]])).tolist()
        [[0.25]]
        """
        if how == "auto":
            complete = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
            how = "none" if frame_of(complete).common else "standard"
        if how == "none":
            return None
        if how == "standard":
            standard = StandardScaler().fit(X, sample_weight=weights)
            return cls(standard.mean_, standard.scale_)
        minmax = MinMaxScaler().fit(X)
        return cls(minmax.data_min_, 1.0 / minmax.scale_)

    @classmethod
    def of_items(cls, items: Items, builder: Builder, how: ScaleFeatures) -> Scaling | None:
        """Return the scaling of the features of items; None for none.

        Raises
        ------
        InputError
            For a precomputed matrix, which has no features.
        """
        if not builder.pairwise:
            return cls.of(items.features, items.weights, how)
        if how not in ("none", "auto"):
            raise InputError(f"scale_features={how!r} needs features, not a precomputed matrix")
        return None

    def __call__(self, X: Array) -> Array:
        """X scaled."""
        return (X - self.centre) / self.spread


def dominating_column(X: Array) -> tuple[int, float] | None:
    """Return the column that holds more than nine tenths of the total variance, and its share; None where none does.

    >>> dominating_column(np.array([[0.0, 0.0], [1.0, 1000.0]]))[0]
    1
    """
    if X.shape[1] < 2:
        return None
    observed = ~np.isnan(X).all(axis=0)
    largest = np.nanmax(np.abs(X), initial=0.0)
    if largest == 0:
        return None
    variance = np.zeros(X.shape[1])
    variance[observed] = np.nanvar(X[:, observed] / largest, axis=0)  # a share does not depend on the unit
    total = float(variance.sum())
    if total == 0:
        return None
    widest = int(variance.argmax())
    share = float(variance[widest]) / total
    return (widest, share) if share > DOMINATES else None
