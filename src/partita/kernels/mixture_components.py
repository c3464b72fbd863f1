"""Gaussian components with their parameters, as the samplers that do not integrate them out keep them. Loads numba.

A component is a mean, a whitener G (precision G^T G, upper triangular) and log |G|; slots come and go by their numbers
and no parameters are moved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng
from partita.kernels.mixture_linear import PriorArrays, draw_given_items, squared_distance
from partita.kernels.mixture_partition import log_probability, numbered, sums_by_cluster

__all__ = [
    "Components",
    "counted",
    "draw_components",
    "empty_components",
    "enlarged",
    "fitted_components",
    "in_order",
    "keep_draw",
    "log_joint",
]

LOG_TWO_PI = math.log(2.0 * math.pi)


class Components(NamedTuple):
    """Slots, each the parameters of a component."""

    mean: Array  # C x d
    whitener: Array  # C x d x d, upper half
    log_det: Array  # C: log |whitener|


@njit(cache=True, nogil=True)
def empty_components(capacity: int, d: int) -> Any:
    """Return slots without anything in them."""
    return Components(np.zeros((capacity, d)), np.zeros((capacity, d, d)), np.zeros(capacity))


@njit(cache=True, nogil=True)
def enlarged(old: Components, capacity: int) -> Any:
    """Copy the components into more slots."""
    C, d = old.mean.shape
    new = empty_components(capacity, d)
    for k in range(C):
        copied(old, k, new, k)
    return new


@njit(cache=True, nogil=True)
def copied(source: Components, k: int, target: Components, t: int) -> None:
    """Slot t of target becomes slot k of source."""
    target.log_det[t] = source.log_det[k]
    d = source.mean.shape[1]
    for a in range(d):
        target.mean[t, a] = source.mean[k, a]
        for b in range(a, d):
            target.whitener[t, a, b] = source.whitener[k, a, b]


@njit(cache=True, nogil=True)
def draw_components(
    X: Array, labels: Ints, K: int, components: Components, prior: PriorArrays, count: Ints, rng: Rng
) -> None:
    """Draw parameters of components 0..K-1 given their items, none of them empty; `count` becomes their sizes."""
    d = X.shape[1]
    average, scatter = np.empty((K, d)), np.empty((K, d, d))
    sums_by_cluster(X, labels, K, count, average, scatter)
    for k in range(K):
        components.log_det[k] = draw_given_items(
            prior, count[k], average, scatter, components.mean, components.whitener, k, rng
        )


@njit(cache=True, nogil=True)
def fitted_components(X: Array, labels: Ints, K: int, prior: PriorArrays, rng: Rng) -> Any:
    """Return components for a start: means at the averages of their items, then drawn given the items."""
    d = X.shape[1]
    components = empty_components(max(2 * K, 16), d)
    count = np.empty(K, dtype=np.int64)
    average, scatter = np.empty((K, d)), np.empty((K, d, d))
    sums_by_cluster(X, labels, K, count, average, scatter)
    for k in range(K):
        for a in range(d):
            components.mean[k, a] = average[k, a]
    draw_components(X, labels, K, components, prior, count, rng)
    return components


@njit(cache=True, nogil=True)
def log_joint(X: Array, labels: Ints, K: int, components: Components, count: Ints, alpha: float) -> float:
    """Return the logarithm of the density of items given their components, times the prior probability of the
    partition.
    """
    N, d = X.shape
    total = log_probability(count, K, N, alpha) - 0.5 * N * d * LOG_TWO_PI
    for k in range(K):
        total += count[k] * components.log_det[k]
    for i in range(N):
        total -= 0.5 * squared_distance(X, i, components.mean, components.whitener, labels[i])
    return float(total)


@njit(cache=True, nogil=True)
def in_order(labels: Ints, components: Components) -> Any:
    """Return labels numbered by first appearance, and their components alone, in that order, with room for more."""
    place = np.empty(len(components.log_det), dtype=np.int64)
    K = numbered(labels, place, labels)
    source = np.empty(K, dtype=np.int64)
    for k in range(len(place)):
        if place[k] >= 0:
            source[place[k]] = k
    ordered = empty_components(max(2 * K, 16), components.mean.shape[1])
    for k in range(K):
        copied(components, source[k], ordered, k)
    return ordered, K


@njit(cache=True, nogil=True)
def counted(labels: Ints) -> Any:
    """Return items of each label, N entries."""
    count = np.zeros(len(labels), dtype=np.int64)
    for label in labels:
        count[label] += 1
    return count


@njit(cache=True, nogil=True)
def keep_draw(
    s: int,
    thin: int,
    X: Array,
    labels: Ints,
    K: int,
    components: Components,
    count: Ints,
    alpha: float,
    out_labels: Ints,
    out_K: Ints,
    out_alpha: Array,
    out_joint: Array,
) -> None:
    """Write what sweep s ended with, where it is a `thin`-th one and there is room."""
    row = (s + 1) // thin - 1
    if (s + 1) % thin or row >= len(out_labels):
        return
    for i in range(len(labels)):  # a slice would have its shape checked, which takes seconds to compile
        out_labels[row, i] = labels[i]
    out_K[row] = K
    out_alpha[row] = alpha
    out_joint[row] = log_joint(X, labels, K, components, count, alpha)
