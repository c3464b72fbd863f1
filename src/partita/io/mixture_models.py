"""The record of a DPGaussianMixture: the draws of every chain, their traces, and what the predictive density needs.

A density under a conjugate prior comes from labels, concentrations and items, others from the components that were
drawn; both in the units in which was sampled. What chains say of each other is kept as it was told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array
from partita.errors import InputError, ModelError
from partita.estimators.dp_gaussian_mixture import DPGaussianMixture
from partita.io.codec import Arrays, Config, Under, copied
from partita.io.given_labels import given_labels, labels_as_given
from partita.io.settings import made_with, parameters_of
from partita.mixture import GammaPrior, SampledPartitions, Sampler
from partita.mixture.agreement import ChainAgreement
from partita.mixture.base import MixtureModel
from partita.mixture.density import GaussianDensity, PredictiveDensity, StudentDensity
from partita.mixture.priors import ComponentPrior
from partita.mixture.units import Units
from partita.shapes import flags, floats, partitions, whole

__all__ = ["SavedMixture"]

Labels = NDArray[Any]


@dataclass(frozen=True)
class Sampled:
    """Settings and totals of the sampling."""

    status: Literal["completed", "max_seconds", "interrupted"]
    n_sweeps: int
    seconds: float
    sampler: Sampler
    prior: ComponentPrior
    alpha: int | float | GammaPrior
    starts: tuple[str, ...]
    seed: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Traced:
    """A number of each trace."""

    n_clusters: float
    log_joint: float
    alpha: float


@dataclass(frozen=True)
class Pair:
    """Two chains."""

    first: int
    second: int


@dataclass(frozen=True)
class SavedAgreement:
    """Agreement of the chains."""

    max_difference: float
    mean_difference: float
    farthest: Pair
    n_items: int
    exact: bool


@dataclass(frozen=True)
class _Density:
    """The units of d features. Compiled code evaluates a density without looking at bounds."""

    unit: Annotated[Array, floats("d")]
    centre: Annotated[Array, floats("d")]
    constant: Annotated[NDArray[np.bool_], flags("d")]

    @property
    def units(self) -> Units:
        """The units."""
        if not len(self.unit) or not (self.unit > 0).all():
            raise ModelError("the units of the model are no positive numbers; save the model again")
        return copied(Units, self)


@dataclass(frozen=True)
class ConjugatePrior:
    """A conjugate prior as compiled code has it."""

    kappa: float
    freedom: float
    log_det: float
    centre: Annotated[Array, floats("d")]
    scale: Annotated[Array, floats("d", "d")]
    whitener: Annotated[Array, floats("d", "d")]
    spread: Annotated[Array, floats("d", "d")]
    spread_root: Annotated[Array, floats("d", "d")]

    def check(self) -> None:
        """Raise `ModelError` for numbers that no prior has."""
        finite = np.isfinite([self.kappa, self.freedom, self.log_det]).all()
        if not finite or self.kappa <= 0 or self.freedom <= len(self.centre) - 1:
            raise ModelError("the prior of the model's density is out of range; save the model again")


@dataclass(frozen=True)
class Concentration:
    """The first value of the concentration, and its prior."""

    first: float
    shape: float
    rate: float


@dataclass(frozen=True)
class Student(_Density):
    """The density under a conjugate prior."""

    kind: Literal["student"]
    prior: Annotated[ConjugatePrior, Under("prior.")]
    concentration: Concentration
    items: Annotated[Array, floats("N", "d")]
    labels: Annotated[Labels, partitions("B", "N")]
    alphas: Annotated[Array, floats("B")]

    def check(self) -> None:
        """Raise `ModelError` for draws that cannot be."""
        if not len(self.labels) or not (self.alphas > 0).all():
            raise ModelError("the draws of the model's density are out of range; save the model again")

    def made(self) -> StudentDensity:
        """Return the density."""
        from partita.kernels.mixture_linear import PriorArrays

        prior = PriorArrays(conjugate=True, **vars(self.prior))
        alpha = self.concentration
        model = MixtureModel(self.items, prior, (alpha.first, alpha.shape, alpha.rate))
        return StudentDensity(self.units, model, self.labels, self.alphas)


@dataclass(frozen=True)
class Gaussian(_Density):
    """The density of n components that were drawn."""

    kind: Literal["gaussian"]
    log_weight: Annotated[Array, floats("n")]
    first: Annotated[NDArray[np.int64], whole(None, as_type=np.int64)]
    mean: Annotated[Array, floats("n", "d")]
    whitener: Annotated[Array, floats("n", "d", "d")]
    log_det: Annotated[Array, floats("n")]

    def check(self) -> None:
        """Raise `ModelError` for offsets that do not cut the components into draws."""
        first = self.first
        if len(first) < 2 or first[0] != 0 or first[-1] != len(self.mean) or (first[1:] <= first[:-1]).any():
            raise ModelError("the components of the model's density are not those of its draws; save the model again")

    def made(self) -> GaussianDensity:
        """Return the density."""
        return copied(GaussianDensity, self)


@dataclass(frozen=True)
class SavedMixture:
    """M draws of N items by C chains."""

    parameters: Config
    sampled: Sampled
    r_hat: Traced
    effective_sample_size: Traced
    agreement: SavedAgreement | None
    feature_names: tuple[str, ...]
    start: Annotated[Arrays, Under("start.")]
    draws: Annotated[Labels, partitions("M", "N")]
    alpha: Annotated[Array, floats("C", "n_draws")]
    n_clusters: Annotated[NDArray[np.int64], whole("C", "n_draws", as_type=np.int64)]
    log_joint: Annotated[Array, floats("C", "n_draws")]
    density: Annotated[Student | Gaussian, Under("density.")]

    @classmethod
    def of(cls, model: DPGaussianMixture) -> SavedMixture:
        """Return the record of a fitted estimator.

        NotFittedError before `fit`, and InputError for what cannot be kept.
        """
        check_is_fitted(model, "result_")
        result, found = model.result_, model.result_.agreement
        start, given = given_labels("start", model.start)
        return cls(
            parameters=parameters_of(model, "start") | {"start": start},
            sampled=copied(Sampled, result),
            r_hat=Traced(**result.r_hat),
            effective_sample_size=Traced(**result.effective_sample_size),
            agreement=None if found is None else copied(SavedAgreement, found, farthest=Pair(*found.farthest)),
            feature_names=tuple(str(name) for name in getattr(model, "feature_names_in_", [])),
            start=given,
            draws=result.labels,
            alpha=result.alpha_trace,
            n_clusters=result.n_clusters_trace,
            log_joint=result.log_joint_trace,
            density=_saved_density(result.density),
        )

    def check(self) -> None:
        """Raise `ModelError` for draws, traces and names that do not go together."""
        M, (C, n), d = len(self.draws), self.alpha.shape, len(self.density.unit)
        if not self.draws.size or C * n != M or not np.array_equal(self.n_clusters.ravel(), self.draws.max(axis=1) + 1):
            raise ModelError(f"the model has {M} draws of {C} chains of {n}, which do not fit; save the model again")
        if not (self.alpha > 0).all():
            raise ModelError("a concentration of the model is not above zero; save the model again")
        if (self.agreement is None) != (C < 2):
            raise ModelError(f"the agreement of the model is not one of {C} chains; save the model again")
        if self.feature_names and len(self.feature_names) != d:
            raise ModelError(f"the model names {len(self.feature_names)} features, expected {d}; save the model again")

    def made(self, kind: type[DPGaussianMixture]) -> DPGaussianMixture:
        """Return the estimator, fitted."""
        model = made_with(kind, self.parameters, start=labels_as_given("start", self.parameters["start"], self.start))
        model.result_ = result = self._result()
        model.n_features_in_ = len(result.density.units.unit)
        if self.feature_names:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        model.draws_, model.chain_ = result.labels, result.chain
        model.n_clusters_trace_, model.alpha_trace_ = result.n_clusters_trace, result.alpha_trace
        model.log_joint_trace_, model.agreement_ = result.log_joint_trace, result.agreement
        model.r_hat_, model.effective_sample_size_ = result.r_hat, result.effective_sample_size
        return model

    def _result(self) -> SampledPartitions:
        result = SampledPartitions(
            labels=self.draws,
            chain=np.repeat(np.arange(len(self.alpha)), self.alpha.shape[1]),
            n_clusters_trace=self.n_clusters,
            alpha_trace=self.alpha,
            log_joint_trace=self.log_joint,
            density=self.density.made(),
            **vars(self.sampled),
        )
        found = self.agreement
        pair = None if found is None else (found.farthest.first, found.farthest.second)
        vars(result).update(  # what would take seconds to work out again
            r_hat=dict(vars(self.r_hat)),
            effective_sample_size=dict(vars(self.effective_sample_size)),
            agreement=None if found is None else copied(ChainAgreement, found, farthest=pair),
        )
        return result


def _saved_density(density: PredictiveDensity) -> Student | Gaussian:
    if isinstance(density, StudentDensity):
        model = density.model
        prior, alpha = copied(ConjugatePrior, model.prior), Concentration(*map(float, model.alpha))
        return copied(Student, density, model, density.units, kind="student", prior=prior, concentration=alpha)
    if isinstance(density, GaussianDensity):
        return copied(Gaussian, density, density.units, kind="gaussian")
    raise InputError(f"a density of type {type(density).__name__} cannot be saved")
