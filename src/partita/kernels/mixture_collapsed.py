"""Sweeps of the collapsed Gibbs sampler of a Dirichlet-process Gaussian mixture [neal2000, algorithm 3]. Loads numba.

Each item in turn leaves its cluster and joins one with probability proportional to size times the Student density of
the item given the cluster's others, or a new one with alpha times its density under the prior. Cost of a sweep:
N K d^2 / 2, and N d^2 for the clusters made anew every `REFRESH` sweeps.

[neal2000] R. M. Neal, Markov chain sampling methods for Dirichlet process mixture models, JCGS 9 (2000).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng
from partita.kernels.mixture_clusters import (
    Clusters,
    Tables,
    add,
    clear,
    copied,
    doubled,
    factorize,
    join_weight,
    log_marginal,
    rebuild,
    refill,
    remove,
    stay_weight,
)
from partita.kernels.mixture_linear import PriorArrays, squared_distance, weighted_choice
from partita.kernels.mixture_partition import draw_concentration, log_probability, n_labels, numbered
from partita.kernels.mixture_split_merge import BOTH, ONE, OTHER, propose

__all__ = ["collapsed_sweeps"]

# Sweeps between two times that clusters are made anew from their items, so that rounding does not add up.
REFRESH = 50


@njit(cache=True, nogil=True)
def _gibbs(
    X: Array,
    labels: Ints,
    first: int,
    clusters: Clusters,
    used: Ints,
    K: int,
    alpha: float,
    alone: Array,
    prior: PriorArrays,
    tables: Tables,
    weights: Array,
    rng: Rng,
) -> Any:
    """A scan over the items from `first`; slots used[:K] are the clusters, used[K:] are free.

    Returns the item that it stopped before, as a new cluster could find no slot, and K. (The caller makes room: arrays
    that a loop may replace cost it a reference count at every use.)
    """
    count, centre, whitener, log_det = clusters.count, clusters.centre, clusters.whitener, clusters.log_det
    kappa, freedom, join = prior.kappa, prior.freedom, tables.join
    log_alpha = math.log(alpha)
    for i in range(first, len(labels)):
        if len(used) == K:
            return i, K
        own = labels[i]
        single = count[own] == 1
        at = -1
        for a in range(K):
            k = used[a]
            q = squared_distance(X, i, centre, whitener, k)
            if k != own:
                weights[a] = join_weight(q, count[k], log_det[k], kappa, freedom, join)
            else:
                at = a
                if single:  # alone it is where a new cluster would put it
                    weights[a] = log_alpha + alone[i]
                else:
                    weights[a] = stay_weight(q, count[k], log_det[k], kappa, freedom, join)
        weights[K] = log_alpha + alone[i]
        choice = weighted_choice(weights, K if single else K + 1, rng)
        if choice == at:
            continue
        new = used[choice]
        if choice == K:
            clear(clusters, new, prior)
            K += 1
        labels[i] = new
        if single:
            K -= 1
            used[at], used[K] = used[K], own
            clusters.count[own] = 0
        else:
            remove(X, i, clusters, own, prior)
            if not factorize(clusters, own):
                refill(X, labels, clusters, own, prior)
        add(X, i, clusters, new, prior)
        if not factorize(clusters, new):
            refill(X, labels, clusters, new, prior)
    return len(labels), K


@njit(cache=True, nogil=True)
def _split_or_merge(
    X: Array,
    labels: Ints,
    clusters: Clusters,
    used: Ints,
    K: int,
    alpha: float,
    scans: int,
    prior: PriorArrays,
    tables: Tables,
    members: Ints,
    rng: Rng,
) -> int:
    """One proposal, carried out where it is accepted; used[K] is free. Returns K."""
    decision, own, other, leaving, pair = propose(X, labels, alpha, scans, prior, tables, members, rng)
    if decision == 1:
        new = used[K]
        K += 1
        copied(pair, ONE, clusters, own)
        copied(pair, OTHER, clusters, new)
        for m in range(leaving):
            labels[members[m]] = new
    elif decision == 2:
        copied(pair, BOTH, clusters, own)
        for m in range(leaving):
            labels[members[m]] = own
        clusters.count[other] = 0
        K -= 1
        for a in range(K):
            if used[a] == other:
                used[a], used[K] = used[K], other
    return K


@njit(cache=True, nogil=True)
def _roomier(clusters: Clusters, used: Ints) -> Any:
    """Twice as many slots."""
    more = np.arange(2 * len(used))
    for a in range(len(used)):
        more[a] = used[a]
    return doubled(clusters), more


@njit(cache=True, nogil=True)
def collapsed_sweeps(
    X: Array,
    labels: Ints,
    alpha: float,
    shape: float,
    rate: float,
    alone: Array,
    prior: PriorArrays,
    tables: Tables,
    proposals: int,
    scans: int,
    n_sweeps: int,
    thin: int,
    out_labels: Ints,
    out_K: Ints,
    out_alpha: Array,
    out_joint: Array,
    rng: Rng,
) -> float:
    """Run sweeps from labels (0..K-1, overwritten, numbered by first appearance) and keep every `thin`-th.

    `alone` is each item's log density under the prior. A sweep: a Gibbs scan, `proposals` split-merge proposals, alpha.
    The kept log joint is that of items and partition given alpha. Returns alpha.
    """
    N = len(labels)
    K = n_labels(labels)
    members = np.empty(N, dtype=np.int64)
    clusters = rebuild(X, labels, K, prior)
    used = np.arange(len(clusters.count))
    sizes = np.empty(N, dtype=np.int64)
    for s in range(n_sweeps):
        if s > 0 and s % REFRESH == 0:
            K = numbered(labels, np.empty(len(used), dtype=np.int64), labels)
            clusters = rebuild(X, labels, K, prior)
            used = np.arange(len(clusters.count))
        at: Any = np.int64(0)  # a plain zero would be a type of its own, and compiled for
        while at < N:
            if len(used) == K:
                clusters, used = _roomier(clusters, used)
            weights = np.empty(len(used) + 1)
            at, K = _gibbs(X, labels, at, clusters, used, K, alpha, alone, prior, tables, weights, rng)
        for _ in range(proposals if N > 1 else 0):
            if len(used) == K:
                clusters, used = _roomier(clusters, used)
            K = _split_or_merge(X, labels, clusters, used, K, alpha, scans, prior, tables, members, rng)
        alpha = draw_concentration(alpha, K, N, shape, rate, rng)
        if (s + 1) % thin == 0 and (s + 1) // thin <= len(out_labels):
            row = (s + 1) // thin - 1
            numbered(labels, np.empty(len(used), dtype=np.int64), out_labels[row])
            joint = 0.0
            for a in range(K):
                sizes[a] = clusters.count[used[a]]
                joint += log_marginal(clusters, used[a], prior, tables)
            out_K[row] = K
            out_alpha[row] = alpha
            out_joint[row] = joint + log_probability(sizes, K, N, alpha)
    numbered(labels, np.empty(len(used), dtype=np.int64), labels)
    return alpha
