"""Scaling of features before distances are taken: a choice, since it decides what a distance means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from partita.affinity import Builder
from partita.arrays import Array
from partita.ensemble.builder import frame_of
from partita.errors import InputError
from partita.estimators.items import Items

__all__ = ["ScaleFeatures", "Scaling", "note_on_scale"]

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


def note_on_scale(
    X: Any, builder: Builder, how: ScaleFeatures, weights: Array | None, names: NDArray[Any] | None
) -> tuple[str, ...]:
    """Say that one column of features holds more than nine tenths of the variance that distances are made of.

    >>> from partita.affinity import NeighborGraph
    >>> X = np.array([[0.0, 0.0], [1.0, 1000.0]])
    >>> note_on_scale(X, NeighborGraph(), "none", None, np.array(["cm", "mg"]))[0][:42]
    "column 'mg' holds 100% of the total varian"
    >>> note_on_scale(X, NeighborGraph(), "standard", None, None)
    ()
    """
    if builder.pairwise or builder.metric != "euclidean" or not isinstance(X, np.ndarray):
        return ()
    if X.shape[1] < 2 or np.isnan(X).all(axis=0).any():
        return ()
    scaling = Scaling.of(X, weights, how)
    seen = X if scaling is None else scaling(X)
    if builder.mixed:
        seen = frame_of(seen, builder.units)(seen)
    largest = float(np.nanmax(np.abs(seen)))
    variance = np.nanvar(seen / (largest or 1.0), axis=0)  # a share does not depend on the unit
    widest, total = int(variance.argmax()), float(variance.sum())
    if variance[widest] <= DOMINATES * total or variance[widest] == total:  # the others have one value each
        return ()
    name = str(widest) if names is None else repr(str(names[widest]))
    return (
        f"column {name} holds {variance[widest] / total:.0%} of the total variance and weighs most in every distance; "
        "consider scale_features='standard' (command line: --scale-features standard)",
    )
