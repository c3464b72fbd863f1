"""Interface between a partition search and its state, whatever the state is. Importing this module loads numba.

A state has the arrays `labels` (N, -1 for an item that is placed nowhere), `counts` (K, number of items placed) and
`sizes` (of cluster k at k + 1; of all placed items at 0), and these methods in compiled code, of which the moves
(`partita.kernels.partition_moves`) are made. They are written once, and compiled for each kind of state:

    value()              what is minimised, of the items that are placed
    costs(i, out)        out[k], k <= K: the value with item i in cluster k (K: alone in a new one)
    place(i, k)          put item i into cluster k, or nowhere (-1); the last cluster replaces an empty one
    merge_costs(a, out)  out[b], b < K: the value with clusters a and b merged
    make_room()          make room for one cluster more, where there is none

A state is a `structref` of numba, one pointer whatever it holds: methods change its fields in place, and code that
hands it on is compiled in half of the time that handing on a dozen arrays takes. A loop reads a field before it begins.
"""

# numba takes plain functions, and finds an implementation by the names of the arguments, used or not.
# ruff: noqa: ARG005, PLW0108

from __future__ import annotations

from typing import Any, ClassVar

from numba import types
from numba.experimental import structref
from numba.extending import overload_method

from partita.arrays import Array, Ints
from partita.kernels.partition_cache import kernel

__all__ = ["State", "StateType", "define_state", "growth"]


class StateType(types.StructRef):
    """Type of a state in compiled code. A kind of state has a subclass of its own."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Let a field hold any value of its type, not only the one that it began with."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class State(structref.StructRefProxy):
    """A state as Python holds it. A kind of state has a subclass of its own, whose annotations are the fields."""

    __slots__ = ()
    makers: ClassVar[dict[type, Any]] = {}

    def __new__(cls, *fields: Any) -> Any:
        """Make a state by a kernel that stays on disk; the one of numba's own class does not."""
        return cls.makers[cls](*fields)

    @property
    def labels(self) -> Ints:
        """Cluster of each item (N); -1 where it is placed nowhere."""
        labels: Ints = _labels(self)
        return labels

    @property
    def counts(self) -> Ints:
        """Number of clusters K, and of items that are placed."""
        counts: Ints = _counts(self)
        return counts

    @property
    def sizes(self) -> Ints:
        """Number of items of cluster k at k + 1, and of all that are placed at 0; some room after them."""
        sizes: Ints = _sizes(self)
        return sizes

    def value(self) -> float:
        """Return what is minimised."""
        return float(_value(self))

    def costs(self, i: int, out: Array) -> None:
        """Fill `out` with the values with item i in each cluster, or alone."""
        _costs(self, i, out)

    def merge_costs(self, a: int, out: Array) -> None:
        """Fill `out` with the values with cluster a merged with each other."""
        _merge_costs(self, a, out)


@kernel
def _labels(state: Any) -> Any:
    return state.labels


@kernel
def _counts(state: Any) -> Any:
    return state.counts


@kernel
def _sizes(state: Any) -> Any:
    return state.sizes


@kernel
def _value(state: Any) -> Any:
    return state.value()


@kernel
def _costs(state: Any, i: int, out: Array) -> None:
    state.costs(i, out)


@kernel
def _merge_costs(state: Any, a: int, out: Array) -> None:
    state.merge_costs(a, out)


def define_state(
    state: type[State], kind: type[StateType], *, value: Any, costs: Any, place: Any, merge_costs: Any, make_room: Any
) -> None:
    """Let compiled code make states of a class, read and change their fields, and call these kernels as their methods.

    Parameters
    ----------
    state : type
        The class in Python.
    kind : type
        Its type in compiled code.
    value, costs, place, merge_costs, make_room : callable
        Kernels that take the state first.
    """
    structref.register(kind)
    structref.define_proxy(state, kind, list(state.__annotations__))

    @kernel
    def made(*fields: Any) -> Any:
        return state(*fields)

    State.makers[state] = made
    overload_method(kind, "value")(lambda state: lambda state: value(state))
    overload_method(kind, "costs")(lambda state, i, out: lambda state, i, out: costs(state, i, out))
    overload_method(kind, "place")(lambda state, i, k: lambda state, i, k: place(state, i, k))
    overload_method(kind, "merge_costs")(lambda state, a, out: lambda state, a, out: merge_costs(state, a, out))
    overload_method(kind, "make_room")(lambda state: lambda state: make_room(state))


@kernel
def growth(width: int, step: int) -> int:
    """Return the next width: a quarter wider, in whole steps."""
    return (width + max(step, width // 4) + step - 1) // step * step
