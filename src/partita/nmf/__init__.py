"""Nonnegative factorizations of a posterior similarity matrix: partitions and soft memberships [bayes-nmf].

base, least_squares, kullback_leibler, nonsmooth, offset    the methods, one file each; they register themselves
start, iterate, factorize, result                           what a restart begins with, its loop, and all of them
reading                                                     from factors to a membership and a partition
misfit, sof                                                 of a membership to the matrix; SoF, diagonal left out
sweep, choice                                               a range of K, and which K
"""

from partita.nmf.base import Factors, NMFMethod
from partita.nmf.choice import cophenetic_correlation
from partita.nmf.factorize import nmf
from partita.nmf.kullback_leibler import KullbackLeibler
from partita.nmf.least_squares import LeastSquares
from partita.nmf.misfit import membership_misfit, without_diagonal
from partita.nmf.nonsmooth import Nonsmooth
from partita.nmf.offset import Offset
from partita.nmf.result import NMFRestart, NMFResult
from partita.nmf.sof import sof_membership
from partita.nmf.sweep import NMFSweep, SweepRow, nmf_sweep

__all__ = [
    "Factors",
    "KullbackLeibler",
    "LeastSquares",
    "NMFMethod",
    "NMFRestart",
    "NMFResult",
    "NMFSweep",
    "Nonsmooth",
    "Offset",
    "SweepRow",
    "cophenetic_correlation",
    "membership_misfit",
    "nmf",
    "nmf_sweep",
    "sof_membership",
    "without_diagonal",
]
