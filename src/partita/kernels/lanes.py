"""Vectors of four doubles in compiled loops: where they lie, and short rows added by them. Importing this module loads
numba.

A compiler does not turn `for k in range(width): a[i + k] += b[j + k]` with a short width into vector instructions, for
want of knowing that a and b do not overlap and that the width is a multiple of four. Here a step of four is one vector
load, addition and store, on any processor that LLVM knows: half the time of the plain loop
(`benchmarks/kernel_choices.py`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["LANES", "VECTOR", "add_four", "add_fours", "prefetch", "prefetch_at", "vector_at"]

# Doubles in a vector: 32 bytes, which every processor since 2013 has registers for.
LANES = 4
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def vector_at(builder: Any, start: Any, place: Any) -> Any:
    """Return a pointer to the vector of the doubles place..place + 3 from `start` on."""
    return builder.bitcast(builder.gep(start, [place]), VECTOR.as_pointer())


def prefetch_at(builder: Any, pointer: Any) -> None:
    """Ask for the cache line of that address, which is to be read soon; the address may be any."""
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
    ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    read, keep, data = flag(0), flag(3), flag(1)
    builder.call(ask, [builder.bitcast(pointer, byte), read, keep, data])


def _start(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """A pointer to the first double of a flat array."""
    return context.make_array(kind)(context, builder, array).data


@intrinsic
def prefetch(_typing: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line of array[place], which is to be read soon, for a flat array; no bounds are checked."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        prefetch_at(builder, builder.gep(_start(context, builder, signature.args[0], given[0]), [given[1]]))
        return context.get_dummy_value()

    return types.void(array, place), codegen


@intrinsic
def add_four(_typing: Any, into: Any, at: Any, source: Any, place: Any) -> Any:
    """Add into[at : at + 4] += source[place : place + 4], for flat arrays of doubles; no bounds are checked."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = vector_at(builder, _start(context, builder, signature.args[0], given[0]), given[1])
        other = vector_at(builder, _start(context, builder, signature.args[2], given[2]), given[3])
        builder.store(builder.fadd(builder.load(target, align=8), builder.load(other, align=8)), target, align=8)
        return context.get_dummy_value()

    return types.void(into, at, source, place), codegen


@intrinsic
def add_fours(_typing: Any, into: Any, at: Any, source: Any, places: Any) -> Any:
    """Add into[at : at + 4] += sum over p in `places` (a tuple) of source[p : p + 4]; no bounds are checked."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = vector_at(builder, _start(context, builder, signature.args[0], given[0]), given[1])
        total = builder.load(target, align=8)
        other = _start(context, builder, signature.args[2], given[2])
        for place in cgutils.unpack_tuple(builder, given[3]):
            total = builder.fadd(total, builder.load(vector_at(builder, other, place), align=8))
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    return types.void(into, at, source, places), codegen
