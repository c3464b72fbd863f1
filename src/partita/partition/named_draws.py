"""Partition draws as people hold them: labels, the chain of each draw, the names of the items.

Arrays have labels alone; a fitted `DPGaussianMixture` has its chains too. ArviZ's `InferenceData` and xarray's
`DataTree` (ArviZ 1.x) keep them as a variable of the group `posterior` with the dimensions (chain, draw, item),
`Dataset` and `DataArray` likewise; frames of pandas, polars and pyarrow have a row for each draw and may have columns
that number chains and draws. Objects are known by what they have.

What a column says is read from its name: pandas calls one without a name "Unnamed: 0", and R writes the names of
rows into such a column, so it is no item; one called "draw" or "step" is none where it numbers the draws; one called
"label" or "class" is refused, since it holds a truth more often than an item.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.label_blocks import lacks_label
from partita.errors import InputError, require
from partita.metrics import adjusted_rand_index

__all__ = [
    "TURNED",
    "NamedDraws",
    "all_alone_note",
    "columns_of",
    "disagreeing_note",
    "items_of",
    "named_draws",
    "named_items",
    "nearly_constant_note",
    "stacked_draws",
    "transposed_note",
    "without_order",
]

# Columns of a table that say which chain a row is of, and those that number the rows where no two are alike.
CHAIN_COLUMNS = ("chain", ".chain", "chains", "chain_id")
ORDER_COLUMNS = ("draw", ".draw", "iteration", ".iteration", "iter", "sweep", "sample", "step", "index")
# Name that pandas gives a first column without one, and that of a table written with it twice.
UNNAMED = re.compile(r"unnamed: 0(\.\d+)?")
# Columns that hold something else in most tables: an item of such a name is refused, beside others.
NO_ITEMS = {
    "the truth": ("label", "labels", "class", "target", "truth"),
    "a weight of each draw": ("weight", "weights"),
    "a mark of burn-in": ("burnin", "burn_in", "warmup"),
    "the log density of each draw": ("lp__", "lp", "logpost", "log_post", "log_posterior", "log_joint", "loglik"),
}
# Names of a column that counts the clusters of each draw.
COUNTS = ("k", "n_clusters", "nclusters", "ncluster", "num_clusters", "nclust")
# Draws from which a column that goes up by the same step is no item, and the share of the draws that begin anew.
COUNTED_UP, ANEW = 10, 0.1
DIMENSIONS = ("chain", "draw")
NO_LABELS = "the table of draws has no column of labels: expected a row for each draw, a column an item"
# Names of rows that say that these are draws, and names that are numbers or parts of several levels.
OF_DRAWS = re.compile(r"\W*(draw|iter|sweep|sample|step|chain|state|mcmc|run|rep)|[\W\d]*$", re.IGNORECASE)
# Mean concentration of rows, sum_k (n_k / N)^2, from which they are nearly constant, and by how much less that of the
# columns must be; rows and columns that are looked at.
CONSTANT, LESS, LOOKED_AT = 0.85, 0.2, 200
# Beginnings of the notes that rows may be items.
TURNED = TABLE, DRAWS, ALONE = "the table looks transposed", "the draws look transposed", "in every draw each"
# Rows, and columns, that are compared in pairs (of fewer nothing is said), and by how much more columns must agree.
COMPARED, BETTER = 12, 0.15


@dataclass(frozen=True, eq=False)
class NamedDraws:
    """Labels of M draws, with what is known of draws and items.

    Attributes
    ----------
    labels : M x N labels, in memory or anything that is sliced by rows
    chain : array of M, optional
        Which chain each draw is of.
    items : array of N words, optional
    traces : mapping from names to arrays of M
        Further traces of the sampler of each draw: "log_joint".
    notes : tuple of str
        Notes for a reader.
    turned : tuple of str, optional
        Why the table may be transposed; None where it is known not to be.
    """

    labels: Any
    chain: NDArray[Any] | None = None
    items: NDArray[Any] | None = None
    traces: dict[str, NDArray[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    turned: tuple[str, ...] | None = ()

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
    """Return the labels in whatever holds them.

    Parameters
    ----------
    draws : array-like, `NamedDraws`, InferenceData, DataTree, Dataset, DataArray, DataFrame, Table or DPGaussianMixture
        Dimensions other than `chain` and `draw` number the items. Without a `chain` there is one. Columns without a
        name, as R writes the names of rows, are no items.
    variable : str, optional
        Name of the variable that holds the labels; the only one of whole numbers with one dimension of items by
        default.

    Raises
    ------
    InputError
        Where no variable or several could be meant, or its dimensions are others; for a column that looks like the
        truth, a file that was not read, and what holds no draws, as a graph, cells or a sparse matrix.

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
    if isinstance(draws, str | PathLike):
        raise InputError(f"draws are the name of a file: read it first, partita.io.read_draws({str(draws)!r})")
    if hasattr(draws, "draws_") and hasattr(draws, "chain_"):
        return NamedDraws(draws.draws_, draws.chain_, traces={"log_joint": np.ravel(draws.log_joint_trace_)})
    if hasattr(draws, "fit") and hasattr(draws, "get_params"):
        raise InputError(
            f"draws are a {type(draws).__name__} without draws: fit a DPGaussianMixture first, or pass M x N labels"
        )
    if type(draws).__module__.partition(".")[0] in ("networkx", "anndata") or sp.issparse(draws):
        raise InputError(
            f"draws are M x N labels, a row for each draw, and these are of the type {type(draws).__name__}, which "
            f"holds items: cluster them with SoftClustering().fit{', or pass .toarray()' if sp.issparse(draws) else ''}"
        )
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


