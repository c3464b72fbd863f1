"""Membership: one probability vector per item, and what can be read off it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.memory import require_memory

__all__ = ["Membership", "argmax_labels", "row_entropy", "row_margin"]


# Deviation of a row sum from one that a membership may have when it comes in; it leaves with 1e-12.
OFF_SIMPLEX = 1e-6
# Deviation that rounding a row of a few thousand entries explains.
ROUNDING = 1e-14


class Membership:
    """N probability vectors over K clusters.

    Parameters
    ----------
    matrix : N x K array
        Rows on the simplex to 1e-6; they are rescaled to sum to one within rounding.
    seed : int or numpy.random.Generator
        Breaks ties of the argmax at random, as [zhao2015] does.

    Raises
    ------
    InputError
        For an array that is not two-dimensional or has a row off the simplex.

    Examples
    --------
    >>> W = Membership([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> W.labels[[0, 2]].tolist(), W.boundary(0.2).tolist()
    ([0, 1], [1])
    """

    def __init__(self, matrix: ArrayLike, seed: int | np.random.Generator = 0) -> None:
        W = np.array(matrix, dtype=np.float64)
        if W.ndim != 2 or 0 in W.shape:
            raise InputError(f"a membership is a non-empty N x K array, not one of shape {W.shape}")
        off = ~np.isfinite(W).all(axis=1) | (W < -OFF_SIMPLEX).any(axis=1) | (np.abs(W.sum(axis=1) - 1) > OFF_SIMPLEX)
        if off.any():
            i = int(np.flatnonzero(off)[0])
            raise InputError(f"row {i} of the membership is not on the simplex: {W[i].round(6).tolist()}")
        W = np.maximum(W, 0.0)
        sums = W.sum(axis=1)
        rough = np.abs(sums - 1) > ROUNDING  # others are left as they are: a membership of a membership is the same
        W[rough] /= sums[rough, None]
        W.setflags(write=False)
        self.matrix = W
        self._rng = np.random.default_rng(seed)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.matrix)

    @property
    def n_clusters(self) -> int:
        """K, empty clusters included."""
        return int(self.matrix.shape[1])

    @cached_property
    def labels(self) -> Labels:
        """Most probable cluster of each item, 0..K-1; ties broken at random from the seed."""
        return argmax_labels(self.matrix, self._rng)

    @cached_property
    def entropy(self) -> Array:
        """-sum_k w_ik log w_ik of each item, in nats: 0 (certain) to log K."""
        return row_entropy(self.matrix)

    @cached_property
    def margin(self) -> Array:
        """Largest minus second largest membership of each item, in [0, 1]; 1 for K = 1."""
        return row_margin(self.matrix)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Items in each cluster of the hard partition."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    def certainty(self) -> Array:
        """Return the mean membership that the items of each cluster have in it; NaN for an empty cluster."""
        total = np.bincount(self.labels, weights=self.matrix.max(axis=1), minlength=self.n_clusters)
        out = np.full(self.n_clusters, np.nan)
        np.divide(total, self.sizes, out=out, where=self.sizes > 0)
        return out

    def boundary(self, margin: float = 0.2) -> NDArray[np.intp]:
        """Return items whose margin is below `margin`, the most ambiguous first."""
        below = np.flatnonzero(self.margin < margin)
        return below[np.argsort(self.margin[below], kind="stable")]

    def co_membership(self, first: ArrayLike | None = None, second: ArrayLike | None = None) -> Array:
        """Return the probability that items are together, W[first] W[second]^T; all items by default.

        Raises
        ------
        MemoryLimitError
            Where that many pairs would not fit.
        """
        W = self.matrix
        rows, columns = (self.n_items if index is None else np.size(index) for index in (first, second))
        what, remedy = (
            f"the co-membership of {rows:,} x {columns:,} items",
            "name some of them: co_membership(first, second)",
        )
        require_memory(8 * rows * columns, what, remedy)
        left = W if first is None else W[np.atleast_1d(first)]
        right = W if second is None else W[np.atleast_1d(second)]
        return np.asarray(left @ right.T)

    def aligned_to(self, reference: Membership | ArrayLike) -> Membership:
        """Return this membership with its columns permuted to agree best with another membership or labelling.

        Labels 0..K-1 name columns as they are, any others in sorted order. Every item keeps its cluster, ties included.

        >>> Membership([[1.0, 0.0], [0.0, 1.0]]).aligned_to([1, 0]).labels.tolist()
        [1, 0]
        """
        if isinstance(reference, Membership):
            other = reference.matrix
        else:
            codes = np.asarray(reference)
            if codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= self.n_clusters:
                codes = np.unique(codes, return_inverse=True)[1]
            other = np.eye(int(codes.max()) + 1)[codes]
        if len(other) != self.n_items:
            raise InputError(f"the reference has {len(other)} items, this membership {self.n_items}")
        overlap = self.matrix.T @ other
        rows, columns = linear_sum_assignment(-overlap)
        target = np.full(self.n_clusters, -1)
        for r, c in zip(rows, columns):
            if c < self.n_clusters:
                target[r] = c
        free = [c for c in range(self.n_clusters) if c not in target]
        target[target < 0] = free
        return self.reordered(np.argsort(target))

    def reordered(self, order: NDArray[np.intp]) -> Membership:
        """Return this membership with its clusters in another order; an item whose row is tied keeps its cluster.

        >>> Membership([[1.0, 0.0], [0.2, 0.8]]).reordered(np.array([1, 0])).matrix.tolist()
        [[0.0, 1.0], [0.8, 0.2]]
        """
        other = Membership(self.matrix[:, order])
        other.labels = np.argsort(order)[self.labels]
        return other

    def __repr__(self) -> str:
        return f"Membership(n_items={self.n_items}, n_clusters={self.n_clusters})"


def argmax_labels(matrix: Array, rng: np.random.Generator) -> Labels:
    """Return the column of the largest entry of each row; exact ties are broken at random."""
    labels: Labels = matrix.argmax(axis=1).astype(np.int64)
    largest = matrix == matrix.max(axis=1, keepdims=True)
    tied = np.flatnonzero(largest.sum(axis=1) > 1)
    if len(tied):
        keys = rng.random((len(tied), matrix.shape[1]))
        labels[tied] = np.where(largest[tied], keys, -1.0).argmax(axis=1)
    return labels


def row_entropy(matrix: Array) -> Array:
    """Return the entropy of each row in nats, 0 log 0 = 0."""
    logs = np.log(matrix, out=np.zeros_like(matrix), where=matrix > 0)
    return np.asarray(np.maximum(-np.einsum("nk,nk->n", matrix, logs), 0.0))


def row_margin(matrix: Array) -> Array:
    """Return the largest minus second largest entry of each row."""
    if matrix.shape[1] == 1:
        return np.ones(len(matrix))
    top = np.partition(matrix, -2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2])
