"""Samplers of Dirichlet-process Gaussian mixtures: draws from the posterior of partitions."""

from partita.metrics.convergence import effective_sample_size, r_hat
from partita.mixture.agreement import ChainAgreement, chain_agreement
from partita.mixture.auxiliary import Auxiliary
from partita.mixture.base import Sampler
from partita.mixture.collapsed import Collapsed
from partita.mixture.concentration import GammaPrior
from partita.mixture.density import PredictiveDensity
from partita.mixture.priors import ComponentPrior, IndependentNormalInverseWishart, NormalInverseWishart
from partita.mixture.result import SampledPartitions
from partita.mixture.sample import sample_partitions
from partita.mixture.slices import Slice
from partita.progress import SweepBar

__all__ = [
    "Auxiliary",
    "ChainAgreement",
    "Collapsed",
    "ComponentPrior",
    "GammaPrior",
    "IndependentNormalInverseWishart",
    "NormalInverseWishart",
    "PredictiveDensity",
    "SampledPartitions",
    "Sampler",
    "Slice",
    "SweepBar",
    "chain_agreement",
    "effective_sample_size",
    "r_hat",
    "sample_partitions",
]
