"""One scale c for all items of a kernel, exp(-c ||x - y||^2) or exp(-c ||x - y||_1), found without labels.

K clusters of equal size, all certain, have the mean co-membership 1 / K: the c at which the mean of the kernel is that,
on a sample of items. A change of the unit of the features changes c and not the kernel.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from partita.affinity.distances import distances
from partita.affinity.from_features import Kernel, balanced_scale
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["OF_KERNEL", "Scale", "check_kernel", "kernel_scale"]

Scale: TypeAlias = float | Literal["balanced"]

# Distance of which each kernel is a function.
OF_KERNEL: dict[Kernel, str] = {"gaussian": "sqeuclidean", "laplacian": "manhattan"}
# Items in the sample.
SAMPLE = 1000


def check_kernel(kernel: str, scale: Scale) -> None:
    """Raise unless both can be had."""
    if kernel not in ("gaussian", "laplacian"):
        raise InputError(f"kernel={kernel!r}: expected 'gaussian' or 'laplacian'")
    if scale != "balanced" and not (isinstance(scale, (int, float)) and 0 < scale < np.inf):
        raise InputError(f"scale={scale!r}: expected a positive number or 'balanced'")


def kernel_scale(X: Array, kernel: Kernel, scale: Scale, n_clusters: int, weights: Array | None, seed: int) -> float:
    """Return the scale as given, or the balanced one.

    >>> X = np.repeat([[0.0], [3.0]], 50, axis=0) + np.linspace(0, 0.1, 100)[:, None]
    >>> c = kernel_scale(X, "gaussian", "balanced", 2, None, 0)
    >>> round(float(np.exp(-c * (X - X.T) ** 2).mean()), 6)
    0.5
    """
    if scale != "balanced":
        return float(scale)
    seen = np.sort(np.random.default_rng(seed).permutation(len(X))[:SAMPLE])
    D = distances(X[seen], X[seen], OF_KERNEL[kernel], None)
    unit = float(D.mean()) or 1.0  # the search for c is over a range that fits distances of about one
    return balanced_scale(D / unit, n_clusters, None if weights is None else weights[seen]) / unit
