"""Slice sampling with exchangeable sticks: any prior; all labels are drawn at once given the weights.

Sticks that are kept in the order of their labels [walker2007] look stationary and are wrong unless labels are
switched by extra moves; here the weights of the clusters are drawn anew from Dirichlet(n_1..n_K, alpha),
which knows no order. New clusters have parameters drawn blindly from the prior, so that they are born rarely where the
prior is vague or d is large: the collapsed sampler mixes better there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from partita.mixture.components import ComponentSampler

__all__ = ["Slice"]


@dataclass(frozen=True)
class Slice(ComponentSampler):
    """Slice sampler; it has no options.

    References
    ----------
    [walker2007] Walker: Sampling the Dirichlet mixture model with slices. Communications in Statistics 36, 2007.
    [ge2015] Ge, Chen, Wan, Ghahramani: Distributed inference for Dirichlet process mixture models. ICML 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.mixture import sample_partitions
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [8, 8]], 30, axis=0)
    >>> sampled = sample_partitions(X, sampler=Slice(), n_chains=2, n_draws=200, burn_in=200, seed=0)
    >>> float(np.median(sampled.n_clusters_trace))  # clusters of a draw
    2.0
    """

    name = "slice"
    cost = "N K d^2 / 2 a sweep, K the components above the slices"
    source = "[walker2007] with the sticks of [ge2015]"

    def _sweeps(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        from partita.kernels.mixture_slice import slice_sweeps

        return slice_sweeps, ()
