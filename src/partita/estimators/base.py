"""Base of the factorization estimators: parameters, checks of their values and of the input, fit, predict."""

from __future__ import annotations

import os
import time
import warnings
from abc import abstractmethod
from contextlib import nullcontext
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Builder, RelativeDistance, as_distances
from partita.affinity.shared_search import shared_search
from partita.arrays import Array
from partita.ensemble import LatentClasses
from partita.ensemble.consensus import Consensus
from partita.errors import InputError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.estimators.checked_input import Encoded, encoded
from partita.estimators.checked_parameters import seed_of
from partita.estimators.choosing import Choose, FromDraws, Kind, NumberOfClusters, judged, why_so_many
from partita.estimators.coordinates import Coordinates
from partita.estimators.doubtful import Doubtful
from partita.estimators.explaining import explain
from partita.estimators.growing import with_new_items
from partita.estimators.items import check_weights
from partita.estimators.mixed_table import MixedTable
from partita.estimators.model import Model
from partita.estimators.objects import evidence_of, is_graph
from partita.estimators.pipeline import Fitted, Given, Options, evidence_by_k, fit
from partita.estimators.plan import Plan, Reasoned, examining
from partita.explanation import Explanation
from partita.membership import row_entropy
from partita.n_clusters import Criterion, Verdict
from partita.partition.named_draws import NamedDraws
from partita.progress import ProgressBar, Stages
from partita.solvers import Checkpoint, OpenCheckpoint, Solver, opened
from partita.wording import count

__all__ = ["FactorizationEstimator"]


# Restarts where the start is random, as scikit-learn's KMeans has it.
RANDOM_RESTARTS = 10
# A fit that takes so many times its limit says so.
OVERRUN = 1.25
# Attributes that not every fit sets, or that are worked out when asked for: none is left of an earlier fit.
NOT_IN_EVERY_FIT = (
    *("verdict_", "ensemble_", "factor_", "unassigned_", "calibration_"),
    *("_outlier", "_certainty", "_components", "_layers", "_judged"),
)


class NameIn(StrOptions):
    """Constraint of a parameter to some words or a name in a registry, looked up at that time: users add their own."""

    def __init__(self, words: set[str], registry: dict[str, Any], what: str) -> None:
        super().__init__(words)
        self.registry, self.what = registry, what

    def is_satisfied_by(self, value: object) -> bool:
        return isinstance(value, str) and (value in self.options or value in self.registry)

    def __str__(self) -> str:
        words = " or ".join(map(repr, sorted(self.options)))
        return f"{words} or the name of {self.what} ({', '.join(sorted(self.registry))})"


