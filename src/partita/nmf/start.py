"""Starts of a factorization.

"dendrogram"   average linkage on 1 - V, cut into K clusters: W and H^T are the mean similarities of an item to the
               items of each cluster, so that no entry is zero for no reason; deterministic
"medoids"      K items drawn at random, each other item with the most similar of them, and then as above
an array       N labels of at most K clusters, treated in the same way
"random"       both factors uniform on (0, max V), as the paper does

One dendrogram start is better than ten random ones where clusters are small: random starts share out a small cluster
among the components of the large ones. Where the dendrogram is not the best, medoids come closer than "random" in as
many restarts (`benchmarks/nmf.py residuals starts`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.nmf.base import FLOOR, Factors
from partita.partition.dendrogram import Dendrogram

__all__ = ["STARTS", "Start", "first_factors"]

Start = str | Array

# Share of the uniform row that is mixed into a start made of labels: an entry of zero would stay zero.
MIX = 0.05


def first_factors(V: Array, K: int, start: Start, rng: np.random.Generator, tree: Callable[[], Dendrogram]) -> Factors:
    """Return the factors that a restart begins with; `tree` gives the dendrogram, which is made when it is asked for.

    Raises
    ------
    InputError
        For a start that is not known, or labels that do not fit.
    """
    if isinstance(start, str):
        if start not in STARTS:
            raise InputError(f"start={start!r}: expected one of {', '.join(map(repr, STARTS))}, or an array of labels")
        return STARTS[start](V, K, rng, tree)
    return _labelled(V, K, _checked(start, len(V), K))


def _checked(start: Any, n: int, K: int) -> NDArray[np.int64]:
    labels = np.asarray(start)
    codes = np.unique(labels, return_inverse=True)[1].reshape(-1) if labels.ndim == 1 else np.zeros(0, dtype=int)
    if len(codes) != n or codes.max() >= K:
        raise InputError(
            f"start has shape {labels.shape} and {len(np.unique(labels))} different labels; expected {n} labels of at "
            f"most {K} clusters"
        )
    return np.asarray(codes, dtype=np.int64)


def _labelled(V: Array, K: int, labels: NDArray[np.int64]) -> Factors:
    Z = np.zeros((len(V), K))
    Z[np.arange(len(V)), labels] = 1.0
    means = (V @ Z) / np.maximum(Z.sum(axis=0), 1.0)
    W = np.maximum((1.0 - MIX) * means + MIX / K * V.max(), FLOOR)
    return Factors(W, W.copy())


def _random(V: Array, K: int, rng: np.random.Generator, _tree: Callable[[], Dendrogram]) -> Factors:
    top = float(V.max())
    W, Ht = (np.maximum(rng.uniform(0.0, top, size=(len(V), K)), FLOOR) for _ in range(2))
    return Factors(W, Ht)


def _dendrogram(V: Array, K: int, _rng: np.random.Generator, tree: Callable[[], Dendrogram]) -> Factors:
    return _labelled(V, K, tree().cut(len(V) - K))


def _medoids(V: Array, K: int, rng: np.random.Generator, _tree: Callable[[], Dendrogram]) -> Factors:
    items = rng.choice(len(V), K, replace=False)
    labels = V[:, items].argmax(axis=1)
    labels[items] = np.arange(K)  # also where two of them are always together
    return _labelled(V, K, labels)


STARTS: dict[str, Callable[[Array, int, np.random.Generator, Callable[[], Dendrogram]], Factors]] = {
    "dendrogram": _dendrogram,
    "medoids": _medoids,
    "random": _random,
}
