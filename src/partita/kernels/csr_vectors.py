"""P @ W for P in CSR form with the sums of a row held in vector registers.

A loop over the columns of W inside the loop over a row's nonzeros is what compilers are worst at: short, of unknown
length, and written back at every nonzero. Here the nonzeros of a row are walked once for up to 32 columns, whose sums
stay in registers as vectors of four; the last vector ends at the last column, so that it may overlap the one before
it and no column is left over. A W of fewer columns than a vector takes the plain loop. Values of P may be float32; sums
are float64.

The row of W that an entry needs may lie anywhere, and no processor guesses where. The indices say it long before: where
W is larger than the caches near the core, the row that the 256th entry from here needs is asked for at every entry, and
is there when its turn comes.

Against the plain loop on one thread, a million items and 20 columns: less than a third of the time
(`benchmarks/kernel_choices.py`). Importing this module loads numba; each number of vectors compiles once, in about
half a second, and is kept on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from partita.kernels.lanes import LANES, VECTOR, prefetch_at, vector_at

__all__ = ["VECTORS", "csr_product_kernel", "csr_vectors_kernel"]

# Vectors whose sums are held at once: 8 of 4 doubles fill half the registers of AVX2.
VECTORS = 8
# Entries between asking for a row of W and reading it: half as many and four times as many do as well.
AHEAD = 256

INDEX = ir.IntType(64)
ZERO = ir.Constant(VECTOR, [0.0] * LANES)


@intrinsic
def _row_sums(
    _typing: Any,
    data: Any,
    indices: Any,
    begin: Any,
    end: Any,
    W: Any,
    out: Any,
    row: Any,
    columns: Any,
    stop: Any,
    lines: Any,
) -> Any:
    """out[row, c : c + 4] = sum over s in [begin, end) of data[s] W[indices[s], c : c + 4] for every c in `columns`.

    Asks for W[indices[s + AHEAD], c] for every c in `lines` where s + AHEAD < stop.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, columns_of, source, target = (
            context.make_array(kind)(context, builder, given)
            for kind, given in zip(signature.args, arguments)
            if isinstance(kind, types.Array)
        )
        _, _, begin, end, _, _, row, first, stop, asked = arguments
        offsets, ask = cgutils.unpack_tuple(builder, first), cgutils.unpack_tuple(builder, asked)
        width = builder.extract_value(source.shape, 1)
        sums = [cgutils.alloca_once_value(builder, ZERO) for _ in offsets]  # LLVM keeps them in registers

        def row_of(s: Any) -> Any:
            j = builder.load(builder.gep(columns_of.data, [s]))
            return builder.mul(j if j.type == INDEX else builder.sext(j, INDEX), width)

        for total in sums:
            builder.store(ZERO, total)
        with cgutils.for_range_slice(builder, begin, end, INDEX(1), INDEX) as (s, _):
            p = builder.load(builder.gep(values.data, [s]))
            if p.type != ir.DoubleType():
                p = builder.fpext(p, ir.DoubleType())
            if ask:
                later = builder.add(s, INDEX(AHEAD))
                coming = row_of(builder.select(builder.icmp_signed("<", later, stop), later, s))
                for place in ask:
                    prefetch_at(builder, builder.gep(source.data, [builder.add(coming, place)]))
            spread = ZERO
            for lane in range(LANES):
                spread = builder.insert_element(spread, p, ir.IntType(32)(lane))
            base = row_of(s)
            for offset, total in zip(offsets, sums):
                w = builder.load(vector_at(builder, source.data, builder.add(base, offset)), align=8)
                term = builder.fmul(spread, w, flags=["contract"])
                builder.store(builder.fadd(builder.load(total), term, flags=["contract"]), total)
        base = builder.mul(row, width)
        for offset, total in zip(offsets, sums):
            at = vector_at(builder, target.data, builder.add(base, offset))
            builder.store(builder.load(total), at, align=8)
        return context.get_dummy_value()

    return types.void(data, indices, begin, end, W, out, row, columns, stop, lines), codegen


@njit(nogil=True, cache=True)
def csr_vectors_kernel(
    indptr: Any,
    indices: Any,
    data: Any,
    W: Any,
    out: Any,
    low: int,
    high: int,
    columns: tuple[int, ...],
    lines: tuple[int, ...],
) -> None:
    """Fill rows low..high of out = P @ W in the columns c..c+3 for every c in `columns`.

    A row of W is asked for in advance by its columns `lines`, one for each cache line; () for not at all. Compiled anew
    for each pair of lengths. W and out are C-contiguous float64 with at least four columns.
    """
    stop = np.int64(indptr[high])
    for i in range(low, high):
        _row_sums(data, indices, np.int64(indptr[i]), np.int64(indptr[i + 1]), W, out, i, columns, stop, lines)


@njit(cache=True, nogil=True)
def csr_product_kernel(indptr: Any, indices: Any, data: Any, W: Any, out: Any, low: int, high: int) -> None:
    """Fill rows low..high of out = P @ W for P in CSR form: every entry of a row of W is read once per nonzero."""
    K = W.shape[1]
    for i in range(low, high):
        for k in range(K):
            out[i, k] = 0.0
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            p = data[s]
            for k in range(K):
                out[i, k] += p * W[j, k]
