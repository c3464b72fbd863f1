"""Symmetric factorizations of an affinity: SymNMF and copositive factorization, as their papers run them.

    symnmf      min ||A - H H^T||^2 over H >= 0,                  A = D^-1/2 P D^-1/2               [kuang2012]
    copositive  min sum_{i != j} (F_ij - g_i^T g_j)^2 over G >= 0, F doubly stochastic, nearest P    [zass2005]

The objectives, the solvers and the driver are partita's own; what is the papers' is the affinity, the solver and that
an item's cluster is the largest entry of its row. Our own reading of the factor, and other solvers, are in the
estimators `SymNMF` and `CopositiveFactorization`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from partita.affinity import Affinity, Builder, DenseAffinity, RelativeDistance, SparseAffinity, Unobserved, normalise
from partita.baselines.base import AffinityBaseline, BaselineEvidence, BaselineResult, seed_of, shares
from partita.baselines.normalised_cut import off_diagonal
from partita.errors import InputError
from partita.objectives import CopositiveObjective, Problem, SymNMFObjective
from partita.solvers import CopositiveUpdate, ProjectedNewton, Solver, Starts, SubspaceMajorization, drive

__all__ = ["Copositive", "SymNMF"]


@dataclass(frozen=True)
class _Symmetric(AffinityBaseline):
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-4

    @abstractmethod
    def problem(self, affinity: Affinity) -> Problem:
        """The problem that is minimised."""

    @abstractmethod
    def method(self) -> Solver:
        """The solver that minimises it."""

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        which = "given" if evidence.affinity is not None else repr(self.affinity)
        problem = evidence.once(
            ("problem", self.name, which, n_clusters), lambda: self.problem(self.affinity_of(evidence, n_clusters))
        )
        result = drive(
            problem,
            self.method(),
            Starts(problem.affinity, n_clusters),
            "dirichlet",
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            seed=seed_of(rng),
            n_jobs=1,
        )
        H = result.factor
        assert H is not None
        empty = int((H.max(axis=1) <= 0).sum())
        note = f"{empty} rows of the factor are zero: their labels are a guess" if empty else ""
        return BaselineResult(H.argmax(axis=1).astype(np.int64), shares(H), result.status == "converged", note)


@dataclass(frozen=True)
class SymNMF(_Symmetric):
    """SymNMF on the normalised self-tuning graph by projected Newton; memberships are shares of a row of H.

    Cost: 1 to 3 products with A and N K^3 an iteration; with solver="newton-columns" N^3 K.

    Parameters
    ----------
    affinity : Builder
        exp(-L^2 / (sigma_i sigma_j)) with sigma the distance to the 7th closest other by default [zelnik2004].
    n_init, max_iter : int
    tol : float
        Optimality at which a run ends.
    solver : {"newton-rows", "newton-columns", "subspace"}
        Which part of the Hessian projected Newton inverts; columns are [kuang2012]'s, for up to 4,096 items. "subspace"
        is partita's own descent: the same objective in a tenth of the products, for many runs on many items.

    Raises
    ------
    InputError
        For "newton-columns" and more items than that.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SymNMF(RelativeDistance(n=2)).cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "symnmf"
    idea = "nonnegative factor of the normalised affinity"
    source = "[kuang2012]; partita's SymNMFObjective and ProjectedNewton"
    left_open = (
        "[zhao2015]: the graph, the start, the stopping rule. Here the self-tuning weights of [zelnik2004] between all "
        "pairs, a random start, an optimality of 1e-3; Newton steps by rows, since those of [kuang2012] by columns end "
        "at 4,096 items."
    )

    affinity: Builder = RelativeDistance(n=7, kernel="gaussian")  # noqa: RUF009 - frozen
    tol: float = 1e-3
    solver: Literal["newton-rows", "newton-columns", "subspace"] = "newton-rows"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.solver not in ("newton-rows", "newton-columns", "subspace"):
            raise InputError(f"solver={self.solver!r}: expected 'newton-rows', 'newton-columns' or 'subspace'")

    def problem(self, affinity: Affinity) -> Problem:
        return Problem(normalise(affinity, "symmetric").affinity, SymNMFObjective())

    def method(self) -> Solver:
        if self.solver == "subspace":
            return SubspaceMajorization()
        return ProjectedNewton("columns" if self.solver == "newton-columns" else "rows")


@dataclass(frozen=True)
class Copositive(_Symmetric):
    """Copositive factorization by its entrywise update; memberships are shares of a row of G.

    Cost: Sinkhorn, then 2 products with F and N K^2 a sweep; very many sweeps.

    Parameters
    ----------
    affinity : Builder
    n_init, max_iter : int
    tol : float
        Optimality at which a run ends; zeros are approached slowly, so it is looser than elsewhere.
    normalization : {"relative-entropy", "frobenius", "l1"}
        In which sense F is nearest to the affinity.

    Raises
    ------
    InputError
        For an affinity that has no doubly stochastic form in that sense.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = Copositive(RelativeDistance(n=2)).cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "copositive"
    idea = "nonnegative factor of the doubly stochastic affinity"
    source = "[zass2005], [zass2006], update as printed in [rotabulo2010]; partita's CopositiveUpdate"
    left_open = (
        "[rotabulo2010]: the preprocessing (here the nearest doubly stochastic matrix in relative entropy), the start "
        "and the stopping rule (here random, and an optimality of 1e-2 or 1,000 sweeps)."
    )

    tol: float = 1e-2
    normalization: Literal["relative-entropy", "frobenius", "l1"] = "relative-entropy"

    def problem(self, affinity: Affinity) -> Problem:
        off = off_diagonal(normalise(affinity, self.normalization).affinity)
        items = np.arange(off.n_items)
        hidden = Unobserved(items, items)
        known = (
            SparseAffinity(off.matrix, hidden)
            if isinstance(off, SparseAffinity)
            else DenseAffinity(off.to_dense(), hidden)
        )
        return Problem(known, CopositiveObjective())

    def method(self) -> Solver:
        return CopositiveUpdate()
