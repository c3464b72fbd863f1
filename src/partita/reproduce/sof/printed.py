"""Conditions that printed figures of purity, Rand index and accuracy must satisfy, whatever the method."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

__all__ = ["least_rand_of_two", "one_cluster"]


def one_cluster(sizes: Sequence[int]) -> dict[str, float]:
    """Scores of the partition with one cluster, against classes of these sizes.

    >>> one_cluster([3, 1])
    {'purity': 0.75, 'rand': 0.5, 'accuracy': 0.75}
    """
    n = sum(sizes)
    largest = max(sizes) / n
    return {"purity": largest, "rand": sum(comb(size, 2) for size in sizes) / comb(n, 2), "accuracy": largest}


def least_rand_of_two(accuracy: float, n_items: int) -> float:
    """Least mean Rand index over runs with that mean accuracy, for two clusters and two classes.

    Two items are a pair on which the partitions agree when both are placed rightly or both wrongly: a run's Rand index
    is 1 - 2 a (1 - a) N / (N - 1). That is convex in a, so its mean is at least its value at the mean of a >= 1/2.

    >>> least_rand_of_two(1.0, 10)
    1.0
    """
    return 1.0 - 2.0 * accuracy * (1.0 - accuracy) * n_items / (n_items - 1)
