"""Memberships as a frame of pandas, polars or pyarrow, and a frame with a column of names as features."""

from __future__ import annotations

from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.errors import InputError, require
from partita.estimators.frames import frame_package, row_names
from partita.membership import row_entropy, row_margin

__all__ = ["membership_columns", "memberships_frame", "named_features"]

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS = ("pandas", "polars", "pyarrow")


def memberships_frame(estimator: Any, ids: Any = None, *, X: Any = None, backend: Backend = "pandas") -> Any:
    """Return the columns of `memberships.csv`: id, label, p_0 to p_{K-1}, entropy (nats) and margin.

    Parameters
    ----------
    estimator : fitted estimator with memberships
        A factorization, or `BayesianPartition`.
    ids : sequence of N names, a series, or a frame of pandas with the names in its index; optional
        By default the names that the items came with (the index of a pandas frame, the columns of draws), or else the
        numbers of the rows, from 0.
    X : optional
        New items, as in `predict_proba`: their memberships rather than those of the fitted. A pandas frame names them.
    backend : {"pandas", "polars", "pyarrow"}

    Returns
    -------
    DataFrame or pyarrow.Table, N rows
        `id` holds words.

    Raises
    ------
    InputError
        For another backend, or for ids that are too few or many, empty, or given twice.
    MissingExtraError
        Without narwhals or the backend.
    NotFittedError

    Examples
    --------
    >>> import pandas as pd
    >>> from partita import SoftClustering
    >>> X = pd.DataFrame({"x": [0.0, 0.1, 0.3, 7.0, 7.1, 7.3]}, index=list("abcdef"))
    >>> frame = memberships_frame(SoftClustering(n_clusters=2, random_state=0).fit(X))
    >>> frame.columns.tolist(), frame["id"].tolist()
    (['id', 'label', 'p_0', 'p_1', 'entropy', 'margin'], ['a', 'b', 'c', 'd', 'e', 'f'])
    """
    if backend not in BACKENDS:
        raise InputError(f"backend={backend!r} is unknown: pass 'pandas', 'polars' or 'pyarrow'")
    narwhals = require("narwhals", extra="frames", purpose="making frames")
    extra = "parquet" if backend == "pyarrow" else "frames"
    require(backend, extra=extra, purpose=f"backend={backend!r}")
    columns = membership_columns(estimator, X)
    n = len(columns["label"])
    given = row_names(X) if X is not None else getattr(estimator, "items_", None)
    names = _as_ids(given if ids is None else ids, n, "the names of the rows" if ids is None else "ids")
    return narwhals.from_dict({"id": names, **columns}, backend=backend).to_native()


def membership_columns(estimator: Any, X: Any = None) -> dict[str, NDArray[Any]]:
    """Return the label, p_0 to p_{K-1}, entropy and margin of the fitted items, or of the new ones X, as arrays of N.

    Raises
    ------
    InputError
        For an estimator without memberships.
    NotFittedError
    """
    check_is_fitted(estimator)
    if X is None:
        if not hasattr(estimator, "membership_"):
            raise InputError(
                f"{type(estimator).__name__} has no memberships: pass a factorization or BayesianPartition"
            )
        W, labels = np.asarray(estimator.membership_), np.asarray(estimator.labels_)
    else:
        if not hasattr(estimator, "predict_proba"):
            raise InputError(f"{type(estimator).__name__} gives no memberships to new items: leave out X")
        W = np.asarray(estimator.predict_proba(X))
        labels = W.argmax(axis=1)
    each = {f"p_{k}": np.ascontiguousarray(W[:, k]) for k in range(W.shape[1])}
    return {"label": labels.astype(np.int64), **each, "entropy": row_entropy(W), "margin": row_margin(W)}


def named_features(frame: Any, id_column: str | None = None) -> tuple[Any, list[str]]:
    """Return a frame without the column that names its rows, and the names.

    Parameters
    ----------
    frame : frame of pandas or polars, or pyarrow.Table
    id_column : str, optional
        By default the index of a pandas frame, or else the numbers of the rows, from 0.

    Returns
    -------
    features : frame of the same package
    ids : list of N words

    Raises
    ------
    InputError
        For what is no frame, a column that is not there, and names that are empty or given twice.
    MissingExtraError
        Without narwhals.

    Examples
    --------
    >>> import pandas as pd
    >>> features, ids = named_features(pd.DataFrame({"name": ["ann", "bob"], "x": [1.0, 2.0]}), "name")
    >>> features.columns.tolist(), ids
    (['x'], ['ann', 'bob'])
    """
    package = frame_package(frame)
    if package is None or not hasattr(frame, "shape"):
        raise InputError(f"expected a frame of pandas, polars or pyarrow, not {type(frame).__name__}")
    n = int(frame.shape[0])
    if id_column is None:
        return frame, _as_ids(row_names(frame), n, "the index")
    narwhals = require("narwhals", extra="frames", purpose="taking a column out of a frame")
    wrapped = narwhals.from_native(frame, eager_only=True)
    if id_column not in wrapped.columns:
        found = ", ".join(map(str, wrapped.columns[:8]))
        raise InputError(f"the frame has no column {id_column!r}; it has {found or 'none'}")
    ids = _as_ids(wrapped[id_column].to_list(), n, f"column {id_column!r}")
    return wrapped.drop(id_column).to_native(), ids


def _as_ids(ids: Any, n: int, what: str) -> list[str]:
    """Names as words, one for each of n rows and none twice; the numbers of the rows where there are none."""
    if ids is None:
        return [str(row) for row in range(n)]
    if frame_package(ids) == "pandas":
        found = row_names(ids)
        ids = range(ids.shape[0]) if found is None else found
    ids = ids.to_pylist() if hasattr(ids, "to_pylist") else list(ids)
    if len(ids) != n:
        raise InputError(f"{what}: {len(ids)} names for {n} items; give one for each")
    words = ["" if _is_nothing(name) else str(name) for name in ids]
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if not word:
            raise InputError(f"{what}: the name of row {row} is empty; fill it in")
        if first.setdefault(word, row) != row:
            raise InputError(
                f"{what}: {word!r} names rows {first[word]} and {row}; give every item its own name, or pass "
                f"ids=range({n})"
            )
    return words


def _is_nothing(name: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    return name is None or type(name).__name__ in ("NAType", "NaTType") or (isinstance(name, float) and isnan(name))
