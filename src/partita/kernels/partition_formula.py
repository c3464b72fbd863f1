"""A loss's formula inside compiled code. Importing this module loads numba.

A formula is a NamedTuple of numbers with a method `evaluate` of plain arithmetic (`partita.partition.losses`). Kernels
call it by its address and hand it its numbers, so that kernels are compiled, and kept on disk, once for all losses,
those of a script among them, and a formula once for all its numbers. One that is evaluated for each draw, millions of
times, is called for all draws and clusters at once.

The address is a number: of a state that holds a compiled function numba would look at the type anew in Python at each
call of a kernel, a quarter of a millisecond.
"""

# numba finds an implementation by the names of the arguments, used or not.
# ruff: noqa: ARG001

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba import cfunc, types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable
from numba.np.numpy_support import carray

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel, versioned

__all__ = ["AtAddress", "ForRows", "add_rows", "evaluated", "for_kernels", "for_rows"]

# How many numbers kernels hand to any formula. One with more, or with others than floats, is compiled with its own.
NUMBERS = 3
ONE = types.float64(*(6 + NUMBERS) * (types.float64,))
FLOATS, PLACES = types.CPointer(types.float64), types.CPointer(types.int64)
ROWS = types.void(
    *2 * (types.intp,), *5 * (FLOATS,), PLACES, *2 * (types.float64,), *2 * (FLOATS,), *NUMBERS * (types.float64,)
)  # fmt: skip


class AtAddress(NamedTuple):
    """A formula as the address of a compiled function of u, v, w, t, n, K and `numbers`."""

    address: int
    numbers: tuple[float, ...]


class ForRows(NamedTuple):
    """A formula as compiled functions of one draw and cluster, and of rows of them (`add_rows`)."""

    one: AtAddress
    rows: int


def for_kernels(formula: Any) -> AtAddress:
    """Return the formula as kernels take it."""
    return _at_address(formula, rows=False)


def for_rows(formula: Any) -> ForRows:
    """Return the formula as kernels take it that evaluate it for each draw."""
    return ForRows(_at_address(formula, rows=False), _at_address(formula, rows=True).address)


def _at_address(formula: Any, *, rows: bool) -> AtAddress:
    kind: Any = type(formula)
    numbers: tuple[Any, ...] = tuple(formula)
    if len(numbers) > NUMBERS or not all(isinstance(number, float) for number in numbers):
        return AtAddress(_of_one(kind, rows, *numbers).address, NUMBERS * (0.0,))
    return AtAddress(_of_all(kind, rows).address, (*map(float, numbers), *(NUMBERS - len(numbers)) * (0.0,)))


@cache
def _of_all(kind: Any, rows: bool) -> Any:
    """Compile all formulas of a class: as many of the numbers handed over are theirs as they have fields."""
    size = len(kind._fields)

    def one(u: Any, v: Any, w: Any, t: Any, n: Any, K: Any, a: Any, b: Any, c: Any) -> Any:
        return evaluated(kind(*(a, b, c)[:size]), u, v, w, t, n, K)

    def each(M: Any, width: Any, by: Any, u: Any, v: Any, w: Any, more: Any, at: Any, t: Any, n: Any, K: Any, out: Any,
             a: Any, b: Any, c: Any) -> Any:  # fmt: skip
        _add_each(kind(*(a, b, c)[:size]), M, width, by, u, v, w, more, at, t, n, K, out)

    return _compiled(kind, each, ROWS) if rows else _compiled(kind, one, ONE)


@lru_cache(maxsize=None, typed=True)
def _of_one(kind: Any, rows: bool, *numbers: Any) -> Any:
    """Compile one formula with its numbers, which may be whole."""
    formula = kind(*numbers)

    def one(u: Any, v: Any, w: Any, t: Any, n: Any, K: Any, a: Any, b: Any, c: Any) -> Any:
        return evaluated(formula, u, v, w, t, n, K)

    def each(M: Any, width: Any, by: Any, u: Any, v: Any, w: Any, more: Any, at: Any, t: Any, n: Any, K: Any, out: Any,
             a: Any, b: Any, c: Any) -> Any:  # fmt: skip
        _add_each(formula, M, width, by, u, v, w, more, at, t, n, K, out)

    return _compiled(kind, each, ROWS) if rows else _compiled(kind, one, ONE)


def _compiled(kind: type, call: Any, signature: Any) -> Any:
    # What a script defines could not be read again without the script.
    own = kind.__module__.startswith("partita.")
    return cfunc(signature, error_model="numpy", cache=own)(versioned(call))


def _caller(signature: Any) -> Any:
    """Return what calls, in compiled code, the C function of a signature at an address; pointers are addresses too."""

    @intrinsic
    def call(_typing: Any, address: Any, given: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            kinds = [context.get_value_type(kind) for kind in signature.args]
            nothing = signature.return_type == types.void
            back = ir.VoidType() if nothing else context.get_value_type(signature.return_type)
            function = builder.inttoptr(values[0], ir.FunctionType(back, kinds).as_pointer())
            handed = [
                builder.inttoptr(value, kind) if isinstance(kind, ir.PointerType) else value
                for value, kind in zip(cgutils.unpack_tuple(builder, values[1]), kinds, strict=True)
            ]
            out = builder.call(function, handed)
            return context.get_dummy_value() if nothing else out

        return signature.return_type(address, given), codegen

    return call


_call_one, _call_rows = _caller(ONE), _caller(ROWS)


@register_jitable
def _add_each(
    formula: Any, M: Any, width: Any, by: Any, u: Any, v: Any, w: Any, more: Any, at: Any, t: Any, n: Any, K: Any,
    out: Any,
) -> None:  # fmt: skip
    u_of, K_of, total = carray(u, width), carray(K, width), carray(out, width)
    for m in range(M):
        weight, v_of, w_of, start = by[m], v[m], w[m], at[m]
        for k in range(width):
            total[k] += weight * evaluated(formula, u_of[k], v_of, w_of + more[start + k], t, n, K_of[k])


@kernel
def add_rows(
    formula: ForRows, by: Array, u: Array, v: Array, w: Array, more: Array, at: Ints, t: float, n: float, K: Array,
    out: Array,
) -> None:  # fmt: skip
    """out[k] += by[m] times the formula of u[k], v[m], w[m] + more[at[m] + k], t, n and K[k], for all draws m."""
    a, b, c = formula.one.numbers
    _call_rows(formula.rows, (
        len(by), len(out), by.ctypes.data, u.ctypes.data, v.ctypes.data, w.ctypes.data, more.ctypes.data,
        at.ctypes.data, t, n, K.ctypes.data, out.ctypes.data, a, b, c,
    ))  # fmt: skip


def evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    """Call `self.evaluate(u, v, w, t, n, K)` in compiled code."""
    return self.evaluate(u, v, w, t, n, K)


@overload(evaluated, strict=False)
def _evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    if not isinstance(self, types.NamedTuple | types.NamedUniTuple):
        return None
    if self.instance_class is ForRows:
        return lambda self, u, v, w, t, n, K: evaluated(self.one, u, v, w, t, n, K)
    if self.instance_class is not AtAddress:
        return self.instance_class.evaluate
    return lambda self, u, v, w, t, n, K: _call_one(
        self.address, (float(u), float(v), float(w), float(t), float(n), float(K), *self.numbers)
    )
