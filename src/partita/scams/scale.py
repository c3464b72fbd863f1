"""Affinities on a scale of their own, so that one gamma serves affinities of any unit.

SCAMS is equivariant: (A, lambda, gamma, mu0) -> (c A, c lambda, c gamma, mu0 / c) changes nothing, so a fixed gamma
says something of a fixed scale only. Two scales are free of the unit, and gamma = theta / N belongs to both:

    "sym"    D^-1/2 A D^-1/2, D the row sums: a clique of n items has entries of about 1 / n
    "mean"   A N / sum(A): the mean entry is 1 / N, so that theta = 1 is the mean affinity
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from partita.errors import InputError

__all__ = ["Scale", "relative"]

Scale = Literal["sym", "mean"]


def relative(A: Any, kind: Scale = "sym") -> Any:
    """Bring an affinity to a scale that does not depend on its unit: c A gives what A gives.

    Parameters
    ----------
    A : N x N array or scipy.sparse
        Symmetric, nonnegative. Its diagonal counts in the sums; SCAMS sets it to zero before.
    kind : {"sym", "mean"}
        D^-1/2 A D^-1/2 with D the row sums, or A N / sum(A). An item without affinities keeps none.

    Returns
    -------
    A new N x N float64 array, or a CSR array where A is sparse.

    Raises
    ------
    InputError
        For an unknown kind.

    Notes
    -----
    Cost: O(N^2), or the number of stored entries. [li2014] has no such step: its gamma is for its own affinities.

    Examples
    --------
    >>> relative(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).round(12).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> relative(np.full((2, 2), 7.0), "mean").tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    if kind not in get_args(Scale):
        raise InputError(f"kind={kind!r}: expected 'sym' or 'mean'")
    sparse = sp.issparse(A)
    values: Any = sp.csr_array(A, dtype=np.float64) if sparse else np.asarray(A, dtype=np.float64)
    degrees = np.asarray(values.sum(axis=1), dtype=np.float64).ravel()
    if kind == "mean":
        total = float(degrees.sum())
        return values * (values.shape[0] / total if total > 0 else 1.0)
    factors = np.divide(1.0, np.sqrt(np.maximum(degrees, 0.0)), out=np.zeros_like(degrees), where=degrees > 0)
    if not sparse:
        return values * np.multiply.outer(factors, factors)  # one product of the two factors: symmetric to the bit
    coordinates = sp.coo_array(values)
    i, j = coordinates.coords
    return sp.csr_array((coordinates.data * (factors[i] * factors[j]), (i, j)), shape=values.shape)
