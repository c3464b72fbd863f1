"""SoF: the paper's objective and affinity, solved by the default solver."""

from __future__ import annotations

from partita.estimators.base import FactorizationEstimator
from partita.estimators.model import Model
from partita.objectives import SoFObjective

__all__ = ["SoF"]


class SoF(FactorizationEstimator):
    """Memberships from affinities that are probabilities: soft-cluster matrix factorization [zhao2015].

    Objective (eq. 3): minimise ||P - W W^T||^2 over W (N x K) with rows on the simplex, where P_ij = exp(-L_ij /
    sqrt(sigma_i sigma_j)) is read as the probability that items i and j belong together and sigma_i is the distance
    from item i to its 10th closest.

    Where mean(P) is far below 1/K no membership can reach P, and the optimum goes soft: the labels still mean
    something, the probabilities little. `SoftClustering` learns the scale and is what we recommend.

    Parameters
    ----------
    n_clusters : int, "auto", a pair of bounds or the name of a criterion
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; a name: as many as that one finds; see `verdict_` and Notes.
    affinity : {"relative", "neighbors", "ensemble", "precomputed", "precomputed_distance", ...} or a builder
        "ssc", "ssc-omp", "lrr": for items near a union of subspaces (`SparseSubspace`, `MatchingPursuit`,
        `LowRankRepresentation`).
        "relative": the paper's, N x N. A builder carries its options: `RelativeDistance(n=7, kernel="gaussian",
        metric="cosine", scale="balanced")`, `NeighborGraph(n_neighbors=15)`. "precomputed": X is the N x N affinity,
        nonnegative and symmetric, dense or sparse, or an `Affinity`. "precomputed_distance": X is N x N distances, to
        which the relative distance is applied.
    solver : Solver, optional
        `partita.solvers.default_solver` by default: the one that is fastest at what a product with P costs.
    start : {"dirichlet", "kmeans", "spectral"}, array, or a sequence of them
        Initial membership; the sequence is taken in turn by the restarts.
    n_init : int or "auto"
        Restarts, best by objective; "auto" is 10 for "dirichlet" and 1 otherwise.
    max_iter, tol, max_seconds
        A restart stops when a natural gradient step would move an item by at most `tol` (root mean square), after
        `max_iter` iterations, or when `max_seconds` for all restarts are over.
    scale_features : {"none", "standard", "minmax"}
        Scale the features to unit variance or unit range before distances are taken; remembered for new items.
    missing : {"error", "unobserved"}
        Meaning of NaN: an error; or, in features, a cell that distances leave out and, in a precomputed affinity, a
        pair that the objective leaves out.
    symmetrize : {"mean", "max", "min"}, optional
        For precomputed affinities or distances with P_ij != P_ji, otherwise an error.
    on_interrupt : {"raise", "best"}
        Effect of Ctrl-C: raise, or finish with the best membership so far (`result_.status` is "interrupted"). Before
        there is one, it raises all the same and says so.
    checkpoint : path of a folder, or `partita.solvers.Checkpoint`, optional
        A folder of this fit's own, which a killed fit goes on from: the same call again ends with the same answer, bit
        for bit. Every restart is written there once a minute and at its end (`Checkpoint(folder, seconds=300)` says
        how often); the folder is removed when the fit has ended well, and stays after an interruption, an error and
        `max_seconds`, which counts the time of one call. The factorization is resumed; the affinity, and what comes
        after the factorization, is computed again. Another input or other options are refused, with what differs; so
        that the seed is the same, `random_state` should be a number or None.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Restarts at a time; the answer does not depend on it.
    verbose : int
        Show progress on standard error for fits longer than two seconds.

    Attributes
    ----------
    membership_ : N x K array, rows on the simplex
    labels_ : array of N
        Argmax of `membership_`, 0..K-1; exact ties broken at random from the seed.
    n_clusters_ : int
    verdict_ : `partita.n_clusters.Verdict`, after `n_clusters="auto"` only
        How probable each number of clusters is, and what each criterion said. Not saved with the model.
    entropy_ : array of N
        In nats.
    objective_ : float
        Over all ordered pairs, diagonal included; identical rows count as often as they come.
    scale_ : float
        1.
    n_iter_, n_products_ : int
        Iterations and products of the best restart.
    result_ : SolveResult
        Every restart, trace, status, optimality, misfit.
    affinity_ : Affinity
        The affinity that was factorized, over the distinct items; with must-links, over the groups that they make.
    item_index_ : array of N
        Which distinct item (with must-links, which group) each row is in; -1 for a row of weight zero that equals no
        other.
    items_ : array of N words, or None
        Names of the rows, where X was a pandas frame whose index has any.
    feature_names_in_ : array of d words
        Names of the columns, where X was a frame of pandas, polars or pyarrow; new items must have the same, in their
        order.

    Raises
    ------
    InputError, MemoryLimitError

    Warns
    -----
    UnsureWarning
        Where criteria for `n_clusters="auto"` disagree and the number chosen is less probable than not.

    Notes
    -----
    `n_clusters="auto"` judges the features (scaled, copies once) themselves, whatever affinity is made of them, and a
    sample of 20,000 where there are more: some seconds, whatever N. With cells missing, under another metric than the
    Euclidean, and of precomputed distances, it judges the graph of each item's 10 nearest; the affinity where that is
    precomputed or of subspaces. Sample weights count as copies there; copies of features count once. Constraints on
    pairs do not move it, but it is brought into what they allow. It is drawn from `random_state`, so that the same seed
    gives the same number. What it finds is a question of what counts as a cluster: see `verdict_`, and
    `partita.n_clusters.judge_all` for other criteria or evidence.

    Identical rows are merged into one item with a weight. `predict` on the training items may differ from `labels_`.
    Cost: N^2 d to build P, one product with P (N^2 K) and N K^2 an iteration.

    References
    ----------
    [zhao2015] H. Zhao, P. Poupart, Y. Zhang, M. Lysy, SoF: Soft-Cluster Matrix Factorization for Probabilistic
    Clustering, AAAI 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = SoF(n_clusters=3, random_state=0).fit(X)
    >>> model.result_.membership.sizes.tolist()
    [50, 41, 59]
    >>> model.membership_[[0, 118]].round(1).tolist()  # a clear item, and one between clusters
    [[0.7, 0.2, 0.0], [0.2, 0.6, 0.2]]
    >>> model.predict_proba([[5.0, 3.5, 1.4, 0.2]]).round(1).tolist()  # a new item
    [[0.7, 0.2, 0.1]]
    """

    def _model(self) -> Model:
        return Model(SoFObjective(), solver=self.solver)
