"""Assignment of each item to one cluster, from groups that may overlap or leave items out [li2014, section 4].

Items in one group are its members. An item in several groups, or in none, waits; then each goes to the group with whose
members it has the largest affinity in total, all at once, so that their order does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["assign", "numbered"]

Codes = NDArray[np.int64]


def assign(Z: NDArray[np.bool_], affinity: Any) -> Codes:
    """Return labels 0..K-1 in order of appearance, from the indicators of groups (N x groups).

    An item in several groups may go to any group, as printed; where it has no affinity to the members of any, it goes
    to its first one. An item in none that has no affinity to any members is a cluster of its own. A group
    without members of its own takes part in nothing but that.

    Parameters
    ----------
    Z : N x groups array of bool
    affinity : N x N array or scipy.sparse

    Examples
    --------
    >>> Z = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    >>> A = np.array([[0, 1, 0, 0, 0], [1, 0, 2, 0, 0], [0, 2, 0, 3, 0], [0, 0, 3, 0, 0], [0, 0, 0, 0, 0]])
    >>> assign(Z, A).tolist()
    [0, 1, 1, 1, 2]
    """
    N, groups = Z.shape
    count = Z.sum(axis=1)
    labels = np.full(N, -1, dtype=np.int64)
    if groups:
        single = count == 1
        labels[single] = Z[single].argmax(axis=1)
        waiting = np.flatnonzero(~single)
        members = sp.csr_array((Z & single[:, None]).astype(np.float64))
        rows = sp.csr_array(affinity)[waiting] if sp.issparse(affinity) else np.asarray(affinity)[waiting]
        total = rows @ members
        total = np.asarray(total.toarray() if sp.issparse(total) else total).reshape(len(waiting), groups)
        found = total.max(axis=1) > 0
        labels[waiting[found]] = total[found].argmax(axis=1)
        torn = waiting[~found & (count[waiting] > 1)]
        labels[torn] = Z[torn].argmax(axis=1)
    alone = np.flatnonzero(labels < 0)
    labels[alone] = groups + np.arange(len(alone))
    return numbered(labels)


def numbered(labels: Any) -> Codes:
    """Return labels as 0..K-1 in order of appearance.

    >>> numbered([7, 3, 7]).tolist()
    [0, 1, 0]
    """
    _, first, codes = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes.ravel()]
