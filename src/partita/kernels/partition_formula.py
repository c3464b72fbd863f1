"""A loss's formula inside compiled code. Importing this module loads numba.

A formula is a NamedTuple of numbers with a method `evaluate` of plain arithmetic (`partita.partition.losses`). Kernels
call it by its address and hand it its numbers, so that kernels are compiled, and kept on disk, once for all losses,
those of a script among them, and a formula once for all its numbers. Partita's own formulas that are evaluated for each
draw, millions of times, are compiled into the kernels instead.
"""

# numba finds an implementation by the names of the arguments, used or not.
# ruff: noqa: ARG001

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

from numba import cfunc, types
from numba.extending import overload

from partita.kernels.partition_cache import versioned

__all__ = ["AtAddress", "evaluated", "for_kernels"]

# How many numbers kernels hand to any formula. One with more, or with others than floats, is compiled with its own.
NUMBERS = 3
SIGNATURE = types.float64(*(6 + NUMBERS) * (types.float64,))


class AtAddress(NamedTuple):
    """A formula as a compiled function of u, v, w, t, n, K and `numbers`."""

    function: Any
    numbers: tuple[float, ...]


def for_kernels(formula: Any, *, per_draw: bool) -> Any:
    """Return the formula as kernels take it; `per_draw` says whether it is evaluated for each draw."""
    kind: Any = type(formula)
    if per_draw and _is_own(kind):
        return formula
    numbers: tuple[Any, ...] = tuple(formula)
    if len(numbers) > NUMBERS or not all(isinstance(number, float) for number in numbers):
        return AtAddress(_of_one(kind, *numbers), NUMBERS * (0.0,))
    return AtAddress(_of_all(kind), (*map(float, numbers), *(NUMBERS - len(numbers)) * (0.0,)))


def _is_own(kind: type) -> bool:
    return kind.__module__.startswith("partita.")


@cache
def _of_all(kind: Any) -> Any:
    """Compile all formulas of a class: as many of the numbers handed over are theirs as they have fields."""
    size = len(kind._fields)

    def call(u: Any, v: Any, w: Any, t: Any, n: Any, K: Any, a: Any, b: Any, c: Any) -> Any:
        return evaluated(kind(*(a, b, c)[:size]), u, v, w, t, n, K)

    return _compiled(call, kind)


@lru_cache(maxsize=None, typed=True)
def _of_one(kind: Any, *numbers: Any) -> Any:
    """Compile one formula with its numbers, which may be whole."""
    formula = kind(*numbers)

    def call(u: Any, v: Any, w: Any, t: Any, n: Any, K: Any, a: Any, b: Any, c: Any) -> Any:
        return evaluated(formula, u, v, w, t, n, K)

    return _compiled(call, kind)


def _compiled(call: Any, kind: type) -> Any:
    # What a script defines could not be read again without the script.
    return cfunc(SIGNATURE, error_model="numpy", cache=_is_own(kind))(versioned(call))


def evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    """Call `self.evaluate(u, v, w, t, n, K)` in compiled code."""
    return self.evaluate(u, v, w, t, n, K)


@overload(evaluated, strict=False)
def _evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    if not isinstance(self, types.NamedTuple | types.NamedUniTuple):
        return None
    if self.instance_class is not AtAddress:
        return self.instance_class.evaluate
    return lambda self, u, v, w, t, n, K: self.function(
        float(u), float(v), float(w), float(t), float(n), float(K), *self.numbers
    )
