"""Sweeps of Neal's algorithm 8 [neal2000] with components that are used again [favaro2013]. Loads numba.

Each item in turn chooses among the clusters that the others make, with weight size times density, and m auxiliary
components drawn from the prior, each with weight alpha / m. Auxiliary components are kept from item to item: the one
that is chosen is drawn anew, and the parameters of an item that was alone take the place of a random one. All are drawn
anew once a sweep, and then the parameters of every cluster given its items. Cost of a sweep: N (K + m) d^2 / 2.

[favaro2013] S. Favaro, Y. W. Teh, MCMC for normalized random measure mixture models, Statistical Science 28 (2013).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng
from partita.kernels.mixture_components import Components, counted, draw_components, enlarged, in_order, keep_draw
from partita.kernels.mixture_linear import PriorArrays, draw_from_prior, squared_distance, weighted_choice
from partita.kernels.mixture_partition import draw_concentration, n_labels

__all__ = ["auxiliary_sweeps"]


@njit(cache=True, nogil=True)
def _scan(
    X: Array,
    labels: Ints,
    first: int,
    components: Components,
    sizes: Ints,
    used: Ints,
    K: int,
    alpha: float,
    n_auxiliary: int,
    prior: PriorArrays,
    logs: Array,
    weights: Array,
    rng: Rng,
) -> Any:
    """Labels of the items from `first` in turn; slots used[:K] are clusters, the next m auxiliary, the rest free.

    Returns the item that it stopped before, as a new cluster could find no slot, and K.
    """
    mean, whitener, log_det = components
    log_share = math.log(alpha / n_auxiliary)
    for i in range(first, len(labels)):
        if K + n_auxiliary == len(used):
            return i, K
        own = labels[i]
        sizes[own] -= 1
        if sizes[own] == 0:
            at = 0
            while used[at] != own:
                at += 1
            K -= 1
            # The last cluster takes its place; it takes that of a random auxiliary component, which becomes free.
            used[at] = used[K]
            used[K] = own
            chosen, last = K + 1 + int(rng.random() * n_auxiliary), K + n_auxiliary
            used[chosen], used[last] = used[last], used[chosen]
        for a in range(K + n_auxiliary):
            k = used[a]
            q = squared_distance(X, i, mean, whitener, k)
            weights[a] = (logs[sizes[k]] if a < K else log_share) + log_det[k] - 0.5 * q
        choice = weighted_choice(weights, K + n_auxiliary, rng)
        new = used[choice]
        if choice >= K:
            used[choice], used[K] = used[K], new
            K += 1
            fresh = used[K + n_auxiliary - 1]
            log_det[fresh] = draw_from_prior(prior, mean, whitener, fresh, rng)
        sizes[new] += 1
        labels[i] = new
    return len(labels), K


@njit(cache=True, nogil=True)
def _relabel(
    X: Array,
    labels: Ints,
    components: Components,
    count: Ints,
    K: int,
    alpha: float,
    m: int,
    prior: PriorArrays,
    logs: Array,
    rng: Rng,
) -> Any:
    """New auxiliary components and a scan; clusters are slots 0..K-1 before, any slots after. Returns components."""
    components = enlarged(components, max(len(components.log_det), 2 * (K + m)))
    capacity = len(components.log_det)
    sizes, used = np.zeros(capacity, dtype=np.int64), np.arange(capacity)
    for k in range(K):
        sizes[k] = count[k]
    for a in range(K, K + m):
        components.log_det[a] = draw_from_prior(prior, components.mean, components.whitener, a, rng)
    at: Any = np.int64(0)  # a plain zero would be a type of its own, and compiled for
    while at < len(labels):
        if K + m == len(used):
            capacity = 2 * len(used)
            components = enlarged(components, capacity)
            more, more_sizes = np.arange(capacity), np.zeros(capacity, dtype=np.int64)
            for a in range(len(used)):
                more[a], more_sizes[a] = used[a], sizes[a]
            used, sizes = more, more_sizes
        weights = np.empty(len(used))
        at, K = _scan(X, labels, at, components, sizes, used, K, alpha, m, prior, logs, weights, rng)
    return components


@njit(cache=True, nogil=True)
def auxiliary_sweeps(
    X: Array,
    labels: Ints,
    components: Components,
    alpha: float,
    shape: float,
    rate: float,
    prior: PriorArrays,
    n_auxiliary: int,
    n_sweeps: int,
    thin: int,
    out_labels: Ints,
    out_K: Ints,
    out_alpha: Array,
    out_joint: Array,
    rng: Rng,
) -> Any:
    """Run sweeps from labels (0..K-1, overwritten, numbered by first appearance) and keep every `thin`-th.

    A sweep: labels, parameters, alpha. Returns alpha and the components of the last labels.
    """
    N = len(labels)
    K = n_labels(labels)
    count = counted(labels)
    logs = np.log(np.maximum(np.arange(N + 1), 1))  # of sizes; nobody asks for that of zero
    for s in range(n_sweeps):
        components = _relabel(X, labels, components, count, K, alpha, n_auxiliary, prior, logs, rng)
        components, K = in_order(labels, components)
        draw_components(X, labels, K, components, prior, count, rng)
        alpha = draw_concentration(alpha, K, N, shape, rate, rng)
        keep_draw(s, thin, X, labels, K, components, count, alpha, out_labels, out_K, out_alpha, out_joint)
    return alpha, components
