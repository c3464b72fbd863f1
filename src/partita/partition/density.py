"""Clusters of a density, told from distances and weights alone: components that persist over a valley.

    core(a) = least r with weight {b : d(a, b) <= r} >= NEIGHBOURHOOD
    h(a, b) = max(core(a), core(b), d(a, b))                              [campello2013] mutual reachability

Single linkage of h is the tree of its level sets. Components are born with weight `SMALLEST` and die where they meet
one that was born earlier. With k neighbours the logarithm of a density is known up to 1/sqrt(k) or so, and the pass
between two components is a valley when it lies exp(`CAUTION` / sqrt(k)) times as high as the later birth.
O(S^2 log S) for S points, by Prim's algorithm.

[campello2013] R. Campello, D. Moulavi, J. Sander, Density-based clustering based on hierarchical density estimates,
PAKDD (2013).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["FEWEST_NEIGHBOURS", "NEIGHBOURHOOD", "core_radii", "density_modes"]


# Share of the weight that a core radius takes in, and the fewest points: fewer, and chance alone makes valleys.
NEIGHBOURHOOD, FEWEST_NEIGHBOURS = 0.05, 12
# Share of the weight that a component is born with, and the fewest points.
SMALLEST, FEWEST_POINTS = 0.05, 16
# A pass 1.24 times as high for 50 neighbours, 1.54 for 12. One noisy partition, simulated, had no second component at
# all; draws on a line, where chance makes gaps, reached that height in one posterior of 200
# (`benchmarks/uncertainty.py`).
CAUTION = 1.5
# Weights add up to a share up to this: rounding.
ROUNDING = 1e-12


def density_modes(distances: Array, weights: Array, least: float, n_draws: float) -> tuple[NDArray[np.int64], float]:
    """Return the mode of each point, and how high the highest pass is over the later birth.

    Parameters
    ----------
    distances : array, S x S
        Symmetric.
    weights : array of S
        Sum to one.
    least : float
        Distances below it count as this.
    n_draws : float
        How many draws of equal weight the points are worth.

    Returns
    -------
    array of S
        0.. in order of the first point; -1 for points that join only above a pass.
    float
        1 where no second component is born.
    """
    share = max(NEIGHBOURHOOD, FEWEST_NEIGHBOURS / n_draws)
    valley = math.exp(CAUTION / math.sqrt(share * n_draws))
    core = core_radii(distances, weights, share)
    S = len(weights)
    reach = np.maximum(np.maximum(distances, least), np.maximum(core[:, None], core[None, :]))
    ends, heights = _spanning_tree(reach)
    born = max(SMALLEST, FEWEST_POINTS / n_draws) * (1.0 - ROUNDING)
    parent = np.arange(S)
    mass, birth = weights.copy(), np.where(weights >= born, np.maximum(core, least), np.inf)
    modes_of: list[list[NDArray[np.int64]]] = [[] for _ in range(S)]
    members = [np.array([s]) for s in range(S)]
    separation = 1.0

    def root(s: int) -> int:
        while parent[s] != s:
            parent[s] = parent[parent[s]]
            s = int(parent[s])
        return s

    for e in np.argsort(heights, kind="stable"):
        a, b, h = root(ends[e, 0]), root(ends[e, 1]), float(heights[e])
        if mass[a] < mass[b]:
            a, b = b, a
        modes = modes_of[a] + modes_of[b]
        if np.isfinite(birth[a]) and np.isfinite(birth[b]):
            over = h / max(birth[a], birth[b]) if max(birth[a], birth[b]) > 0 else (np.inf if h > 0 else 1.0)
            separation = max(separation, over)
            if over >= valley:
                modes = (modes_of[a] or [members[a]]) + (modes_of[b] or [members[b]])
        parent[b] = a
        mass[a] += mass[b]
        members[a] = np.concatenate([members[a], members[b]])
        birth[a] = min(birth[a], birth[b])
        if np.isinf(birth[a]) and mass[a] >= born:
            birth[a] = h
        modes_of[a] = modes
    modes = modes_of[root(0)]
    out = np.zeros(S, dtype=np.int64)
    if modes:
        out[:] = -1
        for k, its in enumerate(sorted(modes, key=lambda its: int(its.min()))):
            out[its] = k
    return out, float(separation)


def core_radii(distances: Array, weights: Array, share: float) -> Array:
    """Return the distance within which each point has the share of the weight, itself included."""
    order = np.argsort(distances, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1) >= min(share, 1.0) * (1.0 - ROUNDING)
    rows = np.arange(len(distances))
    at: NDArray[np.intp] = reached.argmax(axis=1)
    return np.asarray(distances[rows, order[rows, at]])


def _spanning_tree(reach: Array) -> tuple[NDArray[np.int64], Array]:
    """Edges of a minimum spanning tree and their lengths [prim1957]."""
    S = len(reach)
    ends, heights = np.zeros((S - 1, 2), dtype=np.int64), np.empty(S - 1)
    nearest, height = np.zeros(S, dtype=np.int64), reach[0].copy()
    left = np.ones(S, dtype=bool)
    left[0] = False
    for e in range(S - 1):
        at = int(np.where(left, height, np.inf).argmin())
        ends[e], heights[e] = (nearest[at], at), height[at]
        left[at] = False
        closer = left & (reach[at] < height)
        height[closer], nearest[closer] = reach[at][closer], at
    return ends, heights
