"""The objective of SCAMS, of a partition [li2014, (3)].

With G = Z Z^T, Z the indicators of K clusters, the rank of G is K and ||G||_0 = sum n_k^2, so that (3) is

    J = sum over ordered pairs (i, j) of one cluster of (gamma - A_ij)  +  lambda K,

the pairs (i, i) among them: they add N gamma - tr(A) whatever the partition. Without lambda that is the constant Potts
model with resolution gamma, and correlation clustering.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.errors import InputError

__all__ = ["partition_objective"]


def partition_objective(labels: Any, A: Any, gamma: float, lam: float) -> float:
    """Return tr(W^T G) + lambda rank(G) + gamma ||G||_0 at G = Z Z^T, with W = -A [li2014, (3)].

    Parameters
    ----------
    labels : array of N
        Any values that tell clusters apart.
    A : N x N array or scipy.sparse
        The affinity, diagonal included: J counts -tr(A) and N gamma, the same for every partition.
    gamma, lam : float
        Price of a pair in one cluster (ordered pairs, those of an item with itself too), and of a cluster.

    Raises
    ------
    InputError
        Where labels and affinity do not have the same number of items.

    Notes
    -----
    Cost: the pairs in one cluster, or the stored entries.

    Examples
    --------
    >>> A = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> round(partition_objective([0, 0, 1], A, gamma=0.5, lam=1.0), 6)  # 2 + .5 * 5 - 3 - 2 * .8
    -0.1
    """
    if not sp.issparse(A):
        A = np.asarray(A, dtype=np.float64)
    codes = np.unique(np.asarray(labels), return_inverse=True)[1].ravel()
    if A.ndim != 2 or A.shape != (len(codes), len(codes)):
        raise InputError(f"{len(codes)} labels and an affinity of shape {A.shape}: expected one label for each item")
    sizes = np.bincount(codes).astype(np.float64)
    if sp.issparse(A):
        stored = sp.coo_array(A)
        i, j = stored.coords
        within = float(stored.data[codes[i] == codes[j]].sum(dtype=np.float64))
    else:
        groups = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes).astype(np.intp)[:-1])
        within = float(sum(A[np.ix_(group, group)].sum() for group in groups))
    return lam * len(sizes) + gamma * float(sizes @ sizes) - within
