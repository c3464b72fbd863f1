"""Nested layers: which clusters merge next, which split next, and how surely each split stands.

Two groups of items are together as often as two items, one of each, share a cluster: the mean over such pairs and
over the weighted clusterings behind a fit,

    t(A, B) = sum_m w_m sum_c n_mc(A) n_mc(B) / (|A| |B|),

which is average linkage on the posterior similarity matrix, without that matrix. The groups that are together most
often merge first: pieces of one cluster before clusters with each other, so that the clusters of the fit are one of
the layers. A split is as stable as its two sides are apart, 1 - t(A, B), where there are several clusters: the
clusterings say nothing of the probability that there is one, which counts against every split.

Without clusterings t is what the memberships say, the probability that the two items are in one cluster of the fit,
and merges follow the affinity between clusters where it is given.

Cost: M N for the counts and N A for the memberships, of A pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Labels
from partita.doubt.outliers import counts_of
from partita.errors import InputError
from partita.wording import Printed

__all__ = ["Layer", "Layers", "Split", "nested_layers"]


# Neighbouring clusters that a membership of this much makes an item lie between.
BETWEEN = 0.1


@dataclass(frozen=True)
class Split:
    """A cluster of a layer that is two in the next finer one.

    Attributes
    ----------
    n_clusters : int
        Clusters of the finer layer.
    cluster : int
        The cluster of the coarser layer.
    parts : pair of int
        Its parts, clusters of the finer layer.
    sizes : pair of int
        Items of the parts.
    stability : float in [0, 1]
        Probability that two items, one of each part, are apart, the possibility of a single cluster counted.
    """

    n_clusters: int
    cluster: int
    parts: tuple[int, int]
    sizes: tuple[int, int]
    stability: float


@dataclass(frozen=True, eq=False)
class Layer:
    """One number of clusters.

    Attributes
    ----------
    labels : array of N
        0..K-1; the labels of a coarser layer follow from them.
    membership : N x K array, rows on the simplex
        Sums of columns of a finer layer's.
    together : K x K array in [0, 1]
        Probability that two items, one of each cluster, are in one, if there are several clusters at all; on the
        diagonal, two of the same cluster.
    """

    labels: Labels
    membership: Array
    together: Array

    @property
    def n_clusters(self) -> int:
        """Clusters of this layer."""
        return len(self.together)

    def between(self, a: int, b: int) -> NDArray[np.intp]:
        """Return the items of two clusters that lie between them, the most undecided first: either has a probability of
        a tenth at least.

        Raises
        ------
        InputError
            For a number that no cluster of this layer has.
        """
        for k in (a, b):
            if not 0 <= k < self.n_clusters:
                raise InputError(f"between: there is no cluster {k} among the {self.n_clusters} of this layer, 0 first")
        pair = self.membership[:, [a, b]]
        own = np.flatnonzero(np.isin(self.labels, (a, b)) & (pair.min(axis=1) >= BETWEEN))
        return np.asarray(own[np.argsort(np.abs(np.diff(pair[own], axis=1))[:, 0], kind="stable")])


@dataclass(frozen=True, eq=False, repr=False)
class Layers(Printed):
    """Nested layers, from one cluster to the finest; `layers[3]` is the layer of three clusters.

    Attributes
    ----------
    splits : tuple of Split
        From two clusters upwards.
    n_clusters : int
        Clusters of the layer that the fit took.
    """

    splits: tuple[Split, ...]
    n_clusters: int
    _finest: Layer
    _parents: tuple[NDArray[np.intp], ...]  # entry s: the cluster among s + 1 of each of s + 2
    _sizes: Array

    @property
    def most(self) -> int:
        """Clusters of the finest layer."""
        return self._finest.n_clusters

    def __getitem__(self, n_clusters: int) -> Layer:
        if not 1 <= n_clusters <= self.most:
            raise InputError(f"layers[{n_clusters}]: there are layers of 1 to {self.most} clusters")
        owner = np.arange(self.most)
        for parent in self._parents[n_clusters - 1 :][::-1]:
            owner = parent[owner]
        fine = self._finest
        onto = np.eye(n_clusters)[owner]
        share = onto * self._sizes[:, None]
        share /= share.sum(axis=0)
        return Layer(owner[fine.labels], fine.membership @ onto, share.T @ fine.together @ share)

    def __iter__(self) -> Iterator[Layer]:
        return (self[K] for K in range(1, self.most + 1))

    def __len__(self) -> int:
        return self.most

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each split: clusters, the cluster that splits, its parts, their sizes, stability."""
        return [
            {
                "n_clusters": one.n_clusters,
                "cluster": one.cluster,
                "parts": list(one.parts),
                "sizes": list(one.sizes),
                "stability": one.stability,
            }
            for one in self.splits
        ]

    def __str__(self) -> str:
        lines = []
        for one in self.splits:
            taken = "  (the fit)" if one.n_clusters == self.n_clusters else ""
            a, b = one.sizes
            sides = f"cluster {one.cluster} into {one.parts[0]} and {one.parts[1]} ({a:,} and {b:,} items)"
            lines.append(f"{one.n_clusters} clusters: {sides}, apart with probability {one.stability:.2f}{taken}")
        return "\n".join(lines) or "one cluster"


