"""All partitions of a few items: each is scored, so that no other is better than the one that is taken.

Partitions are strings of restricted growth: labels whose largest so far rises by at most one. There are 21,147 of 9
items and 115,975 of 10, but a cluster is one of 2^N - 1 sets only. u and w are sums over clusters: what a set adds is
found once, and a partition is scored by looking up its clusters. What a set adds to w of a draw is again a sum over the
draw's clusters, sets too, so that a table of f(size of what two sets share) gives all of them.

O(4^N + B_N N) where means of v and w over the draws are enough: 9 items take 3 ms. O(B_N M K) where the loss is taken
draw by draw: 9 items and 1,000 different draws take a tenth of a second.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.partition.dendrogram import Codes
from partita.partition.draws import PartitionDraws
from partita.partition.evidence import PartitionEvidence
from partita.partition.expected import pairs_in_all
from partita.partition.losses import PartitionLoss
from partita.partition.losses.base import dyadic

__all__ = ["MOST", "Best", "all_partitions", "all_values", "exhaustive"]


MOST = 10
# Partitions in a chunk of work, and draws of which all sets are held at a time.
CHUNK, DRAWS = 4096, 1024
# Values that differ by no more are equal.
EQUAL = 1e-12


@cache
def all_partitions(n_items: int) -> Codes:
    """Return B_N x N labels, each partition once.

    Raises
    ------
    InputError
        For more than 10 items.

    Examples
    --------
    >>> all_partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    if not 1 <= n_items <= MOST:
        raise InputError(f"{n_items} items: all partitions are listed for 1 to {MOST}; use `search_partition` for more")
    rows = np.zeros((1, 1), dtype=np.int64)
    for _ in range(n_items - 1):
        choices = rows.max(axis=1) + 2
        repeated = np.repeat(rows, choices, axis=0)
        last = np.arange(len(repeated)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows = np.column_stack([repeated, last])
    return rows


class Best(NamedTuple):
    """Best of all partitions within a cap, its value, the least value whatever the cap, and how many are as good."""

    codes: Codes
    value: float
    least: float
    n_equal: int


def exhaustive(evidence: PartitionEvidence, cap: int | None = None) -> Best:
    """Return the partition of least expected loss in at most `cap` clusters.

    The first where several are equal up to rounding.

    Raises
    ------
    InputError
        For more than 10 items.
    """
    every, values = all_partitions(evidence.n_items), all_values(evidence)
    able = every.max(axis=1) < (evidence.n_items if cap is None else cap)
    least = float(values[able].min())
    equal = np.flatnonzero(able & (values <= least + EQUAL))
    return Best(every[equal[0]], least, float(values.min()), len(equal))


def all_values(evidence: PartitionEvidence) -> Array:
    """Return values, to be minimised, of each of `all_partitions`.

    Examples
    --------
    >>> from partita.partition.losses import Binder
    >>> all_values(PartitionEvidence(Binder(), PartitionDraws.of([[0, 0, 1], [0, 1, 1]]))).round(4).tolist()
    [0.4444, 0.2222, 0.4444, 0.2222, 0.2222]
    """
    every = _every(evidence.n_items)
    if evidence.uses_pairs and evidence.loss.by_draws:
        return _by_pairs(every, evidence.similarity, evidence.loss)
    if evidence.uses_pairs:
        return _by_bound(every, evidence.similarity, evidence.loss)
    assert evidence.draws is not None
    return _by_draws(every, evidence.draws, evidence.loss)


class _Every(NamedTuple):
    """The partitions of N items, by sets; item i is in set s where bit i of s is set."""

    clusters: NDArray[np.int64]  # B_N x N: the sets that a partition consists of, then the empty one
    n_clusters: NDArray[np.int64]  # B_N
    members: NDArray[np.bool_]  # 2^N x N
    sizes: NDArray[np.int64]  # 2^N

    def sums(self, of_sets: Array) -> Array:
        """Sum over the clusters of each partition."""
        return np.asarray(of_sets[self.clusters].sum(axis=1))


@cache
def _every(n_items: int) -> _Every:
    codes, bit = all_partitions(n_items), 1 << np.arange(n_items)
    members = (np.arange(1 << n_items)[:, None] & bit) > 0
    return _Every(_sets(codes, n_items), codes.max(axis=1) + 1, members, members.sum(axis=1))


def _sets(codes: NDArray[np.integer[Any]], n_clusters: int) -> NDArray[np.int64]:
    """The sets that clusters are, for each row of labels; those beyond its last cluster are empty."""
    sets = np.zeros((len(codes), n_clusters), dtype=np.int64)
    for i, column in enumerate(codes.T):
        sets[np.arange(len(codes)), column] |= 1 << i
    return sets


def _by_pairs(every: _Every, matrix: Any, loss: PartitionLoss) -> Array:
    P = matrix.toarray() if sp.issparse(matrix) else np.array(matrix, dtype=np.float64)
    N, f, v = len(P), loss.counts(len(P)), pairs_in_all(P, loss.with_itself)
    if not loss.with_itself:
        np.fill_diagonal(P, 0.0)
    inside = ((every.members @ P) * every.members).sum(axis=1)
    u, w = every.sums(f[every.sizes]), every.sums(inside)
    return np.asarray(loss.formula.evaluate(u, v, w, f[N], float(N), every.n_clusters.astype(float)))


def _by_bound(every: _Every, P: Array, loss: PartitionLoss) -> Array:
    n = np.maximum(every.sizes, 1)
    # S_i of each item of a set; beside it 1, of which the logarithm is 0.
    own = np.where(every.members, every.members @ P, 1.0)
    u, w = every.sums(n * np.log(n)), every.sums(np.log(own).sum(axis=1))
    v = float(np.log(P.sum(axis=1)).sum())
    return np.asarray(loss.formula.evaluate(u, v, w, 0.0, float(len(P)), every.n_clusters.astype(float)))


def _by_draws(every: _Every, draws: PartitionDraws, loss: PartitionLoss) -> Array:
    N, weights = draws.n_items, draws.weights
    f = dyadic(loss.counts(N))
    u, each = every.sums(f[every.sizes]), np.arange(len(every.sizes))
    shared = f[every.sizes[each[:, None] & each]]  # of two sets: f of how many items they share
    of_draws = _sets(draws.labels, int(draws.n_clusters.max()))
    v = f[every.sizes[of_draws]].sum(axis=1)
    if not loss.per_draw:
        weighed = np.bincount(of_draws.ravel(), np.repeat(weights, of_draws.shape[1]), len(each))
        w = every.sums(shared @ weighed)
        return np.asarray(
            loss.formula.evaluate(u, float(v @ weights), w, f[N], float(N), every.n_clusters.astype(float))
        )
    from partita.kernels.partition_formula import for_kernels
    from partita.kernels.partition_scores import score_by_sets

    values, formula = np.zeros(len(u)), for_kernels(loss.formula)
    for first, last in row_bounds(draws.n_draws, DRAWS):
        added = sum(shared[sets] for sets in of_draws[first:last].T)

        def work(low: int, high: int, own: slice = slice(first, last), added: Any = added) -> None:
            given = (every.clusters, every.n_clusters, u, v[own], added, weights[own])
            score_by_sets(formula, *given, float(f[N]), float(N), low, high, values)

        run_chunks(work, row_bounds(len(values), CHUNK))
    return values
