"""Differences between the posterior similarity matrices of chains.

R-hat of a number such as K does not see two chains with as many clusters but others. Here every chain c has its own
shares P^c_ij, and what is told is the largest |P^c_ij - P^e_ij| over pairs of items and of chains, and the mean. Counts
are exact, from packed bits (`partita.kernels.partition_planes`): M n^2 log2(K) / 128 word operations for M draws of n
items, and n^2 numbers for each chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import require_memory

__all__ = ["EXACT_UP_TO", "SimilarityDifferences", "compared_items", "similarity_differences"]

# Items of which all pairs are compared; beyond, a random sample of so many.
EXACT_UP_TO = 2000
# Rows of a matrix in a chunk of work.
ROWS = 32


@dataclass(frozen=True)
class SimilarityDifferences:
    """Largest and mean difference between the similarity matrices of chains, and where the largest is.

    Attributes
    ----------
    largest, mean : float in [0, 1]
        Over pairs of different items, and of chains.
    chains : tuple of two int
        Positions of the chains where the largest is.
    items : tuple of two int
        And of the items.
    """

    largest: float
    mean: float
    chains: tuple[int, int]
    items: tuple[int, int]


def compared_items(n_items: int) -> NDArray[np.int64]:
    """Return items whose pairs are compared: all, or the same random sample every time."""
    if n_items <= EXACT_UP_TO:
        return np.arange(n_items)
    return np.sort(np.random.default_rng(0).choice(n_items, EXACT_UP_TO, replace=False))


def similarity_differences(parts: Sequence[NDArray[Any]]) -> SimilarityDifferences:
    """Compare chains.

    Parameters
    ----------
    parts : at least two arrays, M_c x n, of nonnegative integer labels
        The draws of each chain, of the same items.

    Raises
    ------
    MemoryLimitError
        Where n x n for each chain would not fit.

    Examples
    --------
    >>> found = similarity_differences([np.array([[0, 0, 1]] * 2), np.array([[0, 1, 1]] * 2)])
    >>> found.largest, round(found.mean, 3), found.chains
    (1.0, 0.667, (0, 1))
    """
    n = parts[0].shape[1]
    require_memory(8 * (len(parts) + 1) * n * n, f"similarity matrices of {len(parts)} chains", "compare fewer items")
    apart = [_share_apart(part) for part in parts]
    pairs = max(n * (n - 1) // 2, 1)
    largest, total, chains, at = -1.0, 0.0, (0, 1), 0
    for a, b in combinations(range(len(parts)), 2):
        difference = np.abs(apart[a] - apart[b])
        total += float(difference.sum()) / pairs
        here = int(difference.argmax())
        if difference.flat[here] > largest:
            largest, chains, at = float(difference.flat[here]), (a, b), here
    n_pairs_of_chains = len(parts) * (len(parts) - 1) // 2
    return SimilarityDifferences(largest, total / n_pairs_of_chains, chains, (at // n, at % n))


def _share_apart(labels: NDArray[Any]) -> NDArray[np.float64]:
    """Above the diagonal, the share of draws in which two items are apart."""
    from partita.kernels.partition_planes import WORD, count_apart, pack_planes

    M, n = labels.shape
    n_digits = max(1, int(labels.max()).bit_length())
    bounds = row_bounds(M, WORD)
    planes = np.empty((len(bounds), n_digits, n), dtype=np.uint64)
    for word, (low, high) in enumerate(bounds):
        pack_planes(np.ascontiguousarray(labels[low:high], dtype=np.int32), planes[word])
    out = np.zeros((n, n))
    run_chunks(lambda low, high: count_apart(planes, 1.0, low, high, out), row_bounds(n, ROWS))
    return np.asarray(out / M)
