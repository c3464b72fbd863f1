"""Between the rows that a user gives and the distinct items that are fitted: checks, starts, results handed back."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import Affinity, Builder, DenseAffinity, Precomputed
from partita.affinity.checks import LARGEST, SMALLEST
from partita.affinity.order import locality_order
from partita.errors import InputError, UnsureWarning
from partita.estimators.items import Items
from partita.membership import Membership
from partita.memory import available_memory, fits, human_bytes, require_memory
from partita.solvers import STARTS, SolveResult

__all__ = [
    "check_finite",
    "check_magnitude",
    "check_size",
    "columns_of",
    "copies",
    "empty_clusters",
    "expanded",
    "lost_digits",
    "seed",
    "sparse_way",
    "start_of_items",
    "warn_of_lost_digits",
    "weighted_part",
]

Array = NDArray[np.float64]

# Arrays of the size of the features that merging equal rows takes beside them.
MERGED = 4
# Steps of a column's precision below which what differs in it is mostly rounding.
STEPS = 256
# Empty clusters that are named.
NAMED = 8


def start_of_items(start: Any, inverse: NDArray[np.intp], n_distinct: int) -> Any:
    """A start given for the rows, as one for the distinct items: the first copy's."""
    if isinstance(start, str):
        return start
    words = isinstance(start, np.ndarray) and all(isinstance(s, str) for s in start.flat)
    if words and not set(start.flat) <= set(STARTS):
        return [_start_of_items(start, inverse, n_distinct)]  # labels, not names of starts
    starts = list(start)
    # A list of arrays is several starts, also where each holds labels; rows of one array are one membership.
    listed = not isinstance(start, np.ndarray) and any(isinstance(s, np.ndarray) for s in starts)
    many = listed or any(isinstance(s, str) or np.ndim(s) == 2 for s in starts)
    out = [_start_of_items(s, inverse, n_distinct) for s in (starts if many else [np.asarray(start)])]
    return out


def _start_of_items(start: Any, inverse: NDArray[np.intp], n_distinct: int) -> Any:
    if isinstance(start, str):
        return start
    array = np.asarray(start)
    if len(array) != len(inverse):
        raise InputError(f"start has {len(array)} rows, expected one for each of the {len(inverse)} items")
    first = np.zeros(n_distinct, dtype=np.intp)
    known = np.flatnonzero(inverse >= 0)[::-1]
    first[inverse[known]] = known
    return array[first]


def weighted_part(X: Any, weights: Array | None, n: int) -> Items:
    """Pairwise input without the items of weight zero; they are scored afterwards.

    Many items of a sparse matrix whose neighbours are scattered come in an order that brings them together.
    """
    if isinstance(X, Affinity) and weights is not None and not weights.all():
        raise InputError(
            f"sample_weight[{int(np.flatnonzero(weights == 0)[0])}] is zero, and an item cannot be left out of an "
            "Affinity object: make it of the other items alone, or pass the matrix"
        )
    inverse = np.arange(n)
    if weights is not None and not weights.all():
        used = np.flatnonzero(weights)
        inverse = np.full(n, -1, dtype=np.intp)
        inverse[used] = np.arange(len(used))
        X, weights = X[used][:, used], weights[used]
    order = locality_order(X) if sp.issparse(X) else None
    if order is not None:
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        X, weights = X[order][:, order], None if weights is None else weights[order]
        inverse = np.where(inverse < 0, -1, place[inverse])
    return Items(X, weights, inverse)


def columns_of(items: Items, n: int) -> NDArray[np.intp] | None:
    """The column of each fitted item in the rows of new ones, of pairwise input of n rows; None for their own order."""
    if np.array_equal(items.inverse, np.arange(n)):
        return None
    rows = np.flatnonzero(items.inverse >= 0)
    out = np.empty(len(rows), dtype=np.intp)
    out[items.inverse[rows]] = rows
    return out


def copies(X: Any, builder: Builder) -> int:
    """Items at distance zero from an earlier one; an affinity does not tell."""
    if isinstance(builder, Precomputed) or not isinstance(X, np.ndarray) or X.shape[0] != X.shape[1]:
        return 0
    earlier = np.zeros(len(X), dtype=bool)
    for i, row in enumerate(X):  # a row at a time: an array of all pairs would double what X takes
        earlier[i + 1 :] |= row[i + 1 :] == 0
    return int(earlier.sum())


def check_size(X: Any, *, pairwise: bool) -> None:
    """Raise before a dense X is made an array of double precision that would not fit, with what is made of it.

    Raises
    ------
    MemoryLimitError
    """
    shape: Any = getattr(X, "shape", ())
    if sp.issparse(X) or len(shape) != 2:
        return
    rows, columns = shape
    if pairwise:
        remedy = "pass a scipy.sparse matrix, or features and affinity='neighbors'"
        require_memory(8 * rows * columns, f"a dense {rows:,} x {columns:,} matrix", remedy)
    else:
        remedy = "leave out columns, or fit a sample of the rows and predict the rest"
        require_memory(8 * MERGED * rows * columns, f"finding the distinct ones of {rows:,} rows", remedy)


def sparse_way(affinity: Affinity) -> tuple[str, ...]:
    """A note where N x N evidence would not have fitted and another kind was fitted instead."""
    n, free = affinity.n_items, available_memory()
    if fits(8 * n**2) or isinstance(affinity, DenseAffinity):
        return ()
    return (
        f"an array of all {n:,} x {n:,} pairs would take {human_bytes(8 * n**2)} of memory, and {human_bytes(free)} "
        f"are available: the evidence was kept as a {affinity.name} affinity, and nothing N x N was made",
    )


