"""Residual of a membership against a similarity matrix, pair by pair, the diagonal left out.

Every item is together with itself, whatever its membership: the diagonal of a similarity matrix is 1, that of the
co-membership W W^T is sum_k w_ik^2, and a comparison of the two says nothing. Without it, P_ij = w_i . w_j for i != j
is the exact model of draws whose labels are independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.affinity import WeightedAffinity
from partita.affinity.checks import as_affinity
from partita.errors import InputError
from partita.objectives import Problem, SoFObjective

__all__ = ["membership_misfit", "without_diagonal"]


def without_diagonal(similarity: Any) -> WeightedAffinity:
    """Return the affinity with the N pairs of an item with itself unobserved; no N x N array is made.

    Parameters
    ----------
    similarity : N x N array, or Affinity such as `DrawsAffinity`

    Raises
    ------
    InputError
        For a matrix that is no affinity.

    Examples
    --------
    >>> P = without_diagonal(np.ones((3, 3)))
    >>> (P @ np.ones((3, 1)))[:, 0].tolist()
    [2.0, 2.0, 2.0]
    """
    P = as_affinity(similarity, name="similarity")
    items = np.arange(P.n_items)
    return WeightedAffinity(P, items, items, weight=0.0)


def membership_misfit(similarity: Any, membership: Any) -> float:
    """Return ||P - W W^T|| / ||P|| over the pairs of two different items; 0 where nobody is with anybody else.

    Parameters
    ----------
    similarity : N x N array, or Affinity such as `DrawsAffinity`
        A posterior similarity matrix.
    membership : N x K array, or array of N labels
        Rows on the simplex.

    Raises
    ------
    InputError
        For a matrix that is no affinity, or another number of items.

    Notes
    -----
    Cost: one product with P and ||P||^2. From sums, not entry by entry: a perfect fit comes out as 1e-8.

    Examples
    --------
    >>> P = [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> round(membership_misfit(P, [0, 0, 1]), 12)
    1.0
    >>> membership_misfit(P, [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    0.0
    """
    P = similarity if isinstance(similarity, WeightedAffinity) else without_diagonal(similarity)
    W = np.asarray(membership)
    if W.ndim == 1:
        codes = np.unique(W, return_inverse=True)[1]
        W = np.eye(int(codes.max()) + 1)[codes]
    if W.ndim != 2 or len(W) != P.n_items:
        raise InputError(f"membership has shape {W.shape}; expected {P.n_items} rows, or {P.n_items} labels")
    problem = Problem(P, SoFObjective())
    if problem.squared_norm <= 0:
        return 0.0
    return float(np.sqrt(problem.total(problem.evaluate(W.astype(np.float64))) / problem.squared_norm))
