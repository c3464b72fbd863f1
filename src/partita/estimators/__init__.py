"""Thin scikit-learn estimators."""

from partita.estimators.baum_eagon import BaumEagon
from partita.estimators.bayesian_partition import BayesianPartition
from partita.estimators.copositive import CopositiveFactorization
from partita.estimators.dp_gaussian_mixture import DPGaussianMixture
from partita.estimators.kernel_kmeans import KernelKMeans
from partita.estimators.scams import SCAMS
from partita.estimators.sof import SoF
from partita.estimators.soft_clustering import SoftClustering
from partita.estimators.spectral_relaxation import SpectralRelaxation
from partita.estimators.symnmf import SymNMF

__all__ = [
    "SCAMS",
    "BaumEagon",
    "BayesianPartition",
    "CopositiveFactorization",
    "DPGaussianMixture",
    "KernelKMeans",
    "SoF",
    "SoftClustering",
    "SpectralRelaxation",
    "SymNMF",
]
