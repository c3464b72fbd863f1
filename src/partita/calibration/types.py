"""Types that the parts of a calibration exchange."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Predict", "Refit"]

Predict = Callable[[NDArray[np.intp]], NDArray[np.float64]]
# Fit again to some of the items: their labels and memberships there, and what it says of other items.
Refit = Callable[[NDArray[np.intp]], tuple[NDArray[np.int64], NDArray[np.float64], Predict]]
