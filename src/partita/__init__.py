"""Partita: from pairwise evidence to memberships. Which items belong together, and how surely?"""

from partita import affinity, metrics
from partita.estimators import SoF, SoftClustering
from partita.io.estimators import load, save

__version__ = "0.1.0"

__all__ = ["SoF", "SoftClustering", "__version__", "affinity", "load", "metrics", "save"]
