"""Partition draws made ready for a search: numbered from 0 in order of appearance, equal draws merged.

A posterior visits some partitions often: a weight in the place of copies is the same expectation in less time. Draws of
weight zero are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import require_memory
from partita.partition.named_draws import stacked_draws
from partita.partition.similarity import checked_weights, posterior_similarity, refuse_similarity

__all__ = ["PartitionDraws", "label_blocks", "worth_of"]

# Copies up to which whole numbers are counts: no sampler draws more, and doubles from 2^53 up are all whole.
MOST_COPIES = 1e9


def label_blocks(draws: Any) -> LabelBlocks:
    """Return draws as M x N labels, read a few at a time; those of several chains are stacked.

    Raises
    ------
    InputError
        For draws that are not M x N labels, or a similarity matrix in their place.
    """
    draws = stacked_draws(draws).labels
    refuse_similarity(draws)
    ndim = getattr(draws, "ndim", None)
    if ndim is None:
        if not hasattr(draws, "__len__"):
            raise InputError(f"draws must be M x N labels, a row for each draw; {type(draws).__name__} has none")
        ndim = np.ndim(draws[0]) + 1 if len(draws) else 1
    if ndim != 2:
        raise InputError(
            f"draws must be M x N labels, a row for each draw; they have {ndim} dimension{'' if ndim == 1 else 's'}. "
            "One partition alone is [labels], a single row; were the labels of the estimate and the draws swapped?"
        )
    return LabelBlocks(draws)


@dataclass(frozen=True, eq=False)
class PartitionDraws:
    """M different partitions of N items and their weights.

    Attributes
    ----------
    labels : array, M x N
        Each row numbered 0..K_b-1 in order of appearance.
    counts : array of M
        How much each counts: the sum of the weights given to its copies, or their number.
    n_clusters : array of M
        K_b.
    n_given : int
        Draws before equal ones were merged.
    worth : float
        Number of draws of equal weight that these stand for: `worth_of` the weights as they were given.
    given : array of `n_given`, optional
        The row of `labels` that each of them became; -1 for one of weight zero that no other equals.

    Examples
    --------
    >>> draws = PartitionDraws.of([[1, 1, 2], [7, 7, 3], [1, 2, 2]])
    >>> draws.labels.tolist(), draws.counts.tolist(), draws.n_given
    ([[0, 0, 1], [0, 1, 1]], [2.0, 1.0], 3)
    """

    labels: NDArray[Any]
    counts: Array
    n_clusters: NDArray[np.int64]
    n_given: int
    worth: float
    given: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, draws: Any, weights: ArrayLike | None = None) -> PartitionDraws:
        """Make draws from M x N labels.

        Raises
        ------
        InputError
            For draws or weights that do not fit.
        MemoryLimitError
            Where the labels would not fit.
        """
        if isinstance(draws, PartitionDraws):
            if weights is not None:
                raise InputError("weights were given for draws that have theirs; give them where the draws are made")
            return draws
        from partita.kernels.partition_draws import number_draws

        given = label_blocks(draws)
        v = checked_weights(weights, given.n_draws)
        M, N = given.n_draws, given.n_items
        n_bytes = 2 * M * N * given.dtype.itemsize
        require_memory(n_bytes, f"{M:,} draws of {N:,} items", "pass fewer draws, thinned or the last ones")
        labels = np.empty((M, N), dtype=given.dtype)
        n_clusters, hashes = np.empty(M, dtype=np.int64), np.empty((M, 2), dtype=np.uint64)
        for first, block in given:
            own = slice(first, first + len(block))
            number_draws(block, labels[own], n_clusters[own], hashes[own])
        group = _groups(labels, hashes)
        counts = np.bincount(group, weights=v).astype(np.float64)
        kept: NDArray[np.intp] = np.unique(group, return_index=True)[1]
        kept, counts = kept[counts > 0], counts[counts > 0]
        order = np.argsort(kept)
        rows = kept[order]
        place = np.full(len(group), -1, dtype=np.int32)  # of the group that begins at a draw
        place[rows] = np.arange(len(rows), dtype=np.int32)
        begins: NDArray[np.intp] = np.unique(group, return_index=True)[1]
        row = place[begins[group]]
        worth = worth_of(weights, M)
        return cls(labels if len(rows) == M else labels[rows], counts[order], n_clusters[rows], M, worth, row)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return int(self.labels.shape[1])

    @property
    def n_draws(self) -> int:
        """M, of different partitions."""
        return len(self.labels)

    @cached_property
    def weights(self) -> Array:
        """Weights that sum to one."""
        return np.asarray(self.counts / self.counts.sum())

    @cached_property
    def first_cell(self) -> NDArray[np.int64]:
        """Clusters of all draws one after the other: the first of each draw, and with one entry more their number."""
        return np.append(0, np.cumsum(self.n_clusters))

    @cached_property
    def by_item(self) -> NDArray[Any]:
        """N x M labels."""
        return np.ascontiguousarray(self.labels.T)

    def as_given(self, member: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what holds of each draw for the draws as they were given; -1 for those that are left out.

        A model of a version that did not keep which of them were equal has only those that differ.
        """
        return member if self.given is None else np.where(self.given < 0, -1, member[self.given])

    @cached_property
    def found(self) -> dict[str, Any]:
        """Cache, by name, of what was worked out from these draws."""
        return {}

    @cached_property
    def similarity(self) -> Array:
        """The posterior similarity matrix, made at first use."""
        return self.similar()

    def similar(self, progress: Callable[[float], None] | None = None) -> Array:
        """Return the posterior similarity matrix; `progress` is told the share that is done."""
        return posterior_similarity(self.labels, weights=self.counts, progress=progress)


def _groups(labels: NDArray[Any], hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Number of the group of equal draws that each draw belongs to, numbered in any order."""
    pairs = hashes.view(np.dtype([("one", np.uint64), ("two", np.uint64)])).ravel()
    _, first, group = np.unique(pairs, return_index=True, return_inverse=True)
    group = group.ravel()
    many = np.flatnonzero(np.bincount(group)[group] > 1)
    same = np.array([np.array_equal(labels[b], labels[first[group[b]]]) for b in many], dtype=bool)
    unlike = many[~same]  # equal hashes of different labels: each for itself
    group[unlike] = group.max() + 1 + np.arange(len(unlike))
    return np.asarray(group, dtype=np.intp)


def worth_of(weights: ArrayLike | None, n_draws: int) -> float:
    """Return the number of draws of equal weight that weighted draws stand for: all of them without weights.

    Weights that are whole numbers, but for those of zero, are numbers of copies, and stand for their sum; of any others
    it is Kish's effective number, (sum w)^2 / sum w^2, at most the number of weights above zero [kish1965].

    >>> worth_of([2.0, 3.0, 0.0], 3), worth_of([0.5, 0.5, 0.0], 3), worth_of(None, 3)
    (5.0, 2.0, 3.0)
    """
    if weights is None:
        return float(n_draws)
    v = np.asarray(weights, dtype=np.float64)
    v = v[v > 0]
    total = float(v.sum())
    if total <= MOST_COPIES and (v == np.round(v)).all():
        return total
    shares = v / v.max()
    return float(shares.sum() ** 2 / (shares @ shares))
