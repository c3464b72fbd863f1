"""Different clusterings as evidence: members, their weights, and the affinity they make together."""

from partita.ensemble.base import Clustering, Member, member
from partita.ensemble.builder import Ensemble
from partita.ensemble.components import Components
from partita.ensemble.density import Density
from partita.ensemble.draws import Draw
from partita.ensemble.evidence import EnsembleEvidence
from partita.ensemble.genie import Genie
from partita.ensemble.graph import Graph
from partita.ensemble.latent_classes import LatentClasses
from partita.ensemble.linkage import SingleLinkage
from partita.ensemble.mixture import Mixture
from partita.ensemble.modularity import Modularity
from partita.ensemble.mutual import Mutual
from partita.ensemble.on_graph import GraphEnsemble, is_plain_graph
from partita.ensemble.spectral import Spectral
from partita.ensemble.validity import Validity
from partita.ensemble.walks import Walks
from partita.ensemble.weights import adjusted_rand, agreement, agreement_weights

__all__ = [
    "Clustering",
    "Components",
    "Density",
    "Draw",
    "Ensemble",
    "EnsembleEvidence",
    "Genie",
    "Graph",
    "GraphEnsemble",
    "LatentClasses",
    "Member",
    "Mixture",
    "Modularity",
    "Mutual",
    "SingleLinkage",
    "Spectral",
    "Validity",
    "Walks",
    "adjusted_rand",
    "agreement",
    "agreement_weights",
    "is_plain_graph",
    "member",
]
