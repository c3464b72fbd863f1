"""Models as data: what of an affinity is factorized, and by which objective and solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import scipy.sparse as sp

from partita.affinity import Affinity, DenseAffinity, DiffusedAffinity, SparseAffinity, WeightedAffinity
from partita.affinity.base import Unobserved
from partita.affinity.normalise import NONE, How, Normalised, normalise
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import SPARSE_WAY, require_pairs
from partita.objectives import Objective
from partita.solvers import Solver, default_solver

__all__ = ["FILL_IN", "Model"]


# Steps of diffusion, and the share of pairs with an affinity above zero below which "auto" takes them: of a sparse
# matrix, and of an array, whose small entries diffusion would add up to large ones.
STEPS = 4
SPARSE, OF_ARRAY = 0.5, 0.1
# Advice on unobserved pairs by a model without the option normalization="none".
FILL_IN = (
    "fill the pairs in, or use SymNMF or SoftClustering with normalization='none' (command line: --model symnmf "
    "--normalization none)"
)


@dataclass(frozen=True, eq=False)
class Model:
    """Minimise the objective over S^t, with S the normalised affinity and t steps of diffusion.

    Attributes
    ----------
    objective : Objective
        The objective, which decides the constraint set of the factor (its domain) and the scales.
    normalization : str
        As `partita.affinity.normalise.normalise` takes it, or "auto": "symmetric", but "none" where some pairs were not
        observed.
    diagonal : bool
        Whether the pair of an item with itself is observed.
    steps : int or "auto"
        t; "auto" is 4 where most pairs have affinity zero, of an array nine in ten, 1 where they do not or some were
        not observed.
    solver : Solver, optional
        By default the one that `default_solver` chooses for the affinity and the domain.
    alternatives : mapping from names to objectives
        Objectives that the answer is compared with, by the `sizes` that would have asked for it.
    remedy : str
        Advice on unobserved pairs that the normalisation does not take.
    observed : bool
        Whether the weights of pairs leave none out.
    """

    objective: Objective
    normalization: How | Literal["auto"] = "none"
    diagonal: bool = True
    steps: int | Literal["auto"] = 1
    solver: Solver | None = None
    alternatives: Mapping[str, Objective] = field(default_factory=dict)
    remedy: str = NONE
    observed: bool = True

    def normalised(self, affinity: Affinity, copies: Array | None) -> Normalised:
        """Return the normalised affinity; `copies` says how often each item counts, once by default."""
        whole = self.observed and affinity.pair_weights is None
        how: How = ("symmetric" if whole else "none") if self.normalization == "auto" else self.normalization
        if how != "none" and not self.observed:
            raise InputError(
                f"normalization={how!r} needs every pair to count the same, and pair_weight leaves some out; "
                f"{self.remedy}"
            )
        return normalise(affinity, how, copies, remedy=self.remedy)

    def factorized(self, normalised: Normalised, copies: Array | None) -> Affinity:
        """Return the affinity to factorize: normalised, without its diagonal and diffused where the model says so."""
        affinity = normalised.affinity if self.diagonal else _without_diagonal(normalised)
        if self.steps != "auto":
            steps = self.steps
        else:
            whole = self.observed and affinity.pair_weights is None
            most = OF_ARRAY if isinstance(affinity, DenseAffinity) else SPARSE
            steps = STEPS if whole and affinity.density() < most else 1
        return DiffusedAffinity(affinity, steps, copies) if steps > 1 else affinity

    def solver_for(self, affinity: Affinity, n_clusters: int) -> Solver:
        """Return the solver of the model."""
        return self.solver or default_solver(affinity, n_clusters, self.objective.domain)


def _without_diagonal(normalised: Normalised) -> Affinity:
    """The affinity with its diagonal unobserved; of an item of weight d, d of the d^2 pairs of its copies."""
    affinity, d = normalised.affinity, normalised.weights
    items = np.arange(affinity.n_items)
    if d is not None and (d > 1).any():
        between = affinity.diagonal() if normalised.between is None else normalised.between
        return WeightedAffinity(affinity, items, items, np.maximum(1.0 - 1.0 / d, 0.0), between)
    if isinstance(affinity, SparseAffinity):
        off = sp.csr_array(affinity.matrix - sp.diags_array(affinity.diagonal()))
        off.eliminate_zeros()
        return SparseAffinity(off, Unobserved(items, items))
    require_pairs(len(items), "a second affinity", SPARSE_WAY)
    matrix = affinity.to_dense().copy()
    np.fill_diagonal(matrix, 0.0)
    return DenseAffinity(matrix, Unobserved(items, items))
