"""The input of a fit and new items together: what `update` fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.fitted_attributes import FittedAttributes
from partita.estimators.frames import row_names
from partita.estimators.input_checks import check_magnitude
from partita.estimators.items import check_weights
from partita.estimators.mixed_table import MixedTable
from partita.estimators.objects import evidence_of
from partita.estimators.pipeline import Given

__all__ = ["with_new_items"]


def with_new_items(model: FittedAttributes, X_new: Any, sample_weight: Any) -> tuple[Given, NDArray[np.str_] | None]:
    """Return what a model was given, with new items after the others, and the names of all.

    Constraints between the earlier items stay.

    Raises
    ------
    InputError
    """
    given: Given | None = getattr(model, "_given", None)
    if given is None:
        raise InputError("update: a model that was loaded has no input to go on from; fit all items")
    if model._knows_pairs:
        raise InputError(
            "update: affinities or distances to the fitted items do not say how the new ones are related; fit the "
            "matrix of all items"
        )
    if given.pair_weight is not None:
        raise InputError("update: pair_weight has no weights of the new items' pairs; fit all items with all weights")
    X_new, new_names, _ = evidence_of(X_new, model.affinity, model.symmetrize)
    new = model._as_given(X_new, model._builder_, reset=False)
    n, m = given.X.shape[0], new.shape[0]
    X: Any
    if given.table is None:
        check_magnitude(new)
        X = np.concatenate([given.columns.T, new])
    else:
        table = model._as_table(X_new)
        table = MixedTable.of_array(np.asarray(X_new, dtype=np.float64)) if table is None else table
        check_magnitude(table.numbers)
        X = given.table.followed_by(table)
    weights = check_weights(sample_weight, m)
    if weights is not None or given.weights is not None:
        parts = [np.ones(size) if part is None else part for part, size in ((given.weights, n), (weights, m))]
        weights = np.concatenate(parts)
    names = row_names(X_new) if new_names is None else np.array(new_names)
    return replace(given, X=X, weights=weights, table=None, features=None), _named(model.items_, names, n, m)


def _named(first: NDArray[np.str_] | None, then: NDArray[np.str_] | None, n: int, m: int) -> NDArray[np.str_] | None:
    """The names of all rows; those without one are called by their number where the others have some."""
    if first is None and then is None:
        return None
    numbers = np.arange(n + m).astype(np.str_)
    return np.concatenate([numbers[:n] if first is None else first, numbers[n:] if then is None else then])
