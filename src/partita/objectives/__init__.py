"""Objectives, one file each; importing this package registers them all."""

from partita.objectives.copositive import CopositiveObjective
from partita.objectives.descent import Descent
from partita.objectives.domain import Domain
from partita.objectives.kernel_kmeans import KernelKMeansObjective
from partita.objectives.objective import Objective
from partita.objectives.per_cluster import PerClusterObjective
from partita.objectives.point import Between, Cross, Point
from partita.objectives.problem import Problem
from partita.objectives.scaled import ScaledObjective
from partita.objectives.sof import SoFObjective
from partita.objectives.spectral import SpectralObjective
from partita.objectives.symnmf import SymNMFObjective

__all__ = [
    "Between",
    "CopositiveObjective",
    "Cross",
    "Descent",
    "Domain",
    "KernelKMeansObjective",
    "Objective",
    "PerClusterObjective",
    "Point",
    "Problem",
    "ScaledObjective",
    "SoFObjective",
    "SpectralObjective",
    "SymNMFObjective",
]
