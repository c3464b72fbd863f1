"""DPGaussianMixture as a saved model: the draws of every chain, their traces, and what the predictive density needs.

A density under a conjugate prior comes from labels, concentrations and items, others from the components that were
drawn; both in the units in which was sampled. What chains say of each other is kept as it was told.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita.errors import ModelError
from partita.estimators.dp_gaussian_mixture import DPGaussianMixture
from partita.io.given_labels import given_labels, labels_as_given
from partita.io.mixture_densities import density_state, restored_density
from partita.io.model_kind import Arrays, Config, ModelKind
from partita.io.parameters import made_with, plain_parameter, revived_parameter
from partita.io.taken import Held, Stated, as_json
from partita.mixture import GammaPrior, SampledPartitions, Sampler
from partita.mixture.agreement import ChainAgreement
from partita.mixture.priors import ComponentPrior
from partita.runs import Status

__all__ = ["MIXTURE"]

TRACED = ("n_clusters", "log_joint", "alpha")


def _state(model: DPGaussianMixture) -> tuple[Config, Arrays]:
    check_is_fitted(model, "result_")
    result = model.result_
    start, arrays = given_labels("start", model.start)
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "start"}
    density, own = density_state(result.density)
    config: Config = {
        "parameters": {name: plain_parameter(name, value) for name, value in parameters.items()} | {"start": start},
        "sampled": {
            "status": result.status,
            "n_sweeps": int(result.n_sweeps),
            "seconds": as_json(result.seconds),
            "sampler": plain_parameter("sampler", result.sampler),
            "prior": plain_parameter("prior", result.prior),
            "alpha": plain_parameter("alpha", result.alpha),
            "starts": list(result.starts),
            "seed": result.seed,
            "notes": list(result.notes),
        },
        "r_hat": {name: as_json(result.r_hat[name]) for name in TRACED},
        "effective_sample_size": {name: as_json(result.effective_sample_size[name]) for name in TRACED},
        "agreement": _agreement(result.agreement),
        "density": density,
        "feature_names": [str(name) for name in getattr(model, "feature_names_in_", [])],
    }
    arrays |= {
        "draws": result.labels,
        "n_clusters": result.n_clusters_trace,
        "alpha": result.alpha_trace,
        "log_joint": result.log_joint_trace,
        **own,
    }
    return config, arrays


def _restored(kind: type[DPGaussianMixture], config: Config, arrays: Arrays) -> DPGaussianMixture:
    stated, held = Stated(config, "the model"), Held(arrays)
    parameters = {name: revived_parameter(value) for name, value in config["parameters"].items() if name != "start"}
    model = made_with(kind, parameters | {"start": labels_as_given(config["parameters"]["start"], held)})
    model.result_ = result = _sampled(stated, held)
    model.n_features_in_ = len(result.density.units.unit)
    names = stated.words("feature_names")
    if names and len(names) != model.n_features_in_:
        raise ModelError(
            f"the model names {len(names)} features, expected {model.n_features_in_}; save the model again"
        )
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.draws_, model.chain_ = result.labels, result.chain
    model.n_clusters_trace_, model.alpha_trace_ = result.n_clusters_trace, result.alpha_trace
    model.log_joint_trace_, model.agreement_ = result.log_joint_trace, result.agreement
    model.r_hat_, model.effective_sample_size_ = result.r_hat, result.effective_sample_size
    return model


def _sampled(stated: Stated, held: Held) -> SampledPartitions:
    told = stated.part("sampled")
    labels, n_clusters = held.partitions("draws", None, None)
    alpha = held.floats("alpha", None, None)
    C, n = alpha.shape
    counts = held.whole("n_clusters", C, n).astype(np.int64)
    if not labels.size or len(labels) != C * n or not np.array_equal(counts.ravel(), n_clusters):
        raise ModelError(
            f"the model has {len(labels)} draws of {C} chains of {n}, which do not fit; save the model again"
        )
    if not (alpha > 0).all():
        raise ModelError("a concentration of the model is not above zero; save the model again")
    sampler, prior, concentration = (revived_parameter(told.any(name)) for name in ("sampler", "prior", "alpha"))
    for value, wanted in ((sampler, Sampler), (prior, ComponentPrior), (concentration, int | float | GammaPrior)):
        if not isinstance(value, wanted):
            raise ModelError(f"the model was sampled with {value!r}; save the model again")
    result = SampledPartitions(
        labels=labels,
        chain=np.repeat(np.arange(C), n),
        n_clusters_trace=counts,
        alpha_trace=alpha,
        log_joint_trace=held.floats("log_joint", C, n),
        density=restored_density(stated.part("density"), held, labels.shape[1]),
        status=told.word("status", among=get_args(Status)),
        n_sweeps=told.whole("n_sweeps"),
        seconds=told.number("seconds"),
        sampler=sampler,
        prior=prior,
        alpha=concentration,
        starts=told.words("starts"),
        seed=told.whole_or_none("seed"),
        notes=told.words("notes"),
    )
    hats, sizes = stated.part("r_hat"), stated.part("effective_sample_size")
    vars(result).update(  # what would take seconds to work out again
        r_hat={name: hats.number(name) for name in TRACED},
        effective_sample_size={name: sizes.number(name) for name in TRACED},
        agreement=_restored_agreement(stated.part_or_none("agreement"), C),
    )
    return result


def _agreement(found: ChainAgreement | None) -> Config | None:
    if found is None:
        return None
    return {
        "max_difference": as_json(found.max_difference),
        "mean_difference": as_json(found.mean_difference),
        "farthest": {"first": int(found.farthest[0]), "second": int(found.farthest[1])},
        "n_items": int(found.n_items),
        "exact": bool(found.exact),
    }


def _restored_agreement(stated: Stated | None, n_chains: int) -> ChainAgreement | None:
    if (stated is None) != (n_chains < 2):
        raise ModelError(f"the agreement of the model is not one of {n_chains} chains; save the model again")
    if stated is None:
        return None
    far = stated.part("farthest")
    return ChainAgreement(
        stated.number("max_difference"),
        stated.number("mean_difference"),
        (far.whole("first"), far.whole("second")),
        stated.whole("n_items"),
        stated.flag("exact"),
    )


MIXTURE = ModelKind(_state, _restored)
