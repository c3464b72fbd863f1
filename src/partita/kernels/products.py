"""P @ W for a dense and for a CSR matrix P, in row chunks that threads share.

A CSR product pays for threads and compiled kernels from about 1e6 multiplications on (`benchmarks/sparse_product.py`):
a fit takes some hundreds of them, and to load the kernels takes half a second. Below it SciPy's single loop needs no
compiler. A dense product is split into row chunks from 1e7 on; inside a chunk it is one call of BLAS.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.kernels.aligned import aligned_empty
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["csr_product", "dense_product"]

# Multiplications below which a dense product uses one thread, and a CSR product SciPy: of a W with fewer columns than a
# vector, which take the plain loop, `NARROW` times as many.
PARALLEL_FROM = 10_000_000
COMPILED_FROM = 1_000_000
NARROW = 10
DENSE_CHUNK = 512
# Multiplications of a chunk of a CSR product, and chunks at most.
CHUNK = 1 << 18
CSR_CHUNKS = 64
# Numbers in W (16 MiB) from which its rows are asked for in advance, and numbers in a cache line.
FETCH_FROM = 1 << 21
LINE = 8


def dense_product(P: NDArray[np.float64], W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P @ W for a dense P."""
    if P.size * W.shape[1] < PARALLEL_FROM:
        return np.asarray(P @ W)
    out = np.empty((P.shape[0], W.shape[1]))

    def work(low: int, high: int) -> None:
        np.matmul(P[low:high], W, out=out[low:high])

    run_chunks(work, row_bounds(len(P), DENSE_CHUNK))
    return out


def csr_product(
    P: sp.csr_array, W: NDArray[np.float64], spare: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return P @ W for a P in CSR form with float64 or float32 values; sums are float64.

    `spare` is an optional output buffer, not W, reused where its shape, type and layout fit. That saves a sixth of a
    product with a million items.
    """
    if P.nnz * W.shape[1] < COMPILED_FROM * (NARROW if W.shape[1] < 4 else 1):
        return np.asarray(P @ W)
    shape = P.shape[0], W.shape[1]
    out = spare
    if out is None or out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
        out = aligned_empty(shape)
    W = np.ascontiguousarray(W, dtype=np.float64)
    kernels = _column_kernels(W.shape[1], fetch=W.size >= FETCH_FROM)
    indptr, indices, values = P.indptr, P.indices, P.data
    chunks = max(1, min(CSR_CHUNKS, P.nnz * W.shape[1] // CHUNK))
    inner = np.searchsorted(indptr, np.linspace(0, P.nnz, chunks + 1)[1:-1])
    cuts = np.unique(np.r_[0, inner, P.shape[0]])
    bounds = [(int(low), int(high)) for low, high in pairwise(cuts) if high > low]

    def work(low: int, high: int) -> None:
        for kernel, *columns in kernels:
            kernel(indptr, indices, values, W, out, low, high, *columns)

    run_chunks(work, bounds)
    return out


def _column_kernels(n_columns: int, fetch: bool) -> list[tuple[Any, ...]]:
    """Kernels, each with the columns it takes: vectors of four, up to 32 columns at a time, in equal parts beyond.

    The last vector of a part ends at its last column, so that it may overlap the one before it.
    """
    from partita.kernels.csr_vectors import VECTORS, csr_product_kernel, csr_vectors_kernel
    from partita.kernels.lanes import LANES

    if n_columns < LANES:
        return [(csr_product_kernel,)]
    parts = -(-n_columns // (LANES * VECTORS))
    width = max(-(-n_columns // parts), LANES)
    lasts = [min((part + 1) * width, n_columns) for part in range(parts)]
    return [
        (
            csr_vectors_kernel,
            (*range(last - width, last - LANES, LANES), last - LANES),
            # The last too: a row may begin in the middle of a line.
            (*range(last - width, last - 1, LINE), last - 1) if fetch else (),
        )
        for last in lasts
    ]
