"""Leading eigenvectors of an affinity, all copies of a multiple eigenvalue included.

A disconnected graph has its leading eigenvalue once for each piece, and a single-vector Lanczos run finds only some of
those copies. So a sparse affinity is taken apart into its connected pieces, each piece has a simple leading eigenvalue,
and the leading K over all pieces are kept (the largest pieces first among ties).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from partita.affinity import Affinity, DiffusedAffinity, SparseAffinity
from partita.kernels.cluster_qr import cluster_qr

__all__ = ["cluster_qr", "leading_eigenvectors"]

Array = NDArray[np.float64]

# Items up to which a full dense solver for the leading K is faster than Lanczos (measured on two cores).
DENSE_UP_TO = 400
# Lanczos restarts before another way is taken, and the size up to which that way is a dense solver.
LANCZOS_RESTARTS = 60
FALLBACK_DENSE_UP_TO = 3000
# Products of the filter: rounds x degree.
FILTER_ROUNDS = 8
FILTER_DEGREE = 20


def leading_eigenvectors(affinity: Affinity, n_vectors: int) -> tuple[Array, Array]:
    """The largest eigenvalues (descending) and their eigenvectors (N x n_vectors).

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
    if isinstance(base, SparseAffinity):
        values, vectors = _by_pieces(base.matrix, n_vectors)
    elif base.n_items <= 3 * DENSE_UP_TO:
        values, vectors = _dense(base.to_dense(), n_vectors)
    else:
        n = base.n_items
        operator = LinearOperator((n, n), matvec=lambda x: (base @ x.reshape(n, -1)).ravel(), dtype=np.float64)
        values, vectors = _lanczos(operator, n, n_vectors)
    return values**power, vectors


def _by_pieces(matrix: sp.csr_array, n_vectors: int) -> tuple[Array, Array]:
    n_pieces, piece = connected_components(matrix, directed=False)
    if n_pieces == 1:
        return _one_piece(matrix, n_vectors)
    n = matrix.shape[0]
    order = np.argsort(piece, kind="stable")
    bounds = np.r_[0, np.cumsum(np.bincount(piece))]
    by_size = np.argsort(-np.diff(bounds), kind="stable")
    # A piece's largest eigenvalue is at most its largest row sum: pieces that cannot reach the leading K are left out.
    found: list[tuple[float, int, NDArray[Any], Array]] = []
    for rank, p in enumerate(by_size):
        items = order[bounds[p] : bounds[p + 1]]
        block = matrix[items][:, items]
        if len(found) >= n_vectors:
            weakest = found[-1][0]
            if abs(block).sum(axis=1).max() < weakest or (len(items) == 1 and weakest >= block[0, 0]):
                continue
        values, vectors = _one_piece(block, min(n_vectors, len(items)))
        found += [(float(value), rank, items, vectors[:, c]) for c, value in enumerate(values)]
        found = sorted(found, key=lambda f: (-round(f[0], 10), f[1]))[:n_vectors]
    out = np.zeros((n, n_vectors))
    for c, (_, _, items, vector) in enumerate(found):
        out[items, c] = vector
    return np.array([f[0] for f in found]), out


def _one_piece(matrix: sp.csr_array, n_vectors: int) -> tuple[Array, Array]:
    n = matrix.shape[0]
    if n <= DENSE_UP_TO or n_vectors >= n // 3:
        return _dense(matrix.toarray(), n_vectors)
    return _lanczos(matrix, n, n_vectors)


def _dense(matrix: Array, n_vectors: int) -> tuple[Array, Array]:
    n = len(matrix)
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=[n - n_vectors, n - 1])
    return values[::-1], vectors[:, ::-1]


def _lanczos(operator: Any, n: int, n_vectors: int) -> tuple[Array, Array]:
    v0 = np.random.default_rng(0).normal(size=n)  # fixed: the same start vector gives the same answer
    ncv = min(n, 4 * n_vectors + 20)
    try:
        values, vectors = eigsh(operator, k=n_vectors, which="LA", v0=v0, ncv=ncv, maxiter=LANCZOS_RESTARTS)
    except ArpackNoConvergence:
        # Eigenvalues that all but coincide (long thin chains): exact where a dense solver is affordable.
        if n <= FALLBACK_DENSE_UP_TO:
            unit = np.eye(n)
            return _dense(np.asarray(operator @ unit), n_vectors)
        return _filtered_subspace(operator, n, n_vectors)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _filtered_subspace(operator: Any, n: int, n_vectors: int) -> tuple[Array, Array]:
    """Approximate leading eigenvectors by subspace iteration with a Chebyshev filter [zhou2006]: as good as its fixed
    number of products makes them, which is enough for a start.
    """
    block = np.random.default_rng(0).normal(size=(n, n_vectors + 8))
    cut = 0.0
    for _ in range(FILTER_ROUNDS):
        block, _ = np.linalg.qr(block)
        image = operator @ block
        values, rotation = np.linalg.eigh(block.T @ image)
        block, image = block @ rotation, image @ rotation
        low, cut = -1.0, max(cut, float(values[0]))  # a normalised affinity has its spectrum in [-1, 1]
        half, centre = (cut - low) / 2, (cut + low) / 2
        before, block = block, (image - centre * block) / half
        for _ in range(FILTER_DEGREE):
            before, block = block, 2 / half * (operator @ block - centre * block) - before
            size = np.abs(block).max()
            before, block = before / size, block / size
    block, _ = np.linalg.qr(block)
    values, rotation = np.linalg.eigh(block.T @ (operator @ block))
    return values[::-1][:n_vectors], (block @ rotation)[:, ::-1][:, :n_vectors]
