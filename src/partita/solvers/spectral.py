"""Leading eigenvectors of an affinity, all copies of a multiple eigenvalue included.

A disconnected graph has its leading eigenvalue once for each connected component (piece), and a single-vector Lanczos
run finds only some of those copies. So a sparse affinity is taken apart into its components, each of which has a simple
leading eigenvalue, and the leading K over all components are kept (the largest components first among ties).

An affinity of low rank is solved by the Gram matrix of its factor. Other small problems are solved to rounding, by
Lanczos or a dense solver. From 20,000 items on (of a sparse component, as many as the caller says) vectors are only as
good as asked for, by default as a start needs them, at a fraction of the price: of a sparse component coarse to fine
(`multilevel`), of any other affinity by a filtered block (`chebyshev`).
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, LinearOperator

from partita.affinity import Affinity, DiffusedAffinity, SparseAffinity
from partita.affinity.self_tuned import pieces_of
from partita.arrays import Array
from partita.kernels.cluster_qr import cluster_qr
from partita.kernels.eigen import lanczos, symmetric_eigen
from partita.memory import require_pairs
from partita.solvers import multilevel
from partita.solvers.chebyshev import EXTRA, filtered_subspace, lower_end
from partita.solvers.multilevel import multilevel_eigenvectors

__all__ = ["cluster_qr", "leading_eigenvectors", "of_connected"]


# Items up to which a full dense solver for the leading K is faster than Lanczos (measured on two cores).
DENSE_UP_TO = 400
# Lanczos restarts before another way is taken, and the size up to which that way is a dense solver.
LANCZOS_RESTARTS = 60
FALLBACK_DENSE_UP_TO = 3000
# Products of the filter in Lanczos's place: rounds x degree.
FILTER_ROUNDS = 8
FILTER_DEGREE = 20
# Items from which vectors are only as good as asked for, and the residual of a start that is not made coarse to fine;
# rounds x degree of such a start, and of anything better.
LARGE_FROM = 20_000
LARGE_RESIDUAL = 0.001
LARGE_ROUNDS, MANY_ROUNDS = 8, 200
LARGE_DEGREE, HIGH_DEGREE = 10, 30
# Columns of a factor up to which its Gram matrix is solved instead, rows that it has for each of them, and the share of
# the largest eigenvalue below which one is lost in the squares.
LOW_RANK, NARROW = 2_000, 2
LOST = 1e-8
# Eigenvalues of two pieces that are equal but for rounding, relative to them.
TIED = 1e-10


def leading_eigenvectors(
    affinity: Affinity, n_vectors: int, *, residual: float | None = None, coarse_from: int = LARGE_FROM
) -> tuple[Array, Array]:
    """Return the largest eigenvalues (descending) and their eigenvectors (N x n_vectors).

    Parameters
    ----------
    affinity : Affinity
        A symmetric affinity; of a diffused one, powers of its base's eigenvalues are returned.
    n_vectors : int
    residual : float, optional
        ||P v - theta v|| / theta that is small enough, of 20,000 items or more; by default what a start needs. Fewer
        items are solved to rounding.
    coarse_from : int
        Items of a sparse component from which that is so.

    Notes
    -----
    Costs some tens of products with a block of n_vectors + 8 columns; coarse to fine about twenty.

    Examples
    --------
    >>> from partita.affinity import DenseAffinity
    >>> values, _ = leading_eigenvectors(DenseAffinity(np.diag([1.0, 3.0, 2.0])), 2)
    >>> values.round(12).tolist()
    [3.0, 2.0]
    """
    base = affinity
    power = 1
    while isinstance(base, DiffusedAffinity):
        power *= base.steps
        base = base.base
    n_vectors = min(n_vectors, base.n_items)
    matrix = base.as_sparse() if isinstance(base, SparseAffinity) or base.n_items >= LARGE_FROM else None
    found = None if matrix is not None else _of_low_rank(base, n_vectors)
    if found is not None:
        values, vectors = found
    elif matrix is not None:
        values, vectors = _by_pieces(matrix, n_vectors, residual, coarse_from)
    elif base.n_items <= 3 * DENSE_UP_TO:
        values, vectors = _dense(base.to_dense(), n_vectors)
    elif base.n_items >= LARGE_FROM:
        values, vectors = _large(base, n_vectors, residual)
    else:
        n = base.n_items
        operator = LinearOperator((n, n), matvec=lambda x: (base @ x.reshape(n, -1)).ravel(), dtype=np.float64)
        values, vectors = _lanczos(operator, n, n_vectors)
    return values**power, vectors


def _large(base: Affinity, n_vectors: int, residual: float | None) -> tuple[Array, Array]:
    n = base.n_items
    return filtered_subspace(
        base.__matmul__,
        np.random.default_rng(0).normal(size=(n, min(n, n_vectors + EXTRA))),
        n_vectors,
        low=lower_end(base.__matmul__, n),
        rounds=LARGE_ROUNDS if residual is None else MANY_ROUNDS,
        degree=LARGE_DEGREE if residual is None else HIGH_DEGREE,
        tolerance=LARGE_RESIDUAL if residual is None else residual,
    )


def _of_low_rank(base: Affinity, n_vectors: int) -> tuple[Array, Array] | None:
    """Leading eigenpairs of diag(f) F F^T diag(f), G = diag(f) F, from the Gram matrix of the factor: G^T G =
    U diag(l) U^T gives G G^T the vectors G U l^-1/2.

    None where it is not such an affinity, or has too few that are not rounding.
    """
    found = base.as_low_rank()
    if found is None:
        return None
    low, factors = found
    if not n_vectors <= low.rank <= min(LOW_RANK, low.n_items // NARROW):
        return None
    values, vectors = _dense(low.gram(factors**2), n_vectors)
    if values[-1] <= LOST * values[0]:
        return None
    return values, factors[:, None] * np.asarray(low.factor @ (vectors / np.sqrt(values)))


def _by_pieces(matrix: sp.csr_array, n_vectors: int, residual: float | None, coarse_from: int) -> tuple[Array, Array]:
    n_pieces, piece = pieces_of(matrix)
    if n_pieces == 1:
        return _one_piece(matrix, n_vectors, residual, coarse_from)
    n = matrix.shape[0]
    order = np.argsort(piece, kind="stable")
    bounds = np.r_[0, np.cumsum(np.bincount(piece))]
    by_size = np.argsort(-np.diff(bounds), kind="stable")
    # A component's largest eigenvalue is at most its largest row sum: components that cannot reach the leading K are
    # left out. The eigenvalue of a lone item is its own entry: only the K largest of them can.
    most = np.asarray(abs(matrix).sum(axis=1)).ravel()[order]
    limit = np.maximum.reduceat(most, bounds[:-1])
    lone = by_size[np.diff(bounds)[by_size] == 1]
    alone = matrix.diagonal()[order[bounds[lone]]]
    lone = np.sort(np.argsort(-alone, kind="stable")[:n_vectors]) + n_pieces - len(lone)
    matrix = matrix[order][:, order]
    found: list[_Found] = []
    for rank in [*range(n_pieces - len(alone)), *lone.tolist()]:
        p = by_size[rank]
        if len(found) >= n_vectors and limit[p] < min(one.value for one in found):
            continue
        rows = slice(bounds[p], bounds[p + 1])
        block, wanted = _block(matrix, rows), min(n_vectors, rows.stop - rows.start)
        values, vectors = _one_piece(block, wanted, residual, coarse_from)
        exact = block.shape[0] < coarse_from
        # A Ritz value is off by about the square of its residual.
        off = TIED if exact else max(TIED, (multilevel.RESIDUAL if residual is None else residual) ** 2)
        found += [_Found(float(v), off * abs(float(v)), c, rank, rows, vectors[:, c]) for c, v in enumerate(values)]
        found = _largest(found, n_vectors)
    out = np.zeros((n, n_vectors))
    for c, one in enumerate(found):
        out[order[one.rows], c] = one.vector
    return np.array([one.value for one in found]), out


class _Found(NamedTuple):
    """An eigenvector of a component, number `place` of it; the component is the `rank`-th largest."""

    value: float
    off: float
    place: int
    rank: int
    rows: slice
    vector: Array


def _largest(found: list[_Found], n_vectors: int) -> list[_Found]:
    """Eigenvectors of the largest values; of nearly equal ones the first of each component first, large ones first."""
    left, out = sorted(found, key=lambda one: -one.value), list[_Found]()
    most = max(one.off for one in found)
    while left and len(out) < n_vectors:
        top = left[0]
        near = itertools.takewhile(lambda one, least=top.value - most: one.value >= least, left)  # type: ignore[misc]
        tied = (one for one in near if one.value >= top.value - max(one.off, top.off))
        out.append(min(tied, key=lambda one: (one.place, one.rank)))
        left = [one for one in left if one is not out[-1]]
    return out


def _block(matrix: sp.csr_array, rows: slice) -> sp.csr_array:
    """A block of the diagonal that no entry leaves."""
    first, last = matrix.indptr[rows.start], matrix.indptr[rows.stop]
    arrays = matrix.data[first:last], matrix.indices[first:last] - rows.start, matrix.indptr[rows.start : rows.stop + 1]
    return sp.csr_array((*arrays[:2], arrays[2] - first), shape=(rows.stop - rows.start,) * 2)


def _one_piece(matrix: sp.csr_array, n_vectors: int, residual: float | None, coarse_from: int) -> tuple[Array, Array]:
    n = matrix.shape[0]
    if n <= DENSE_UP_TO or n_vectors >= n // 3:
        require_pairs(n, "a dense eigenproblem", "ask for fewer clusters, or start='dirichlet'", copies=2)
        return _dense(matrix.toarray(), n_vectors)
    if n >= coarse_from:
        if residual is None:
            return multilevel_eigenvectors(matrix, n_vectors, of_connected)
        return multilevel_eigenvectors(
            matrix, n_vectors, of_connected, residual=residual, rounds=MANY_ROUNDS, degree=HIGH_DEGREE
        )
    return of_connected(matrix, n_vectors)


def of_connected(matrix: sp.csr_array, n_vectors: int, *, tolerance: float = 0.0) -> tuple[Array, Array]:
    """Return the largest eigenvalues and their eigenvectors of a connected graph of fewer than 20,000 items.

    Lanczos ends where eigenvalues are known to this relative `tolerance`; 0 asks for rounding.

    >>> of_connected(sp.csr_array([[0.0, 1.0], [1.0, 0.0]]), 1)[0].round(12).tolist()
    [1.0]
    """
    n = matrix.shape[0]
    if n <= DENSE_UP_TO or n_vectors >= n // 3:
        return _dense(matrix.toarray(), n_vectors)
    # The product with one vector: SciPy's own operator goes the longer way of a matrix of one column.
    operator = LinearOperator((n, n), matvec=matrix.__matmul__, matmat=matrix.__matmul__, dtype=np.float64)
    return _lanczos(operator, n, n_vectors, tolerance)


def _dense(matrix: Array, n_vectors: int) -> tuple[Array, Array]:
    n = len(matrix)
    try:
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=[n - n_vectors, n - 1])
    except np.linalg.LinAlgError:  # LAPACK's search for some of many equal eigenvalues may fail: then all of them
        values, vectors = (part[..., n - n_vectors :] for part in symmetric_eigen(matrix))
    return values[::-1], vectors[:, ::-1]


def _lanczos(operator: Any, n: int, n_vectors: int, tolerance: float = 0.0) -> tuple[Array, Array]:
    ncv = min(n, 4 * n_vectors + 20)
    try:
        return lanczos(operator, n_vectors, ncv=ncv, maxiter=LANCZOS_RESTARTS, tol=tolerance)
    except ArpackError:
        # Eigenvalues that all but coincide (long thin chains): exact where a dense solver is affordable.
        if n <= FALLBACK_DENSE_UP_TO:
            unit = np.eye(n)
            return _dense(np.asarray(operator @ unit), n_vectors)
        return _filtered_subspace(operator, n, n_vectors)


def _filtered_subspace(operator: Any, n: int, n_vectors: int) -> tuple[Array, Array]:
    """Approximate leading eigenvectors, as good as a fixed number of products makes them: enough for a start."""
    return filtered_subspace(
        lambda W: np.asarray(operator @ W),
        np.random.default_rng(0).normal(size=(n, n_vectors + EXTRA)),
        n_vectors,
        low=-1.0,  # a normalised affinity has its spectrum in [-1, 1]
        rounds=FILTER_ROUNDS,
        degree=FILTER_DEGREE,
        tolerance=0.0,
    )