def nested_layers(
    labels: Labels,
    membership: Array,
    *,
    draws: NDArray[np.integer] | None = None,
    weights: Array | None = None,
    finer: Labels | None = None,
    links: Array | None = None,
    one: float = 0.0,
    counts: Array | None = None,
) -> Layers:
    """Return the layers around a clustering.

    Parameters
    ----------
    labels : array of N
        The clusters of the fit, 0..K-1, each with an item.
    membership : N x K array
    draws : M x N array of int, optional
        Clusterings behind the fit; -1 where one says nothing of an item.
    weights : array of M, optional
        Of the draws, sum 1.
    finer : array of N, optional
        A clustering with more clusters: what it cuts a cluster into are pieces that may split. With draws only.
    links : K x K array, optional
        Mean affinity between clusters: the order of merges where there are no draws.
    one : float in [0, 1]
        The probability that there is a single cluster, of which neither draws nor memberships know.
    counts : array of N, optional
        How often each item counts, once by default; numbers that are not whole are brought to a mean of one. Sizes are
        numbers of items all the same.

    Returns
    -------
    Layers

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1, 2, 2])
    >>> draws = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]])
    >>> print(nested_layers(labels, np.eye(3)[labels], draws=draws, weights=np.full(3, 1 / 3)))
    2 clusters: cluster 0 into 0 and 1 (2 and 4 items), apart with probability 1.00
    3 clusters: cluster 1 into 1 and 2 (2 and 2 items), apart with probability 0.33  (the fit)
    """
    K = membership.shape[1]
    piece, owner, W = labels, np.arange(K), membership
    copies = counts_of(counts, len(labels))
    if draws is not None and weights is not None:
        if finer is not None:
            piece, owner = _pieces(labels, finer, copies)
            W, piece = _shared_out(membership, labels, piece, owner, draws, weights, copies)
        together = _together(piece, len(owner), draws, weights, copies)
        order = together
    else:
        sums = np.zeros((K, K))
        np.add.at(sums, labels, copies[:, None] * membership)
        means = sums / np.maximum(np.bincount(labels, copies, minlength=K), np.finfo(float).tiny)[:, None]
        together = means @ means.T
        order = together if links is None else _relative(links)
    return _merged(piece, W, together, order, owner, K, 1.0 - one, copies)


def _pieces(labels: Labels, finer: Labels, copies: Array) -> tuple[Labels, NDArray[np.intp]]:
    """The pieces that a finer clustering cuts clusters into, and the cluster of each; one item is no piece."""
    pairs, piece = np.unique(np.stack([labels, finer]), axis=1, return_inverse=True)
    piece, owner = piece.ravel(), pairs[0]
    sizes = np.bincount(piece, copies)
    for k in np.unique(owner):
        own = np.flatnonzero(owner == k)
        small, largest = own[sizes[own] < 2], own[np.argmax(sizes[own])]
        piece = np.where(np.isin(piece, small), largest, piece)
    kept, piece = np.unique(piece, return_inverse=True)
    return piece.astype(np.int64), owner[kept].astype(np.intp)


def _counts(piece: Labels, n: int, draw: NDArray[np.integer], copies: Array) -> Array:
    """Items of each piece in each cluster of a draw."""
    told = draw >= 0
    width = int(draw.max(initial=0)) + 1
    found = np.bincount(piece[told] * width + draw[told], copies[told], minlength=n * width)
    return np.asarray(found.reshape(n, width), dtype=np.float64)


