"""Memberships of new items that come as a Dask array or dataframe: block by block, where the blocks are.

The fitted model goes to the workers once; nothing is computed until the caller asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from partita.errors import InputError

__all__ = ["comes_in_blocks", "predict_in_blocks"]


def comes_in_blocks(X: Any) -> bool:
    """Return whether X is a collection of Dask.

    >>> comes_in_blocks(np.ones((2, 2)))
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def predict_in_blocks(model: Any, X: Any, predict: Callable[[Any, Any], Any], n_clusters: int | None) -> Any:
    """Return `predict(model, block)` for every block of rows, lazily.

    Parameters
    ----------
    model : fitted estimator
    X : dask.array.Array (M x d) or dask.dataframe.DataFrame
    predict : callable
        Given the model and a NumPy block or a pandas partition.
    n_clusters : int or None
        Columns of the answer; None for one label each.

    Returns
    -------
    A Dask array for an array. For a dataframe a dataframe with the columns p_0 to p_{K-1}, or a series `label`; its
    index is that of X.
    """
    from dask.delayed import delayed

    there = delayed(model, pure=False, traverse=False)
    if hasattr(X, "to_dask_array"):
        return _of_dataframe(there, X, predict, n_clusters)
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions, expected rows of items by columns of features")
    rows = X.rechunk({1: -1})
    if n_clusters is None:
        return rows.map_blocks(_block, there, predict, dtype=np.int64, drop_axis=1, meta=np.empty(0, np.int64))
    width = (n_clusters,)
    return rows.map_blocks(
        _block, there, predict, dtype=np.float64, chunks=(rows.chunks[0], width), meta=np.empty((0, 0))
    )


def _block(X: Any, model: Any, predict: Callable[[Any, Any], Any]) -> Any:
    return predict(model, X)


def _of_dataframe(there: Any, X: Any, predict: Callable[[Any, Any], Any], n_clusters: int | None) -> Any:
    import pandas as pd

    def partition(part: pd.DataFrame, model: Any) -> Any:
        found = predict(model, part) if len(part) else np.empty((0,) if n_clusters is None else (0, n_clusters))
        if n_clusters is None:
            return pd.Series(found.astype(np.int64), index=part.index, name="label")
        return pd.DataFrame(found, index=part.index, columns=names)

    names = [] if n_clusters is None else [f"p_{k}" for k in range(n_clusters)]
    meta = (
        pd.Series(dtype=np.int64, name="label") if n_clusters is None else pd.DataFrame({n: [0.5] for n in names})[:0]
    )
    return X.map_partitions(partition, there, meta=meta)
