"""Pictures of a fit, as scikit-learn's displays: `XDisplay.from_estimator(estimator, X)` or from arrays, then `plot()`.

They need matplotlib: python -m pip install 'partita[plot]'.
"""

from partita.plots.chain_traces import ChainTracesDisplay
from partita.plots.cluster_counts import ClusterCountsDisplay
from partita.plots.comembership import CoMembershipDisplay
from partita.plots.coverage import CoverageDisplay
from partita.plots.figures import blank_figure, png
from partita.plots.losses import LossesDisplay
from partita.plots.palette import cluster_colors, cluster_markers
from partita.plots.partition import PartitionDisplay
from partita.plots.profiles import ProfilesDisplay
from partita.plots.reliability import ReliabilityDisplay
from partita.plots.similarity import MisfitDisplay, SimilarityDisplay
from partita.plots.sizes import SizesDisplay
from partita.plots.strips import Strip, StripsDisplay
from partita.plots.trace import TraceDisplay
from partita.plots.verdict import VerdictDisplay

__all__ = [
    "ChainTracesDisplay",
    "ClusterCountsDisplay",
    "CoMembershipDisplay",
    "CoverageDisplay",
    "LossesDisplay",
    "MisfitDisplay",
    "PartitionDisplay",
    "ProfilesDisplay",
    "ReliabilityDisplay",
    "SimilarityDisplay",
    "SizesDisplay",
    "Strip",
    "StripsDisplay",
    "TraceDisplay",
    "VerdictDisplay",
    "blank_figure",
    "cluster_colors",
    "cluster_markers",
    "png",
]
