"""Checks of the rows of a fit: size, infinite and missing cells, lost digits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.affinity import SparseAffinity
from partita.affinity.checks import LARGEST, SMALLEST, is_triangle, looks_like_pairs
from partita.arrays import Array
from partita.errors import InputError, UnsureWarning
from partita.memory import require_memory
from partita.wording import count

__all__ = [
    "check_finite",
    "check_magnitude",
    "check_size",
    "dense_features",
    "lost_digits",
    "warn_of_lost_digits",
    "warn_of_pairs",
    "without_stored_zeros",
]


# Arrays of the size of the features that merging equal rows takes beside them.
MERGED = 4
# Steps of a column's precision below which what differs in it is mostly rounding.
STEPS = 256


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


def without_stored_zeros(X: Any) -> Any:
    """Return affinities without the zeros that a sparse matrix stores, which mean what pairs that it does not store do.

    The caller's matrix stays as it is, and so does anything else, such as an `Affinity` of which stored zeros alone
    were observed.

    >>> without_stored_zeros(sp.csr_array(([1.0, 0.0], ([0, 1], [0, 1])))).nnz
    1
    """
    if isinstance(X, SparseAffinity) and X.pair_weights is None and not X.foreign and not X.matrix.data.all():
        return SparseAffinity(without_stored_zeros(X.matrix))
    if not sp.issparse(X) or X.data.all():
        return X
    X = X.copy()
    X.eliminate_zeros()
    return X


def dense_features(X: Any, of_pairs: str = "pass affinity='precomputed' or 'precomputed_distance'") -> Array:
    """Return sparse features as an array.

    `of_pairs` says what to do with a matrix of pairs of items.

    Raises
    ------
    InputError
        For a symmetric matrix, which seems to be of pairs of items.
    MemoryLimitError
        Where the array would not fit.
    """
    rows, columns = X.shape
    if rows == columns > 1 and abs(X - X.T).nnz == 0:
        raise InputError(
            f"X is a sparse symmetric {rows:,} x {rows:,} matrix, as affinities or distances between items are: "
            f"{of_pairs}, or pass X.toarray() if its columns are features"
        )
    remedy = "reduce them first, as sklearn.decomposition.TruncatedSVD(50) does"
    require_memory(8 * MERGED * rows * columns, f"an array of {rows:,} x {columns:,} sparse features", remedy)
    return np.asarray(X.toarray(), dtype=np.float64)


def check_finite(X: Array, missing: str | None) -> None:
    """Raise for infinite features, for missing ones unless they may be, and for a row without any.

    `missing` is the estimator's parameter, None for one that has no such parameter.
    """
    bad = np.isinf(X) if missing == "unobserved" else ~np.isfinite(X)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        value = "NaN" if np.isnan(X[i, j]) else "infinity"
        more = f" (and {count(int(bad.sum()) - 1, 'more cell')})" if bad.sum() > 1 else ""
        unobserved = value == "NaN" and missing is not None
        todo = ", drop the row, or pass missing='unobserved'" if unobserved else " or drop the row"
        raise InputError(f"X[{i}, {j}] is {value}{more}: fill it in{todo}")
    if missing == "unobserved" and np.isnan(X).all(axis=1).any():
        i = int(np.flatnonzero(np.isnan(X).all(axis=1))[0])
        raise InputError(f"X[{i}] has no observed value: drop this row")


def check_magnitude(X: Array) -> None:
    """Refuse fitted items too large or small for distances; a new one may lie anywhere and still gets a membership."""
    magnitude = np.abs(X)
    top = float(np.nanmax(magnitude, initial=0.0))
    if top > LARGEST or 0 < top < SMALLEST:
        i, j = np.argwhere(magnitude == top)[0]
        raise InputError(
            f"X[{i}, {j}] = {X[i, j]:g} is too {'large' if top > LARGEST else 'small'} for distances in double "
            "precision: express the features in another unit"
        )


def lost_digits(X: Array, given: Any = None, columns: Sequence[str] | None = None) -> str | None:
    """Return the warning about a column whose offset leaves hardly any digits for the differences between the rows,
    or None.

    Parameters
    ----------
    X : N x d array of features
    given : dtype, optional
        Type in which they came: single precision has fewer digits.
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
    others = f" (and {count(len(lost) - 1, 'more column')})" if len(lost) > 1 else ""
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


def warn_of_pairs(X: Array) -> None:
    """Warn of features that seem to be distances or affinities of pairs, or one triangle of them."""
    kind, size = looks_like_pairs(X), f"{len(X):,} x {len(X):,} matrix"
    if kind is not None:
        name = "precomputed_distance" if kind == "distances" else "precomputed"
        words = (
            f"X is a symmetric {size}, as {kind} between items are, and its columns were taken for features: pass "
            f"affinity={name!r} if it holds {kind}"
        )
    elif is_triangle(X):
        words = (
            f"X is one triangle of a {size}, as of distances or affinities between items, and its columns were taken "
            "for features: pass both triangles, np.fmax(X, X.T), and affinity='precomputed_distance' or 'precomputed' "
            "if it holds distances or affinities"
        )
    else:
        return
    warnings.warn(words, UnsureWarning, stacklevel=5)
