"""P @ W for P in CSR form with the sums of a row held in vector registers.

A loop over the columns of W inside the loop over a row's nonzeros is what compilers are worst at: short, of unknown
length, and written back at every nonzero. Here the nonzeros of a row are walked once for up to 32 columns, whose sums
stay in registers as vectors of four; the last vector ends at the last column, so that it may overlap the one before
it and no column is left over. Values of P may be float32; sums are float64.

Against the plain loop on one thread, a million items and 20 columns: less than half the time
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

from partita.kernels.lanes import LANES, VECTOR, vector_at

__all__ = ["VECTORS", "csr_vectors_kernel"]

# Vectors whose sums are held at once: 8 of 4 doubles fill half the registers of AVX2.
VECTORS = 8

INDEX = ir.IntType(64)
ZERO = ir.Constant(VECTOR, [0.0] * LANES)


@intrinsic
def _row_sums(
    _typing: Any, data: Any, indices: Any, begin: Any, end: Any, W: Any, out: Any, row: Any, columns: Any
) -> Any:
    """out[row, c : c + 4] = sum over s in [begin, end) of data[s] W[indices[s], c : c + 4] for every c in `columns`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, columns_of, source, target = (
            context.make_array(kind)(context, builder, given)
            for kind, given in zip(signature.args, arguments)
            if isinstance(kind, types.Array)
        )
        _, _, begin, end, _, _, row, first = arguments
        offsets = cgutils.unpack_tuple(builder, first)
        width = builder.extract_value(source.shape, 1)
        sums = [cgutils.alloca_once_value(builder, ZERO) for _ in offsets]  # LLVM keeps them in registers

        for total in sums:
            builder.store(ZERO, total)
        with cgutils.for_range_slice(builder, begin, end, INDEX(1), INDEX) as (s, _):
            p = builder.load(builder.gep(values.data, [s]))
            if p.type != ir.DoubleType():
                p = builder.fpext(p, ir.DoubleType())
            j = builder.load(builder.gep(columns_of.data, [s]))
            if j.type != INDEX:
                j = builder.sext(j, INDEX)
            spread = ZERO
            for lane in range(LANES):
                spread = builder.insert_element(spread, p, ir.IntType(32)(lane))
            base = builder.mul(j, width)
            for offset, total in zip(offsets, sums):
                w = builder.load(vector_at(builder, source.data, builder.add(base, offset)), align=8)
                term = builder.fmul(spread, w, flags=["contract"])
                builder.store(builder.fadd(builder.load(total), term, flags=["contract"]), total)
        base = builder.mul(row, width)
        for offset, total in zip(offsets, sums):
            at = vector_at(builder, target.data, builder.add(base, offset))
            builder.store(builder.load(total), at, align=8)
        return context.get_dummy_value()

    return types.void(data, indices, begin, end, W, out, row, columns), codegen


@njit(nogil=True, cache=True)
def csr_vectors_kernel(
    indptr: Any, indices: Any, data: Any, W: Any, out: Any, low: int, high: int, columns: tuple[int, ...]
) -> None:
    """Rows low..high of out = P @ W in the columns c..c+3 for every c in `columns`.

    Compiled anew for each length of `columns`. W and out are C-contiguous float64 with at least four columns.
    """
    for i in range(low, high):
        _row_sums(data, indices, np.int64(indptr[i]), np.int64(indptr[i + 1]), W, out, i, columns)