def stacked_draws(draws: Any, *, variable: str | None = None) -> NamedDraws:
    """Return `named_draws`, or those of several chains: an array of C x M x N labels, or a list of C of M x N.

    Raises
    ------
    InputError
        As `named_draws`, and for chains of other items.

    Examples
    --------
    >>> found = stacked_draws([[[0, 0, 1], [0, 1, 1]], [[0, 1, 2]]])
    >>> found.labels.tolist(), found.chain.tolist()
    ([[0, 0, 1], [0, 1, 1], [0, 1, 2]], [0, 0, 1])
    """
    if isinstance(draws, list | tuple) and len(draws) and (isinstance(draws[0], NamedDraws) or _is_table(draws[0])):
        chains = [named_draws(each) for each in draws]
        parts = [np.asarray(each.labels) for each in chains]
        items = chains[0].items
        if len({each.shape[1:] for each in parts}) > 1 or any(
            items is not None and each.items is not None and list(each.items) != list(items) for each in chains
        ):
            raise InputError("the chains are of other items: expected M x N labels of the same N items in each of them")
        own = [
            np.zeros(len(part), dtype=int) if each.chain is None else each.chain for each, part in zip(chains, parts)
        ]
        pairs = np.column_stack([np.repeat(np.arange(len(chains)), [len(part) for part in parts]), np.concatenate(own)])
        chain = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        notes = tuple(dict.fromkeys(note for each in chains for note in each.notes))
        return NamedDraws(np.concatenate(parts), chain, items, notes=notes)
    found = named_draws(draws, variable=variable)
    if getattr(found.labels, "ndim", 2) != 3:
        return found
    labels = np.asarray(found.labels)
    C, M, N = labels.shape
    return NamedDraws(labels.reshape(C * M, N), np.repeat(np.arange(C), M), notes=found.notes)