def empty_clusters(labels: NDArray[np.int64], n_clusters: int) -> str | None:
    """What to say of clusters that are the most probable one of no item; None where there is none.

    >>> empty_clusters(np.array([0, 0, 2]), 4)
    '2 of 4 clusters hold no item (1, 3): ask for 2, the number that the evidence supports'
    """
    empty = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0).tolist()
    if not empty:
        return None
    named = ", ".join(map(str, empty[:NAMED])) + (", ..." if len(empty) > NAMED else "")
    return (
        f"{len(empty)} of {n_clusters} clusters hold no item ({named}): ask for {n_clusters - len(empty)}, the number "
        "that the evidence supports"
    )


def check_finite(X: Array, missing: str | None) -> None:
    """Raise for infinite features, for missing ones unless they may be, and for a row without any.

    `missing` is the estimator's parameter, None for one that has no such parameter.
    """
    bad = np.isinf(X) if missing == "unobserved" else ~np.isfinite(X)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        value = "NaN" if np.isnan(X[i, j]) else "infinity"
        more = f" (and {int(bad.sum()) - 1:,} more cells)" if bad.sum() > 1 else ""
        raise InputError(
            f"X[{i}, {j}] is {value}{more}: fill it in, drop the row"
            + (", or pass missing='unobserved'" if value == "NaN" and missing is not None else "")
        )
    if missing == "unobserved" and np.isnan(X).all(axis=1).any():
        i = int(np.flatnonzero(np.isnan(X).all(axis=1))[0])
        raise InputError(f"row {i} of X has no observed value: drop it")


def check_magnitude(X: Array) -> None:
    """For fitted items only: a new one may lie as far away as it likes, and still gets a membership."""
    magnitude = np.abs(X)
    top = float(np.nanmax(magnitude, initial=0.0))
    if top > LARGEST or 0 < top < SMALLEST:
        i, j = np.argwhere(magnitude == top)[0]
        raise InputError(
            f"X[{i}, {j}] = {X[i, j]:g} is too {'large' if top > LARGEST else 'small'} for distances in double "
            "precision: express the features in another unit"
        )


def lost_digits(X: Array, given: Any = None, columns: Sequence[str] | None = None) -> str | None:
    """What to say of a column whose offset leaves hardly any digits for what differs between the rows, or None.

    Parameters
    ----------
    X : N x d array of features
    given : dtype, optional
        What they came as: single precision has fewer digits.
    columns : sequence of d, optional
        The names of the columns.

    Examples
    --------
    >>> lost_digits(np.array([[1.0, 1e17], [2.0, 1e17 + 32.0]]))[:38]
    'column 1 holds numbers near 1e+17 that'
    """
    kind = np.dtype(given) if given is not None and np.dtype(given).kind == "f" else np.dtype(np.float64)
    known = ~np.isnan(X)
    largest = np.abs(X).max(axis=0, where=known, initial=0.0)
    span = X.max(axis=0, where=known, initial=-np.inf) - X.min(axis=0, where=known, initial=np.inf)
    step = np.spacing(largest.astype(kind)).astype(np.float64)
    lost = np.flatnonzero((span > 0) & (span < STEPS * step))
    if not len(lost):
        return None
    j = int(lost[0])
    others = f" (and {len(lost) - 1} more columns)" if len(lost) > 1 else ""
    return (
        f"column {j if columns is None else repr(columns[j])}{others} holds numbers near {largest[j]:.3g} that differ "
        f"by {span[j]:.3g} at most, and {kind.name} tells them apart in steps of {step[j]:.3g}: digits were lost "
        "before the fit; subtract the offset where the numbers come from"
    )


def warn_of_lost_digits(X: Array, given: Any) -> None:
    """Warn of what `lost_digits` says."""
    words = lost_digits(X, given)
    if words is not None:
        warnings.warn(words, UnsureWarning, stacklevel=4)


def seed(random_state: Any) -> int | None:
    """A whole number from any of the ways to say a seed."""
    if random_state is None or isinstance(random_state, Integral):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(random_state.randint(2**31 - 1))


def expanded(result: SolveResult, W: Array, labels: NDArray[np.int64], inverse: NDArray[np.intp]) -> SolveResult:
    """The result for every row; `inverse` says which item each is."""
    membership = Membership(W)
    membership.labels = labels  # the same tie-breaks for every copy
    restarts = tuple(
        dataclasses.replace(
            restart,
            labels=np.where(inverse < 0, labels, restart.labels[inverse]).astype(np.int32),
            **_rows(restart.membership, restart.factor, inverse),
        )
        for restart in result.restarts
    )
    rows = _rows(result.membership.matrix, result.factor, inverse)
    return dataclasses.replace(result, membership=membership, factor=rows["factor"], restarts=restarts)


def _rows(membership: Array | None, factor: Array | None, inverse: NDArray[np.intp]) -> dict[str, Any]:
    """Membership and factor of every row; one array where they are one thing. None where a row has none."""
    if membership is None or factor is None or (inverse < 0).any():
        return {"membership": None, "factor": None}
    rows = membership[inverse]
    return {"membership": rows, "factor": rows if factor is membership else factor[inverse]}
