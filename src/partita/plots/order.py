"""Selection and order of the items in a picture: by cluster, thinned evenly, binned within clusters."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Index
from partita.membership import Membership

__all__ = ["as_membership", "blocks", "by_cluster", "columns_of", "count", "membership_of", "stratified_sample"]


# Items of each cluster that a sample keeps at least, so that a small cluster does not vanish.
KEEP_AT_LEAST = 3


def membership_of(estimator: Any) -> Membership:
    """Return the membership of a fitted estimator, with its own labels where memberships tie."""
    membership = Membership(np.asarray(estimator.membership_))
    membership.labels = np.asarray(estimator.labels_, dtype=np.int64)
    return membership


def as_membership(membership: Membership | ArrayLike) -> Membership:
    """Return a membership as it is, or made from an array with rows on the simplex."""
    return membership if isinstance(membership, Membership) else Membership(membership)


def by_cluster(membership: Membership) -> Index:
    """Return items ordered by cluster, the surest of each first.

    >>> by_cluster(Membership([[0.1, 0.9], [0.6, 0.4], [0.2, 0.8], [0.9, 0.1]])).tolist()
    [3, 1, 0, 2]
    """
    own = membership.matrix[np.arange(membership.n_items), membership.labels]
    return np.asarray(np.lexsort((-own, membership.labels)))


def blocks(labels: NDArray[np.int64], n_clusters: int) -> Index:
    """Return positions at which the clusters begin when items are ordered by cluster, and N at the end.

    >>> blocks(np.array([0, 2, 2]), 3).tolist()
    [0, 1, 1, 3]
    """
    return np.asarray(np.r_[0, np.cumsum(np.bincount(labels, minlength=n_clusters))], dtype=np.intp)


def stratified_sample(labels: NDArray[np.int64], size: int, seed: int = 0) -> Index:
    """Return a random sample of at most `size` items, each cluster in proportion, in rising order.

    >>> len(stratified_sample(np.zeros(50, dtype=np.int64), 10)), stratified_sample(np.array([1, 0]), 10).tolist()
    (10, [0, 1])
    """
    n = len(labels)
    if n <= size:
        return np.arange(n)
    counts = np.bincount(labels)
    quota = np.minimum(counts, np.maximum(size * counts // n, KEEP_AT_LEAST))
    while quota.sum() > size and quota.max() > 0:
        quota[quota.argmax()] -= 1
    while quota.sum() < size:
        quota[(counts - quota).argmax()] += 1
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(np.flatnonzero(labels == k), q, replace=False) for k, q in enumerate(quota) if q]
    return np.sort(np.concatenate(chosen))


def columns_of(edges: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """Return positions at which columns begin: one an item, or about `limit` in all, none across the border of two
    clusters.

    >>> columns_of(np.array([0, 2, 2, 8]), 4).tolist()
    [0, 2, 4, 6, 8]
    """
    n = int(edges[-1])
    if n <= limit:
        return np.arange(n + 1)
    starts: list[NDArray[np.intp]] = []
    for low, high in pairwise(edges.tolist()):
        parts = min(high - low, max(1, round(limit * (high - low) / n)))
        starts.append(low + np.arange(parts) * (high - low) // max(parts, 1))
    return np.append(np.concatenate(starts), n).astype(np.intp)


def count(number: int, thing: str) -> str:
    """Return a number with its noun.

    >>> count(1, "item"), count(1797, "item")
    ('1 item', '1,797 items')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
