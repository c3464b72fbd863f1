"""BaumEagon: the model of the Baum-Eagon paper, solved by its growth transformation."""

from __future__ import annotations

from partita import solvers
from partita.estimators.base import FactorizationEstimator
from partita.estimators.model import Model
from partita.objectives import ScaledObjective

__all__ = ["BaumEagon"]


class BaumEagon(FactorizationEstimator):
    """Memberships from affinities on any scale: probabilistic clustering by the Baum-Eagon inequality [rotabulo2010].

    Objective (eq. 3): minimise ||P - alpha W W^T||^2 over W (N x K) with rows on the simplex and alpha >= 0. Item i
    belongs to cluster k with probability w_ik, and the affinity of two items is alpha times the probability that they
    belong together, with Gaussian errors. (The paper writes W for the affinity and Y, K x N, for the memberships.)

    Parameters
    ----------
    n_clusters : int, "auto", a pair of bounds or the name of a criterion
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; a name: as many as that one finds; see `SoF`.
    affinity : {"relative", "neighbors", "precomputed", "precomputed_distance"} or a builder
        The paper asks for nonnegative affinities and does not say which; "relative" is SoF's, N x N, otherwise as in
        `SoF`.
    solver : Solver, optional
        `solvers.BaumEagon("adaptive")` by default: the update (7) with (8), and as far along its step as the objective
        falls. `solvers.BaumEagon()` is the update as printed, which needs thousands of iterations where this takes
        tens.
    start, n_init, max_iter, tol, max_seconds, scale_features, missing, symmetrize, on_interrupt, checkpoint,
    random_state, n_jobs, verbose
        As in `SoF`.

    Attributes
    ----------
    membership_, labels_, n_clusters_, entropy_, objective_, n_iter_, n_products_, result_, affinity_, item_index_,
    verdict_
        As in `SoF`.
    scale_ : float
        alpha.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    Any other solver for memberships reaches the same stationary points, and the default one of `SoF` sooner, with exact
    zeros. Cost: N^2 d to build P, one product with P (N^2 K) and N K^2 an iteration.

    References
    ----------
    [rotabulo2010] S. Rota Bulò, M. Pelillo, Probabilistic clustering using the Baum-Eagon inequality, ICPR 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> model = BaumEagon(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> round(float(model.scale_), 1), sorted(model.result_.membership.sizes.tolist())
    (0.3, [48, 50, 52])
    >>> model.membership_[[0, 118]].max(axis=1).round(1).tolist()  # a clear item, and one between clusters
    [1.0, 0.8]
    """

    def _model(self) -> Model:
        return Model(ScaledObjective(), solver=self.solver or solvers.BaumEagon("adaptive"))
