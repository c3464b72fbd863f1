"""Partition draws as people hold them: labels, the chain of each draw, the names of the items.

Arrays have labels alone. ArviZ's `InferenceData` and xarray's `DataTree` (ArviZ 1.x) keep them as a variable of the
group `posterior` with the dimensions (chain, draw, item), `Dataset` and `DataArray` likewise; frames of pandas, polars
and pyarrow have a row for each draw and may have columns that number chains and draws. Objects are known by what they
have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, require

__all__ = ["NamedDraws", "columns_of", "named_draws"]

# Columns of a table that say which chain a row is of, and those that only number the rows.
CHAIN_COLUMNS = ("chain", ".chain")
ORDER_COLUMNS = ("", "draw", ".draw", "iteration", ".iteration", "sweep")
DIMENSIONS = ("chain", "draw")


@dataclass(frozen=True, eq=False)
class NamedDraws:
    """Labels of M draws, with what is known of draws and items.

    Attributes
    ----------
    labels : M x N labels, in memory or anything that is sliced by rows
    chain : array of M, optional
        Which chain each draw is of.
    items : array of N words, optional
    """

    labels: Any
    chain: NDArray[Any] | None = None
    items: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if self.items is None:
            return
        names, counts = np.unique(np.asarray(self.items).astype(str), return_counts=True)
        if counts.max(initial=0) > 1:
            raise InputError(
                f"{counts.max()} items are called {str(names[counts.argmax()])!r}: give each a name of its own, or "
                "leave the names out"
            )


def named_draws(draws: Any, *, variable: str | None = None) -> NamedDraws:
    """The labels in whatever holds them.

    Parameters
    ----------
    draws : array-like, `NamedDraws`, InferenceData, DataTree, Dataset, DataArray, DataFrame or Table
        Dimensions other than `chain` and `draw` number the items. Without a `chain` there is one.
    variable : str, optional
        Name of the variable that holds the labels; the only one of whole numbers with one dimension of items by
        default.

    Raises
    ------
    InputError
        Where no variable or several could be meant, or its dimensions are others.

    Examples
    --------
    >>> named_draws([[0, 0, 1], [0, 1, 1]]).chain is None
    True
    >>> import pandas as pd
    >>> given = named_draws(pd.DataFrame({".chain": [1, 2], "x": [0, 0], "y": [0, 1]}))
    >>> given.labels.tolist(), given.chain.tolist(), given.items.tolist()
    ([[0, 0], [0, 1]], [1, 2], ['x', 'y'])
    """
    if isinstance(draws, NamedDraws):
        return draws
    if hasattr(draws, "groups") or hasattr(draws, "children"):
        draws = _posterior(draws)
    if hasattr(draws, "data_vars"):
        draws = _variable(draws, variable)
    elif variable is not None:
        raise InputError(f"variable={variable!r} names one of a data set; these draws are an array: leave it out")
    if hasattr(draws, "dims") and hasattr(draws, "transpose"):
        return _of_array(draws)
    if hasattr(type(draws), "columns") and (hasattr(draws, "to_numpy") or hasattr(draws, "column_names")):
        return _of_frame(draws)
    return NamedDraws(draws)


def _posterior(tree: Any) -> Any:
    """The data set of the group `posterior`: of an InferenceData an attribute, of a DataTree a child."""
    found = getattr(tree, "posterior", None)
    if found is None:
        groups = getattr(tree, "children", None) or tree.groups
        names = list(groups() if callable(groups) else groups)
        raise InputError(f"the draws have no group 'posterior' (groups: {', '.join(map(str, names)) or 'none'})")
    return found.to_dataset() if hasattr(found, "to_dataset") else found


def _variable(dataset: Any, name: str | None) -> Any:
    names = [str(each) for each in dataset.data_vars]
    if name is not None:
        if name not in names:
            raise InputError(f"the draws have no variable {name!r}; they have {', '.join(names) or 'none'}")
        return dataset[name]
    fitting = [each for each in names if _could_be_labels(dataset[each])]
    if len(fitting) != 1:
        many = f"{', '.join(fitting)} could all be the labels" if fitting else "no variable could be the labels"
        raise InputError(
            f"{many}: name one with variable=... (labels are whole numbers with the dimensions chain, draw and one of "
            f"items; the variables are {', '.join(names) or 'none'})"
        )
    return dataset[fitting[0]]


def _could_be_labels(array: Any) -> bool:
    others = [dim for dim in array.dims if dim not in DIMENSIONS]
    return array.dtype.kind in "iub" and len(others) == 1 and "draw" in array.dims


def _of_array(array: Any) -> NamedDraws:
    others = [dim for dim in array.dims if dim not in DIMENSIONS]
    if "draw" not in array.dims or len(others) != 1:
        raise InputError(
            f"the labels have the dimensions {tuple(map(str, array.dims))}: expected 'chain' (may be left out), 'draw' "
            "and one that numbers the items; rename them"
        )
    (item,) = others
    chains = "chain" in array.dims
    order = (*(("chain",) if chains else ()), "draw", item)
    values = np.asarray(array.transpose(*order).values)
    n_draws = values.shape[-2]
    labels = values.reshape(-1, values.shape[-1])
    chain = None
    if chains:
        names = np.asarray(array["chain"].values) if "chain" in array.coords else np.arange(values.shape[0])
        chain = np.repeat(names, n_draws)
    items = np.asarray(array[item].values).astype(str) if item in array.coords else None
    return NamedDraws(labels, chain, items)


def columns_of(names: list[str]) -> tuple[int | None, list[int]]:
    """Of a table's columns the one that says the chain, and those of the items.

    Raises
    ------
    InputError
        Where no column of labels is left.

    Examples
    --------
    >>> columns_of([".chain", ".iteration", "V1", "V2"])
    (0, [2, 3])
    """
    chains = [k for k, name in enumerate(names) if name.lower() in CHAIN_COLUMNS]
    left = [k for k, name in enumerate(names) if name.lower() not in (*CHAIN_COLUMNS, *ORDER_COLUMNS)]
    if not left:
        raise InputError("the table of draws has no column of labels: expected a row for each draw, a column an item")
    return (chains[0] if chains else None), left


def _of_frame(frame: Any) -> NamedDraws:
    if not hasattr(frame, "index"):  # a frame of polars, a table of pyarrow
        narwhals = require("narwhals", extra="frames", purpose=f"reading frames of {type(frame).__module__}")
        frame = narwhals.from_native(frame, eager_only=True)
    names = [str(name) for name in frame.columns]
    chain_at, left = columns_of(names)
    values = frame.to_numpy()
    chain = None if chain_at is None else values[:, chain_at]
    if chain is None:
        levels = [
            name for name in getattr(getattr(frame, "index", None), "names", ()) if str(name).lower() in CHAIN_COLUMNS
        ]
        chain = np.asarray(frame.index.get_level_values(levels[0])) if levels else None
    labels = values[:, left]
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    if chain is not None and chain.dtype.kind == "f" and (chain == np.round(chain)).all():
        chain = chain.astype(np.int64)
    return NamedDraws(labels, chain, np.array(names)[left])
