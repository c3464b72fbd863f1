"""Whether two things made of dataclasses, arrays, containers and numbers are the same, to the bit and the type."""

import dataclasses
from typing import Any

import numpy as np

__all__ = ["differences"]


def differences(one: Any, other: Any, where: str = "it") -> list[str]:
    """Where they differ, in words; nothing where they are alike. NaN is like NaN; random streams are not looked at."""
    if isinstance(one, np.ndarray):
        kinds = (one.dtype, one.shape), (getattr(other, "dtype", None), getattr(other, "shape", None))
        if not isinstance(other, np.ndarray) or kinds[0] != kinds[1]:
            return [f"{where}: {kinds[0]}, {kinds[1]}"]
        same = one.tolist() == other.tolist() if one.dtype.kind == "O" else one.tobytes() == other.tobytes()
        return [] if same else [f"{where}: other numbers"]
    if type(one) is not type(other):
        return [f"{where}: {type(one).__name__}, {type(other).__name__}"]
    if isinstance(one, np.random.Generator):
        return []
    if dataclasses.is_dataclass(one) or (hasattr(one, "__dict__") and not isinstance(one, type)):
        names = (
            [field.name for field in dataclasses.fields(one)] if dataclasses.is_dataclass(one) else sorted(vars(one))
        )
        if not dataclasses.is_dataclass(one) and names != sorted(vars(other)):
            return [f"{where}: {sorted(vars(one).keys() ^ vars(other).keys())} in one alone"]
        return _all((getattr(one, name), getattr(other, name), f"{where}.{name}") for name in names)
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return [f"{where}: {sorted(one.keys() ^ other.keys())} in one alone"]
        return _all((one[key], other[key], f"{where}[{key!r}]") for key in one)
    if isinstance(one, (list, tuple)):
        if len(one) != len(other):
            return [f"{where}: {len(one)}, {len(other)} entries"]
        return _all((a, b, f"{where}[{at}]") for at, (a, b) in enumerate(zip(one, other)))
    if isinstance(one, float):
        return [] if one == other or (np.isnan(one) and np.isnan(other)) else [f"{where}: {one!r}, {other!r}"]
    return [] if one == other else [f"{where}: {one!r}, {other!r}"]


def _all(pairs: Any) -> list[str]:
    return [found for one, other, where in pairs for found in differences(one, other, where)]
