"""The papers' competitors behind one interface, libraries first: evidence in, labels out, and where each comes from."""

from partita.baselines.base import AffinityBaseline, Baseline, BaselineEvidence, BaselineResult, baseline
from partita.baselines.density import HDBSCAN
from partita.baselines.fuzzy import FuzzyCMeans
from partita.baselines.gaussian_mixture import GaussianMixture
from partita.baselines.genie_tree import Genie
from partita.baselines.gnmf import GNMF
from partita.baselines.k_means import KMeans
from partita.baselines.nmf import NMF, RegularizedNMF
from partita.baselines.normalised_cut import NgJordanWeiss, NormalisedCut
from partita.baselines.spectral import Spectral
from partita.baselines.spherical import SphericalKMeans
from partita.baselines.symmetric import Copositive, SymNMF

__all__ = [
    "GNMF",
    "HDBSCAN",
    "NMF",
    "AffinityBaseline",
    "Baseline",
    "BaselineEvidence",
    "BaselineResult",
    "Copositive",
    "FuzzyCMeans",
    "GaussianMixture",
    "Genie",
    "KMeans",
    "NgJordanWeiss",
    "NormalisedCut",
    "RegularizedNMF",
    "Spectral",
    "SphericalKMeans",
    "SymNMF",
    "baseline",
]
