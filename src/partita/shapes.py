"""Declared shapes of arrays: what an array that somebody else wrote has to be before anything reads it.

A shape says the type of the numbers and the names of the sides. Sides of one name have one length among all arrays
that are looked at together, so what has to be as long as what is declared once, where the arrays belong: in the type
hints of a record (`partita.io.codec`), or in `Builder.stored`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError

__all__ = ["ArrayShape", "flags", "floats", "partitions", "reals", "require", "whole"]

# What is refused among floats.
UNKNOWN, INFINITE = "NaN or infinities", "infinite numbers"
# Labels that are looked at in one go.
AT_ONCE = 1 << 22


@dataclass(frozen=True)
class ArrayShape:
    """Declared type, shape and range of an array; see `floats`, `reals`, `whole`, `flags` and `partitions`.

    Attributes
    ----------
    kind : str
        Of its numbers, in words.
    types : str
        A kind of NumPy's types, or the name of one type.
    sides : tuple of str or None, or None
        Names of its sides; None for any length, and None in the place of the tuple for any shape.
    name : str, optional
        Of the array, where it is not that of the field.
    as_type : type, optional
        That it is handed out in.
    below : str, optional
        Side whose length all its numbers are below.
    refused : str
        What may not be among floats, in words; empty for nothing.
    numbered : bool
        Whether its rows are partitions, clusters numbered from 0 by first appearance.
    """

    kind: str
    types: str
    sides: tuple[str | None, ...] | None
    name: str | None = None
    as_type: Any = None
    below: str | None = None
    refused: str = UNKNOWN
    numbered: bool = False


def floats(*sides: str | None, name: str | None = None) -> ArrayShape:
    """Return finite doubles."""
    return ArrayShape("float64", "float64", sides, name)


def reals(*sides: str | None, name: str | None = None, refused: str = INFINITE) -> ArrayShape:
    """Return floats of any precision, which may be NaN and, where nothing is refused, infinite."""
    return ArrayShape("floats", "f", sides, name, refused=refused)


def whole(*sides: str | None, name: str | None = None, as_type: Any = None, below: str | None = None) -> ArrayShape:
    """Return the signed whole numbers; with `below` from 0 on."""
    return ArrayShape("whole numbers", "i", sides, name, as_type, below)


def flags(*sides: str | None) -> ArrayShape:
    """Return the truth values."""
    return ArrayShape("truth values", "b", sides)


def partitions(*sides: str | None, name: str | None = None, as_type: Any = None) -> ArrayShape:
    """Return partitions, each numbered 0..K-1 by first appearance; the last side is that of their items."""
    return ArrayShape("whole numbers", "i", sides, name, as_type, numbered=True)


def require(array: NDArray[Any], shape: ArrayShape, name: str, lengths: dict[str, int]) -> NDArray[Any]:
    """Return the array, if it is of that shape, in the type that it is handed out in.

    Parameters
    ----------
    array : array
    shape : ArrayShape
    name : str
        Of the array, for the error.
    lengths : dict of str to int
        Of the sides that are known; those that the array has are added.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> lengths = {"N": 3}
    >>> require(np.zeros((3, 2)), floats("N", "K"), "membership", lengths).shape, lengths
    ((3, 2), {'N': 3, 'K': 2})
    >>> require(np.array([0, 2, 1]), whole("N", below="K"), "labels", lengths)
    Traceback (most recent call last):
    partita.errors.ModelError: array 'labels' of the model should hold 0..1 only; save the model again
    """
    what = f"array {name!r} of the model"
    sides = shape.sides if shape.sides is not None else (None,) * array.ndim
    wanted = [str(lengths.get(side or "", "any")) for side in sides]
    same = len(sides) == array.ndim and shape.types in (array.dtype.kind, array.dtype.name)
    if not same or any(
        side is not None and lengths.setdefault(side, n) != n for side, n in zip(sides, array.shape, strict=True)
    ):
        found = f"{array.dtype} of shape {array.shape}, expected {shape.kind} of shape ({', '.join(wanted)})"
        raise ModelError(f"{what} is {found}; save the model again")
    odd = {UNKNOWN: lambda: ~np.isfinite(array), INFINITE: lambda: np.isinf(array)}.get(shape.refused)
    if array.dtype.kind == "f" and odd is not None and odd().any():
        raise ModelError(f"{what} holds {shape.refused}; save the model again")
    if shape.below is not None and not ((array >= 0) & (array < lengths[shape.below])).all():
        raise ModelError(f"{what} should hold 0..{lengths[shape.below] - 1} only; save the model again")
    if shape.numbered:
        _require_partitions(np.atleast_2d(array), what)
    return array if shape.as_type is None else array.astype(shape.as_type)


def _require_partitions(labels: NDArray[Any], what: str) -> None:
    """Raise `ModelError` unless each row is 0..K-1 in order of first appearance.

    Compiled code makes room for as many clusters as the largest label says, and takes each to have an item.
    """
    M, N = labels.shape
    if N == 0:
        raise ModelError(f"{what} has no items; save the model again")
    rows = max(1, AT_ONCE // N)
    for low in range(0, M, rows):
        block = labels[low : low + rows]
        top = np.maximum.accumulate(block, axis=1)
        if (block < 0).any() or block[:, 0].any() or (block[:, 1:] - top[:, :-1] > 1).any():
            raise ModelError(f"{what} should number the clusters of each partition by first appearance; save it again")