def _together(piece: Labels, n: int, draws: NDArray[np.integer], weights: Array, copies: Array) -> Array:
    """Probability that two items, one of each piece, share a cluster of a draw; of two pieces, or two of one."""
    pairs, known = np.zeros((n, n)), np.zeros((n, n))
    for draw, weight in zip(draws, weights, strict=True):
        counts = _counts(piece, n, draw, copies)
        size = counts.sum(axis=1)
        # Two copies of an item are a pair, and an item alone is none.
        alone = np.diag(_counts(piece, n, draw, np.minimum(copies, copies**2)).sum(axis=1))
        pairs += weight * (counts @ counts.T - alone)
        known += weight * (np.outer(size, size) - alone)
    return np.asarray(np.divide(pairs, known, out=np.eye(n), where=known > 0))


def _shared_out(
    membership: Array,
    labels: Labels,
    piece: Labels,
    owner: NDArray[np.intp],
    draws: NDArray[np.integer],
    weights: Array,
    copies: Array,
) -> tuple[Array, Labels]:
    """Memberships of pieces: a cluster's membership goes to its pieces as often as the item is with them. An item's
    piece is the one of its cluster that it is with most.
    """
    n = len(owner)
    with_piece = np.zeros((len(labels), n))
    for draw, weight in zip(draws, weights, strict=True):
        counts = _counts(piece, n, draw, copies)
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        with_piece += weight * np.where((draw >= 0)[:, None], share.T[np.maximum(draw, 0)], 0.0)
    of_cluster = np.zeros((len(labels), membership.shape[1]))
    np.add.at(of_cluster.T, owner, with_piece.T)
    pieces = np.bincount(owner, minlength=membership.shape[1])
    whole = of_cluster[:, owner]
    within = np.divide(with_piece, whole, out=np.broadcast_to(1.0 / pieces[owner], whole.shape).copy(), where=whole > 0)
    chosen = np.where(owner == labels[:, None], within, -1.0).argmax(axis=1)
    held = np.isin(np.arange(n), chosen)  # a piece that no item is with most stays with its own items
    chosen = np.where(held[piece], chosen, piece)
    return membership[:, owner] * within, chosen.astype(np.int64)


def _relative(links: Array) -> Array:
    """Affinity between clusters, relative to that within them."""
    within = np.sqrt(np.maximum(np.diag(links), np.finfo(float).tiny))
    return np.asarray(links / np.outer(within, within))


def _merged(
    piece: Labels,
    W: Array,
    together: Array,
    order: Array,
    owner: NDArray[np.intp],
    K: int,
    several: float,
    copies: Array,
) -> Layers:
    """Merge by average linkage, pieces of one cluster first, and number the clusters of each layer."""
    rows = np.bincount(piece, minlength=len(owner)).astype(np.float64)
    # A piece of rows that count nothing is merged as well.
    held = sizes = np.maximum(np.bincount(piece, copies, minlength=len(owner)), np.finfo(float).tiny)
    cluster, t, near = owner, together, order
    splits: list[Split] = []
    parents: list[NDArray[np.intp]] = []
    for n in range(len(owner), 1, -1):
        allowed = np.triu(np.ones((n, n), dtype=bool), 1)
        if n > K:
            allowed &= cluster[:, None] == cluster
        a, b = (int(one) for one in np.unravel_index(np.where(allowed, near, -np.inf).argmax(), (n, n)))
        apart = several * float(np.clip(1.0 - t[a, b], 0.0, 1.0))
        splits.append(Split(n, a, (a, b), (int(rows[a]), int(rows[b])), apart))
        parent = np.arange(n)
        parent[b] = a
        parent[b + 1 :] -= 1
        parents.append(parent)
        share = np.eye(n - 1)[parent] * held[:, None]
        held = share.sum(axis=0)
        rows = np.eye(n - 1)[parent].T @ rows
        share /= held
        t, near, cluster = share.T @ t @ share, share.T @ near @ share, np.delete(cluster, b)
    return Layers(tuple(splits[::-1]), K, Layer(piece, W, together), tuple(parents[::-1]), sizes)
