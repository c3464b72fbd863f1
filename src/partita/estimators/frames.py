"""Frames as input: columns of numbers are features; anything else is named, not turned into numbers in silence, or
goes into a mixed table where the evidence takes one.

scikit-learn reads pandas, polars and pyarrow itself, remembers the names of the columns and compares them on new
items. It also reads a categorical column "1", "2", "3" as numbers, and of a column of words it says only that a word is
no number. Here the column is named. Frames are looked at through narwhals; without it, which scikit-learn below 1.9
does not need, pandas goes on to scikit-learn as it is.
"""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, MissingExtraError, require
from partita.estimators.mixed_table import DATES, MixedTable, column_of_values, nested, words

__all__ = ["checked_frame", "frame_package", "row_names", "table_of_frame"]

PACKAGES = ("pandas", "polars", "pyarrow")


def frame_package(X: Any) -> str | None:
    """Return the name of the package that a frame is of; None for what is no frame.

    >>> frame_package(np.ones((2, 2))) is None
    True
    """
    package = type(X).__module__.partition(".")[0]
    return package if package in PACKAGES and hasattr(type(X), "columns") else None


def checked_frame(X: Any, *, pairwise: bool, remedy: str = "") -> Any:
    """Return X as it came, after a check of its columns where it is a frame.

    Parameters
    ----------
    X : anything
    pairwise : bool
        Whether rows and columns are the same items: then the index of a pandas frame is compared with its columns.
    remedy : str
        What else can be done with a column that holds no numbers.

    Raises
    ------
    InputError
        For a column that holds no numbers, no column, two columns of one name, names of which some are no strings, a
        lazy frame, or rows and columns of a pandas frame that name the same items in another order.
    MissingExtraError
        For polars and pyarrow without narwhals.
    """
    package = frame_package(X)
    if package is None:
        return X
    try:
        narwhals, frame = _opened(X, package)
    except MissingExtraError:
        if package == "pandas":
            return X
        raise
    _refuse_nested(frame, narwhals)
    for name, kind in frame.schema.items():
        if not _numeric(frame, name, kind, narwhals):
            raise InputError(
                f"column {name!r} of X holds {str(kind).lower()}, expected numbers: leave it out, or encode it (the "
                f"words of a category as columns of zeros and ones){remedy}"
            )
    if pairwise and package == "pandas":
        _require_same_order(X)
    return X


def table_of_frame(X: Any) -> MixedTable | None:
    """Return a frame as a mixed table; None for what is no frame.

    Numbers stay numbers; words, categories (whatever is written in them) and truth values are words; gaps are missing
    cells.

    Raises
    ------
    InputError
        For dates and times, columns of several kinds of values, no column, two columns of one name, names of which some
        are no strings, a lazy frame.
    MissingExtraError
        Without narwhals.

    Examples
    --------
    >>> import pandas as pd
    >>> table = table_of_frame(pd.DataFrame({"x": [1, 2], "size": pd.Categorical(["1", None])}))
    >>> [column.tolist() for column in table.columns]
    [[1.0, 2.0], ['1', None]]
    """
    package = frame_package(X)
    if package is None:
        return None
    narwhals, frame = _opened(X, package)
    _refuse_nested(frame, narwhals)
    columns = [
        _column(frame.get_column(name), f"column {name!r} of X", kind, narwhals) for name, kind in frame.schema.items()
    ]
    told = [name for name, kind in frame.schema.items() if kind in (narwhals.Categorical, narwhals.Enum)]
    return MixedTable(tuple(map(str, frame.columns)), tuple(columns), categories=frozenset(map(str, told)))


def row_names(X: Any) -> NDArray[np.str_] | None:
    """Return the index of a pandas frame as words; None where it only counts the rows, and for anything else.

    >>> import pandas as pd
    >>> row_names(pd.DataFrame({"x": [1.0, 2.0]}, index=["ann", "bob"])).tolist()
    ['ann', 'bob']
    >>> row_names(pd.DataFrame({"x": [1.0, 2.0]})) is None
    True
    """
    if frame_package(X) != "pandas":
        return None
    index = X.index
    if hasattr(index, "start") and (index.start, index.step) == (0, 1):
        return None
    return np.array([str(name) for name in index], dtype=np.str_)


