"""Pairwise evidence: what every affinity offers, the kinds of affinity, and what builds one."""

from partita.affinity.base import Affinity, Unobserved
from partita.affinity.checks import as_affinity, as_distances
from partita.affinity.dense import DenseAffinity
from partita.affinity.diffused import DiffusedAffinity
from partita.affinity.draws import DrawsAffinity
from partita.affinity.evidence import Builder, Evidence
from partita.affinity.from_features import RelativeDistance
from partita.affinity.from_matrix import Precomputed, from_edges
from partita.affinity.from_neighbors import NeighborGraph
from partita.affinity.gower import gower_distances
from partita.affinity.low_rank import LowRankAffinity
from partita.affinity.normalise import Normalised, normalise
from partita.affinity.scaled import ScaledAffinity
from partita.affinity.sparse import SparseAffinity

__all__ = [
    "Affinity",
    "Builder",
    "DenseAffinity",
    "DiffusedAffinity",
    "DrawsAffinity",
    "Evidence",
    "LowRankAffinity",
    "NeighborGraph",
    "Normalised",
    "Precomputed",
    "RelativeDistance",
    "ScaledAffinity",
    "SparseAffinity",
    "Unobserved",
    "as_affinity",
    "as_distances",
    "from_edges",
    "gower_distances",
    "normalise",
]
