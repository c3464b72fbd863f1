"""The table by which a fit is explained: the one that was fitted, as it came, or one that is given now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.affinity import Affinity
from partita.errors import InputError
from partita.estimators.doubtful import Doubtful
from partita.estimators.frames import table_of_frame
from partita.estimators.items import check_weights
from partita.estimators.mixed_table import MixedTable
from partita.explanation import Explanation, explain_clusters

__all__ = ["any_table", "explain", "table_of"]


def explain(model: Doubtful, X: Any, sample_weight: Any, max_columns: int) -> Explanation:
    """Return the explanation of a fitted model by its own table, or by X.

    Raises
    ------
    InputError
        Where there is no table, or one of another number of rows.
    """
    given = getattr(model, "_given", None)
    table = _fitted_table(model) if X is None else _given_table(X, model)
    n = len(model.labels_)
    if table.shape[0] != n:
        raise InputError(f"X has {table.shape[0]} rows, and the fit {n}: pass a row for each item, in their order")
    weights = check_weights(sample_weight, n)
    if weights is None and given is not None:
        weights = given.weights
    return explain_clusters(
        table.columns,
        model.labels_,
        names=table.names,
        membership=model.membership_,
        weights=weights,
        outliers=model.outlier_ if model._knows_doubt else None,
        max_columns=max_columns,
    )


def table_of(model: Doubtful, X: Any = None) -> MixedTable | None:
    """Return X as a table, or the one that was fitted; None where there is neither."""
    if X is not None:
        return _given_table(X, model)
    if model._knows_pairs or getattr(model, "_given", None) is None:
        return None
    return _fitted_table(model)


def _fitted_table(model: Doubtful) -> MixedTable:
    given = getattr(model, "_given", None)
    if model._knows_pairs:
        raise InputError(
            "explain: the fit saw affinities or distances, which have no columns; pass a table with a row for each item"
        )
    if given is None:
        raise InputError("explain: a model that was loaded has no input; pass the table that was fitted")
    if given.table is not None:
        table: MixedTable = given.table
        return table
    return MixedTable(_names(model, len(given.columns)), MixedTable.of_array(given.columns.T).columns)


def _given_table(X: Any, model: Doubtful) -> MixedTable:
    """A frame, a mixed table, or an array whose columns are called as those of the fit where they are as many."""
    table = any_table(X)
    own = table.shape[1] == model.n_features_in_ and not model._knows_pairs
    table = MixedTable(_names(model, table.shape[1]), table.columns) if own and table.names is None else table
    if hasattr(model, "encoding_") and table.names == model.encoding_.names:
        return model.encoding_.as_fitted(table)
    return table if table.names is None else table.with_marks()


def any_table(X: Any) -> MixedTable:
    """Return a frame, a mixed table or an array as a table; the columns of an array have no names.

    Raises
    ------
    InputError
        For what is no table: an affinity, a sparse matrix, an array of words or of other than two dimensions.

    Examples
    --------
    >>> any_table([[1.0, 2.0]]).shape
    (1, 2)
    """
    if isinstance(X, MixedTable):
        return X
    if isinstance(X, Affinity) or sp.issparse(X):
        raise InputError(f"explain: {type(X).__name__} is no table; pass an array or a frame with a row for each item")
    table = table_of_frame(X)
    if table is not None:
        return table
    try:
        array = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("explain: X is an array that holds no numbers; pass words in a frame") from None
    if array.ndim != 2:
        raise InputError(f"explain: X has shape {array.shape}, expected N x d: a row for each item")
    return MixedTable.of_array(array)


def _names(model: Doubtful, d: int) -> tuple[str, ...] | None:
    names: Sequence[Any] | None = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(model, "_columns", None)
    return None if names is None or len(names) != d else tuple(str(name) for name in names)
