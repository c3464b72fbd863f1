"""A loss's formula inside compiled code. Importing this module loads numba.

A formula is a NamedTuple of numbers with a method `evaluate` of plain arithmetic (`partita.partition.losses`). Kernels
call it by its address, so that they are compiled, and kept on disk, once for all losses, those of a script among them.
Partita's own formulas that are evaluated for each draw, millions of times, are compiled into the kernels instead.
"""

# numba finds an implementation by the names of the arguments, used or not.
# ruff: noqa: ARG001

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import cfunc, njit, types
from numba.extending import overload

from partita.kernels.partition_cache import versioned

__all__ = ["AtAddress", "evaluated", "for_kernels"]

SIGNATURE = types.float64(*6 * (types.float64,))


class AtAddress(NamedTuple):
    """A formula as a compiled function of u, v, w, t, n and K."""

    function: Any


def for_kernels(formula: Any, *, per_draw: bool) -> Any:
    """Return the formula as kernels take it; `per_draw` says whether it is evaluated for each draw."""
    return formula if per_draw and _is_own(formula) else _at_address(formula)


def _is_own(formula: Any) -> bool:
    return type(formula).__module__.startswith("partita.")


@cache
def _at_address(formula: Any) -> AtAddress:
    evaluate = njit(error_model="numpy")(type(formula).evaluate)

    def call(u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        return evaluate(formula, u, v, w, t, n, K)

    # What a script defines could not be read again without the script.
    return AtAddress(cfunc(SIGNATURE, error_model="numpy", cache=_is_own(formula))(versioned(call)))


def evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    """Call `self.evaluate(u, v, w, t, n, K)` in compiled code."""
    return self.evaluate(u, v, w, t, n, K)


@overload(evaluated, strict=False)
def _evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    if not isinstance(self, types.NamedTuple | types.NamedUniTuple):
        return None
    if self.instance_class is not AtAddress:
        return self.instance_class.evaluate
    return lambda self, u, v, w, t, n, K: self.function(float(u), float(v), float(w), float(t), float(n), float(K))
