"""SoftClustering: the recommended estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from partita.affinity import (
    Affinity,
    Builder,
    DenseAffinity,
    NeighborGraph,
    Precomputed,
    SparseAffinity,
    as_affinity,
    as_distances,
)
from partita.affinity.checks import is_adjacency
from partita.affinity.distances import EUCLIDEAN, METRICS
from partita.affinity.normalise import How
from partita.arrays import Array
from partita.ensemble import Ensemble
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator, NameIn
from partita.estimators.choosing import Kind, NumberOfClusters
from partita.estimators.coordinates import Coordinates, common_self_affinity, mostly_no_copies
from partita.estimators.model import Model
from partita.estimators.plan import AFFORDED, Effort, Plan, Probabilities, Reasoned, affinity_for, ensemble_of
from partita.kernels.namespace import is_foreign
from partita.memory import fits
from partita.objectives import Objective, PerClusterObjective, ScaledObjective, SoFObjective
from partita.wording import count

__all__ = ["SoftClustering"]

# Share of the pairs with an affinity from which on a sparse matrix is no graph.
FULL = 0.25
# Share by which an angle may be larger than it can be.
ROUNDING = 1e-6
# Arrays of all pairs by which points are looked for at once.
ARRAYS = 4
# Metrics that need no parameters; the Euclidean one; and one by which two items' distance depends on all others.
NAMED = set(METRICS) - {"mahalanobis", "seuclidean"}
PLAIN, OF_ALL_ITEMS = (*EUCLIDEAN, "minkowski"), "gower"
# The objectives that `sizes` means.
OF_SIZES: dict[str, Objective] = {"equal": ScaledObjective(), "free": PerClusterObjective()}


@dataclass(eq=False, repr=False, kw_only=True)
class SoftClustering(FactorizationEstimator):
    """The answer without options: how many clusters there are, who belongs where, and how surely.

    Objective: minimise ||S^t - W diag(a) W^T||^2 over W (N x K) with rows on the simplex and a >= 0, where S is the
    evidence. Of an ensemble (what features are given by default) S is the share of different clusterings in which two
    items are together, t = 1 and a = 1. Of a neighbour graph S is the normalised graph of each item's 10 nearest, and
    t = 4 steps of diffusion fill in the within-cluster pairs that a neighbour graph leaves empty. Nothing N x N is
    made.

    Parameters
    ----------
    n_clusters : int, "auto", a pair of bounds or the name of a criterion
        K >= 1, at most the number of distinct items. "auto": as many as the criteria of `partita.n_clusters` find,
        which may be 1; with an ensemble, as many as its methods agree on (`partita.ensemble.consensus`). (2, 12): the
        same within these bounds. A name: as many as that criterion finds; see `SoF`. Clusters that would hold no item
        are not handed out: `n_clusters_` counts those that do, and a note says so.
    affinity : {"auto", "ensemble", "neighbors", "relative", "precomputed", "precomputed_distance", ...} or a builder
        "auto": the ensemble up to 200,000 rows, of fewer draws where `max_seconds` asks for it, and the neighbour graph
        beyond. Of a given graph (a sparse N x N matrix, an `Affinity`, a graph of networkx) "graph_ensemble" up to
        5,000 nodes: the share of clusterings of its nodes (`partita.ensemble.GraphEnsemble`); beyond, the graph as it
        is. The same of an array with "precomputed" that is the adjacency of a graph: no item has an affinity with
        itself, and most pairs have none; `Precomputed()` takes it as it is. "ssc", "ssc-omp", "lrr": for items near a
        union of subspaces (`SparseSubspace`, `MatchingPursuit`, `LowRankRepresentation`).
        "neighbors": a self-tuned graph, linear in N. A builder carries its options: `NeighborGraph(n_neighbors=15,
        metric="cosine")`. "relative": the paper's N x N affinity. "ensemble": co-association of different clusterings
        (`partita.ensemble.Ensemble`), never N x N: slower, and better on the whole; see Notes. "precomputed": X is the
        N x N affinity, nonnegative and symmetric, dense or sparse, or an `Affinity`. "precomputed_distance": X is N x N
        distances. Where distances, or their square roots, are those of points in a Euclidean space, or the nearest
        items are nearly those of such points, the points are fitted as features are (classical scaling,
        `partita.estimators.coordinates`), and so they are where 1 - s of similarities s is such a distance, as that of
        kernels and cosines. Other distances have the neighbour graph made of them, other affinities are factorized as
        they are, and so are all with `Precomputed()`, with `sizes`, `steps`, `normalization` or an `objective` beside
        them, or with pairs that were not observed.
    metric : str
        Distance of features, as scikit-learn names them ("cosine", "braycurtis", "manhattan", "jaccard"), where
        `affinity="auto"`: its points are fitted, as those of given distances are, or else the neighbour graph by it.
        Features are taken in the units in which they are given. "haversine": latitude and longitude in radians.
    sizes : {"auto", "free", "equal"}
        "free": a scale a_k for each cluster; clusters may differ in size as they like. "equal": one scale for all,
        which after normalisation is a prior of clusters of equal size: much better where that is so (handwritten
        digits), worse where it is not. "auto": "free", but on an ensemble neither: its entries are probabilities
        already, and the scale is 1, the objective of `SoF`.
    normalization : {"auto", "symmetric", "relative-entropy", "l1", "frobenius", "none"}
        D^-1/2 P D^-1/2 or the closest doubly stochastic matrix; see `partita.affinity.normalise`. "auto" is
        "symmetric", and "none" on an ensemble and where pairs were not observed.
    steps : int or "auto"
        t >= 1; "auto" is 4 where most pairs have affinity zero, of an array nine in ten, and 1 where most do not, since
        diffusion has nothing to fill in there and would only wash out, and where pairs were not observed.
    objective : `partita.objectives.Objective`, optional
        Minimised in the place of the one that `sizes` says: one of `partita.objectives`, or of your own.
    probabilities : {"auto", "fitted", "calibrated", "averaged"}
        "auto": "calibrated" where a density of the items can be trusted, because it calls the fitted labels wrong at
        most two and a half times as often as the best labels would be, and at most two in a hundred labels more; else
        "fitted".
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
        Time for the fit where the evidence is left to be chosen. To keep it an ensemble has fewer draws of each method,
        then looks for no density (`probabilities="auto"`), then its draws, and the search for K, see fewer items.
        `chosen_` says what was spent less, and where the least takes longer; the answer is less certain for it, and may
        be less accurate. What is spent depends on the numbers of rows, columns and clusters and on seconds that were
        measured on two cores, not on a clock: the same call gives the same bits. With a checkpoint all is spent, as the
        fit can go on later. Restarts end when this time is over; the best membership so far is the answer, with a
        status that says so. Outliers, certainty and layers are worked out after it, when they are first asked for.
    scale_features : {"auto", "none", "standard", "minmax"}
        Scale the features to unit variance or unit range before distances are taken; remembered for new items. "auto":
        features are standardised where their units differ, by the members of an ensemble or for the graph that
        `affinity="auto"` takes; an affinity that is named sees them as they are.
    missing : {"error", "unobserved"}
        Meaning of NaN: an error; or, in features, a cell that distances leave out and, in a precomputed affinity, a
        pair that the objective leaves out. An ensemble takes missing cells of a frame as they are, and those of an
        array with "unobserved": each is filled with the mean, or the shares of the categories, of the nearest rows that
        have it (`encoding_`), and the membership of the row is a mean over what these hold.
    symmetrize : {"mean", "max", "min"}, optional
        For precomputed affinities or distances with P_ij != P_ji, otherwise an error.
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
    chosen_ : dict
        For each parameter that was left to be chosen, what was taken (`value`) and why (`why`). A sentence of
        `result_.notes` says it.
    ensemble_ : tuple of `partita.ensemble.Draw`, where an ensemble is the evidence
        Clusterings that were used: each one's method, settings, weight, agreement with the other methods and with the
        result, and its labels, which are what it would have said alone.
    encoding_ : `partita.estimators.encoding.Encoding`, with `affinity="ensemble"` and a frame or missing cells only
        How columns of words and missing cells were made numbers; `labels` names the encoded columns, and `column` says
        which column of the frame each is of.
    posterior_ : `BayesianPartition`, where the methods of an ensemble found the number of clusters
        The draws at many numbers of clusters, weighted, with everything that it can say of a posterior.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    Identical rows are merged into one item with a weight. `predict` on the training items may differ from `labels_`:
    a new item is joined to its neighbours, but no fitted item chooses it.
    The defaults (k = 10, Gaussian weights, t = 4) were chosen once, over the development sets and eight real tables
    together; `benchmarks/README.md` has the tables. Cost: the neighbour search, then t nnz K + N K^2 an iteration.

    An ensemble takes seconds where a graph takes a tenth of one, and is better on the whole: mean adjusted Rand .83
    instead of .78 on the development sets, .58 instead of .43 on real tables. At its scale of 1 a pair is
    worth joining where more than half of the (weighted) clusterings join it; clusters that no such majority supports
    are left out. `sizes="equal"` learns one scale instead and leaves fewer out: on real tables it has the better mean
    rank and the lower mean. Members standardise features whose units differ: see `partita.ensemble.Ensemble`.
    `ensemble_`, `verdict_`, `posterior_`, `chosen_`, `result_`, `affinity_`, `item_index_` and `exemplars_` are not
    saved with the model.

    A frame with columns of words, categories or truth values beside numbers goes into an ensemble as it is, and so do
    missing cells. Two rows of different categories are as far apart in that column as two numbers that differ by a
    standard deviation. Dates, and words that are all distinct, are refused by name. New frames have the same columns
    in the same order; a word that the fit has not seen counts as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = SoftClustering(n_clusters=3, affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    >>> model.result_.membership.sizes.tolist()
    [35, 65, 50]
    >>> model.membership_[[0, 70]].round(1).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    >>> model.result_.membership.boundary().tolist()  # the two flowers in doubt
    [111, 134]
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 50, axis=0)
    >>> model = SoftClustering(random_state=0).fit(X)
    >>> model.n_clusters_, model.verdict_.sure > 0.5, model.chosen_["affinity"].value
    (3, True, 'ensemble')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "metric": [StrOptions(NAMED)],
        "affinity": [
            NameIn({"auto", "precomputed_distance"}, Builder.registry, "a builder"),
            Builder,
        ],
        "scale_features": [StrOptions({"auto", "none", "standard", "minmax"})],
        "sizes": [StrOptions({"auto", "free", "equal"})],
        "normalization": [StrOptions({"auto", *get_args(How)})],
        "steps": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "objective": [None, Objective],
        "probabilities": [StrOptions({"auto", "fitted", "calibrated", "averaged"})],
    }
    _of_given_distances: ClassVar[type[Builder]] = NeighborGraph

    affinity: Any = "auto"
    metric: str = "euclidean"
    start: Any = "spectral"
    scale_features: Any = "auto"
    sizes: str = "auto"
    normalization: Any = "auto"
    steps: Any = "auto"
    objective: Objective | None = None
    probabilities: Probabilities = "auto"

    def _builder(self) -> Builder:
        if self._names_metric:
            return NeighborGraph(metric=self.metric)
        return super()._builder() if self.affinity != "auto" else ensemble_of(Effort(), self._seed())

    def _model(self) -> Model:
        return self._model_on(self._builder())

    def _placed(
        self, X: Any, plan: Plan, weights: Array | None, *, observed: bool
    ) -> tuple[Any, Plan, Coordinates | None]:
        in_units, beside = self.scale_features in ("auto", "none"), ""
        if self.affinity == "precomputed":
            S = _similarities(X, plan.builder) if observed and self._is_left_to_us else None
            if S is None:
                return X, plan, None
            X, what, are = S, "affinities", "differences to the largest affinity"
            beside = " (affinity=Precomputed() takes the affinities as they are)"
            found = Coordinates.of_affinities(S, weights)
        elif self.affinity == "precomputed_distance" and in_units:
            X, what, are = as_distances(X), "distances", "distances"
            found = Coordinates.of(X, weights)
        elif self._names_metric and in_units:
            _require_values_of(X, self.metric)
            what = are = f"{self.metric} distances"
            placeable = self.metric != OF_ALL_ITEMS and len(X) <= AFFORDED and not np.isnan(X).any()
            found = Coordinates.of_features(X, self.metric, weights) if placeable else None
            if not placeable:
                why = f"Gower's distance, missing cells and more than {AFFORDED:,} rows have a neighbour graph"
                return X, replace(plan, chosen={"affinity": Reasoned(plan.builder.name, why)}), None
        else:
            return X, plan, None
        if found is None:
            not_those = "the nearest items are others, many are copies, or some are not known"
            why = f"the {what} are not taken for those of points: {not_those}"
            plan = replace(plan, chosen={"affinity": Reasoned(plan.builder.name, why)})
            if self.affinity == "precomputed" and mostly_no_copies(X, weights):
                # The nearest tell more of their number than all pairs do.
                plan = _judged_as(plan, "similar")
            return X, plan, None
        why = f"the nearest items by the {what} are nearly those of points"
        if found.height is None:
            why = f"the {'square roots of the ' * found.of_roots}{are} are those of points"
        points = found(X)
        plan = self._plan_of(points, chosen_here=True)
        why = f"{why} in {count(points.shape[1], 'dimension')}{beside}: {plan.chosen['affinity'].why}"
        taken = Reasoned(plan.builder.name, why)
        builder = replace(plan.builder, units="given") if isinstance(plan.builder, Ensemble) else plan.builder
        plan = replace(plan, builder=builder, scale_features="none", chosen={**plan.chosen, "affinity": taken})
        # The points of roots and of kernels lie along curves, whose parts methods take for clusters.
        curved = found.self_affinity is not None or found.height is not None
        return points, _judged_as(plan, "roots" if found.of_roots else "curved" if curved else "points"), found

    @property
    def _names_metric(self) -> bool:
        """Whether the affinity is left to be chosen by a metric that was named."""
        return self.affinity == "auto" and self.metric not in PLAIN

    @property
    def _is_left_to_us(self) -> bool:
        """Whether nothing was said of how a given affinity is to be factorized."""
        auto = self.sizes == self.normalization == self.steps == "auto" and self.objective is None
        return auto and self.scale_features in ("auto", "none")

    def _plan(self, X: Any) -> Plan:
        if self.metric not in PLAIN and self.affinity != "auto":
            known = "the matrix holds what the metric would say already"
            own = f"a builder has its own, as in NeighborGraph(metric={self.metric!r})"
            why = known if str(self.affinity).startswith("precomputed") else own
            raise InputError(f"metric={self.metric!r} goes with affinity='auto': {why}")
        if self._names_metric and (isinstance(X, Affinity) or (sp.issparse(X) and X.shape[0] == X.shape[1])):
            raise InputError(f"metric={self.metric!r} is a distance of features: pass an array or a frame of numbers")
        return self._plan_of(X, chosen_here=self.affinity == "auto" and not self._names_metric)

    def _plan_of(self, X: Any, *, chosen_here: bool) -> Plan:
        chosen: dict[str, Reasoned] = {}
        builder, scale = None, self.scale_features
        if self.affinity == "precomputed" and not (sp.issparse(X) or is_foreign(X)) and is_adjacency(X):
            X, chosen_here = sp.csr_array(np.asarray(X)), True  # a graph as much as a sparse matrix is
        if chosen_here:
            symmetrize = self.symmetrize if self.affinity == "auto" or sp.issparse(X) else None  # no business of points
            settings = {"missing": self.missing, "symmetrize": symmetrize, "seed": self._seed()}
            K = int(self.n_clusters) if isinstance(self.n_clusters, Integral) else None
            table = self._as_table(X)
            mixed = table is not None and (not all(table.numeric) or bool(np.isnan(table.numbers).any()))
            # A fit that can go on later is not another one for having been cut short.
            seconds = self.max_seconds if self.checkpoint is None else None
            auto = self.probabilities == "auto"
            builder, chosen = affinity_for(X, seconds, n_clusters=K, mixed=mixed, calibrated=auto, **settings)
        else:
            builder = self._builder()
        if scale == "auto" and not (chosen_here and builder.scaled):
            scale = "none"  # an affinity that is named sees features as they are given, an ensemble their units itself
        if chosen and self.sizes == "auto" and self.objective is None:
            no_scale = Reasoned("unscaled", "the affinities are probabilities, so that no scale has to be estimated")
            chosen["sizes"] = no_scale if builder.of_draws else Reasoned("free", "clusters may differ in size")
        probabilities = chosen["probabilities"].value if "probabilities" in chosen else self.probabilities
        return Plan(builder, self._model_on(builder), self._choose(builder), scale, probabilities, chosen)

    def _model_on(self, builder: Builder) -> Model:
        """The model on the affinity that a builder makes."""
        objective, others = self.objective, dict[str, Objective]()
        if objective is not None and self.sizes != "auto":
            raise InputError(f"sizes={self.sizes!r} beside an objective: sizes choose one, pass one of the two")
        if objective is None and self.sizes != "auto":
            objective = OF_SIZES[self.sizes]
        if objective is None:
            objective = SoFObjective() if builder.of_draws else OF_SIZES["free"]
            others = OF_SIZES if builder.of_draws else {"equal": OF_SIZES["equal"]}
        how = self.normalization
        if how == "auto" and builder.of_draws:
            how = "none"
        return Model(objective, how, steps=self.steps, solver=self.solver, alternatives=others)


