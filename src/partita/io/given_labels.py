"""Starts that are names, labels, or several of both, as JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, ModelError
from partita.io.codec import Arrays, missing
from partita.metrics.checks import codes_of

__all__ = ["given_labels", "labels_as_given"]


def given_labels(name: str, value: Any) -> tuple[Any, Arrays]:
    """Return a parameter that is a name, N labels, a sequence of either, or a mapping from names to labels.

    Labels that are no whole numbers are numbered, which is the same partition. Arrays stand under `name` in the model.

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> plain, arrays = given_labels("starts", ["sof", [2, 2, 0]])
    >>> plain, arrays
    (['sof', {'labels': 'starts.0'}], {'0': array([2, 2, 0])})
    >>> labels_as_given("starts", plain, arrays)
    ('sof', array([2, 2, 0]))
    """
    arrays: Arrays = {}

    def plain(entry: Any) -> Any:
        if isinstance(entry, str):
            return str(entry)
        key = str(len(arrays))
        arrays[key] = _labels(name, entry)
        return {"labels": f"{name}.{key}"}

    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise InputError(f"{name} cannot be saved: its names should be text, not {list(value)!r}")
        return {"named": {key: plain(entry) for key, entry in value.items()}}, arrays
    if isinstance(value, str) or _is_one(value):
        return plain(value), arrays
    return [plain(entry) for entry in value], arrays


def labels_as_given(name: str, plain: object, arrays: Arrays) -> Any:
    """Restore starts from `given_labels`; sequences come back as tuples.

    Raises
    ------
    ModelError
    """

    def given(entry: Any) -> Any:
        if isinstance(entry, str):
            return entry
        if isinstance(entry, dict) and entry.keys() == {"labels"} and isinstance(entry["labels"], str):
            return _held(name, entry["labels"], arrays)
        raise ModelError(f"the model has a start {entry!r}: expected a name, or the name of an array; fit it again")

    if isinstance(plain, list):
        return tuple(given(entry) for entry in plain)
    if isinstance(plain, dict) and isinstance(plain.get("named"), dict):
        return {key: given(entry) for key, entry in plain["named"].items()}
    return given(plain)


def _held(name: str, key: str, arrays: Arrays) -> NDArray[Any]:
    array = arrays.get(key.removeprefix(f"{name}."))
    if array is None:
        raise missing(f"array {key!r} of the model")
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ModelError(
            f"array {key!r} of the model is {array.dtype} of shape {array.shape}, expected whole numbers in one row; "
            "save the model again"
        )
    return array


def _is_one(value: Any) -> bool:
    """Whether a sequence is the labels of one partition: entries that are no sequences; words are names of methods."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind not in "OUS"
    return len(value) > 0 and all(np.ndim(entry) == 0 and not isinstance(entry, str) for entry in value)


def _labels(name: str, entry: Any) -> NDArray[Any]:
    array = np.asarray(entry)
    if array.ndim == 1 and array.dtype.kind in "i":
        return array
    if array.dtype.kind == "O" and not all(isinstance(label, str | int | float) for label in array.flat):
        raise InputError(f"{name} cannot be saved: expected names or labels, not {entry!r}")
    return codes_of(entry, name).astype(np.int64)
