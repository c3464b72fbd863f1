"""Short rows of doubles added four at a time. Importing this module loads numba.

A compiler does not turn `for k in range(width): a[i + k] += b[j + k]` with a short width into vector instructions, for
want of knowing that a and b do not overlap and that the width is a multiple of four. Here a step of four is one vector
load, addition and store, on any processor that LLVM knows: a third of the time of the plain loop.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["LANES", "add_four", "add_fours"]

# Doubles in a vector: 32 bytes, which every processor since 2013 has registers for.
LANES = 4
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """To the four doubles at `place` of a flat array."""
    start = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(start, [place]), VECTOR.as_pointer())


@intrinsic
def add_four(_typing: Any, into: Any, at: Any, source: Any, place: Any) -> Any:
    """into[at : at + 4] += source[place : place + 4], for flat arrays of doubles; no bounds are checked."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], given[0], given[1])
        other = _pointer(context, builder, signature.args[2], given[2], given[3])
        builder.store(builder.fadd(builder.load(target, align=8), builder.load(other, align=8)), target, align=8)
        return context.get_dummy_value()

    return types.void(into, at, source, place), codegen


@intrinsic
def add_fours(_typing: Any, into: Any, at: Any, source: Any, places: Any) -> Any:
    """into[at : at + 4] += sum over p in `places` (a tuple) of source[p : p + 4]; no bounds are checked."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], given[0], given[1])
        total = builder.load(target, align=8)
        for place in cgutils.unpack_tuple(builder, given[3]):
            other = _pointer(context, builder, signature.args[2], given[2], place)
            total = builder.fadd(total, builder.load(other, align=8))
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    return types.void(into, at, source, places), codegen
