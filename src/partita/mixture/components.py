"""Common parts of samplers that keep a mean and a covariance for each cluster: the start, and how sweeps are called."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.arrays import Labels
from partita.kernels.interrupts import call_whole
from partita.mixture.base import ChainState, Kept, MixtureModel, Sampler, numbered

__all__ = ["ComponentSampler"]


class ComponentSampler(Sampler):
    """A sampler whose state has components; a subclass says which kernel does its sweeps."""

    @abstractmethod
    def _sweeps(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The kernel, and the arguments between the prior and the number of sweeps that are its own."""

    def start(self, model: MixtureModel, labels: Labels, rng: np.random.Generator) -> ChainState:
        from partita.kernels.mixture_components import fitted_components

        labels = numbered(labels)
        components = call_whole(fitted_components, model.items, labels, int(labels.max()) + 1, model.prior, rng)
        return ChainState(labels, model.alpha[0], components)

    def advance(
        self, model: MixtureModel, state: ChainState, rng: np.random.Generator, n_sweeps: int, thin: int, kept: Kept
    ) -> ChainState:
        kernel, own = self._sweeps()
        labels = state.labels.copy()
        _, shape, rate = model.alpha
        prior = (state.components, state.alpha, float(shape), float(rate), model.prior)
        alpha, components = call_whole(kernel, model.items, labels, *prior, *own, n_sweeps, thin, *kept, rng)
        return ChainState(labels, alpha, components)
