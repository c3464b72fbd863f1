"""Euclidean projection of each row onto the probability simplex, exactly.

The projection of v is max(v - theta, 0) with the theta that makes the row sum to one; theta follows from the sorted
row [held1974; duchi2008, Fig. 1]. Small arrays go through NumPy, so that a small fit loads no compiler; large ones
through a numba kernel that makes no temporary arrays. Both are the same algorithm and a test holds them together.

Columns may be measured each on its own scale: the nearest p by sum_k (p_k - v_k)^2 / u_k is max(v - theta u, 0), and
theta is found by leaving out, again and again, what lies below it [michelot1986].

Cost: O(N K log K) in NumPy, O(N K^2) worst case and about O(N K) in practice in the kernel (insertion sort, K small).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernels.namespace import like, namespace, of_numpy
from partita.kernels.threads import row_bounds, run_chunks

__all__ = [
    "project_rows",
    "project_rows_array",
    "project_rows_compiled",
    "project_rows_numpy",
    "project_rows_scaled",
    "project_rows_scaled_array",
    "row_descent",
    "row_projection",
]

# Entries above which the kernels' cold start (about half a second from their cache) is worth it, over a whole fit.
COMPILED_FROM = 100_000
CHUNK = 1 << 14


def project_rows(V: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project each row of V onto the simplex {p >= 0, sum p = 1}.

    >>> project_rows(np.array([[0.5, 0.7], [3.0, 0.0]])).round(12).tolist()
    [[0.4, 0.6], [1.0, 0.0]]
    """
    if V.shape[1] == 1:
        return np.ones_like(V)
    return project_rows_compiled(V) if V.size >= COMPILED_FROM else project_rows_numpy(V)


def row_projection(factor: Any, u: NDArray[np.float64] | None = None) -> Callable[[Any], Any]:
    """Return the projection for blocks of rows of `factor`, an array of any kind: the compiled one where it is large.

    With `u` the one that measures column k in units of sqrt(u_k).
    """
    if u is not None:
        units, scaled = like(factor, u), project_rows_scaled if of_numpy(factor) else project_rows_scaled_array
        return lambda V: scaled(V, units)
    if not of_numpy(factor):
        return project_rows_array
    if factor.shape[1] == 1:
        return np.ones_like
    return _one_block if factor.size >= COMPILED_FROM else project_rows_numpy


def row_descent(
    factor: Any, compiled_from: int | None = None
) -> Callable[..., tuple[NDArray[np.float64], float, float, float]] | None:
    """Return the compiled step of `partita.kernels.simplex_rows` for blocks of rows of `factor`, where that has so many
    entries (None: where the kernel is worth loading for one fit).

    Else None.
    """
    if not of_numpy(factor) or factor.size < (COMPILED_FROM if compiled_from is None else compiled_from):
        return None
    from partita.kernels.simplex_rows import descend_rows

    def step(
        W: NDArray[np.float64],
        Y: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        a: NDArray[np.float64],
        Q: NDArray[np.float64],
        B: float,
        u: NDArray[np.float64] | None,
    ) -> tuple[NDArray[np.float64], float, float, float]:
        out = np.empty_like(W)
        return out, *descend_rows(W, Y, weights, a, Q, B, np.ones(W.shape[1]) if u is None else u, out)

    return step


def _one_block(V: NDArray[np.float64]) -> NDArray[np.float64]:
    """The compiled projection on this thread."""
    out = np.empty_like(V)
    _kernel()(V, out)
    return out


def project_rows_array(V: Any) -> Any:
    """Return the row projection of an array of any kind, by one sort."""
    xp = namespace(V)
    K = V.shape[1]
    V = V - xp.max(V, axis=1, keepdims=True)
    descending = xp.sort(V, axis=1, descending=True)
    excess = xp.cumulative_sum(descending, axis=1) - 1.0
    count = xp.arange(1, K + 1, dtype=V.dtype, device=V.device)
    out = V - xp.max(excess / count, axis=1, keepdims=True)  # the support is where excess / count is largest
    return xp.where(out > 0, out, xp.zeros_like(out))


def project_rows_numpy(V: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the row projection by one sort of the whole array."""
    K = V.shape[1]
    V = V - V.max(axis=1, keepdims=True)  # a shift of a row changes nothing, and now x - 1 is never rounded to x
    descending = -np.sort(-V, axis=1)
    excess = np.cumsum(descending, axis=1) - 1.0
    support = (descending * np.arange(1, K + 1) > excess).sum(axis=1)  # [duchi2008] Fig. 1: rho, at least 1
    theta = excess[np.arange(len(V)), support - 1] / support
    return np.asarray(np.maximum(V - theta[:, None], 0.0))


def project_rows_scaled(V: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p on the simplex with the least sum_k (p_k - v_k)^2 / u_k, u > 0, for each row v.

    >>> project_rows_scaled(np.array([[0.5, 0.7]]), np.array([1.0, 3.0])).round(12).tolist()
    [[0.45, 0.55]]
    """
    R = V / u
    R = R - R.max(axis=1, keepdims=True)  # a shift of v by u changes nothing, and now x - 1 is never rounded to x
    V, units = R * u, u[:, None]
    theta = (R - 1.0 / u).max(axis=1, keepdims=True)  # what one entry alone would ask for: at most theta
    for _ in range(V.shape[1]):
        inside = theta < R
        following = (np.einsum("nk,nk->n", inside, V)[:, None] - 1.0) / (inside @ units)
        larger = following > theta
        if not larger.any():
            break
        theta = np.where(larger, following, theta)
    return np.asarray(np.maximum(V - theta * u, 0.0))


def project_rows_scaled_array(V: Any, u: Any) -> Any:
    """Return `project_rows_scaled` of an array of any kind, in as many rounds as there are columns."""
    xp = namespace(V)
    R = V / u
    R = R - xp.max(R, axis=1, keepdims=True)
    V, units = R * u, xp.reshape(u, (-1, 1))
    zero, one = xp.zeros_like(V), xp.ones_like(V)
    theta = xp.max(R - 1.0 / u, axis=1, keepdims=True)
    for _ in range(V.shape[1]):
        inside = xp.where(theta < R, one, zero)
        following = (xp.sum(inside * V, axis=1, keepdims=True) - 1.0) / (inside @ units)
        theta = xp.where(following > theta, following, theta)
    out = V - theta * u
    return xp.where(out < 0, zero, out)


def project_rows_compiled(V: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the row projection by the compiled kernel, row chunks shared among threads."""
    V = np.ascontiguousarray(V)
    out = np.empty_like(V)
    kernel = _kernel()
    run_chunks(lambda low, high: kernel(V[low:high], out[low:high]), row_bounds(len(V), CHUNK))
    return out


@cache
def _kernel() -> Callable[[Any, Any], None]:
    from partita.kernels.simplex_rows import project_rows_kernel

    return project_rows_kernel
