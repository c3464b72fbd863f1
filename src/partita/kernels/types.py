"""Types of what kernels take. Numba reads no annotations; mypy holds callers to them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Flags", "Ints", "Rng"]

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer]
Flags: TypeAlias = NDArray[np.bool_]
Rng: TypeAlias = np.random.Generator
