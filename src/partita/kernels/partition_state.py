"""Interface between a partition search and its state, whatever the state is. Importing this module loads numba.

A state is a NamedTuple of arrays with `labels` (N, -1 for an item that is placed nowhere), `counts` (K, number of
items placed) and `sizes` (of cluster k at k + 1; of all placed items at 0). The functions below are found by its
type (`implement`); the moves (`partita.kernels.partition_moves`) are written with them, once, and compiled for each
kind of state and each loss:

    value(state)                what is minimised, of the items that are placed
    costs(state, i, out)        out[k], k <= K: the value with item i in cluster k (K: alone in a new one)
    place(state, i, k)          put item i into cluster k, or nowhere (-1); the last cluster replaces an empty one
    merge_costs(state, a, out)  out[b], b < K: the value with clusters a and b merged
    roomy(state)                the state with room for one cluster more

Here they are names alone: numba replaces a call by the kernel of the state's type, and Python has nothing to run.
"""

# numba finds an implementation by the names of the arguments, used or not, and takes a plain function.
# ruff: noqa: ARG001, PLW0108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit, types
from numba.extending import overload

__all__ = ["costs", "growth", "implement", "merge_costs", "place", "roomy", "value"]


def value(state: Any) -> Any:
    """Return the value that is minimised."""
    raise NotImplementedError


def costs(state: Any, i: Any, out: Any) -> Any:
    """Return the value with item i in each cluster."""
    raise NotImplementedError


def place(state: Any, i: Any, k: Any) -> Any:
    """Put an item into a cluster."""
    raise NotImplementedError


def merge_costs(state: Any, a: Any, out: Any) -> Any:
    """Return the value with cluster a merged with each other."""
    raise NotImplementedError


def roomy(state: Any) -> Any:
    """Return the state with room for one cluster more."""
    raise NotImplementedError


_kinds: dict[tuple[Any, type], Any] = {}


def implement(kind: type, **kernels: Any) -> None:
    """Say which kernels a kind of state has: value, costs, place, merge_costs, roomy."""
    for name, kernel in kernels.items():
        _kinds[_named[name], kind] = kernel


def _kernel_of(function: Callable[..., Any], state: Any) -> Any:
    if isinstance(state, types.NamedTuple | types.NamedUniTuple):
        return _kinds.get((function, state.instance_class))
    return None


@overload(value, strict=False)
def _value(state: Any) -> Any:
    kernel = _kernel_of(value, state)
    return None if kernel is None else lambda state: kernel(state)


@overload(costs, strict=False)
def _costs(state: Any, i: Any, out: Any) -> Any:
    kernel = _kernel_of(costs, state)
    return None if kernel is None else lambda state, i, out: kernel(state, i, out)


@overload(place, strict=False)
def _place(state: Any, i: Any, k: Any) -> Any:
    kernel = _kernel_of(place, state)
    return None if kernel is None else lambda state, i, k: kernel(state, i, k)


@overload(merge_costs, strict=False)
def _merge_costs(state: Any, a: Any, out: Any) -> Any:
    kernel = _kernel_of(merge_costs, state)
    return None if kernel is None else lambda state, a, out: kernel(state, a, out)


@overload(roomy, strict=False)
def _roomy(state: Any) -> Any:
    kernel = _kernel_of(roomy, state)
    return None if kernel is None else lambda state: kernel(state)


_named = {"value": value, "costs": costs, "place": place, "merge_costs": merge_costs, "roomy": roomy}


@njit(cache=True, nogil=True)
def growth(width: int, step: int) -> int:
    """Return the next width: a quarter wider, in whole steps."""
    return (width + max(step, width // 4) + step - 1) // step * step