def _require_values_of(X: Array, metric: str) -> None:
    """Raise for numbers that a metric means nothing of.

    Raises
    ------
    InputError
    """
    if metric == "haversine" and (X.shape[1] != 2 or np.nanmax(np.abs(X) / [np.pi / 2, np.pi]) > 1.0 + ROUNDING):
        raise InputError("metric='haversine' takes two columns, latitude and longitude, in radians: np.radians(X)")
    if metric == "braycurtis" and np.nanmin(X) < 0:
        row, column = (int(at) for at in np.argwhere(X < 0)[0])
        raise InputError(
            f"metric='braycurtis' compares counts or amounts, and row {row}, column {column} holds {X[row, column]:g}"
        )


def _similarities(X: Any, builder: Builder) -> Array | None:
    """Affinities that are all known, of which each item has the same with itself and no larger one with another, as an
    array; None for others, where most pairs have none, as in a graph, and where an array and its distances do not fit.
    """
    if not isinstance(builder, Precomputed) or builder != replace(builder, missing="error", unstored="zero"):
        return None
    if isinstance(X, Affinity) and not isinstance(X, DenseAffinity | SparseAffinity):
        return None
    affinity = as_affinity(X, symmetrize=builder.symmetrize)
    known = affinity.unobserved is None and affinity.pair_weights is None and not affinity.foreign
    with_itself = known and bool(affinity.diagonal().all())
    full = with_itself and affinity.density() >= FULL and fits(ARRAYS * 8 * affinity.n_items**2)
    S = affinity.to_dense() if full else None
    return None if S is None or common_self_affinity(S) is None else S


def _judged_as(plan: Plan, items: Kind) -> Plan:
    """The plan with a number of clusters that is judged as that of such items."""
    if not isinstance(plan.choose, NumberOfClusters):
        return plan
    return replace(plan, choose=replace(plan.choose, items=items))
