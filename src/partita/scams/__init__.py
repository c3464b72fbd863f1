"""SCAMS: clusters and their number at once, from a pairwise affinity [li2014].

objective                          what is minimised, of a partition
scale                              affinities on a scale of their own, so that gamma means something
admm, result, eigenpairs           Algorithm 1, and the eigenvalues that its first step keeps
boolean_factorization, assignment  Algorithm 2: from a 0/1 matrix that is nearly blocks to groups, and to labels
cholesky                           the factorization that the paper compares with
local (settings, result), path     the local search, the choice of gamma, and the path over it
pieces                             connected components of an affinity, and what then joins them
fixed_number                       the same for a number of clusters that is given
"""

from partita.scams.admm import ADMM, scams_admm
from partita.scams.boolean_factorization import BooleanFactorization, boolean_factorization
from partita.scams.cholesky import cholesky_labels
from partita.scams.fixed_number import scams_with
from partita.scams.local import polished, scams_local
from partita.scams.local_result import LocalResult, PathPoint
from partita.scams.local_settings import LocalSearch
from partita.scams.objective import partition_objective
from partita.scams.path import scams_path
from partita.scams.result import ADMMResult
from partita.scams.scale import relative

__all__ = [
    "ADMM",
    "ADMMResult",
    "BooleanFactorization",
    "LocalResult",
    "LocalSearch",
    "PathPoint",
    "boolean_factorization",
    "cholesky_labels",
    "partition_objective",
    "polished",
    "relative",
    "scams_admm",
    "scams_local",
    "scams_path",
    "scams_with",
]
