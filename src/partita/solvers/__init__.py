"""Solvers, one file each; importing this package registers them all."""

from partita.runs import Status
from partita.solvers.base import Solver, State, optimality
from partita.solvers.baum_eagon import BaumEagon
from partita.solvers.block_coordinate import BlockCoordinateDescent
from partita.solvers.checkpoint import Checkpoint, OpenCheckpoint, opened
from partita.solvers.coordinate_descent import CoordinateDescent
from partita.solvers.copositive_update import CopositiveUpdate
from partita.solvers.default import default_solver
from partita.solvers.drive import Progress, Progressing, drive
from partita.solvers.eigenvectors import LeadingEigenvectors
from partita.solvers.exponentiated_gradient import ExponentiatedGradient
from partita.solvers.kernel_kmeans import KernelKMeans
from partita.solvers.penalty_descent import PenaltyDescent
from partita.solvers.projected_gradient import ProjectedGradient
from partita.solvers.projected_newton import ProjectedNewton
from partita.solvers.result import Restart, SolveResult
from partita.solvers.simplex_qp import solve_rows
from partita.solvers.spectral import cluster_qr, leading_eigenvectors
from partita.solvers.start import STARTS, Starts
from partita.solvers.subspace import SubspaceMajorization

__all__ = [
    "STARTS",
    "BaumEagon",
    "BlockCoordinateDescent",
    "Checkpoint",
    "CoordinateDescent",
    "CopositiveUpdate",
    "ExponentiatedGradient",
    "KernelKMeans",
    "LeadingEigenvectors",
    "OpenCheckpoint",
    "PenaltyDescent",
    "Progress",
    "Progressing",
    "ProjectedGradient",
    "ProjectedNewton",
    "Restart",
    "SolveResult",
    "Solver",
    "Starts",
    "State",
    "Status",
    "SubspaceMajorization",
    "cluster_qr",
    "default_solver",
    "drive",
    "leading_eigenvectors",
    "opened",
    "optimality",
    "solve_rows",
]
