"""Leading eigenvectors of a large connected graph, coarse to fine.

The graph is coarsened by heavy edges until a small one is left, whose eigenvectors a small solver finds; they are
carried back, and on the way each finer graph smooths them by a Chebyshev filter. What is left to do on the graph
itself is local, so that a round or two of the filter are enough where Lanczos from a random vector would need hundreds
of products.

The coarse matrix is Q^T S Q, where the columns of Q are the parts of a positive vector u, about the leading
eigenvector, on the aggregates, scaled to length one: then Q^T u is exact on every level, and the coarse matrix of a
normalised graph is the normalised graph of the aggregates.

Where one connected component has nearly equal leading eigenvalues, as long thin chains do, what it returns by default
is a good subspace and not one converged to rounding: enough for a start. More rounds bring it as far as asked for.
Everything is O(nnz) a level and the levels shrink by four; deterministic, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.products import csr_product
from partita.kernels.threads import row_bounds, run_chunks
from partita.solvers.chebyshev import EXTRA, filtered_subspace

__all__ = ["multilevel_eigenvectors"]

Solve = Callable[[sp.csr_array, int], tuple[Array, Array]]

# Aggregates of the coarsest graph: at least this many, and this many times the vectors.
COARSEST = 1_500
COARSEST_PER_VECTOR = 20
# Matchings between two levels that are kept, and items of an aggregate that others may join.
MATCHINGS = 2
JOINABLE = 6
# A matching that leaves more than this share of the items is not worth a level.
STALLED = 0.95
# Products that make the positive vector.
SMOOTHINGS = 5
# Filter: rounds and degree on the coarse levels and on the graph itself, and the residual that is enough for a start.
COARSE_ROUNDS, ROUNDS = 1, 3
DEGREE = 10
RESIDUAL = 0.02
ROWS = 1 << 14


@dataclass(frozen=True)
class _Level:
    """A graph, a positive vector u on it, and how its items were brought together: the aggregate of each, and its entry
    of Q.
    """

    matrix: sp.csr_array
    positive: Array
    of: NDArray[np.int32]
    weight: Array


def multilevel_eigenvectors(
    matrix: sp.csr_array,
    n_vectors: int,
    solve: Solve,
    *,
    residual: float | None = None,
    rounds: int | None = None,
    degree: int | None = None,
) -> tuple[Array, Array]:
    """Return the largest eigenvalues (descending) and their eigenvectors.

    Parameters
    ----------
    matrix : N x N
        Symmetric and connected.
    n_vectors : int
    solve : callable
        Leading eigenvalues and eigenvectors of a small matrix.
    residual, rounds, degree : optional
        On the graph itself: ||S v - theta v|| / theta at which to stop, and the rounds of the filter until then at
        most; by default those of a start.
    """
    m = n_vectors + EXTRA
    levels, coarsest = _coarsened(matrix, max(COARSEST, COARSEST_PER_VECTOR * m))
    values, block = solve(sp.csr_array(coarsest, dtype=np.float64), min(m, coarsest.shape[0]))
    for depth, level in reversed(list(enumerate(levels))):
        values, block = filtered_subspace(
            lambda W, P=level.matrix: csr_product(P, W),  # type: ignore[misc]
            _prolonged(level, block),
            m if depth else n_vectors,
            low=_lower_end(level),
            rounds=COARSE_ROUNDS if depth else rounds or ROUNDS,
            degree=DEGREE if depth else degree or DEGREE,
            tolerance=0.0 if depth else RESIDUAL if residual is None else residual,
        )
    return values[:n_vectors], block[:, :n_vectors]


def _coarsened(matrix: sp.csr_array, enough: int) -> tuple[list[_Level], sp.csr_array]:
    from partita.kernels.coarsen import aggregates, contracted

    levels: list[_Level] = []
    u = _positive(matrix)
    while matrix.shape[0] > enough:
        n, coarse, vector = matrix.shape[0], matrix, u
        of, weight = np.arange(n, dtype=np.int32), np.ones(n)
        for _ in range(MATCHINGS):
            found, size = aggregates(coarse.indptr, coarse.indices, coarse.data, JOINABLE)
            if size > STALLED * coarse.shape[0]:
                break
            norm = np.sqrt(np.bincount(found, vector**2, minlength=size))
            share = vector / norm[found]
            arrays = contracted(coarse.indptr, coarse.indices, coarse.data, found, size, share)
            coarse, vector = sp.csr_array((arrays[2], arrays[1], arrays[0]), shape=(size, size)), norm
            of, weight = found[of], weight * share[of]
            if size <= enough:
                break
        if coarse is matrix:
            break
        levels.append(_Level(matrix, u, of, weight))
        matrix, u = coarse, vector
    return levels, matrix


def _positive(matrix: sp.csr_array) -> Array:
    """A positive vector near the leading eigenvector: ones, smoothed."""
    u = np.ones((matrix.shape[0], 1))
    for _ in range(SMOOTHINGS):
        u = np.abs(csr_product(matrix, u))
        u /= u.max()
    return np.asarray(np.maximum(u[:, 0], np.finfo(np.float32).eps * u.mean()))


def _prolonged(level: _Level, block: Array) -> Array:
    """Q times a block."""
    out = np.empty((len(level.of), block.shape[1]))

    def work(low: int, high: int) -> None:
        np.multiply(block[level.of[low:high]], level.weight[low:high, None], out=out[low:high])

    run_chunks(work, row_bounds(len(out), ROWS))
    return out


def _lower_end(level: _Level) -> float:
    """Lower bound of the eigenvalues: Gershgorin's discs, rows and columns scaled by the positive vector."""
    matrix, u = level.matrix, level.positive
    size = matrix
    if matrix.data.size and matrix.data.min() < 0:
        size = sp.csr_array((np.abs(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    diagonal = matrix.diagonal().astype(np.float64)
    radius = csr_product(size, u[:, None])[:, 0] / u - np.abs(diagonal)
    return float((diagonal - radius).min())
