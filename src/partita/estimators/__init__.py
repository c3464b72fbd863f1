"""Thin scikit-learn estimators."""

from partita.estimators.sof import SoF
from partita.estimators.soft_clustering import SoftClustering

__all__ = ["SoF", "SoftClustering"]
