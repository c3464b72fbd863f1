"""SymNMF: symmetric nonnegative matrix factorization of an affinity."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from partita.affinity import Builder
from partita.affinity.normalise import How
from partita.estimators.nonnegative import NonnegativeEstimator
from partita.objectives import Objective, SymNMFObjective
from partita.solvers import Solver

__all__ = ["SymNMF"]


class SymNMF(NonnegativeEstimator):
    """Symmetric nonnegative matrix factorization [kuang2012].

    Objective: minimise ||A - H H^T||^2 over H (N x K) with H >= 0, A the affinity or its symmetric normalisation. Rows
    of H need not sum to one: their size follows the item's affinities, and what they say about clusters is their
    direction.

    `membership_` is read off H: its columns are multiplied by the K factors s >= 0 that bring the row sums of H diag(s)
    closest to one (least squares), and each row is divided by its sum. Where A is exactly W diag(a) W^T with W on the
    simplex and H its unique factor, this gives W back. The scaling is a choice: H H^T does not say how columns compare.
    A row of zeros in H leaves its item unassigned; its membership is uniform.

    Parameters
    ----------
    n_clusters : int, "auto" or the name of a criterion, default 8
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; a name: as many as that one finds; see `SoF`.
    normalization : {"symmetric", "none"}
        A = D^-1/2 P D^-1/2 with D the row sums, which relaxes normalised cut and is what the paper recommends; or P.
    affinity : {"relative", "neighbors", "precomputed", "precomputed_distance"} or a builder
        As in `SoF`.
    solver : Solver, optional
        As in `SoF` by default; `solvers.ProjectedNewton("columns")` is the paper's.
    start, n_init, max_iter, tol, max_seconds, scale_features, missing, symmetrize, on_interrupt, checkpoint,
    random_state, n_jobs, verbose
        As in `SoF`. A start is a membership or a labelling; it is multiplied by the number that makes the objective
        least.

    Attributes
    ----------
    factor_ : N x K array
        H.
    membership_ : N x K array, rows on the simplex
        H, columns scaled and rows divided by their sums.
    unassigned_ : array of int
        Items whose row of H is zero, also in `result_.notes`.
    labels_, n_clusters_, entropy_, objective_, scale_, n_iter_, n_products_, result_, affinity_, item_index_,
    verdict_
        As in `SoF`.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    `predict_proba` finds for a new item the y >= 0 that minimises sum_j (p_j - y^T h_j)^2 and reads it as the rows of H
    are read. Cost: N^2 d to build P, one product with A and N K^2 an iteration.

    References
    ----------
    [kuang2012] D. Kuang, C. Ding, H. Park, Symmetric nonnegative matrix factorization for graph clustering, SDM 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> model = SymNMF(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.factor_[[0, 70]].round(2).tolist()  # rows need not sum to one
    [[0.16, 0.0, 0.0], [0.0, 0.08, 0.07]]
    >>> model.membership_[[0, 70]].round(1).tolist()  # the same rows as shares
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NonnegativeEstimator._parameter_constraints,
        "normalization": [StrOptions({"none", "symmetric"})],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        normalization: str = "symmetric",
        affinity: str | Builder = "relative",
        solver: Solver | None = None,
        start: Any = "dirichlet",
        n_init: int | str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        max_seconds: float | None = None,
        scale_features: str = "none",
        missing: str = "error",
        symmetrize: str | None = None,
        on_interrupt: str = "raise",
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.normalization = normalization
        self.affinity = affinity
        self.solver = solver
        self.start = start
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.scale_features = scale_features
        self.missing = missing
        self.symmetrize = symmetrize
        self.on_interrupt = on_interrupt
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _objective(self) -> Objective:
        return SymNMFObjective()

    def _normalization(self) -> How:
        return self.normalization  # type: ignore[return-value]
