"""Arrays of any kind that follows the array API standard: NumPy, CuPy, PyTorch, array-api-strict.

NumPy is the ordinary case and costs nothing here. Other arrays bring their own functions by `__array_namespace__`;
those of PyTorch and CuPy do not, or not all of them, and get them from the package array-api-compat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError

__all__ = ["is_foreign", "like", "namespace", "of_numpy", "roundoff", "through", "to_numpy"]

# Packages whose arrays are understood by array-api-compat.
BY_COMPAT = ("torch", "cupy")
# Packages whose arrays are many NumPy arrays, and which NumPy's functions take.
OF_NUMPY = ("dask",)


def namespace(array: Any) -> Any:
    """Return the array API functions of an array.

    Raises
    ------
    InputError
        For something that is no such array, and for one of PyTorch or CuPy where array-api-compat is not installed.

    Examples
    --------
    >>> namespace(np.ones(2)) is np
    True
    """
    if of_numpy(array):
        return np
    package = type(array).__module__.partition(".")[0]
    if package in BY_COMPAT:
        try:
            from array_api_compat import array_namespace
        except ImportError as error:
            raise InputError(
                f"arrays of {package} need the package array-api-compat: python -m pip install array-api-compat"
            ) from error
        return array_namespace(array)
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    raise InputError(f"expected an array of NumPy or of another array API package, not {type(array).__name__}")


def of_numpy(array: Any) -> bool:
    """Return whether this is a NumPy array, or made of them: then small ones beside it are NumPy's."""
    return isinstance(array, np.ndarray) or type(array).__module__.partition(".")[0] in OF_NUMPY


def is_foreign(array: Any) -> bool:
    """Return whether this is an array of another package than NumPy that the standard covers: no sparse matrix, no
    list.

    >>> is_foreign(np.ones(2)), is_foreign([1.0])
    (False, False)
    """
    if of_numpy(array):
        return False
    return hasattr(array, "__array_namespace__") or type(array).__module__.partition(".")[0] in BY_COMPAT


def like(array: Any, small: NDArray[np.float64]) -> Any:
    """Return a NumPy array as one of the kind, precision and device of `array`: `small` itself for NumPy."""
    if of_numpy(array):
        return small
    xp = namespace(array)
    return xp.asarray(small, dtype=array.dtype, device=array.device)


def through(P: Any, W: Any, product: Callable[[Any], Any]) -> Any:
    """Return `product(W)` for a W of the kind of `P`; a NumPy array is taken there, and its product brought back."""
    if isinstance(W, np.ndarray) and not isinstance(P, np.ndarray):
        return np.asarray(to_numpy(product(like(P, W))), dtype=np.float64)
    return product(W)


def roundoff(array: Any) -> float:
    """Return the unit roundoff of an array's numbers, in units of that of double precision.

    >>> roundoff(np.ones(1, dtype=np.float32)) == 2.0**29
    True
    """
    return float(namespace(array).finfo(array.dtype).eps / np.finfo(np.float64).eps)


def to_numpy(array: Any) -> NDArray[Any]:
    """Return a NumPy array on the host, from an array or a number of any kind."""
    if isinstance(array, np.ndarray | float | int):
        return np.asarray(array)
    if of_numpy(array):
        return np.asarray(array.compute())
    if hasattr(array, "detach"):  # PyTorch
        return np.asarray(array.detach().cpu().numpy())
    if hasattr(array, "get"):  # CuPy
        return np.asarray(array.get())
    return np.from_dlpack(array)
