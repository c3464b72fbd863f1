"""The interface of samplers: frozen configuration, a start, and sweeps. The chains are the driver's (`chains`).

A sampler adds one file with a subclass, and `tests/contract/test_sampler.py` and the joint-distribution test then check
it: draws are partitions numbered by first appearance, the same seed gives the same draws on any number of threads, and
the posterior of partitions is the exact one wherever all of them can be listed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.mixture.priors import ComponentPrior
from partita.registry import enrol

__all__ = ["ChainState", "Kept", "MixtureModel", "Recorded", "Sampler", "as_sampler", "numbered"]


class Kept(NamedTuple):
    """Storage for the draws that a run keeps: m x N labels (int16 or int32), and m values each."""

    labels: NDArray[Any]
    n_clusters: NDArray[np.int64]
    alpha: Array
    log_joint: Array

    def rows(self, low: int, high: int) -> Kept:
        """Return the part for draws low..high - 1."""
        rows = slice(low, high)
        return Kept(self.labels[rows], self.n_clusters[rows], self.alpha[rows], self.log_joint[rows])


@dataclass(frozen=True, eq=False)
class MixtureModel:
    """Model to sample from: items (N x d, in the units that the prior's arrays are in), prior, and concentration.

    `alpha` is its first value, and shape and rate of its Gamma prior; a shape of zero fixes it.
    """

    items: Array
    prior: Any
    alpha: tuple[float, float, float]

    @cached_property
    def tables(self) -> Any:
        """`partita.kernels.mixture_clusters.Tables` for clusters of up to N items."""
        from partita.kernels.mixture_clusters import Tables

        N, d = self.items.shape
        prior, half = self.prior, np.arange(d) / 2
        n = np.arange(N + 1)
        kappa, nu = prior.kappa + n, prior.freedom + n
        join = np.log(np.maximum(n, 1)) + gammaln((nu + 1) / 2) - gammaln((nu + 1 - d) / 2)
        join += d / 2 * (np.log(kappa / (kappa + 1)) - math.log(math.pi))
        marginal = gammaln(nu[:, None] / 2 - half).sum(axis=1) - gammaln(prior.freedom / 2 - half).sum()
        marginal += d / 2 * (math.log(prior.kappa) - np.log(kappa) - n * math.log(math.pi))
        return Tables(join, marginal + prior.freedom / 2 * prior.log_det)

    @cached_property
    def alone(self) -> Array:
        """Log density of each item under the prior, of a conjugate one."""
        return self.log_prior_density(self.items)

    def log_prior_density(self, Y: Array) -> Array:
        """Return the log density of rows in a cluster of their own: a Student density [murphy2007, (258)]."""
        prior = self.prior
        q = np.square((Y - prior.centre) @ prior.whitener.T).sum(axis=1)
        ratio = np.log1p(prior.kappa / (prior.kappa + 1) * q)
        return np.asarray(self.tables.join[0] - prior.log_det / 2 - (prior.freedom + 1) / 2 * ratio)


@dataclass(frozen=True, eq=False)
class ChainState:
    """State of a chain: labels 0..K-1 by first appearance, alpha, and the components where they are kept."""

    labels: Labels
    alpha: float
    components: Any = None


class Recorded(NamedTuple):
    """Record of a draw for the density: its number in its chain, and its sizes, alpha and components."""

    draw: int
    sizes: Labels
    alpha: float
    components: Any

    @classmethod
    def of(cls, draw: int, state: ChainState) -> Recorded:
        """Return the components that hold items, without the room for more."""
        sizes = np.bincount(state.labels)
        parts = state.components
        return cls(draw, sizes, state.alpha, None if parts is None else tuple(part[: len(sizes)] for part in parts))


class Sampler(ABC):
    """A Markov chain whose stationary distribution is the posterior of partitions.

    Class attributes
    ----------------
    needs_conjugate : whether it integrates components out, and takes conjugate priors only
    """

    name: ClassVar[str]
    needs_conjugate: ClassVar[bool] = False
    cost: ClassVar[str]
    source: ClassVar[str]
    registry: ClassVar[dict[str, type[Sampler]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Sampler.registry, cls)

    def check(self, prior: ComponentPrior) -> None:
        """Raise where the prior does not suit.

        Raises
        ------
        InputError
        """
        if self.needs_conjugate and not prior.conjugate:
            others = sorted(name for name, cls in Sampler.registry.items() if not cls.needs_conjugate)
            raise InputError(
                f"sampler {self.name!r} integrates components out, which the {prior.name!r} prior does not allow: "
                f"use prior='conjugate', or a sampler among {others}"
            )

    @abstractmethod
    def start(self, model: MixtureModel, labels: Labels, rng: np.random.Generator) -> ChainState:
        """Return the state at first labels."""

    @abstractmethod
    def advance(
        self, model: MixtureModel, state: ChainState, rng: np.random.Generator, n_sweeps: int, thin: int, kept: Kept
    ) -> ChainState:
        """Return the state after so many sweeps; every `thin`-th is written to `kept`, as far as it has rows."""


def as_sampler(given: str | Sampler | None, prior: ComponentPrior) -> Sampler:
    """Return a sampler from its name or itself; by default "collapsed" where the prior is conjugate, else "auxiliary".

    Raises
    ------
    InputError
        For a name that no sampler has, or a prior that does not suit it.
    """
    if given is None:
        given = "collapsed" if prior.conjugate else "auxiliary"
    if not isinstance(given, Sampler):
        if given not in Sampler.registry:
            raise InputError(f"unknown sampler {given!r}: expected one of {sorted(Sampler.registry)}")
        given = Sampler.registry[given]()
    given.check(prior)
    return given


def numbered(labels: NDArray[Any]) -> Labels:
    """Return labels numbered by first appearance.

    >>> numbered(np.array([7, 2, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[inverse.reshape(-1)], dtype=np.int64)
