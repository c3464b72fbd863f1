"""Default solver of a fit: chosen by the constraint set of the factor (its domain) and the cost of a product with P.

A product with a dense P is worth more arithmetic than `SubspaceMajorization` spends to save one; with a sparse graph it
is the other way round, and `ProjectedGradient` is faster by the clock though it takes ten times the products.
`benchmarks/README.md` has the table that the threshold was read from.
"""

from __future__ import annotations

from partita.affinity.base import Affinity
from partita.objectives.domain import SIMPLEX, Domain
from partita.solvers.base import Solver
from partita.solvers.projected_gradient import ProjectedGradient
from partita.solvers.subspace import SubspaceMajorization

__all__ = ["default_solver"]

# Multiplications a column and row, in units of K, from which a product is the dear part of an iteration.
DEAR = 64


def default_solver(affinity: Affinity, n_clusters: int, domain: Domain = SIMPLEX) -> Solver:
    """Return `SubspaceMajorization` where a product with P is dear, `ProjectedGradient` where it is cheap.

    A domain that a solver names in `default_for`, as of partitions and of orthonormal factors, has that one.

    >>> import numpy as np
    >>> from partita.affinity import DenseAffinity
    >>> default_solver(DenseAffinity(np.eye(3)), 2).name
    'subspace'
    """
    own = next((kind for kind in Solver.registry.values() if domain.name in kind.default_for), None)
    if own is not None:
        return own()
    if affinity.foreign:
        return ProjectedGradient()  # the one that works where P lies
    n = affinity.n_items
    dense = 2 * affinity.multiplications >= n * n * affinity.products
    dear = affinity.multiplications >= DEAR * n_clusters * n
    return SubspaceMajorization() if dense or dear else ProjectedGradient()
