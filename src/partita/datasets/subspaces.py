"""Items near a union of subspaces: the generator of [li2014] section 5.1, after Soltanolkotabi and Candes (2012).

K subspaces of R^50, uniform among those of their dimensions; 50 points on each, scaled to length one (uniform on the
sphere of the subspace); each moved by a vector uniform on the sphere of radius rho in R^50. The paper does not say that
the points are scaled again afterwards; they are not.

[li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: Simultaneous clustering and model selection, CVPR 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError

__all__ = ["DIMENSIONS", "LOW_NOISE", "group_test", "noise_test", "union_of_subspaces"]

# [li2014]: ambient dimension, points of each group, dimensions and noise of the two tests.
AMBIENT, POINTS = 50, 50
DIMENSIONS = (2, 4, 6, 8, 10)
LOW_NOISE = 0.05

Items = tuple[NDArray[np.float64], NDArray[np.int64]]


def union_of_subspaces(
    dimensions: Sequence[int],
    noise: float,
    rng: np.random.Generator,
    *,
    ambient: int = AMBIENT,
    points: int = POINTS,
) -> Items:
    """Return points on random subspaces, scaled to length one, each moved by a vector of length `noise` in any
    direction.

    Parameters
    ----------
    dimensions : sequence of int
        Dimension of each subspace, 1 to `ambient`.
    noise : float
        rho, at least 0.
    rng : numpy.random.Generator
    ambient, points : int
        Dimension of the space; points on each subspace.

    Returns
    -------
    X : array of shape (len(dimensions) * points, ambient)
        Subspace by subspace.
    truth : array of int
        The subspace of each point, 0-based.

    Raises
    ------
    InputError
        For a dimension that does not fit, no subspace, or negative noise.

    Examples
    --------
    >>> X, truth = union_of_subspaces((1, 2), 0.0, np.random.default_rng(0), ambient=5, points=10)
    >>> X.shape, int(np.linalg.matrix_rank(X[truth == 1]))
    ((20, 5), 2)
    """
    if not dimensions or not all(1 <= d <= ambient for d in dimensions):
        raise InputError(f"dimensions={tuple(dimensions)}: expected one to {ambient} for each subspace, and a subspace")
    if not noise >= 0 or points < 1:
        raise InputError(f"noise={noise}, points={points}: expected a length of at least 0 and at least one point")
    parts = []
    for d in dimensions:
        basis = np.linalg.qr(rng.normal(size=(ambient, d)))[0]
        parts.append(_unit(rng.normal(size=(points, d)) @ basis.T))
    X = np.concatenate(parts)
    X += noise * _unit(rng.normal(size=X.shape))
    return X, np.repeat(np.arange(len(dimensions)), points)


def noise_test(noise: float, rng: np.random.Generator) -> Items:
    """Return items as in [li2014] section 5.1.1: five groups of dimensions 2, 4, ..., 10; the paper's noise is 0 to .5.

    Examples
    --------
    >>> noise_test(0.2, np.random.default_rng(0))[0].shape
    (250, 50)
    """
    return union_of_subspaces(DIMENSIONS, noise, rng)


def group_test(n_groups: int, rng: np.random.Generator) -> Items:
    """Return items as in [li2014] section 5.1.2: groups of dimensions 2, ..., 2 K, noise .05; the paper's K is 1 to 12.

    Past six groups the dimensions add up to more than those of the space: the subspaces depend on each other.

    Raises
    ------
    InputError
        For no group, or more than fit.

    Examples
    --------
    >>> group_test(3, np.random.default_rng(0))[0].shape
    (150, 50)
    """
    return union_of_subspaces(range(2, 2 * n_groups + 1, 2), LOW_NOISE, rng)


def _unit(V: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(V / np.linalg.norm(V, axis=1, keepdims=True))
