"""Pairwise evidence: the interface of affinities, their kinds, and the builders that make them."""

from partita.affinity.base import Affinity, PairWeights, Unobserved
from partita.affinity.checks import as_affinity, as_distances
from partita.affinity.contracted import ContractedAffinity
from partita.affinity.dense import DenseAffinity
from partita.affinity.diffused import DiffusedAffinity
from partita.affinity.draws import DrawsAffinity
from partita.affinity.evidence import Builder, Evidence
from partita.affinity.factor_evidence import FactorEvidence
from partita.affinity.from_features import RelativeDistance
from partita.affinity.from_kernel import Nystrom
from partita.affinity.from_landmarks import Landmarks
from partita.affinity.from_local_metric import LocalMetricGraph
from partita.affinity.from_matrix import Precomputed, from_edges
from partita.affinity.from_neighbors import NeighborGraph
from partita.affinity.from_random_features import RandomFeatures
from partita.affinity.from_subspace import LowRankRepresentation, MatchingPursuit, SparseSubspace
from partita.affinity.gower import gower_distances
from partita.affinity.low_rank import LowRankAffinity
from partita.affinity.normalise import Normalised, normalise
from partita.affinity.scaled import ScaledAffinity
from partita.affinity.self_diffusion import self_diffusion
from partita.affinity.sparse import SparseAffinity
from partita.affinity.weighted import WeightedAffinity

__all__ = [
    "Affinity",
    "Builder",
    "ContractedAffinity",
    "DenseAffinity",
    "DiffusedAffinity",
    "DrawsAffinity",
    "Evidence",
    "FactorEvidence",
    "Landmarks",
    "LocalMetricGraph",
    "LowRankAffinity",
    "LowRankRepresentation",
    "MatchingPursuit",
    "NeighborGraph",
    "Normalised",
    "Nystrom",
    "PairWeights",
    "Precomputed",
    "RandomFeatures",
    "RelativeDistance",
    "ScaledAffinity",
    "SparseAffinity",
    "SparseSubspace",
    "Unobserved",
    "WeightedAffinity",
    "as_affinity",
    "as_distances",
    "from_edges",
    "gower_distances",
    "normalise",
    "self_diffusion",
]
