"""SoftClustering: the recommended estimator."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, get_args

from sklearn.utils._param_validation import Interval, StrOptions

from partita.affinity import Builder, NeighborGraph
from partita.affinity.normalise import How
from partita.ensemble import Ensemble
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.model import Model
from partita.objectives import Objective, PerClusterObjective, ScaledObjective, SoFObjective

__all__ = ["SoftClustering"]

# The objectives that `sizes` means.
OF_SIZES: dict[str, Objective] = {"equal": ScaledObjective(), "free": PerClusterObjective()}


@dataclass(eq=False, repr=False, kw_only=True)
class SoftClustering(FactorizationEstimator):
    """Memberships from a diffused neighbour graph, scale learned.

    Objective: minimise ||S^t - W diag(a) W^T||^2 over W (N x K) with rows on the simplex and a >= 0, where S is the
    normalised graph of each item's 10 nearest neighbours and t = 4 steps of diffusion fill in the within-cluster pairs
    a neighbour graph leaves empty. Nothing N x N is made: S^t is applied as t sparse products.

    Parameters
    ----------
    n_clusters : int, "auto" or the name of a criterion, default 8
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; with an ensemble, as many as its methods agree on (`partita.ensemble.consensus`); a name: as
        many as that criterion finds; see `SoF`.
    affinity : {"neighbors", "relative", "ensemble", "precomputed", "precomputed_distance", ...} or a builder
        "ssc", "ssc-omp", "lrr": for items near a union of subspaces (`SparseSubspace`, `MatchingPursuit`,
        `LowRankRepresentation`).
        "neighbors": a self-tuned graph, linear in N. A builder carries its options: `NeighborGraph(n_neighbors=15,
        metric="cosine")`. "relative": the paper's N x N affinity. "ensemble": co-association of unlike clusterings
        (`partita.ensemble.Ensemble`), never N x N: slower, and better on the whole; see Notes. "precomputed": X is the
        N x N affinity, nonnegative and symmetric, dense or sparse, or an `Affinity`. "precomputed_distance": X is N x N
        distances, from which the graph is made.
    sizes : {"auto", "free", "equal"}
        "free": a scale a_k for each cluster; clusters may differ in size as they like. "equal": one scale for all,
        which after normalisation is a prior of clusters of equal size: much better where that is so (handwritten
        digits), worse where it is not. "auto": "free", but on an ensemble neither: its entries are probabilities
        already, and the scale is 1, the objective of `SoF`.
    normalization : {"auto", "symmetric", "relative-entropy", "l1", "frobenius", "none"}
        D^-1/2 P D^-1/2 or the closest doubly stochastic matrix; see `partita.affinity.normalise`. "auto" is
        "symmetric", and "none" on an ensemble.
    steps : int or "auto"
        t >= 1; "auto" is 4 where most pairs have affinity zero and 1 where most do not: there diffusion has nothing to
        fill in and would only wash out.
    objective : `partita.objectives.Objective`, optional
        Minimised in the place of the one that `sizes` says: one of `partita.objectives`, or of your own.
    probabilities : {"fitted", "calibrated", "averaged"}
        "fitted": the membership that minimises the objective; its labels are good, its probabilities are too sure
        where clusters overlap. "calibrated": the posterior of a density of the items, chosen without labels, which is
        either a mixture of K components or one mixture for each fitted cluster, softened by what fits to half the items
        say of the other half; see `partita.calibration`. `labels_` follow it. Takes a few seconds, mostly whatever N.
        Without features, or with a metric other than the Euclidean, the fitted membership is softened only; with
        constraints not even that. "averaged": the mean over fits to 20 resamples, aligned; it needs no density, and
        softens what depends on the sample. New items get their fitted membership, smoothed alike.
    solver : Solver, optional
        `partita.solvers.default_solver` by default: the one that is fastest at what a product with P costs.
    start : {"spectral", "kmeans", "dirichlet"}, array, or a sequence of them
        Initial membership; the sequence is taken in turn by the restarts.
    n_init : int or "auto"
        Restarts, best by objective; "auto" is 10 for "dirichlet" and 1 otherwise.
    max_iter : int
        Iterations of a restart at most.
    tol : float
        A restart stops when a natural gradient step would move an item by at most this (root mean square).
    max_seconds : float, optional
        Time for all restarts; the best membership so far is the answer, with a status that says so.
    scale_features : {"none", "standard", "minmax"}
        Scale the features to unit variance or unit range before distances are taken; remembered for new items.
    missing : {"error", "unobserved"}
        Meaning of NaN: an error; or, in features, a cell that distances leave out and, in a precomputed affinity, a
        pair that the objective leaves out. An ensemble takes missing cells of a frame as they are, and those of an
        array with "unobserved": each is filled with the mean of the nearest rows that have it (`encoding_`).
    symmetrize : {"mean", "max", "min"}, optional
        For a precomputed affinity with P_ij != P_ji, otherwise an error.
    on_interrupt : {"raise", "best"}
        Effect of Ctrl-C: raise, or finish with the best membership so far (`result_.status` is "interrupted").
    checkpoint : path of a folder, or `partita.solvers.Checkpoint`, optional
        A folder of this fit's own, from which a killed fit goes on: the same call again ends with the same bits. `SoF`
        says what is kept there and what is refused.
    random_state : int, RandomState, Generator or None
        Seed of starts, ties and resamples; a number gives the same answer again.
    n_jobs : int, optional
        Restarts at a time; the answer does not depend on it.
    verbose : int
        Show progress on standard error for fits longer than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_, entropy_, objective_, n_iter_, n_products_, result_, affinity_, item_index_,
    items_, feature_names_in_, verdict_
        As in `SoF`; a t-step diffused product counts t.
    scale_ : float, or array of K for `sizes="free"`
    calibration_ : `partita.calibration.Calibration`, unless `probabilities="fitted"`
        Method, temperature, what the alternatives would have said, and predicted co-membership against fits that have
        not seen the items. `result_` keeps the fitted membership.
    ensemble_ : tuple of `partita.ensemble.Draw`, with `affinity="ensemble"` only
        Clusterings that were used: each one's method, settings, weight, agreement with the other methods and with the
        result, and its labels, which are what it would have said alone.
    encoding_ : `partita.estimators.encoding.Encoding`, with `affinity="ensemble"` and a frame or missing cells only
        How columns of words and missing cells were made numbers; `labels` names the encoded columns, and `column` says
        which column of the frame each is of.
    posterior_ : `BayesianPartition`, with `affinity="ensemble"` and `n_clusters="auto"` only
        The draws at many numbers of clusters, weighted, with everything that it can say of a posterior.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    scikit-learn's `check_estimator` passes with `n_clusters` up to 4 and with "auto". With the default of 8 two of its
    checks, `check_sample_weights_shape` and `check_sample_weights_not_overwritten`, fail as they must: their data has 4
    distinct items, and more clusters than distinct items are an error here.

    Identical rows are merged into one item with a weight. `predict` on the training items may differ from `labels_`:
    a new item is joined to its neighbours, but no fitted item chooses it.
    The defaults (k = 10, Gaussian weights, t = 4) were chosen once, over the development sets and eight real tables
    together; `benchmarks/README.md` has the tables. Cost: the neighbour search, then t nnz K + N K^2 an iteration.

    `affinity="ensemble"` takes seconds where a graph takes a tenth of one, and is better on the whole: mean adjusted
    Rand .83 instead of .78 on the development sets, .58 instead of .43 on real tables. At its scale of 1 a pair is
    worth joining where more than half of the (weighted) clusterings join it; clusters that no such majority supports
    may stay empty. `sizes="equal"` learns one scale instead and leaves fewer empty: on real tables it has the better
    mean rank and the lower mean. Members standardise features whose units differ: see `partita.ensemble.Ensemble`.
    `ensemble_` is not saved with the model.

    A frame with columns of words, categories or truth values beside numbers goes into an ensemble as it is, and so do
    missing cells. Two rows of different categories are as far apart in that column as two numbers that differ by a
    standard deviation. Dates, and words that are all distinct, are refused by name. New frames have the same columns
    in the same order; a word that the fit has not seen counts as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> model = SoftClustering(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.result_.membership.sizes.tolist()
    [35, 65, 50]
    >>> model.membership_[[0, 70]].round(1).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    >>> model.result_.membership.boundary().tolist()  # the two flowers in doubt
    [111, 134]
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 50, axis=0)
    >>> model = SoftClustering(n_clusters="auto").fit(X)
    >>> model.n_clusters_, model.verdict_.sure > 0.8
    (3, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "sizes": [StrOptions({"auto", "free", "equal"})],
        "normalization": [StrOptions({"auto", *get_args(How)})],
        "steps": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "objective": [None, Objective],
        "probabilities": [StrOptions({"fitted", "calibrated", "averaged"})],
    }
    _of_given_distances: ClassVar[type[Builder]] = NeighborGraph

    affinity: Any = "neighbors"
    start: Any = "spectral"
    sizes: str = "auto"
    normalization: Any = "auto"
    steps: Any = "auto"
    objective: Objective | None = None
    probabilities: str = "fitted"

    def _model(self) -> Model:
        of_ensemble = isinstance(self.affinity, Ensemble) or self.affinity == "ensemble"
        objective, others = self.objective, dict[str, Objective]()
        if objective is not None and self.sizes != "auto":
            raise InputError(f"sizes={self.sizes!r} beside an objective: sizes choose one, pass one of the two")
        if objective is None and self.sizes != "auto":
            objective = OF_SIZES[self.sizes]
        if objective is None:
            objective = SoFObjective() if of_ensemble else OF_SIZES["free"]
            others = OF_SIZES if of_ensemble else {"equal": OF_SIZES["equal"]}
        how = self.normalization
        if how == "auto":
            how = "none" if of_ensemble else "symmetric"
        return Model(objective, how, steps=self.steps, solver=self.solver, alternatives=others)
