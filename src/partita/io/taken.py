"""What a saved model holds, looked at as it is taken: JSON by type, arrays by type, shape and values.

Nobody vouches for a model's files. `io.models` has seen that they agree with each other; here a value is handed out
as what it is asked for as, or not: nothing that builds an estimator of it comes upon another type or shape.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError

__all__ = ["Held", "Stated", "as_json", "require_partitions"]

# Floats that JSON has no number for.
UNUSUAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# Labels that are looked at in one go.
AT_ONCE = 1 << 22


def as_json(value: float) -> float | str:
    """A float as JSON; NaN and infinities as words, which `Stated.number` reads.

    >>> as_json(0.5), as_json(float("nan")), as_json(float("-inf"))
    (0.5, 'nan', '-inf')
    """
    return float(value) if math.isfinite(value) else str(float(value))


class Stated:
    """An object of JSON whose values are taken by name and type.

    Raises
    ------
    ModelError
        From every method, for a value that is missing or another; the name is in it.

    Examples
    --------
    >>> stated = Stated({"status": "converged", "gap": 0.5, "run": {"seconds": "nan"}}, "the search")
    >>> stated.word("status", among=("converged", "interrupted")), stated.number("gap")
    ('converged', 0.5)
    >>> stated.part("run").number("seconds")
    nan
    >>> stated.whole("gap")
    Traceback (most recent call last):
    partita.errors.ModelError: gap of the search is 0.5, expected a whole number of at least 0; save the model again
    """

    def __init__(self, values: Any, what: str) -> None:
        if not isinstance(values, dict):
            raise ModelError(f"{what} is {_told(values)}, expected an object of JSON; save the model again")
        self._values, self._what = values, what

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number."""
        value = self._value(name)
        if type(value) is not int or value < least:
            raise self._odd(name, f"a whole number of at least {least}")
        return value

    def whole_or_none(self, name: str) -> int | None:
        """A whole number, or null."""
        return None if self._value(name) is None else self.whole(name)

    def number(self, name: str) -> float:
        """A float, as `as_json` writes it."""
        value = self._value(name)
        if isinstance(value, str) and value in UNUSUAL:
            return UNUSUAL[value]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._odd(name, "a number")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._value(name)
        if not isinstance(value, bool):
            raise self._odd(name, "true or false")
        return value

    def word(self, name: str, *, among: tuple[str, ...] = ()) -> Any:
        """Text; one of `among`, where that is given."""
        value = self._value(name)
        if not isinstance(value, str) or (among and value not in among):
            raise self._odd(name, f"one of {', '.join(among)}" if among else "text")
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._value(name)
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self._odd(name, "a list of texts")
        return tuple(value)

    def part(self, name: str) -> Stated:
        """An object within this one."""
        return Stated(self._value(name), name)

    def part_or_none(self, name: str) -> Stated | None:
        """An object within this one, or null."""
        return None if self._value(name) is None else self.part(name)

    def parts(self, name: str) -> list[Stated]:
        """A list of objects."""
        value = self._value(name)
        if not isinstance(value, list):
            raise self._odd(name, "a list")
        return [Stated(entry, f"{name}[{at}]") for at, entry in enumerate(value)]

    def any(self, name: str) -> Any:
        """Whatever stands there, for a reader of its own."""
        return self._value(name)

    def _value(self, name: str) -> Any:
        if name not in self._values:
            raise ModelError(f"{name} of {self._what} is missing; save the model again")
        return self._values[name]

    def _odd(self, name: str, expected: str) -> ModelError:
        return ModelError(
            f"{name} of {self._what} is {_told(self._values[name])}, expected {expected}; save the model again"
        )


class Held:
    """The arrays of a model, taken by name, type and shape.

    Examples
    --------
    >>> held = Held({"alpha": np.ones((2, 3))})
    >>> held.floats("alpha", 2, None).shape
    (2, 3)
    >>> held.whole("alpha", 2, 3)
    Traceback (most recent call last):
    partita.errors.ModelError: array 'alpha' of the model is float64 of shape (2, 3), expected whole numbers of shape \
(2, 3); save the model again
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def floats(self, name: str, *shape: int | None, finite: bool = True) -> NDArray[np.float64]:
        """Doubles of that shape, None being any length; finite unless they need not be."""
        array = self._of(name, shape, "float64", lambda dtype: dtype == np.float64)
        if finite and not np.isfinite(array).all():
            raise ModelError(f"array {name!r} of the model holds NaN or infinities; save the model again")
        return array

    def whole(self, name: str, *shape: int | None) -> NDArray[Any]:
        """Signed whole numbers of that shape, in the type that they are in."""
        return self._of(name, shape, "whole numbers", lambda dtype: dtype.kind == "i")

    def flags(self, name: str, *shape: int | None) -> NDArray[np.bool_]:
        """Truth values of that shape."""
        return self._of(name, shape, "truth values", lambda dtype: dtype.kind == "b")

    def partitions(self, name: str, *shape: int | None) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Partitions, one a row, each numbered 0..K-1 by first appearance; and K of each."""
        labels = self.whole(name, *shape)
        return labels, require_partitions(labels, f"array {name!r} of the model")

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def _of(self, name: str, shape: tuple[int | None, ...], kind: str, fits: Any) -> NDArray[Any]:
        if name not in self._arrays:
            raise ModelError(f"array {name!r} of the model is missing; save the model again")
        array = self._arrays[name]
        same = len(shape) == array.ndim and all(
            wanted in (None, side) for wanted, side in zip(shape, array.shape, strict=True)
        )
        if not same or not fits(array.dtype):
            sides = ", ".join("any" if side is None else str(side) for side in shape)
            raise ModelError(
                f"array {name!r} of the model is {array.dtype} of shape {array.shape}, expected {kind} of shape "
                f"({sides}); save the model again"
            )
        return array


def require_partitions(labels: NDArray[Any], what: str) -> NDArray[np.int64]:
    """The number of clusters of each row of M x N labels, if each is 0..K-1 in order of first appearance.

    Compiled code makes room for as many clusters as the largest label says, and takes each to have an item.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> require_partitions(np.array([[0, 1, 0], [0, 0, 0]]), "draws").tolist()
    [2, 1]
    """
    M, N = labels.shape
    if N == 0:
        raise ModelError(f"{what} has no items; save the model again")
    n_clusters = np.empty(M, dtype=np.int64)
    rows = max(1, AT_ONCE // N)
    for low in range(0, M, rows):
        block = labels[low : low + rows]
        top = np.maximum.accumulate(block, axis=1)
        if (block < 0).any() or block[:, 0].any() or (block[:, 1:] - top[:, :-1] > 1).any():
            raise ModelError(f"{what} should number the clusters of each partition by first appearance; save it again")
        n_clusters[low : low + rows] = top[:, -1].astype(np.int64) + 1
    return n_clusters


def _told(value: Any) -> str:
    """A value as an error tells it: no more than a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
