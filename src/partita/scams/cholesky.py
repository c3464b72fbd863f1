"""Labels by pivoted Cholesky: what SCAMS is compared with as SCAMS-CK [li2014, sections 1 and 5.1.2].

G = Z Z^T with Z (N x K0) lower triangular up to the order of its pivots, and each item goes to the largest entry of its
row. On exact blocks a column of Z is a cluster. On nearly exact ones nothing keeps Z from other shapes, which is why
the Boolean factorization is there: this is for comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.scams.assignment import numbered

__all__ = ["cholesky_labels"]

# A pivot below this share of the first is rounding: G has no more rank.
PIVOT = 1e-10


def cholesky_labels(G: Any, max_clusters: int) -> NDArray[np.int64]:
    """Return the column of the largest entry in each row of Z, G ~ Z Z^T by Cholesky with the largest pivots first.

    Parameters
    ----------
    G : N x N array
        Symmetric: `ADMMResult.pattern`, or its G where the run was not stopped early.
    max_clusters : int
        K0, the most columns of Z: `ADMMResult.max_clusters`. Fewer where no positive pivot is left.

    Returns
    -------
    Labels 0..K-1 in order of appearance.

    Raises
    ------
    InputError
        For a G that is not a finite square matrix, or max_clusters < 1.

    Notes
    -----
    Cost: 2 N K0^2. Pivots by the largest diagonal entry left, the first of several: [li2014] says Cholesky and no more,
    and without pivots a factor of rank K0 is not found.

    Examples
    --------
    >>> cholesky_labels(np.kron(np.eye(2), np.ones((3, 3))), max_clusters=2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    matrix = np.asarray(G)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0 or not np.isfinite(matrix).all():
        raise InputError(f"G of shape {matrix.shape}: expected a finite square matrix (items x items)")
    if max_clusters < 1:
        raise InputError(f"max_clusters={max_clusters}: expected at least 1")
    N = len(matrix)
    Z = np.zeros((N, min(max_clusters, N)))
    left = matrix.diagonal().astype(np.float64)
    first = float(left.max())
    for k in range(Z.shape[1]):
        pivot = int(np.argmax(left))
        if left[pivot] <= PIVOT * first:
            break
        Z[:, k] = (matrix[:, pivot] - Z[:, :k] @ Z[pivot, :k]) / np.sqrt(left[pivot])
        left = left - Z[:, k] ** 2
        left[pivot] = -np.inf
    return numbered(Z.argmax(axis=1))
