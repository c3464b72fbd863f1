"""An order of the nodes of a graph that its links alone decide, whatever order they were given in.

All that is random in a clustering of a graph (starts, edges that are left out, ties) hangs on the order of its nodes.
In this one they come by the weight of all walks of one step that begin at them, which is their degree; where that is
the same, by that of walks of two steps, and so on. So a permutation of the nodes permutes the answer.

Nodes with the same walks of every length keep the order in which they were given. Most such nodes can change places
without a change of the graph, as leaves of one node can; in a graph where every degree is the same none are told apart.
Cost: eight products with the graph.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["order_of_nodes"]

# Steps of the longest walks, and decimals of their weight beside the largest: far more than rounding takes.
STEPS, DECIMALS = 8, 9


def order_of_nodes(A: sp.csr_array) -> NDArray[np.intp]:
    """Return the nodes of a graph with nonnegative weights, those with the lightest walks first.

    >>> star = np.zeros((4, 4))
    >>> star[1, [0, 2, 3]] = star[[0, 2, 3], 1] = 1.0
    >>> order_of_nodes(sp.csr_array(star)).tolist()
    [0, 2, 3, 1]
    """
    walks, keys = np.ones(A.shape[0]), []
    A = _in_unit(A.data.max(initial=0.0)) * A
    for _ in range(STEPS):
        walks = A @ walks
        unit = _in_unit(walks.max(initial=0.0))
        walks = unit * walks
        keys.append(np.round(walks / max(walks.max(initial=0.0), np.finfo(float).tiny), DECIMALS))
    return np.lexsort(keys[::-1])


def _in_unit(largest: float) -> float:
    """The power of two that takes a number to 1/2 or more and below 1: products with it are exact."""
    return float(np.ldexp(1.0, -int(np.frexp(largest)[1])))
