"""Distances from a central draw of several chains to all draws: a trace that sees what the number of clusters does not.

The variation of information, in whole numbers (`partita.kernels.partition_distances`), so that it is the same to the
bit however clusters are numbered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["candidates", "central_distances", "most_central", "whole_entropies"]

Whole = NDArray[np.int64]

# f(N) is at most this many units: its double-precision value is then off by less than one of them.
LARGEST = 2.0**51
# Draws among which a central one is looked for, and labels in a chunk of work.
CENTRAL, LABELS = 64, 1 << 18


def whole_entropies(n_items: int) -> tuple[Whole, float]:
    """Return the table of n log2 n for n = 0..N in whole numbers, and how many bits a unit of a distance is.

    >>> f, unit = whole_entropies(4)
    >>> (f * unit).round(12).tolist()
    [0.0, 0.0, 0.5, 1.188721875541, 2.0]
    """
    n = np.arange(n_items + 1, dtype=np.int64)
    bits = n * np.log2(np.maximum(n, 1))
    digits = int(np.floor(np.log2(LARGEST / max(bits[-1], 1.0))))
    return np.rint(np.ldexp(bits, digits)).astype(np.int64), 2.0**-digits / n_items


def candidates(n_draws: int) -> Whole:
    """Return the draws among which a central one is looked for: 64 or fewer, spread evenly.

    >>> candidates(5).tolist()
    [0, 1, 2, 3, 4]
    """
    return np.unique(np.linspace(0, n_draws - 1, min(n_draws, CENTRAL)).astype(np.int64))


def most_central(some: NDArray[Any], f: Whole) -> int:
    """Return the position of the draw, of a few with labels from 0, with the least mean distance to the others.

    >>> most_central(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1]]), whole_entropies(3)[0])
    0
    """
    from partita.kernels.partition_distances import distances_within

    between = np.zeros((len(some), len(some)), dtype=np.int64)
    distances_within(np.ascontiguousarray(some), int(some.max()) + 1, f, 0, len(some), between)
    return int(between.sum(axis=1).argmin())


def central_distances(draws: NDArray[Any]) -> NDArray[np.float64]:
    """Return the variation of information, in bits, between each draw and one in the middle of them.

    Parameters
    ----------
    draws : array, M x N, of labels from 0, each below N

    Notes
    -----
    O(M N).

    Examples
    --------
    >>> central_distances(np.array([[0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])).tolist()
    [0.0, 1.0, 0.0]
    """
    from partita.kernels.partition_distances import by_cluster, distances_from

    M, N = draws.shape
    f, unit = whole_entropies(N)
    some = draws[candidates(M)]
    codes = some[most_central(some, f)].astype(np.int64)
    K, most = int(codes.max()) + 1, int(draws.max()) + 1
    order, starts = np.empty(N, dtype=np.int64), np.empty(K + 1, dtype=np.int64)
    by_cluster(codes, K, order, starts)
    u = int(f[np.diff(starts)].sum())
    units, n_clusters = np.empty(M, dtype=np.int64), np.empty(M, dtype=np.int64)

    def work(low: int, high: int) -> None:
        distances_from(draws, most, order, starts, f, u, low, high, units, n_clusters)

    run_chunks(work, row_bounds(M, max(1, LABELS // N)))
    return np.asarray(units * unit, dtype=np.float64)
