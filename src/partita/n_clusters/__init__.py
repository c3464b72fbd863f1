"""The number of clusters: criteria behind one interface, a test of one cluster, and the verdict over them.

`KEvidence` holds what there is to look at, `criterion` makes a criterion by its name, `judge_all` gives the verdict. A
new criterion is one file and one import line here.
"""

from partita.n_clusters.agreement import Agreement, is_of_classes, is_of_modes
from partita.n_clusters.base import Criterion, Judgement, criterion
from partita.n_clusters.conductance_jump import ConductanceJump
from partita.n_clusters.correlation_clustering import CorrelationClustering
from partita.n_clusters.eigengap import Eigengap, EigengapRatio
from partita.n_clusters.evidence import KEvidence
from partita.n_clusters.expected_loss import ExpectedLoss
from partita.n_clusters.gap_statistic import GapStatistic
from partita.n_clusters.hdbscan_count import HDBSCANCount
from partita.n_clusters.held_out_pairs import HeldOutPairs
from partita.n_clusters.one_cluster import OneCluster
from partita.n_clusters.scams import SCAMSCount
from partita.n_clusters.second_order_difference import SecondOrderDifference
from partita.n_clusters.silhouette import Silhouette
from partita.n_clusters.soft_threshold import SoftThreshold
from partita.n_clusters.stability import Stability
from partita.n_clusters.valley_splits import ValleySplits
from partita.n_clusters.verdict import VOTERS, Verdict, judge_all

__all__ = [
    "VOTERS",
    "Agreement",
    "ConductanceJump",
    "CorrelationClustering",
    "Criterion",
    "Eigengap",
    "EigengapRatio",
    "ExpectedLoss",
    "GapStatistic",
    "HDBSCANCount",
    "HeldOutPairs",
    "Judgement",
    "KEvidence",
    "OneCluster",
    "SCAMSCount",
    "SecondOrderDifference",
    "Silhouette",
    "SoftThreshold",
    "Stability",
    "ValleySplits",
    "Verdict",
    "criterion",
    "is_of_classes",
    "is_of_modes",
    "judge_all",
]
