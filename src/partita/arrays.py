"""Types of the arrays that functions take and return. Annotations only: nothing reads them when the program runs."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Flags", "Index", "Ints", "Labels", "Rng"]

Array: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
Index: TypeAlias = NDArray[np.intp]
Ints: TypeAlias = NDArray[np.integer]
Flags: TypeAlias = NDArray[np.bool_]
Rng: TypeAlias = np.random.Generator