@dataclass(eq=False, repr=False)
class FactorizationEstimator(ClusterMixin, Doubtful):
    """A membership by factorization of an affinity, with scikit-learn's conventions.

    A subclass says by `_model` what is factorized; parameters are its dataclass fields, stored as given and checked at
    `fit`.
    """

    # Whether a graph was given where the affinity of features was left at its default.
    _of_graph = False
    # The builder that affinity="precomputed_distance" means.
    _of_given_distances: ClassVar[type[Builder]] = RelativeDistance
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [
            Interval(Integral, 1, None, closed="left"),
            NameIn({"auto"}, Criterion.registry, "a criterion"),
            tuple,
            list,
        ],
        "affinity": [NameIn({"precomputed_distance"}, Builder.registry, "a builder"), Builder],
        "solver": [None, Solver],
        "start": [str, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "scale_features": [StrOptions({"none", "standard", "minmax"})],
        "missing": [StrOptions({"error", "unobserved"})],
        "symmetrize": [None, StrOptions({"mean", "max", "min"})],
        "on_interrupt": [StrOptions({"raise", "best"})],
        "checkpoint": [None, str, os.PathLike, Checkpoint],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    n_clusters: Any = "auto"
    _: KW_ONLY
    affinity: Any = "relative"
    solver: Solver | None = None
    start: Any = "dirichlet"
    n_init: Any = "auto"
    max_iter: int = 1000
    tol: float = 1e-4
    max_seconds: float | None = None
    scale_features: Any = "none"
    missing: Any = "error"
    symmetrize: Any = None
    on_interrupt: Any = "raise"
    checkpoint: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    @abstractmethod
    def _model(self) -> Model:
        """The model to fit: affinity to factorize, objective and solver."""

    def _plan(self, X: Any) -> Plan:
        """What is fitted to this input."""
        builder = self._builder()
        return Plan(builder, self._model(), self._choose(builder), self.scale_features)

    def _placed(
        self, X: Any, plan: Plan, weights: Array | None, *, observed: bool
    ) -> tuple[Any, Plan, Coordinates | None]:
        """Checked input and the plan for it: of distances or affinities, `observed` or not all, the points that have
        them, where an estimator takes these.
        """
        return X, plan, None

    def _choose(self, builder: Builder) -> Choose:
        """Return what chooses the number of clusters, and a start where it has one of its own."""
        return NumberOfClusters(self.n_clusters)

    def _start(self) -> Any:
        return self.start

    def _n_init(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return RANDOM_RESTARTS if isinstance(self.start, str) and self.start == "dirichlet" else 1

    @property
    def _of_distances(self) -> bool:
        """Whether the input is the distances of pairs."""
        own = self.affinity
        return own.pairwise and own.of_distances if isinstance(own, Builder) else bool(own == "precomputed_distance")

    def _builder(self) -> Builder:
        """The builder that the `affinity` parameter names."""
        if isinstance(self.affinity, Builder):
            if self.symmetrize is not None and not self._of_distances:
                raise InputError("symmetrize belongs to the affinity: pass affinity=Precomputed(symmetrize=...)")
            return self.affinity
        affinity = "precomputed" if self._of_graph else self.affinity
        if self.symmetrize is not None and affinity not in ("precomputed", "precomputed_distance"):
            raise InputError(
                f"symmetrize={self.symmetrize!r} needs a precomputed affinity or distances, not {affinity!r}"
            )
        if affinity == "precomputed_distance":
            return self._of_given_distances(metric="precomputed")  # type: ignore[call-arg]
        named = Builder.registry[affinity].named
        return named(missing=self.missing, symmetrize=self.symmetrize, seed=self._seed())

    def _seed(self) -> int:
        """The seed of an affinity that draws numbers."""
        return int(self.random_state) if isinstance(self.random_state, Integral) else 0

    def _options(self, stage: Stages, checkpoint: OpenCheckpoint | None) -> Options:
        return Options(
            start=self._start(),
            n_init=self._n_init(),
            max_iter=self.max_iter,
            tol=self.tol,
            max_seconds=self.max_seconds,
            seed=seed_of(self.random_state),
            n_jobs=self.n_jobs,
            on_interrupt=self.on_interrupt,
            checkpoint=checkpoint,
            stage=stage,
        )

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        pair_weight: Any = None,
    ) -> Self:
        """Fit the membership.

        Parameters
        ----------
        X : N x d array of features, or N x N affinities or distances (dense or sparse), or an `Affinity`
            Input of the kind that `affinity` says. A graph of networkx is an affinity, with the names of its nodes as
            `items_`; an AnnData is its neighbour graph, or its components or features. A frame of pandas, polars or
            pyarrow whose columns are numbers is an array with names. With affinity="ensemble" a frame may have columns
            of words, categories and truth values beside numbers, and missing cells: `encoding_` then says how they were
            made numbers.
        y : ignored
        sample_weight : array of N, optional
            Nonnegative; a weight of two is the same as giving the item twice, zero the same as leaving it out.
        must_link : M x 2 array of row numbers, optional
            Rows that belong together: each pair gets one membership, exactly. Transitive.
        cannot_link : M x 2 array of row numbers, optional
            Rows that do not: each pair is observed as zero with a weight as large as that of all pairs of an item, and
            rows that end in one cluster all the same are moved. Labels hold every link wherever labels that do are
            found; else a warning and `result_.notes` say how many are broken. A row of weight zero has no links.
        pair_weight : N x N array or scipy.sparse, optional
            Nonnegative weight of each pair in the objective, symmetric; zero is a pair that was not observed, and pairs
            that a sparse one does not store count one.

        Returns
        -------
        self

        Raises
        ------
        InputError
            For input that is wrong; the message says where and what to do.
        MemoryLimitError
            Where N x N would not fit.
        KeyboardInterrupt
            On Ctrl-C; with on_interrupt="best" only where there is no membership yet, saying so.

        Warns
        -----
        UnsureWarning
            Where cannot-links are broken, as with fewer clusters than there are items all apart from each other.
        """
        if isinstance(self.n_clusters, bool | np.bool_):
            raise InputError(f"n_clusters={self.n_clusters}: expected a whole number, 'auto' or a pair of bounds")
        # A graph is an affinity, whatever the estimator would make of features.
        self._of_graph = is_graph(X) and self.affinity == type(self).affinity != "auto"
        X, names, where = evidence_of(X, "precomputed" if self._of_graph else self.affinity, self.symmetrize)
        if self.symmetrize is not None and self._of_distances:
            X = as_distances(X, symmetrize=self.symmetrize)
        plan = self._plan(X)
        X = self._checked(X, plan.builder, reset=True)
        if names is not None:
            self.items_ = np.array(names)
        weights = check_weights(sample_weight, X.shape[0])
        return self._run(plan, Given(X, weights, must_link, cannot_link, pair_weight), where)

    @_fit_context(prefer_skip_nested_validation=True)
    def update(self, X_new: Any, sample_weight: Any = None) -> Self:
        """Fit the items so far and new ones together; clusters keep their numbers.

        The answer is that of `fit` for the items so far followed by the new ones, whose rows come last in `labels_`
        and `membership_`. Where the number of clusters is left to be chosen it is chosen again, so that new items can
        be a cluster of their own. Clusters are numbered so that the most items keep theirs, new clusters after these.
        `predict` tells where items belong without making them part of the fit, in a small part of the time.

        Parameters
        ----------
        X_new : M x d array or frame
            With the columns of the fit.
        sample_weight : array of M, optional

        Returns
        -------
        self
            As it was where an error is raised.

        Raises
        ------
        InputError
            For items that do not fit the earlier ones; for affinities and distances, which would have to be known
            among all items; for a model that was loaded, whose input is not saved with it.
        MemoryLimitError

        Notes
        -----
        Costs one fit of all items.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.tile([[0, 0], [9, 9], [0, 9]], (30, 1))
        >>> model = SoftClustering(random_state=0).fit(X[:60])
        >>> before = model.labels_
        >>> model.update(X[60:]).labels_.shape, bool((model.labels_[:60] == before).all())
        ((90,), True)
        """
        check_is_fitted(self)
        given, names = with_new_items(self, X_new, sample_weight)
        # Of a copy, so that an error leaves the fit as it was.
        other = copy(self)
        other.items_ = names
        earlier = np.append(self.labels_, np.full(given.X.shape[0] - len(self.labels_), -1))
        other._run(other._plan(given.X), given, earlier=earlier)
        self.__dict__ = other.__dict__
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Call `fit` where there is no fit yet, and `update` where there is one."""
        if not hasattr(self, "labels_"):
            self.fit(X, sample_weight=sample_weight)
        else:
            self.update(X, sample_weight)
        return self

    def _run(
        self,
        plan: Plan,
        given: Given,
        where: str | None = None,
        earlier: NDArray[np.int64] | None = None,
    ) -> Self:
        """Fit to checked input, whose rows had the labels `earlier`; `where` is a note on where it was found."""
        began = time.monotonic()
        X, plan, placed = self._placed(given.X, plan, given.weights, observed=given.pair_weight is None)
        features = None if placed is None or placed.rows is None else given.X
        given = replace(given, X=X, features=features)
        table = given.X if isinstance(given.X, MixedTable) else None
        if placed is None:
            names = getattr(self, "feature_names_in_", None)
            names = np.array(self._columns) if names is None and getattr(self, "_columns", None) else names
            X, plan, encoding, notes = encoded(given.X, plan, given.weights, names)
        else:  # whose axes nobody knows
            X, plan, encoding, notes = Encoded(given.X, plan, None, ())
        notes = notes if where is None else (where, *notes)
        given = replace(given, X=X, table=table)
        with ProgressBar() if self.verbose else nullcontext() as bar, opened(self.checkpoint) as checkpoint:
            stage = Stages(bar)
            try:
                options = replace(self._options(stage, checkpoint), earlier=earlier)
                with warnings.catch_warnings():
                    # scikit-learn's k-means warns of near copies, of which there are fewer than means
                    warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
                    fitted = fit(plan, given, options)
            except KeyboardInterrupt as stop:
                if self.on_interrupt != "best" or stop.args:
                    raise
                held = "" if checkpoint is None or not checkpoint.holds else str(checkpoint.folder)
                on = held and f"; the same fit goes on from {held}"
                words = f"interrupted while {stage.now}: there is no membership to hand back{on}"
                raise KeyboardInterrupt(words) from None
        for name, value in (("encoding_", encoding), ("_coordinates", placed)):
            self.__dict__.pop(name, None)
            if value is not None:
                setattr(self, name, value)
        self._finish(plan, given, fitted)
        took, limit = time.monotonic() - began, self.max_seconds
        longer = limit is not None and took > OVERRUN * limit
        over = (f"the fit took {took:.1f} s, longer than max_seconds={limit:g}",) if longer else ()
        self.result_ = replace(self.result_, notes=(*notes, *self.result_.notes, *over))
        return self

    def _finish(self, plan: Plan, given: Given, fitted: Fitted) -> None:
        """Set the attributes of a fit, with a sentence on what was left to be chosen."""
        self._builder_, self._plan_, self._given = plan.builder, plan, given
        self.chosen_ = dict(plan.chosen)
        self._adopt(fitted)
        if "affinity" in self.chosen_ and [draw.method for draw in fitted.result.evidence] == [LatentClasses.name]:
            why = "a latent class model, since all columns are categorical"
            self.chosen_["affinity"] = Reasoned(plan.builder.name, why)
        self._average_over_missing_cells(given)
        if fitted.choice.verdict is not None:
            verdict, K = fitted.choice.verdict, self._n_judged
            why = why_so_many(verdict, K, fitted.choice.consensus)
            if self.n_clusters_ < K:
                why = f"that many of {K} clusters, with a probability of {verdict.sure:.2f} for {K}, hold an item"
            self.chosen_["n_clusters"] = Reasoned(self.n_clusters_, why)
        if fitted.probabilities is not None:
            self.chosen_["probabilities"] = fitted.probabilities
        if plan.chosen or fitted.probabilities is not None:
            words = "; ".join(f"{name} {taken.value} ({taken.why})" for name, taken in self.chosen_.items())
            self.result_ = replace(self.result_, notes=(*self.result_.notes, f"chosen here: {words}"))

    def _average_over_missing_cells(self, given: Given) -> None:
        """Average memberships of rows with missing cells over what these may hold; `result_` keeps what was fitted."""
        table = given.table
        if table is None or not self._averages_over_gaps:
            return
        W = self._over_fillings(table, self.membership_)
        n, changed = round(table.share_with_gaps() * len(W)), (self.membership_ != W).any(axis=1)
        labels = np.where(changed, W.argmax(axis=1), self.labels_)
        if not n or len(np.unique(labels)) < self.n_clusters_:
            return
        moved = int((labels != self.labels_).sum())
        self.membership_, self.labels_, self.entropy_ = W, labels, row_entropy(W)
        note = (
            f"{count(n, 'row')} {'has a membership that is a mean' if n == 1 else 'have memberships that are means'} "
            "over what the missing cells hold in the most similar rows"
            + (f"; that moved {count(moved, 'row')} to another cluster" if moved else "")
        )
        self.result_ = replace(self.result_, notes=(*self.result_.notes, note))

    def at(self, n_clusters: int) -> Self:
        """Return the answer at another number of clusters at most, from the evidence of this fit.

        Where different methods agreed on the number and clustered all items, the draws that they made at that number
        (or on either side of it) are the evidence: what is fitted anew is the factorization, and the density that
        calibrates it, in a quarter to two fifths of the time of a small fit. A fit with that number given may have
        another answer: its clusterings are all made at that number, by more methods and on parts of the items. So may
        the fit itself, whose draws at all numbers were its evidence.

        Where methods clustered a part (of more than 2,000 items a sample; items far from all others are left out),
        and for other evidence, the answer is that of a fit with that number given, and costs as much.

        Its doubts take the number as given, as those of such a fit do.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        A fitted copy of this estimator.

        Raises
        ------
        InputError
            For more clusters than distinct items, and for a model that was loaded: its input is not saved with it.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
        >>> model = SoftClustering(random_state=0).fit(X)
        >>> model.n_clusters_, model.at(2).n_clusters_
        (3, 2)
        """
        check_is_fitted(self)
        return self._at(n_clusters)

    def _at(self, n_clusters: int, *, as_fitted: bool = False) -> Self:
        """The answer at another number; `as_fitted` leaves calibration out, which is four fifths of the time."""
        given: Given | None = getattr(self, "_given", None)
        if given is None:
            raise InputError("at: a model that was loaded has no input to answer from; fit it again")
        other: Self = clone(self)
        other.set_params(n_clusters=n_clusters)
        other._validate_params()
        found, choose = self._consensus, other._choose(self._plan_.builder)
        if found is not None and n_clusters > 1:
            choose = FromDraws(found.at(n_clusters), n_clusters)
        plan = replace(self._plan_, choose=choose)
        for name in ("n_features_in_", "feature_names_in_", "items_", "encoding_", "_coordinates"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        of_labels = replace(plan, probabilities="fitted") if as_fitted else plan
        fitted = fit(of_labels, given, other._options(Stages(), None))
        other._finish(plan, given, fitted)
        other._consensus = found  # yet another number has all the draws to answer from
        return other

    def judge_n_clusters(self) -> Verdict:
        """Return the verdict on the number of clusters, also where the number was given.

        `verdict_` where the number was left to be found; otherwise that of unlike clustering methods on the same items,
        as `SoftClustering()` finds the number, so that `probabilities[K - 1]` is the probability of the K that was
        given. Criteria judge it for distances far from those of points, other metrics of an affinity that was named,
        missing cells, affinities that are no graph, and more than 200,000 rows of features. The fit stays as it is.

        Returns
        -------
        `partita.n_clusters.Verdict`

        Raises
        ------
        InputError
            For a model that was loaded, whose input is not saved with it; and where n_clusters="auto" would raise.

        Notes
        -----
        Costs what it takes to find the number: on 2,000 rows, and a sample of as many where there are more, about three
        seconds. It is worked out once.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
        >>> SoftClustering(2, random_state=0).fit(X).judge_n_clusters()
        <Verdict: 3 clusters, with a probability of 0.88>
        """
        check_is_fitted(self)
        if hasattr(self, "verdict_"):
            return self.verdict_
        given: Given | None = getattr(self, "_given", None)
        if given is None:
            raise InputError("judge_n_clusters: a model that was loaded has no input to judge; fit it again")
        found: Verdict | None = self.__dict__.get("_judged")
        if found is None:
            with shared_search():
                evidence, _ = evidence_by_k(self._examining(), given, self._options(Stages(), None).seed)
                items: Kind = getattr(self._plan_.choose, "items", "plain")
                found = self._judged = judged(evidence, items=items).verdict
        assert found is not None
        return found

    def _examining(self) -> Plan:
        """The plan of the fit, on the evidence by which a number that was given is examined."""
        return replace(self._plan_, builder=examining(self._builder_, self._given.X, self._seed()))

    def explain(self, X: Any = None, *, sample_weight: Any = None, max_columns: int = 3) -> Explanation:
        """Say by which columns, and thresholds on them, each cluster differs from the rest and from its nearest one.

        For each cluster the rule of few conditions is searched whose picks correlate most with the cluster. Its
        precision and recall are those of rules searched in the same way on four fifths of the items and counted on the
        last fifth. Where they are not better than labels dealt at random would let them be, nothing tells the cluster
        apart, and the explanation says so. It says what the labels are about, not that clusters are real: labels made
        from these columns can be told apart by them, also where k-means cut plain noise.

        Parameters
        ----------
        X : N x d array or frame, optional
            Table to explain the clusters by, a row for each item: by default the one that was fitted, words and missing
            cells as they came. Any other columns that are known of the items do as well; then they have not been seen
            by the fit. Evidence without columns (affinities, distances, graphs) and a model that was loaded need one.
        sample_weight : array of N, optional
            By default that of the fit, where the model was not loaded. A weight of two is the same as the row twice.
        max_columns : int
            Columns that a rule speaks of at most.

        Returns
        -------
        Explanation
            Printed, a sentence for each cluster; `rows()` and `to_json()` have everything.

        Raises
        ------
        InputError
            Where there is no table to explain by, and for one that does not fit.

        Notes
        -----
        A sample of about 20,000 rows is looked at where there are more. Cost: about a second for 10 columns and 5
        clusters, twenty seconds for 100 columns and 60 clusters; `partita.explanation.explain_clusters` says more.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from partita import SoftClustering
        >>> iris = load_iris(as_frame=True)
        >>> model = SoftClustering(n_clusters=3, affinity="neighbors", probabilities="fitted", random_state=0)
        >>> setosa = model.fit(iris.data).explain()[2]
        >>> print(setosa.rule)
        petal length (cm) <= 2.5
        >>> setosa.precision.value, setosa.recall.value, setosa.neighbor
        (1.0, 1.0, 1)
        """
        check_is_fitted(self)
        return explain(self, X, sample_weight, max_columns)

    def _adopt(self, fitted: Fitted) -> None:
        """Set the attributes of a fit."""
        self._consensus, self._posterior, self._item_of_row = fitted.choice.consensus, None, fitted.item_of_row
        for name in NOT_IN_EVERY_FIT:
            self.__dict__.pop(name, None)
        result, K = fitted.result, fitted.membership.shape[1]
        self.result_ = result
        self.membership_, self.labels_, self.n_clusters_ = fitted.membership, fitted.labels, K
        self.entropy_, self.objective_ = row_entropy(fitted.membership), result.objective
        common = fitted.problem.objective.scales != "own" and bool((result.scale == result.scale[0]).all())
        self.scale_ = float(result.scale[0]) if common else result.scale
        self.n_iter_ = max(result.n_iter, 1)  # scikit-learn asks a transformer for one at least
        self.n_products_ = result.n_products
        self.affinity_, self.item_index_ = fitted.problem.affinity, fitted.group_of_row
        self._solver_, self._extension, self._calibrator = fitted.solver, fitted.scorer, fitted.calibrator
        if fitted.factor is not None:
            self.factor_, self.unassigned_ = fitted.factor, fitted.unassigned
        if fitted.choice.verdict is not None:
            self.verdict_ = fitted.choice.verdict
        if fitted.result.evidence:
            self.ensemble_ = fitted.result.evidence
        if fitted.calibration is not None:
            self.calibration_ = fitted.calibration

    @property
    def posterior_(self) -> BayesianPartition:
        """The weighted draws behind the number of clusters, as a fitted `BayesianPartition`.

        Where the methods of an ensemble found the number only, and not saved with the model. Past 2,000 items the draws
        are of a sample, and each row has the label of its nearest item in it.
        """
        check_is_fitted(self)
        found: Consensus | None = getattr(self, "_consensus", None)
        if found is None:
            raise AttributeError("posterior_")  # why is said where attributes are looked for in vain
        if self._posterior is None:
            draws = NamedDraws(found.draws[:, self._place_of_row(found)], turned=None)
            self._posterior = BayesianPartition(loss="vi", random_state=0).fit(draws, weights=found.weights)
        return self._posterior

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if isinstance(self.affinity, Builder):
            pairwise = self.affinity.pairwise
        else:
            kind = Builder.registry.get(str(self.affinity))
            named = None if kind is None else kind.named(missing=self.missing, symmetrize=None, seed=0)
            pairwise = self.affinity == "precomputed_distance" or (named is not None and named.pairwise)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "unobserved"
        return tags
