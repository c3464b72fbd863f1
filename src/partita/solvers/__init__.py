"""How an objective is minimised. One file each; importing this package registers them all."""

from partita.solvers.base import Solver, State, optimality
from partita.solvers.baum_eagon import BaumEagon
from partita.solvers.block_coordinate import BlockCoordinateDescent
from partita.solvers.drive import Progress, Progressing, drive
from partita.solvers.exponentiated_gradient import ExponentiatedGradient
from partita.solvers.penalty_descent import PenaltyDescent
from partita.solvers.projected_gradient import ProjectedGradient
from partita.solvers.result import Restart, SolveResult, Status
from partita.solvers.simplex_qp import solve_rows
from partita.solvers.spectral import cluster_qr, leading_eigenvectors
from partita.solvers.start import STARTS, Starts

__all__ = [
    "STARTS",
    "BaumEagon",
    "BlockCoordinateDescent",
    "ExponentiatedGradient",
    "PenaltyDescent",
    "Progress",
    "Progressing",
    "ProjectedGradient",
    "Restart",
    "SolveResult",
    "Solver",
    "Starts",
    "State",
    "Status",
    "cluster_qr",
    "drive",
    "leading_eigenvectors",
    "optimality",
    "solve_rows",
]
