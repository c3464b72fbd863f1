"""What is minimised. One file each; importing this package registers them all."""

from partita.objectives.base import Objective, Point, Problem
from partita.objectives.per_cluster import PerClusterObjective
from partita.objectives.scaled import ScaledObjective
from partita.objectives.sof import SoFObjective

__all__ = ["Objective", "PerClusterObjective", "Point", "Problem", "ScaledObjective", "SoFObjective"]
