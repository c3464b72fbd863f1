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
from scipy.cluster.hierarchy import DisjointSet, linkage
from scipy.spatial.distance import squareform

from partita.errors import InputError
from partita.nmf.base import FLOOR, Array, Factors

__all__ = ["STARTS", "Dendrogram", "Start", "first_factors"]

Start = str | Array

# Share of the uniform row that is mixed into a start made of labels: an entry of zero would stay zero.
MIX = 0.05


class Dendrogram:
    """Average linkage on 1 - V, made once and cut for each K.

    Examples
    --------
    >>> V = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> Dendrogram(V).cut(2).tolist()
    [0, 0, 1]
    """

    def __init__(self, V: Array) -> None:
        self._n = len(V)
        self._merges = np.empty((0, 4))
        if self._n > 1:
            apart = 1.0 - 0.5 * (V + V.T)
            np.fill_diagonal(apart, 0.0)
            self._merges = linkage(np.maximum(squareform(apart, checks=False), 0.0), "average")

    def cut(self, n_clusters: int) -> NDArray[np.int64]:
        """Return exactly K clusters, numbered in order of appearance, also where merges tie in height."""
        n, parts = self._n, DisjointSet(range(self._n))
        of_merge = list(range(n))
        for first, second, _, _ in self._merges[: n - n_clusters]:
            a, b = of_merge[int(first)], of_merge[int(second)]
            parts.merge(a, b)
            of_merge.append(a)
        roots = np.array([parts[i] for i in range(n)])
        _, first_at, codes = np.unique(roots, return_index=True, return_inverse=True)
        return np.asarray(np.argsort(np.argsort(first_at))[codes], dtype=np.int64)


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
    return _labelled(V, K, tree().cut(K))


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
