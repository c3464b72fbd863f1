"""A similarity matrix as it comes in: the only place of this package where it is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.memory import require_pairs

__all__ = ["checked_similarity"]

# N x N arrays that are there at once: V, what the dendrogram is made from, and work.
COPIES = 4.0
# Difference of V_ij and V_ji, and excess over one, that rounding explains.
ROUNDING = 1e-9


def checked_similarity(similarity: Any) -> Array:
    """Return an N x N array of double precision, symmetric with entries in [0, 1], or an error that says where it
    is not.

    Raises
    ------
    InputError, MemoryLimitError
    """
    shape = np.shape(similarity)
    if len(shape) != 2 or shape[0] != shape[1] or 0 in shape:
        raise InputError(
            f"similarity has shape {shape}, expected N x N: pass posterior_similarity(draws), or draws to "
            "sof_membership(DrawsAffinity(draws), ...)"
        )
    require_pairs(
        int(shape[0]),
        "factorizing a similarity matrix",
        "use partita.nmf.sof_membership with partita.affinity.DrawsAffinity(draws), which makes no such matrix",
        copies=COPIES,
    )
    V = np.ascontiguousarray(similarity, dtype=np.float64)
    bad = ~((V >= 0) & (V <= 1 + ROUNDING))
    if bad.any():
        i, j = (int(at[0]) for at in np.nonzero(bad))
        raise InputError(
            f"similarity[{i}, {j}] = {V[i, j]:g} is outside [0, 1]: expected shares of draws in which two items are "
            "together, and a number for every pair"
        )
    apart = np.abs(V - V.T)
    if apart.max() > ROUNDING:
        i, j = divmod(int(apart.argmax()), len(V))
        raise InputError(
            f"similarity[{i}, {j}] = {V[i, j]:g} and similarity[{j}, {i}] = {V[j, i]:g}: expected a symmetric matrix; "
            "pass (P + P.T) / 2 if either may hold"
        )
    if not V.any():
        raise InputError("similarity is all zero; a posterior similarity matrix has ones on its diagonal")
    return V