def _opened(X: Any, package: str) -> tuple[Any, Any]:
    """Narwhals, and the frame as it sees it, after a check that it has columns and each its own name."""
    narwhals = require("narwhals", extra="frames", purpose=f"reading frames of {package}")
    if package == "pandas" and any(_is_sparse(kind) for kind in X.dtypes):  # narwhals does not know them
        at = [k for k, kind in enumerate(X.dtypes) if _is_sparse(kind)]
        X = X.copy(deep=False).astype({X.columns[k]: X.dtypes.iloc[k].subtype for k in at})
    if not hasattr(X, "shape"):
        raise InputError("X is a lazy frame: pass X.collect()")
    names = list(X.column_names if package == "pyarrow" else X.columns)
    if not names:
        raise InputError("X is a frame without columns: at least one feature is needed")
    if len(kinds := {type(name) for name in names}) > 1 and str in kinds:
        other = next(name for name in names if not isinstance(name, str))
        raise InputError(
            f"some names of the columns of X are strings and others are not, as {other!r}: make all of them strings, "
            "X.columns = X.columns.astype(str)"
        )
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None) if _repeats(names) else None
    if twice is not None:
        raise InputError(f"two columns of X are called {twice!r}: give each a name of its own")
    return narwhals, narwhals.from_native(X, eager_only=True)


def _column(series: Any, called: str, kind: Any, narwhals: Any) -> NDArray[Any]:
    """A column of a frame as one of a mixed table."""
    if kind.is_temporal():
        raise InputError(f"{called} holds {str(kind).lower()}, a date or time: {DATES}")
    if kind.is_numeric():
        gaps = series.is_null().to_numpy()
        values = (series.fill_null(0) if gaps.any() else series).to_numpy().astype(np.float64)
        return np.where(gaps, np.nan, values) if gaps.any() else values
    if kind in (narwhals.Boolean, narwhals.String, narwhals.Categorical, narwhals.Enum):
        return words(None if gap else value for value, gap in zip(series.to_list(), series.is_null().to_list()))
    if kind == narwhals.Object:
        return column_of_values(series.to_list(), called)
    own = str(getattr(series.to_native(), "dtype", kind)).lower()
    if own.startswith("period"):
        raise InputError(f"{called} holds {own}, periods of time: {DATES}")
    raise InputError(f"{called} holds {own}, expected numbers or words: turn it into these, or leave it out")


def _refuse_nested(frame: Any, narwhals: Any) -> None:
    """Raise for a column of lists or arrays."""
    for name, kind in frame.schema.items():
        if kind == narwhals.Object:
            held = [value for value in frame.get_column(name).to_list() if value is not None]
            is_nested = bool(held) and all(isinstance(value, (list, tuple, np.ndarray)) for value in held)
        else:
            is_nested = kind in (narwhals.List, narwhals.Array)
        if is_nested:
            raise InputError(nested(f"column {name!r} of X", name))


def _is_sparse(kind: Any) -> bool:
    return str(kind).startswith("Sparse[")


def _repeats(names: list[Any]) -> bool:
    return len(set(names)) < len(names)


def _numeric(frame: Any, name: Any, kind: Any, narwhals: Any) -> bool:
    """Objects are numbers where each is; of kinds that narwhals does not know scikit-learn has the say."""
    if kind == narwhals.Object:
        return all(value is None or isinstance(value, (Real, Decimal)) for value in frame.get_column(name).to_list())
    return bool(kind.is_numeric() or kind in (narwhals.Boolean, narwhals.Unknown))


def _require_same_order(X: Any) -> None:
    rows, columns = list(X.index), list(X.columns)
    if rows != columns and len(rows) == len(columns) and set(rows) == set(columns):
        at = next(k for k, (row, column) in enumerate(zip(rows, columns)) if row != column)
        raise InputError(
            f"rows and columns of X name the same items in another order: row {at} is {rows[at]!r}, column {at} is "
            f"{columns[at]!r}; pass X.loc[X.columns]"
        )
