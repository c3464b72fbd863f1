"""Weights of the draws of an ensemble: agreement with the other methods, one voice a method.

The agreement a_b of a draw is its mean adjusted Rand index with the draws of every other method, first averaged within
each of them; its weight is a_b^2, divided by the number of draws of its method. So

- agreement is counted between different methods only: a draw gains nothing from copies of its own method;
- a method is one voice: drawing it twice as often, or with near-copies, leaves its total where it was.

Two methods that agree because both are right cannot be told, within one data set, from two that agree because they are
the same: what counts as a copy is therefore the method's name, not how alike its answers are. The square is FINDINGS'
measured choice between no weights and a vote of the best alone; powers from one to four differ by less than the noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Labels

__all__ = ["LEAST", "POWER", "adjusted_rand", "agreement", "agreement_weights"]

POWER = 2
# A draw that agrees with nobody still has this agreement: one method alone, or all at odds, must leave some evidence.
LEAST = 1e-3


def adjusted_rand(a: Labels, b: Labels) -> float:
    """Return the adjusted Rand index of two labellings of the same items, from their table of counts.

    1 where both are trivial.

    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    n = len(a)
    rows, columns = np.bincount(a), np.bincount(b)
    cells = a * len(columns) + b
    # A table of more cells than items is mostly empty.
    counts = np.bincount(cells) if len(rows) * len(columns) <= n else np.unique(cells, return_counts=True)[1]
    pairs, in_a, in_b = (float((held * (held - 1)).sum()) for held in (counts, rows, columns))
    chance = in_a * in_b / max(n * (n - 1.0), 1.0)
    spread = (in_a + in_b) / 2 - chance
    return (pairs - chance) / spread if spread > 0 else 1.0


def agreement(draws: Sequence[Labels]) -> Array:
    """Return the adjusted Rand indices of all pairs of draws, M x M."""
    M = len(draws)
    table = np.eye(M)
    for i in range(M):
        for j in range(i):
            table[i, j] = table[j, i] = adjusted_rand(draws[i], draws[j])
    return table


def agreement_weights(table: Array, methods: Sequence[str], power: float = POWER) -> tuple[Array, Array]:
    """Return weights of the draws (sum 1) and their agreement with the other methods.

    Parameters
    ----------
    table : M x M array
        Agreement of each pair of draws.
    methods : sequence of M str
        The method of each draw.
    power : float
        0 weighs every method alike.

    Examples
    --------
    >>> table = np.array([[1.0, 0.9, 0.8, 0.1], [0.9, 1.0, 0.8, 0.1], [0.8, 0.8, 1.0, 0.1], [0.1, 0.1, 0.1, 1.0]])
    >>> weights, agreed = agreement_weights(table, ["graph", "graph", "genie", "noise"])
    >>> agreed.round(2).tolist(), weights.round(2).tolist()
    ([0.45, 0.45, 0.45, 0.1], [0.24, 0.24, 0.49, 0.02])
    """
    names = np.asarray(methods)
    kinds: list[NDArray[np.intp]] = [np.flatnonzero(names == name) for name in dict.fromkeys(methods)]
    agreed = np.ones(len(names))
    count = np.ones(len(names))
    for own in kinds:
        others = [table[np.ix_(own, other)].mean(axis=1) for other in kinds if other is not own]
        if others:
            agreed[own] = np.mean(others, axis=0)
        count[own] = len(own)
    weights = np.maximum(agreed, LEAST) ** power / count
    return weights / weights.sum(), agreed
