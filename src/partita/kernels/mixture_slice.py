"""Sweeps of a slice sampler whose sticks are exchangeable. Importing this module loads numba.

Given a partition with sizes n_1..n_K, the weights of its components and of all others together are
Dirichlet(n_1, ..., n_K, alpha): no order of the clusters is kept, so none has to be switched. Slice variables
u_i ~ U(0, w_c(i)) then leave finitely many components to choose from: the rest is broken into sticks, Beta(1, alpha),
with parameters from the prior, until it is below every u_i, and each item chooses by density alone among those with
w_k >= u_i [ge2015; walker2007 for the slices]. Components left empty are dropped. Cost of a sweep: N K d^2 / 2.

[walker2007] S. G. Walker, Sampling the Dirichlet mixture model with slices, Communications in Statistics 36 (2007).
[ge2015] H. Ge, Y. Chen, M. Wan, Z. Ghahramani, Distributed inference for Dirichlet process mixture models, ICML 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng
from partita.kernels.mixture_components import Components, counted, draw_components, enlarged, in_order, keep_draw
from partita.kernels.mixture_linear import PriorArrays, draw_from_prior, squared_distance, weighted_choice
from partita.kernels.mixture_partition import draw_concentration, n_labels

__all__ = ["slice_sweeps"]


@njit(cache=True, nogil=True)
def _weights(count: Ints, K: int, alpha: float, rng: Rng) -> Any:
    """Dirichlet(n_1, ..., n_K, alpha), the last one being the rest."""
    w = np.empty(K + 1)
    total = 0.0
    for k in range(K):
        w[k] = rng.standard_gamma(float(count[k]))
        total += w[k]
    w[K] = rng.standard_gamma(alpha)
    total += w[K]
    for k in range(K + 1):
        w[k] /= total
    return w


@njit(cache=True, nogil=True)
def _choose(
    X: Array,
    labels: Ints,
    mean: Array,
    whitener: Array,
    log_det: Array,
    w: Array,
    u: Array,
    K: int,
    rng: Rng,
) -> None:
    """Each item's label among the components whose weight its slice lets in."""
    weights = np.empty(K)
    choices = np.empty(K, dtype=np.int64)
    for i in range(len(labels)):
        n: Any = np.int64(0)  # a plain zero would be a type of its own, and compiled for
        for k in range(K):
            if w[k] >= u[i]:
                weights[n] = log_det[k] - 0.5 * squared_distance(X, i, mean, whitener, k)
                choices[n] = k
                n += 1
        labels[i] = choices[weighted_choice(weights, n, rng)] if n > 1 else choices[0]


@njit(cache=True, nogil=True)
def _scan(
    X: Array,
    labels: Ints,
    components: Components,
    count: Ints,
    K: int,
    alpha: float,
    prior: PriorArrays,
    rng: Rng,
) -> Any:
    """Slices, sticks, and every item's label. Returns components, those without items among them."""
    N = len(labels)
    drawn = _weights(count, K, alpha, rng)
    rest = drawn[K]
    capacity = len(components.log_det)
    w = np.zeros(capacity)
    for k in range(K):
        w[k] = drawn[k]
    u = np.empty(N)
    least = 1.0
    for i in range(N):
        u[i] = w[labels[i]] * (1.0 - rng.random())
        least = min(least, u[i])
    while rest > least:
        if capacity == K:
            capacity *= 2
            components = enlarged(components, capacity)
            more = np.zeros(capacity)
            for k in range(K):
                more[k] = w[k]
            w = more
        share = rng.beta(1.0, alpha)
        w[K] = rest * share
        rest *= 1.0 - share
        components.log_det[K] = draw_from_prior(prior, components.mean, components.whitener, K, rng)
        K += 1
    _choose(X, labels, components.mean, components.whitener, components.log_det, w, u, K, rng)
    return components


@njit(cache=True, nogil=True)
def slice_sweeps(
    X: Array,
    labels: Ints,
    components: Components,
    alpha: float,
    shape: float,
    rate: float,
    prior: PriorArrays,
    n_sweeps: int,
    thin: int,
    out_labels: Ints,
    out_K: Ints,
    out_alpha: Array,
    out_joint: Array,
    rng: Rng,
) -> Any:
    """Run sweeps from labels (0..K-1, overwritten, numbered by first appearance) and keep every `thin`-th.

    A sweep: weights, slices and labels; parameters; alpha, with the weights integrated out, as they are drawn anew
    next. Returns alpha and the components of the last labels.
    """
    N = len(labels)
    K = n_labels(labels)
    count = counted(labels)
    for s in range(n_sweeps):
        components = _scan(X, labels, components, count, K, alpha, prior, rng)
        components, K = in_order(labels, components)
        draw_components(X, labels, K, components, prior, count, rng)
        alpha = draw_concentration(alpha, K, N, shape, rate, rng)
        keep_draw(s, thin, X, labels, K, components, count, alpha, out_labels, out_K, out_alpha, out_joint)
    return alpha, components
