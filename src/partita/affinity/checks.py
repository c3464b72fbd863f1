"""The only place where input from outside becomes an affinity: checked, named when wrong, never mended in silence."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from partita.affinity.base import Affinity, Unobserved
from partita.affinity.dense import DenseAffinity
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.foreign_csr import csr_to_host, is_foreign_csr
from partita.kernels.namespace import is_foreign, namespace
from partita.memory import require_memory

__all__ = [
    "ASYMMETRY",
    "LARGEST",
    "SMALLEST",
    "Missing",
    "Symmetrize",
    "as_affinity",
    "as_distances",
    "check_magnitude",
    "check_square",
    "is_adjacency",
    "is_triangle",
    "looks_like_distances",
    "looks_like_pairs",
    "pairs_with",
    "symmetrized",
]

Missing = Literal["error", "unobserved"]
Symmetrize = Literal["mean", "max", "min"]

# Largest difference between P_ij and P_ji, relative to the largest entry, that rounding (of single
# precision too) explains.
ASYMMETRY = 1e-6
# What rounding (of single precision too) leaves of a distance of zero, as a share of the largest; and of that from an
# item to itself where it is a root of what was rounded, as the angle between directions is.
ROUNDED_OFF, ROOT = 1e-5, 1e-3

NEGATIVE = "an affinity is nonnegative: shift it, as (1 + s) / 2 of cosines and correlations, or clip it"
MIRRORED = "pass symmetrize='max', which mirrors it (command line: --symmetrize max)"
SYMMETRIZE = "pass symmetrize='mean', 'max' or 'min' to say which one holds (command line: --symmetrize)"

# The largest entry lies between these: the objective squares affinities and the weights of a graph multiply distances,
# and double precision ends at 1e308 and 1e-308.
LARGEST, SMALLEST = 1e150, 1e-150
# Items below which a symmetric matrix may be one by chance, and triples of which the triangle inequality is asked.
FEWEST_PAIRS, TRIPLES = 5, 20_000
# By how much of the largest distance rounding may break it, and in which share of them something else may.
ROUNDED, BROKEN = 0.015, 0.002


def as_affinity(
    matrix: Any,
    *,
    missing: Missing = "error",
    symmetrize: Symmetrize | None = None,
    unstored: Literal["zero", "unobserved"] = "zero",
    name: str = "affinity",
) -> Affinity:
    """Check a precomputed affinity and wrap it.

    Parameters
    ----------
    matrix : N x N array or scipy.sparse, or Affinity
        Nonnegative and symmetric. An `Affinity` is returned as it is.
    missing : {"error", "unobserved"}
        Meaning of NaN: an error, or a pair that was not observed.
    symmetrize : {"mean", "max", "min"}, optional
        How P_ij and P_ji become one where they differ; by default that is an error. Of a pair that is stored in one
        direction only, that one is taken where pairs not stored are unobserved; a NaN in either direction is a pair
        that was not observed.
    unstored : {"zero", "unobserved"}
        Meaning of a pair that a sparse matrix does not store.

    Raises
    ------
    InputError
        For a matrix that is not square, not finite, negative, asymmetric, all zero or not numeric.

    Examples
    --------
    >>> as_affinity([[1.0, 0.2], [0.2, 1.0]])
    DenseAffinity(n_items=2, kind='probability')
    """
    if isinstance(matrix, Affinity):
        return matrix
    if is_foreign_csr(matrix):
        host = csr_to_host(matrix)
        checked = as_affinity(host, missing=missing, unstored="zero", name=name)
        if unstored != "zero" or checked.unobserved is not None or symmetrize is not None:
            raise InputError(
                f"{name} is a sparse matrix of another package: unobserved pairs and symmetrize need SciPy's"
            )
        return SparseAffinity(host, there=matrix)
    if is_foreign(matrix):
        return DenseAffinity(_where_it_lies(matrix, missing, symmetrize, name))
    values = _numeric(matrix, name)
    check_square(values, name)
    entries = values.data if sp.issparse(values) else values
    _reject(values, np.isinf(entries), name, "is infinite", "remove it or replace it by a finite number")
    holes = np.isnan(entries)
    if missing == "error":
        _reject(values, holes, name, "is NaN", "pass missing='unobserved' if the pair was not observed")
    _reject(values, entries < 0, name, "is negative", NEGATIVE)
    check_magnitude(entries, name)
    values, unobserved = _split(values, holes)
    observed = values if unstored == "unobserved" else None
    if observed is not None and symmetrize is not None and sp.issparse(values):
        values = _both_ways(values)
    values = _symmetric(values, symmetrize, name)
    if not (values.data.any() if sp.issparse(values) else values.any()):
        raise InputError(
            f"{name} is all zero: there is no evidence that any two items belong together; "
            "check that the right matrix was given"
        )
    if unstored == "unobserved":
        if not sp.issparse(values):
            raise InputError("unstored='unobserved' needs a sparse matrix; in a dense one NaN is a pair not observed")
        return SparseAffinity(_with_zeros_of(observed, values), only_stored=True)
    return SparseAffinity(values, unobserved) if sp.issparse(values) else DenseAffinity(values, unobserved)


def looks_like_pairs(X: Any) -> Literal["distances", "affinities"] | None:
    """Return what a dense matrix that should hold features seems to hold of pairs, if it is symmetric.

    Distances have zeros on the diagonal and, for the most part, larger entries elsewhere; affinities have one number
    on the diagonal that no entry exceeds, or are the links of a sparse graph without loops.

    >>> looks_like_pairs(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    'distances'
    >>> looks_like_pairs(np.arange(25.0).reshape(5, 5)) is None
    True
    """
    X = np.asarray(X)
    n = len(X)
    if X.ndim != 2 or n < FEWEST_PAIRS or X.shape != (n, n) or X.dtype.kind not in "fiu" or not np.isfinite(X).all():
        return None
    diagonal = X.diagonal()
    if not np.allclose(diagonal, diagonal[0], rtol=ASYMMETRY, atol=0) or not np.allclose(X[0], X[:, 0]):
        return None
    largest = np.abs(X).max()
    if largest == 0 or np.abs(X - X.T).max() > ASYMMETRY * largest:
        return None
    if not diagonal.any() and X.min() >= 0:
        return "distances" if 2 * np.count_nonzero(X) > n * (n - 1) else "affinities"
    return "affinities" if diagonal[0] > 0 and X.max() <= diagonal[0] * (1 + ASYMMETRY) else None


def is_adjacency(X: Any) -> bool:
    """Return whether a matrix of affinities is the adjacency of a graph: most pairs have none, and no item has one
    with itself, as it has in a kernel, in correlations, or in shares of draws.

    >>> is_adjacency(np.kron(np.eye(3), 1.0 - np.eye(3))), is_adjacency(np.kron(np.eye(3), np.ones((3, 3))))
    (True, False)
    """
    X = X if sp.issparse(X) else np.asarray(X)
    n = X.shape[0] if X.ndim == 2 else 0
    if X.shape != (n, n) or X.dtype.kind not in "biuf" or X.diagonal().any():
        return False
    return bool(2 * (X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)) < n * (n - 1))


def is_triangle(X: Any) -> bool:
    """Return whether one triangle of a square matrix, without the diagonal, is all zeros or all NaN, and most of the
    other holds numbers that are none of these.

    >>> is_triangle(np.tri(6, k=-1)), is_triangle(np.eye(6)), is_triangle(np.ones((6, 6)))
    (True, False, False)
    """
    X = np.asarray(X)
    n = len(X)
    if X.ndim != 2 or n < FEWEST_PAIRS or X.shape != (n, n) or X.dtype.kind not in "fiu":
        return False
    return _one_sided(X) or _one_sided(X.T)


def _one_sided(X: Array) -> bool:
    """Whether the upper triangle is empty and the lower is not; row by row, so that nothing N x N is made."""
    rows = range(len(X) - 1)
    zeros = not any(X[i, i + 1 :].any() for i in rows)
    if not (zeros or all(np.isnan(X[i, i + 1 :]).all() for i in rows)):
        return False
    if not all(np.isfinite(X[i + 1 :, i]).all() for i in rows):
        return False
    return 4 * sum(int(np.count_nonzero(X[i + 1 :, i])) for i in rows) > len(X) * (len(X) - 1)


def looks_like_distances(X: Any) -> bool:
    """Return whether a matrix that should hold affinities seems to hold distances.

    Zeros on the diagonal, hardly any others, and hardly ever a way round that is shorter by more than rounding:
    affinities that differ by more than two times break the triangle inequality in many of the triples looked at.

    >>> apart = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    >>> looks_like_distances(apart), looks_like_distances(np.exp(-apart))
    (True, False)
    >>> looks_like_distances(np.round(apart / 7, 2)), looks_like_distances(np.exp(-apart) - np.eye(9))
    (True, False)
    """
    if looks_like_pairs(X) != "distances":
        return False
    X = np.asarray(X, dtype=np.float64)
    apart = X[~np.eye(len(X), dtype=bool)]
    if apart.max() <= 2 * apart.min():
        return False
    i, j, k = np.random.default_rng(0).integers(len(X), size=(3, TRIPLES))
    shorter = X[i, j] > X[i, k] + X[k, j] + ROUNDED * apart.max()
    return bool(shorter.mean() <= BROKEN)


def _where_it_lies(matrix: Any, missing: Missing, symmetrize: Symmetrize | None, name: str) -> Any:
    """A dense array of another package than NumPy, checked without copying it to the host."""
    check_square(matrix, name)
    xp = namespace(matrix)
    if missing != "error":
        raise InputError(f"{name} is an array of another package: unobserved pairs need NumPy's")
    if not xp.isdtype(matrix.dtype, "real floating"):
        raise InputError(f"{name} holds {matrix.dtype}, expected float32 or float64")
    if not bool(xp.all(xp.isfinite(matrix))):
        raise InputError(f"{name} holds NaN or infinite entries: remove or replace them")
    if float(xp.min(matrix)) < 0:
        raise InputError(f"{name} has negative entries: {NEGATIVE}")
    check_magnitude(np.array([float(xp.max(matrix))]), name)
    if not float(xp.max(matrix)) > 0:
        raise InputError(f"{name} is all zero: there is no evidence that any two items belong together")
    if symmetrize is not None:
        return {"max": xp.maximum, "min": xp.minimum, "mean": lambda a, b: (a + b) / 2}[symmetrize](matrix, matrix.T)
    off = float(xp.max(xp.abs(matrix - matrix.T)))
    if off > ASYMMETRY * float(xp.max(matrix)):
        raise InputError(f"{name} is not symmetric (by up to {off:.3g}): {SYMMETRIZE}")
    return matrix if off == 0 else (matrix + matrix.T) / 2


def _without_rounding(distances: Array) -> Array:
    """Distances without what rounding leaves of zeros, as on the diagonal of 1 - correlations, or of their angles."""
    largest, own = float(distances.max(initial=0.0)), distances.diagonal()
    lost = (distances < 0) & (distances >= -ROUNDED_OFF * largest)
    lost[np.diag_indices_from(lost)] = (own != 0) & (np.abs(own) <= ROOT * largest)
    return np.where(lost, 0.0, distances) if lost.any() else distances


def as_distances(matrix: Any, *, symmetrize: Symmetrize | None = None, name: str = "distances") -> Array | sp.csr_array:
    """Check precomputed distances: square, finite, nonnegative, symmetric, zero on the diagonal.

    Sparse distances hold the neighbours that are known: a pair that is not stored is no neighbour, and one that is
    stored in one direction, as graphs of nearest neighbours have many, is stored in both. Two distances of a pair that
    differ are an error unless `symmetrize` says which one holds.

    >>> as_distances([[0.0, 2.0], [2.0, 0.0]]).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    values = _numeric(matrix, name)
    check_square(values, name)
    entries = values.data if sp.issparse(values) else values
    _reject(values, ~np.isfinite(entries), name, "is not finite", "every distance must be a number")
    if not sp.issparse(values):
        values = entries = _without_rounding(values)
    _reject(values, entries < 0, name, "is negative", "a distance is at least 0; is this an affinity?")
    check_magnitude(entries, name)
    diagonal = values.diagonal()
    if diagonal.any():
        i = int(np.flatnonzero(diagonal)[0])
        raise InputError(
            f"{name}[{i}, {i}] = {diagonal[i]:g}: the distance of an item from itself must be 0; is this an affinity? "
            "Then say affinity='precomputed' (command line: --input affinity)"
        )
    return _symmetric(values, symmetrize, name, one_way=sp.issparse(values))


def check_square(values: Any, name: str) -> None:
    """Raise unless `values` is a non-empty square matrix that fits into memory."""
    if values.ndim == 1 and name == "distances":
        raise InputError(
            f"distances must be square (items x items), not of shape {values.shape}: those of pairs, as from "
            "scipy.spatial.distance.pdist, go through scipy.spatial.distance.squareform first"
        )
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError(f"{name} must be square (items x items), not of shape {values.shape}")
    if values.shape[0] == 0:
        raise InputError(f"{name} is empty: at least one item is needed")


def pairs_with(values: Any, bad: Any, most: int = 3) -> list[tuple[int, int]]:
    """Return the first few positions where `bad` holds, in the numbering of `values`."""
    rows, columns = _positions(values, bad)
    return [(int(i), int(j)) for i, j in zip(rows[:most], columns[:most])]


def _positions(values: Any, bad: Any) -> tuple[Any, Any]:
    """Rows and columns where `bad` holds."""
    if sp.issparse(values):
        position = np.flatnonzero(bad)
        return np.searchsorted(values.indptr, position, side="right") - 1, values.indices[position].astype(np.intp)
    rows, columns = np.nonzero(bad)
    return rows, columns


def _numeric(matrix: Any, name: str) -> Any:
    if sp.issparse(matrix):
        if matrix.dtype.kind not in "biuf":
            raise InputError(f"{name} holds {matrix.dtype}, expected real numbers")
        out = sp.csr_array(matrix, dtype=np.float64, copy=True)
        out.sum_duplicates()
        return out
    try:
        shape = np.shape(matrix)
        if len(shape) == 2:
            remedy = "pass a scipy.sparse matrix, or use a neighbour graph (affinity='neighbors')"
            require_memory(8 * shape[0] * shape[1], f"a dense {shape[0]:,} x {shape[1]:,} {name}", remedy)
        out = np.asarray(matrix)
        if out.dtype.kind == "c":
            raise InputError(f"{name} holds complex numbers: Complex data not supported")
        return out.astype(np.float64, copy=False)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from error


def _reject(values: Any, bad: Any, name: str, what: str, remedy: str) -> None:
    if bad.any():
        pairs = pairs_with(values, bad)
        i, j = pairs[0]
        others = f" (and {int(bad.sum()) - 1:,} more)" if bad.sum() > 1 else ""
        raise InputError(f"{name}[{i}, {j}] = {values[i, j]:g} {what}{others}: {remedy}")


def check_magnitude(entries: Any, name: str) -> None:
    """Raise unless the largest of nonnegative entries can be squared in double precision."""
    top = float(np.nanmax(entries, initial=0.0))
    if top > LARGEST or 0 < top < SMALLEST:
        raise InputError(
            f"the largest entry of {name}, {top:g}, is too {'large' if top > LARGEST else 'small'} to be squared in "
            "double precision: divide by it"
        )


def _split(values: Any, holes: Any) -> tuple[Any, Unobserved | None]:
    """Zeros in place of NaN, and the pairs they stood for, in both orders."""
    if not holes.any():
        return values, None
    rows, columns = _positions(values, holes)
    n = values.shape[0]
    both = np.unique(np.concatenate([rows * n + columns, columns * n + rows]))
    first, second = np.divmod(both, n)
    if sp.issparse(values):
        stored = sp.coo_array(values)
        keep = ~np.isin(stored.coords[0].astype(np.intp) * n + stored.coords[1], both)
        values = sp.csr_array((stored.data[keep], (stored.coords[0][keep], stored.coords[1][keep])), shape=values.shape)
    else:
        values = values.copy()
        values[first, second] = 0.0
    return values, Unobserved(first, second)


def _both_ways(values: Any) -> Any:
    """The matrix with pairs that are stored in one direction only stored in the other too."""
    stored = sp.coo_array(values)
    i, j = (index.astype(np.intp) for index in stored.coords)
    lacking = ~np.isin(j * values.shape[0] + i, i * values.shape[0] + j)
    data = np.r_[stored.data, stored.data[lacking]]
    return sp.csr_array((data, (np.r_[i, j[lacking]], np.r_[j, i[lacking]])), shape=values.shape)


def _with_zeros_of(observed: Any, values: Any) -> Any:
    """The symmetric matrix, every pair stored that was in `observed`, in either order, zeros among them."""
    rows, columns = (index.astype(np.intp) for index in sp.coo_array(observed).coords)
    n = values.shape[0]
    first, second = np.divmod(np.unique(np.r_[rows * n + columns, columns * n + rows]), n)
    return sp.csr_array((np.asarray(values[first, second]).ravel(), (first, second)), shape=values.shape)


def _only_side(values: Any) -> str:
    """The triangle that holds all entries off the diagonal, "upper" or "lower"; nothing where both hold some."""
    triangles = sp if sp.issparse(values) else np
    above, below = (abs(part).sum() > 0 for part in (triangles.triu(values, 1), triangles.tril(values, -1)))
    return "" if above == below else "upper" if above else "lower"


def _symmetric(values: Any, how: Symmetrize | None, name: str, *, one_way: bool = False) -> Any:
    """The matrix with both entries of a pair alike; `one_way` where pairs of a sparse one may be stored once."""
    difference = abs(values - values.T)
    if one_way:
        stored = values != 0
        difference = sp.csr_array(difference.multiply(stored).multiply(stored.T))
    largest = difference.max()
    if how is None and largest > ASYMMETRY * abs(values).max():
        if sp.issparse(values):
            difference = sp.coo_array(difference)
            at = int(difference.data.argmax())
            i, j = int(difference.coords[0][at]), int(difference.coords[1][at])
        else:
            i, j = (int(v) for v in np.unravel_index(int(difference.argmax()), difference.shape))
        if not one_way and (side := _only_side(values)):
            raise InputError(
                f"{name} has its {side} triangle only, and zeros in the other: expected every pair in both; {MIRRORED}"
            )
        features = "; or affinity='ensemble' where its columns are features" * (sp.issparse(values) and not one_way)
        raise InputError(
            f"{name} is not symmetric: {name}[{i}, {j}] = {values[i, j]:g} and {name}[{j}, {i}] = {values[j, i]:g}; "
            f"{SYMMETRIZE}{features}"
        )
    if one_way:
        share = {"max": 0.0, "mean": 0.5, "min": 1.0}[how or "mean"]
        return sp.csr_array(values.maximum(values.T) - share * difference)
    return symmetrized(values, how or "mean") if largest else values


def symmetrized(values: Any, how: Symmetrize) -> Any:
    """Return a dense or sparse square matrix in which both entries of a pair are their mean, maximum or minimum.

    >>> symmetrized(np.array([[0.0, 1.0], [3.0, 0.0]]), "mean").tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    transposed = values.T
    if how == "max":
        return values.maximum(transposed).tocsr() if sp.issparse(values) else np.maximum(values, transposed)
    if how == "min":
        return values.minimum(transposed).tocsr() if sp.issparse(values) else np.minimum(values, transposed)
    mean = (values + transposed) / 2
    return sp.csr_array(mean) if sp.issparse(values) else mean
