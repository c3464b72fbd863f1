"""SymNMF: symmetric nonnegative matrix factorization of an affinity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from partita.estimators.base import FactorizationEstimator
from partita.estimators.model import Model
from partita.objectives import SymNMFObjective

__all__ = ["SymNMF"]


@dataclass(eq=False, repr=False, kw_only=True)
class SymNMF(FactorizationEstimator):
    """Clusters of a graph by nonnegative factors: symmetric nonnegative matrix factorization [kuang2012].

    Objective: minimise ||A - H H^T||^2 over H (N x K) with H >= 0, A the affinity or its symmetric normalisation. Rows
    of H need not sum to one: their size follows the item's affinities, and what they say about clusters is their
    direction.

    `membership_` is read off H: its columns are multiplied by the K factors s >= 0 that bring the row sums of H diag(s)
    closest to one (least squares), and each row is divided by its sum. Where A is exactly W diag(a) W^T with W on the
    simplex and H its unique factor, this gives W back. The scaling is a choice: H H^T does not say how columns compare.
    A row of zeros in H leaves its item unassigned; its membership is uniform.

    Parameters
    ----------
    n_clusters : int, "auto", a pair of bounds or the name of a criterion
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
        **FactorizationEstimator._parameter_constraints,
        "normalization": [StrOptions({"none", "symmetric"})],
    }

    normalization: Any = "symmetric"

    def _model(self) -> Model:
        return Model(SymNMFObjective(), self.normalization, solver=self.solver)