def _is_table(entry: Any) -> bool:
    try:
        return np.ndim(entry) == 2
    except ValueError as error:
        raise InputError("the draws of a chain have different numbers of items: expected M x N labels") from error


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
    """Return positions, among a table's columns, of the one that names the chain, and of those that may be items.

    `items_of` tells which of these number the draws.

    Raises
    ------
    InputError
        Where no column of labels is left, or one looks like the truth.

    Examples
    --------
    >>> columns_of([".chain", ".iteration", "V1", "V2"])
    (0, [1, 2, 3])
    >>> columns_of(["Unnamed: 0", "V1", "V2"])
    (None, [1, 2])
    """
    lower = [name.lower() for name in names]
    chains = [k for k, name in enumerate(lower) if name in CHAIN_COLUMNS]
    left = [k for k, name in enumerate(lower) if name not in ("", *CHAIN_COLUMNS) and not UNNAMED.fullmatch(name)]
    if not left:
        raise InputError(NO_LABELS)
    for what, known in NO_ITEMS.items():
        found = next((names[k] for k in left if lower[k] in known), None)
        if found is not None and len(named_items(names, left)) > 1:
            raise InputError(
                f"column {found!r} looks like {what}, which is no item of the draws: leave it out, or give the item "
                "another name"
            )
    return (chains[0] if chains else None), left


def named_items(names: list[str], left: list[int]) -> list[int]:
    """Return those of the positions whose names do not say that the column numbers the draws; all if all do.

    >>> named_items(["draw", "V1"], [0, 1]), named_items(["draw", "step"], [0, 1])
    ([1], [0, 1])
    """
    return [k for k in left if names[k].lower() not in ORDER_COLUMNS] or left


def without_order(
    names: list[str], left: list[int], values: NDArray[Any], chain: NDArray[Any] | None
) -> tuple[list[int], tuple[str, ...]]:
    """Return those of the positions of columns that do not number the draws, and a note on each that does.

    One that is called so numbers them where no two draws of a chain have the same number, where it begins anew, or
    where it has more different values than there are items, and than any item has.

    Raises
    ------
    InputError
        Where none is left.

    Examples
    --------
    >>> table = np.column_stack([np.arange(12) % 4, np.arange(12) % 2, np.arange(12) % 3 // 2])
    >>> without_order(["draw", "step", "a"], [0, 1, 2], table, None)
    ([1, 2], ("column 'draw' numbers the draws: it is no item",))
    """
    called = [k for k in left if names[k].lower() in ORDER_COLUMNS]
    others = values[:, [k for k in left if k not in called]]
    order = [
        k for k in called if _numbers_draws(values[:, k], chain) or _exceeds_labels(values[:, k], others, len(left))
    ]
    kept = [k for k in left if k not in order]
    if not kept:
        raise InputError(NO_LABELS)
    return kept, tuple(f"column {names[k]!r} numbers the draws: it is no item" for k in order)


def _numbers_draws(column: NDArray[Any], chain: NDArray[Any] | None) -> bool:
    """Whether no two draws of a chain have the same number or name, or numbers go up and begin anew now and then."""
    own = column.tolist()
    if len(set(own if chain is None else zip(chain.tolist(), own, strict=True))) == len(own):
        return True
    if not all(isinstance(value, Real) for value in own):
        return False
    number = np.asarray(own, dtype=np.float64)
    steps, anew = np.diff(number), number[1:] == number[0]
    up = steps == steps[0]
    return bool(steps[0] > 0 and (up | anew).all() and up.sum() >= 2 * (~up).sum())


def _exceeds_labels(column: NDArray[Any], others: NDArray[Any], n_items: int) -> bool:
    """Whether a column has more different values than there may be items, and than any of the others has.

    No draw has more clusters than items; a sampler that never uses a label again does so for all items.
    """
    n = _n_values(column)
    return n > n_items and all(n > _n_values(other) for other in others.T)


def _n_values(column: NDArray[Any]) -> int:
    given = ~lacks_label(column) if column.dtype.kind == "O" else column == column  # noqa: PLR0124, not NaN
    return len(set(column[given].tolist()))


