"""The predictive density of a Dirichlet-process mixture: the mean over draws of each draw's.

A draw's density of a new item is sum_k n_k / (N + alpha) p_k(x) + alpha / (N + alpha) p_0(x). With a conjugate prior
p_k and p_0 are Student densities and all that is needed is labels and items; otherwise they are the Gaussians of the
draw, and p_0 is one component drawn from the prior in each draw, which is right on average. At most `DRAWS` draws,
evenly spaced, are taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks
from partita.mixture.base import MixtureModel, Recorded
from partita.mixture.units import Units

__all__ = ["DRAWS", "GaussianDensity", "PredictiveDensity", "StudentDensity"]


# Draws of all chains that the density is a mean of; values of new items at a time; draws at a time on a thread.
DRAWS, SLAB, AT_ONCE = 500, 2_000_000, 16


@dataclass(frozen=True, eq=False)
class PredictiveDensity(ABC):
    """Posterior mean of the density of a new item."""

    units: Units

    def log_density(self, X: Array) -> Array:
        """Return the log density of the rows of X in the units of X: the logarithm of the mean over draws."""
        rows = max(1, SLAB // self.n_draws)
        out = np.empty(len(X))
        for low, high in row_bounds(len(X), rows):
            values = self.log_density_by_draw(X[low:high])
            top = values.max(axis=0)
            out[low:high] = top + np.log(np.exp(values - top).mean(axis=0))
        return out

    def log_density_by_draw(self, X: Array) -> Array:
        """Return the log density of the rows of X under each draw taken: draws x rows."""
        out = np.empty((self.n_draws, len(X)))
        Y = self.units.of(np.asarray(X, dtype=np.float64))

        def work(low: int, high: int) -> None:
            self._evaluate(Y, low, high, out)

        run_chunks(work, row_bounds(self.n_draws, AT_ONCE))
        return np.asarray(out - self.units.log_volume)

    @property
    @abstractmethod
    def n_draws(self) -> int:
        """Draws taken."""

    @abstractmethod
    def _evaluate(self, Y: Array, low: int, high: int, out: Array) -> None: ...


@dataclass(frozen=True, eq=False)
class StudentDensity(PredictiveDensity):
    """Predictive density under a conjugate prior, from labels and items."""

    model: MixtureModel
    labels: NDArray[Any]
    alphas: Array

    @property
    def n_draws(self) -> int:
        return len(self.labels)

    def _evaluate(self, Y: Array, low: int, high: int, out: Array) -> None:
        from partita.kernels.mixture_density import student_log_density

        model = self.model
        student_log_density(
            Y,
            model.log_prior_density(Y),
            model.items,
            self.labels,
            self.alphas,
            model.prior,
            model.tables,
            low,
            high,
            out,
        )


@dataclass(frozen=True, eq=False)
class GaussianDensity(PredictiveDensity):
    """Predictive density of the components drawn: rows first[b]..first[b + 1] of the arrays are those of draw b."""

    first: NDArray[np.int64]
    log_weight: Array
    mean: Array
    whitener: Array
    log_det: Array

    @classmethod
    def of_recorded(
        cls, recorded: list[Recorded], model: MixtureModel, units: Units, rng: np.random.Generator
    ) -> GaussianDensity:
        """Make the density from draws whose components were recorded, with a component from the prior for each."""
        from partita.kernels.mixture_components import empty_components
        from partita.kernels.mixture_linear import draw_from_prior

        N, d = model.items.shape
        weights, parts = [], []
        for draw in recorded:
            new = empty_components(1, d)
            new.log_det[0] = draw_from_prior(model.prior, new.mean, new.whitener, 0, rng)
            parts.extend([draw.components, tuple(new)])
            weights.append(np.log(np.append(draw.sizes, draw.alpha) / (N + draw.alpha)))
        first = np.cumsum([0, *map(len, weights)])
        mean, whitener, log_det = (np.concatenate(values) for values in zip(*parts, strict=True))
        return cls(units, first, np.concatenate(weights), mean, whitener, log_det)

    @property
    def n_draws(self) -> int:
        return len(self.first) - 1

    def _evaluate(self, Y: Array, low: int, high: int, out: Array) -> None:
        from partita.kernels.mixture_density import gaussian_log_density

        gaussian_log_density(Y, self.first, self.log_weight, self.mean, self.whitener, self.log_det, low, high, out)
