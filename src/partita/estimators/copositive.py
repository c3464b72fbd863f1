"""CopositiveFactorization: the doubly stochastic affinity as a product of nonnegative factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from partita.estimators.base import FactorizationEstimator
from partita.estimators.model import FILL_IN, Model
from partita.objectives import CopositiveObjective

__all__ = ["CopositiveFactorization"]


@dataclass(eq=False, repr=False, kw_only=True)
class CopositiveFactorization(FactorizationEstimator):
    """The method that [rotabulo2010] compares with: copositive factorization of an affinity [zass2005; zass2006].

    Objective: minimise sum_{i != j} (F_ij - g_i^T g_j)^2 over G (N x K) with G >= 0, where F is the doubly stochastic
    matrix closest to the affinity. [rotabulo2010] eq. (4) writes ||F - G G^T||^2; the update printed there leaves out
    j = i, and so does this, since an item's affinity to itself says nothing about clusters. `diagonal=True` takes it
    in.

    `membership_` is read off G as `SymNMF` reads it off H: columns scaled so that row sums come closest to one, rows
    divided by their sums. Rows of G are no probabilities, and some items may remain unclassified, as [rotabulo2010]
    warns: those whose row is zero are listed in `unassigned_`; their membership is uniform.

    Parameters
    ----------
    n_clusters : int, "auto", a pair of bounds or the name of a criterion
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; a name: as many as that one finds; see `SoF`.
    normalization : {"relative-entropy", "l1", "frobenius"}
        In which sense F is closest; see `partita.affinity.normalise`. "frobenius" needs a dense affinity.
    diagonal : bool
        Whether the pairs (i, i) count.
    affinity : {"relative", "neighbors", "precomputed", "precomputed_distance"} or a builder
        As in `SoF`.
    solver : Solver, optional
        As in `SoF` by default; `solvers.CopositiveUpdate()` is the update as printed, `solvers.CoordinateDescent()`
        moves the same entries to their exact minimum.
    start, n_init, max_iter, tol, max_seconds, scale_features, missing, symmetrize, on_interrupt, checkpoint,
    random_state, n_jobs, verbose
        As in `SymNMF`.

    Attributes
    ----------
    factor_ : N x K array
        G.
    membership_, unassigned_
        As in `SymNMF`.
    labels_, n_clusters_, entropy_, scale_, n_iter_, n_products_, result_, affinity_, item_index_,
    verdict_
        As in `SoF`.
    objective_ : float
        Over all ordered pairs of different items, with `diagonal=True` over all pairs.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    `predict_proba` as in `SymNMF`. Cost: the normalisation (a few dozen products with a vector; N^2 numbers for
    "frobenius"), then one product with F and N K^2 an iteration. Identical rows are merged: their pairs with each
    other are left out together with the diagonal. Rows of a precomputed matrix are not merged, and a sample weight is
    the same as giving the row that often: its pairs with its copies count. (With `diagonal=True`, "l1", and an isolated
    item under "relative-entropy", give copies another affinity to themselves than to each other; their mean is
    factorized, which is the same but for a constant in `objective_`.)

    References
    ----------
    [zass2005] R. Zass, A. Shashua, A unifying approach to hard and probabilistic clustering, ICCV 2005.
    [zass2006] R. Zass, A. Shashua, Doubly stochastic normalization for spectral clustering, NIPS 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> model = CopositiveFactorization(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.membership_.shape, bool((model.factor_ >= 0).all())
    ((150, 3), True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "normalization": [StrOptions({"relative-entropy", "l1", "frobenius"})],
        "diagonal": ["boolean"],
    }

    normalization: Any = "relative-entropy"
    diagonal: bool = False

    def _model(self) -> Model:
        return Model(
            CopositiveObjective(), self.normalization, diagonal=self.diagonal, solver=self.solver, remedy=FILL_IN
        )
