"""First labels of a chain: dispersed, and with more clusters than will stay.

From one cluster most chains of a Gibbs sampler never leave for the right number; from too many they merge down at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError

__all__ = ["STARTS", "first_labels", "starts_of_chains"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

# Clusters that an over-clustered start has, where there are so many items; and rounds of k-means.
MANY, ROUNDS = 30, 10
STARTS = ("kmeans", "random", "one", "singletons")


def starts_of_chains(given: Any, n_chains: int, n_items: int) -> list[str | Labels]:
    """Start of each chain: the names or labels given, in turn.

    Examples
    --------
    >>> starts_of_chains(("kmeans", "random"), 3, 10)
    ['kmeans', 'random', 'kmeans']

    Raises
    ------
    InputError
        For a name that is not one of `STARTS`, or labels that are not one for each item.
    """
    one = isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu")
    entries: Sequence[Any] = [given] if one else list(given)
    if not entries:
        raise InputError(f"start is empty: expected some of {STARTS}, or labels")
    out: list[str | Labels] = []
    for entry in entries:
        if isinstance(entry, str):
            if entry not in STARTS:
                raise InputError(f"unknown start {entry!r}: expected one of {STARTS}, or an array of labels")
            out.append(entry)
            continue
        labels = np.asarray(entry)
        if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
            raise InputError(
                f"start: expected one of {STARTS}, or whole numbers, one for each of {n_items} items; got an array of "
                f"shape {labels.shape} and type {labels.dtype}"
            )
        out.append(labels.astype(np.int64))
    return [out[c % len(out)] for c in range(n_chains)]


def first_labels(start: str | Labels, Z: Array, rng: np.random.Generator) -> Labels:
    """Labels of the rows of Z.

    "kmeans": k-means into `MANY` clusters; "random": as many at random; "one": all together; "singletons": each alone.

    Examples
    --------
    >>> first_labels("one", np.zeros((3, 1)), np.random.default_rng(0)).tolist()
    [0, 0, 0]
    """
    if not isinstance(start, str):
        return start
    n = len(Z)
    many = min(MANY, n)
    if start == "one":
        return np.zeros(n, dtype=np.int64)
    if start == "singletons":
        return np.arange(n)
    if start == "random":
        return rng.integers(0, many, n)
    from scipy.cluster.vq import kmeans2

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # fewer distinct items than clusters
        warnings.simplefilter("ignore", UserWarning)  # a cluster that lost its items is no loss here
        _, labels = kmeans2(Z, many, iter=ROUNDS, minit="++", rng=rng)
    return np.asarray(labels, dtype=np.int64)
