"""Colours for a partition beside another one: each cluster takes that of its parent there.

A cluster that holds the majority of one of the other's has it for its parent, of several the one it shares most items
with; any other cluster is a piece of what it overlaps most (of ties, of what no other is a piece of yet). The first of
a parent has its colour, the others lighter and darker shades. So a merged cluster has the colour of what it mostly is,
and a split one that of its larger half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.plots.palette import cluster_colors

__all__ = ["overlap_colors", "parents"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

# Shades of a piece, in turn: towards white (positive) or black, and how far.
SHADES = (0.0, 0.55, -0.4, 0.78, -0.65)


def parents(labels: Labels, reference: Labels) -> tuple[Labels, Labels]:
    """Parent in `reference` of each cluster of `labels`, and its rank among the clusters of that parent: 0 for the
    one that holds most of it, where there is one, then by the items shared.

    >>> parents(np.array([0, 0, 1, 2, 2]), np.array([0, 0, 0, 1, 1]))
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    shared = np.zeros((int(labels.max()) + 1, int(reference.max()) + 1), dtype=np.int64)
    np.add.at(shared, (labels, reference), 1)
    holds = 2 * shared > shared.sum(axis=0)
    whole = holds.any(axis=1)
    parent = np.where(holds, shared, 0).argmax(axis=1)
    taken = set(parent[whole].tolist())
    most = shared.max(axis=1)
    for j in sorted(np.flatnonzero(~whole).tolist(), key=lambda j: -int(most[j])):
        tied = np.flatnonzero(shared[j] == most[j]).tolist()
        parent[j] = next((k for k in tied if k not in taken), tied[0])
        taken.add(int(parent[j]))
    rank = np.empty(len(shared), dtype=np.int64)
    for p in np.unique(parent):
        own = np.flatnonzero(parent == p)
        rank[own[np.lexsort((-shared[own, p], ~holds[own, p]))]] = np.arange(len(own))
    return parent.astype(np.int64), rank


def overlap_colors(labels: Labels, reference: Labels) -> Array:
    """A colour for each cluster of `labels`, K x 3 in [0, 1].

    >>> overlap_colors(np.array([1, 1, 0]), np.array([0, 0, 1])).round(2).tolist()
    [[0.84, 0.37, 0.0], [0.0, 0.45, 0.7]]
    """
    base = [[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in cluster_colors(int(reference.max()) + 1)]
    parent, rank = parents(labels, reference)
    shade = np.take(SHADES, rank % len(SHADES))[:, None]
    towards = np.where(shade > 0, 1.0, 0.0)
    return np.asarray((1 - np.abs(shade)) * np.take(np.array(base), parent, axis=0) + np.abs(shade) * towards)
