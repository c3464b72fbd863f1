"""Agreement of a partition with the true one: shares of items, and shares of pairs.

Purity and accuracy count items and see only the best overlap of each cluster; the Rand indices count pairs and need no
matching of clusters. Purity grows with the number of clusters (it is 1 when every item is its own): do not compare
partitions of different K by it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from partita.metrics.checks import codes_of, counts_of_pairs, require_same_length

__all__ = ["accuracy", "adjusted_rand_index", "purity", "rand_index"]


def purity(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return the share of items that carry the most frequent true label of their cluster, in (0, 1].

    sum over clusters k of max over classes c of n_kc, divided by N [manning2008, section 16.3].

    Parameters
    ----------
    labels, truth : array-like of shape (N,)
        Any whole numbers or strings.

    Raises
    ------
    InputError
        For different lengths, no items, or labels that are missing.

    References
    ----------
    [manning2008] Manning, Raghavan, Schuetze: Introduction to Information Retrieval. Cambridge, 2008.

    Examples
    --------
    >>> purity([0, 0, 1, 1], ["a", "a", "a", "b"])
    0.75
    """
    counts = counts_of_pairs(labels, truth)
    largest = np.zeros(len(counts.row_total), dtype=np.int64)
    np.maximum.at(largest, counts.row, counts.count)
    return float(largest.sum() / counts.n_items)


def accuracy(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return the share of items that are right under the best one-to-one matching of clusters to classes, in (0, 1].

    The matching is the assignment problem [kuhn1955]. Where the numbers of clusters and classes differ, the ones left
    over match nothing and their items count as wrong. O(N log N + K^3).

    Parameters
    ----------
    labels, truth : array-like of shape (N,)
        Any whole numbers or strings.

    Raises
    ------
    InputError
        For different lengths, no items, or labels that are missing.

    References
    ----------
    [kuhn1955] Kuhn: The Hungarian method for the assignment problem. Naval Research Logistics Quarterly 2, 1955.

    Examples
    --------
    >>> accuracy([1, 1, 0, 2], ["a", "a", "b", "b"])
    0.75
    """
    counts = counts_of_pairs(labels, truth)
    table = counts.dense()
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / counts.n_items)


def rand_index(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return the share of pairs of items on which the two partitions agree, in [0, 1] [rand1971].

    A pair agrees when both partitions join it or both part it. A single item has no pairs and scores 1.

    Parameters
    ----------
    labels, truth : array-like of shape (N,)
        Any whole numbers or strings.

    Raises
    ------
    InputError
        For different lengths, no items, or labels that are missing.

    References
    ----------
    [rand1971] Rand: Objective criteria for the evaluation of clustering methods. JASA 66, 1971.

    Examples
    --------
    >>> rand_index([0, 0, 1], [0, 1, 1])
    0.3333333333333333
    """
    counts = counts_of_pairs(labels, truth)
    n_pairs = counts.n_items * (counts.n_items - 1) // 2
    if n_pairs == 0:
        return 1.0
    joined_by_both = _pairs_within(counts.count)
    disagreeing = _pairs_within(counts.row_total) + _pairs_within(counts.column_total) - 2 * joined_by_both
    return (n_pairs - disagreeing) / n_pairs


def adjusted_rand_index(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return the Rand index corrected for chance: 1 for equal partitions, about 0 for random ones [hubert1985].

    scikit-learn's `adjusted_rand_score`, after our checks.

    Parameters
    ----------
    labels, truth : array-like of shape (N,)
        Any whole numbers or strings.

    Raises
    ------
    InputError
        For different lengths, no items, or labels that are missing.

    References
    ----------
    [hubert1985] Hubert, Arabie: Comparing partitions. Journal of Classification 2, 1985.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    estimate, true = codes_of(labels, "labels"), codes_of(truth, "truth")
    require_same_length(len(estimate), len(true), ("labels", "truth"))
    return float(adjusted_rand_score(true, estimate))


def _pairs_within(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
