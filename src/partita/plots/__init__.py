"""Pictures of a fit, as scikit-learn's displays: `XDisplay.from_estimator(estimator, X)` or from arrays, then `plot()`.

They need matplotlib: python -m pip install 'partita[plot]'.
"""

from partita.plots.comembership import CoMembershipDisplay
from partita.plots.figures import blank_figure, png
from partita.plots.palette import cluster_colors, cluster_markers
from partita.plots.partition import PartitionDisplay
from partita.plots.profiles import ProfilesDisplay
from partita.plots.reliability import ReliabilityDisplay
from partita.plots.sizes import SizesDisplay
from partita.plots.trace import TraceDisplay

__all__ = [
    "CoMembershipDisplay",
    "PartitionDisplay",
    "ProfilesDisplay",
    "ReliabilityDisplay",
    "SizesDisplay",
    "TraceDisplay",
    "blank_figure",
    "cluster_colors",
    "cluster_markers",
    "png",
]