def items_of(names: list[str], left: list[int], labels: Any) -> tuple[list[int], tuple[str, ...]]:
    """Return the positions of items among those of columns, and a note on each that is none, or one against its name.

    A column that counts the clusters of each draw is none, nor one that counts the draws.

    Examples
    --------
    >>> table = np.column_stack([np.arange(12), np.ones(12, dtype=int), np.arange(12) % 2])
    >>> items_of(["t", "a", "b"], [0, 1, 2], table)
    ([1, 2], ("column 't' counts the draws: it is no item",))
    """
    notes = []
    for at in left:
        others = [k for k in left if k != at]
        if not others:
            break
        counts = (
            names[at].lower() in COUNTS
            and labels.dtype.kind != "O"
            and np.array_equal(labels[:, at], _n_different(labels[:, others]))
        )
        if counts or _counts_up(labels[:, at]):
            what = "the clusters of each draw" if counts else "the draws"
            notes.append(f"column {names[at]!r} counts {what}: it is no item")
            left = others
    kept = [names[k] for k in left if names[k].lower() in ORDER_COLUMNS]
    notes += [f"column {name!r} was read as an item: leave it out if it numbers the draws" for name in kept]
    return left, tuple(notes)


def _n_different(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Number of different labels in each row."""
    rows = np.sort(rows, axis=1)
    return np.asarray(1 + (rows[:, 1:] != rows[:, :-1]).sum(axis=1))


def _counts_up(column: NDArray[Any]) -> bool:
    """Whether numbers go up by the same step, but for a few places at which they begin anew, as chains do."""
    if len(column) < COUNTED_UP or column.dtype.kind not in "iuf":
        return False
    steps = np.diff(column)
    up = steps[steps > 0]
    return len(up) >= (1.0 - ANEW) * len(steps) and bool((up == up[0]).all())


def nearly_constant_note(labels: Any) -> tuple[str, ...]:
    """Return a word where rows are nearly constant and columns are not, as in a table whose rows are the items.

    An item keeps its label over many draws, while a draw has several labels. Of samplers that renumber clusters from
    draw to draw nothing can be told in this way.

    >>> draws = np.arange(60) % 3 + np.zeros((90, 1), dtype=int)
    >>> nearly_constant_note(draws), len(nearly_constant_note(draws.T))
    ((), 1)
    """
    labels = labels if hasattr(labels, "shape") else np.asarray(labels)
    M, N = labels.shape
    rows = np.asarray(labels[_spread(M)])
    rows = rows.astype(str) if rows.dtype.kind == "O" else rows
    of_rows, of_columns = _concentration(rows), _concentration(rows[:, _spread(N)].T)
    if min(M, N) < 2 or of_rows < CONSTANT or of_columns > of_rows - LESS:
        return ()
    return (
        f"{DRAWS}: rows were taken as {M:,} draws and columns as {N:,} items, and most of a row has "
        "one label while a column has several, as where rows are the items; turn the table if it is so",
    )


def disagreeing_note(labels: Any) -> tuple[str, ...]:
    """Return a word where columns, of which there are more, agree better with each other than rows, as draws would.

    Agreement is the mean adjusted Rand index. Rows that have most items in one cluster say too little, since then the
    numbering of the clusters alone makes columns alike.

    >>> draws = np.array([np.random.default_rng(b).permutation(9)[np.arange(60) % 3] for b in range(90)])
    >>> disagreeing_note(draws), len(disagreeing_note(draws.T))
    ((), 1)
    """
    labels = labels if hasattr(labels, "shape") else np.asarray(labels)
    M, N = labels.shape
    if N <= M or M < COMPARED:
        return ()
    rows = np.asarray(labels[_spread(M)])[:, _spread(N)]
    rows = rows.astype(str) if rows.dtype.kind == "O" else rows
    if _concentration(rows) > 0.5 or _agreement(rows.T) < _agreement(rows) + BETTER:
        return ()
    return (
        f"{DRAWS}: rows were taken as {M:,} draws and columns as {N:,} items, and columns agree with "
        "each other, as draws of one posterior do, much more than rows; turn the table if rows are the items",
    )


def all_alone_note(n_draws: int, n_items: int) -> tuple[str, ...]:
    """Return a word that no draw has two items together, as in a table whose columns are no items; of one draw none.

    >>> len(all_alone_note(9, 3)), all_alone_note(1, 3)
    (1, ())
    """
    if min(n_items, n_draws) < 2:
        return ()
    return (
        f"{ALONE} of the {n_items:,} items is alone: rows were taken as draws and columns as items, and no "
        "two columns of a row have the same label. If the rows are the items, cluster them with SoftClustering or "
        "partita fit",
    )


def _spread(n: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.intp))


def _concentration(rows: NDArray[Any]) -> float:
    """Mean over rows of sum_k (n_k / N)^2."""
    counts = [np.unique(row, return_counts=True)[1] / len(row) for row in rows]
    return float(np.mean([share @ share for share in counts]))


def _agreement(rows: NDArray[Any]) -> float:
    """Mean adjusted Rand index of pairs of rows."""
    some = rows[np.unique(np.linspace(0, len(rows) - 1, COMPARED).astype(np.intp))]
    return float(np.mean([adjusted_rand_index(a, b) for k, a in enumerate(some) for b in some[:k]]))


def transposed_note(rows: list[str] | None, columns: list[str]) -> tuple[str, ...]:
    """Return a word where the rows of a table have names as items have, or those that R gives to columns: V1, V2, ...

    R numbers rows, and calls the columns of a matrix V1, V2, ...: rows of such names come from t(draws). Words that
    differ from row to row name items where there are more of them than columns, unless they say that they are draws.

    Parameters
    ----------
    rows : list of str, optional
        Names of the rows.
    columns : list of str
        Names of the items. Rows called V1, V2, ... say nothing beside columns that somebody named.

    Examples
    --------
    >>> transposed_note(["V1", "V2"], ["1", "2", "3"])[0][:45]
    'the table looks transposed: its rows are V1, '
    >>> transposed_note(["1", "2", "3"], ["V1", "V2"])
    ()
    >>> len(transposed_note(["ann", "bob", "cid"], ["k2", "k3"])), transposed_note(["draw_1", "draw_2"], ["ann"])
    (1, ())
    """
    if rows is None or len(rows) < 2:
        return ()
    counted = any(columns == [f"{prefix}{k}" for k in range(1, len(columns) + 1)] for prefix in ("", "V", "X"))
    by_r = rows == [f"V{k}" for k in range(1, len(rows) + 1)]
    words = not any(OF_DRAWS.match(name) for name in rows)
    if not (counted if by_r else words and len(set(rows)) == len(rows) > len(columns)):
        return ()
    return (
        f"{TABLE}: its rows are {rows[0]}, ..., {rows[-1]} and its columns {columns[0]}, ..., "
        f"{columns[-1]}{', as t() of R leaves them' if by_r else ''}. Rows were taken as {len(rows)} draws and columns "
        f"as {len(columns)} items; turn the table if it is the other way round",
    )


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
    left, order = without_order(names, left, values, chain)
    items = [names[k] for k in left]
    labels = values[:, left]
    if labels.dtype == object and not any(lacks_label(row).any() for row in labels):
        labels = np.array(labels.tolist())
    if chain is not None and chain.dtype.kind == "f" and (chain == np.round(chain)).all():
        chain = chain.astype(np.int64)
    unnamed = next((k for k, name in enumerate(names) if not name or UNNAMED.fullmatch(name.lower())), None)
    told: Any = getattr(frame, "index", None) if unnamed is None else values[:, unnamed]
    rows = None if told is None else [str(name) for name in told]
    turned = transposed_note(rows, items)
    kept, counts = items_of(items, list(range(len(items))), labels)
    if len(kept) < len(items):
        labels, items = labels[:, kept], [items[k] for k in kept]
    return NamedDraws(labels, chain, np.array(items), notes=(*order, *counts), turned=turned)
