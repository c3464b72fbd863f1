"""Symmetric graphs with self-tuned weights from neighbours and distances: O(nnz) time, a few N x k arrays.

Each weight lies in [0, 1] and is computed from the scales of both its items [zelnik2004], so that both directions of a
pair have the same one wherever both know the distance; where they do not agree (an approximate search), "union" takes
the larger and "mutual" the smaller. P_ii = 1.

Weights are float64, and float32 from 200,000 items on: they are known to far fewer than seven digits, and half the
bytes are half the time of a product that only waits for memory. A weight below the smallest normal number of its kind
is not stored.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from partita.affinity.neighbor_search import Index
from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["Connection", "Weights", "pieces_of", "reachability", "scales", "symmetric_graph", "tuned_weights"]

Connection = Literal["union", "mutual"]
Weights = Literal["gaussian", "laplacian", "cauchy", "binary"]

# Items from which weights are stored in single precision.
SINGLE_FROM = 200_000
# Directed links from which compiled kernels are used. Their cold start is then paid for by the first product anyway.
COMPILED_FROM = 500_000
# Rows whose numbers are held at a time.
ROWS = 1 << 14


def tuned_weights(distance: Array, own: Array, other: Array, weights: Weights) -> Array:
    """Return the weight of each distance, given the scales of both items; 0 for an infinite distance."""
    with np.errstate(over="ignore"):
        ratio = np.where(np.isfinite(distance), distance, np.inf) / np.sqrt(own * other)
        if weights == "gaussian":
            return np.exp(-(ratio**2))
        if weights == "laplacian":
            return np.exp(-ratio)
        if weights == "cauchy":
            return 1.0 / (1.0 + ratio**2)
    return np.isfinite(distance).astype(np.float64)


def scales(distance: Array) -> Array:
    """Return the distance to the farthest of the k neighbours.

    Where that is zero or unknown, the smallest positive one.
    """
    sigma = np.empty(len(distance))
    least = np.inf
    for low, high in row_bounds(len(distance), ROWS):
        part = distance[low:high]
        sigma[low:high] = np.where(np.isfinite(part), part, -np.inf).max(axis=1)
        least = min(least, part.min(where=part > 0, initial=np.inf))
    sigma[~(sigma > 0)] = least if np.isfinite(least) else 1.0
    return sigma


def reachability(index: Index, distance: Array, m: int) -> tuple[Array, Array]:
    """Return distances of mutual reachability, and the distance to the m-th closest other, c_i [campello2013]."""
    core = distance[:, min(m, distance.shape[1]) - 1].copy()
    out = np.empty_like(distance)
    for low, high in row_bounds(len(distance), ROWS):
        reach = np.maximum(core[low:high, None], core[index[low:high]])
        np.maximum(distance[low:high], reach, out=out[low:high])
    return out, core


def symmetric_graph(
    index: Index, distance: Array, sigma: Array, weights: Weights, connection: Connection
) -> sp.csr_array:
    """Return the graph with P_ii = 1, in canonical CSR form.

    Parameters
    ----------
    index, distance : N x k arrays
        The others that each item chose; infinite for none.
    sigma : array of N
        Scales.
    """
    n, k = index.shape
    kind = np.float32 if n >= SINGLE_FROM else np.float64
    values = np.empty((n, k), dtype=kind)

    def work(low: int, high: int) -> None:
        part = index[low:high]
        values[low:high] = tuned_weights(distance[low:high], sigma[low:high, None], sigma[part], weights)

    run_chunks(work, row_bounds(n, ROWS))
    values[values < np.finfo(kind).tiny] = 0.0
    if index.size < COMPILED_FROM:
        return _by_scipy(index, values, connection)
    from partita.kernels.graph import both_ways

    return _csr(*both_ways(np.ascontiguousarray(index, dtype=np.int32), values, connection == "mutual"))


def _by_scipy(index: Index, values: Any, connection: Connection) -> sp.csr_array:
    n, k = index.shape
    chosen = values.ravel() > 0
    rows = np.repeat(np.arange(n), k)[chosen]
    graph = sp.csr_array((values.ravel()[chosen], (rows, index.ravel()[chosen])), shape=(n, n))
    graph = graph.maximum(graph.T) if connection == "union" else graph.minimum(graph.T)
    out = sp.csr_array(graph + sp.eye_array(n, dtype=values.dtype))
    out.sort_indices()
    return out


def _csr(indptr: Any, indices: Any, values: Any) -> sp.csr_array:
    n = len(indptr) - 1
    out = sp.csr_array((values, indices, indptr), shape=(n, n))
    out.has_canonical_format = True
    return out


def pieces_of(graph: sp.csr_array) -> tuple[int, Index]:
    """Return the number of connected components (pieces) of a symmetric graph, and the piece of each item."""
    if graph.nnz < COMPILED_FROM:
        n_pieces, piece = connected_components(graph, directed=False)
        return int(n_pieces), piece
    from partita.kernels.graph import pieces

    piece = pieces(graph.indptr, graph.indices)
    return int(piece.max()) + 1, piece
