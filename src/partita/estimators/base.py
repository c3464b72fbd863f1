"""What the factorization estimators share: input, merging of copies, the fit, and scoring of new items."""

from __future__ import annotations

import dataclasses
import os
from abc import abstractmethod
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from partita.affinity import Affinity, Builder, DiffusedAffinity, NeighborGraph, Precomputed, RelativeDistance
from partita.affinity.normalise import NONE, How, Normalised, normalise
from partita.calibration import Calibration, Calibrator
from partita.ensemble import Ensemble, EnsembleEvidence
from partita.errors import InputError
from partita.estimators.alternatives import other_answers
from partita.estimators.calibrating import calibrate_fit
from partita.estimators.constraints import Constraints
from partita.estimators.extension import Extension
from partita.estimators.in_blocks import comes_in_blocks, predict_in_blocks
from partita.estimators.items import check_weights, merge_identical
from partita.estimators.rows import (
    check_finite,
    check_magnitude,
    check_size,
    columns_of,
    copies,
    expanded,
    seed,
    sparse_way,
    start_of_items,
    weighted_part,
)
from partita.estimators.scaling import Scaling
from partita.kernels.foreign_csr import is_foreign_csr
from partita.kernels.namespace import is_foreign
from partita.membership import argmax_labels, row_entropy
from partita.objectives import Objective, Problem
from partita.progress import ProgressBar, Stages
from partita.solvers import Checkpoint, OpenCheckpoint, Solver, SolveResult, Starts, default_solver, drive, opened

__all__ = ["FILL_IN", "FactorizationEstimator"]

Array = NDArray[np.float64]

# Restarts where the start is random, as scikit-learn's KMeans has it.
RANDOM_RESTARTS = 10
# What a model says that does not take unobserved pairs at all.
FILL_IN = (
    "fill the pairs in, or use SymNMF or SoftClustering with normalization='none' (command line: --model symnmf "
    "--normalization none)"
)


class FactorizationEstimator(ClusterMixin, BaseEstimator):
    """A membership by factorization of an affinity, with scikit-learn's conventions."""

    # Parameters that are checked at `fit`, and may be anything before.
    n_clusters: Any
    affinity: Any
    start: Any
    n_init: Any
    scale_features: Any
    missing: Any
    symmetrize: Any
    on_interrupt: Any
    checkpoint: Any

    membership_: Array
    result_: SolveResult
    calibration_: Calibration

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "affinity": [StrOptions({"relative", "neighbors", "ensemble", "precomputed", "precomputed_distance"}), Builder],
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

    # What to do about unobserved pairs that the normalisation does not take.
    _all_pairs: ClassVar[str] = NONE

    def __init__(
        self,
        n_clusters: int = 8,
        *,
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

    @abstractmethod
    def _objective(self) -> Objective: ...

    def _default_solver(self, affinity: Affinity, n_clusters: int) -> Solver:
        return default_solver(affinity, n_clusters)

    def _alternatives(self) -> dict[str, Objective]:
        """Objectives that the fit is compared with, by what would have asked for them."""
        return {}

    def _normalization(self) -> How:
        return "none"

    def _factorized(self, normalised: Normalised) -> Affinity:
        """What is factorized, given the normalised affinity."""
        return normalised.affinity

    def _steps(self, _affinity: Affinity) -> int:
        return 1

    def _builder(self) -> Builder:
        """The builder that the `affinity` parameter names."""
        if isinstance(self.affinity, Builder):
            if self.symmetrize is not None:
                raise InputError("symmetrize belongs to the affinity: pass affinity=Precomputed(symmetrize=...)")
            return self.affinity
        if self.symmetrize is not None and self.affinity != "precomputed":
            raise InputError(f"symmetrize={self.symmetrize!r} needs affinity='precomputed', not {self.affinity!r}")
        metric = "nan_euclidean" if self.missing == "unobserved" else "euclidean"
        match self.affinity:
            case "relative":
                return RelativeDistance(metric=metric)
            case "neighbors":
                return NeighborGraph(metric=metric)
            case "ensemble":
                return Ensemble(seed=int(self.random_state) if isinstance(self.random_state, Integral) else 0)
            case "precomputed_distance":
                return self._distance_builder()
        return Precomputed(missing=self.missing, symmetrize=self.symmetrize)

    def _distance_builder(self) -> Builder:
        return RelativeDistance(metric="precomputed")

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
            What `affinity` says.
        y : ignored
        sample_weight : array of N, optional
            Nonnegative; a weight of two is the same as giving the item twice, zero the same as leaving it out.
        must_link : M x 2 array of row numbers, optional
            Rows that belong together: each pair gets one membership, exactly. Transitive.
        cannot_link : M x 2 array of row numbers, optional
            Rows that do not: each pair is observed as zero with a weight as large as that of all pairs of an item.
            Those that end in one cluster all the same are counted in `result_.notes`.
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
        """
        builder = self._builder()
        X = self._checked(X, builder, reset=True)
        n = X.n_items if isinstance(X, Affinity) else X.shape[0]
        weights = check_weights(sample_weight, n)
        with ProgressBar() if self.verbose else nullcontext() as bar, opened(self.checkpoint) as checkpoint:
            stage = Stages(bar)
            try:
                self._fit(X, weights, builder, stage, checkpoint, (must_link, cannot_link, pair_weight))
            except KeyboardInterrupt as stop:
                if self.on_interrupt != "best" or stop.args:
                    raise
                raise KeyboardInterrupt(f"interrupted while {stage.now}: there is no membership to hand back") from None
        return self

    def _fit(
        self,
        X: Any,
        weights: Array | None,
        builder: Builder,
        stage: Stages,
        checkpoint: OpenCheckpoint | None,
        known: tuple[Any, Any, Any],
    ) -> None:
        n = X.n_items if isinstance(X, Affinity) else X.shape[0]
        if self.n_clusters == "auto":
            raise InputError("n_clusters='auto' is not available in this version: give the number of clusters")
        K = int(self.n_clusters)
        if builder.pairwise:
            items = weighted_part(X, weights, n)
            distinct = items.features.shape[0] - copies(items.features, builder)
        else:
            items = merge_identical(X, weights)
            distinct = len(items.features)
        if distinct < K:
            raise InputError(
                f"n_clusters={K} is larger than the number of distinct items, {distinct} (n_samples = {n}); "
                f"ask for at most {distinct} clusters"
            )
        constraints = Constraints.of(*known, items.inverse, items.features.shape[0], weights)
        if constraints is not None and constraints.n_groups(distinct) < K:
            raise InputError(
                f"must-links leave {constraints.n_groups(distinct)} items to tell apart, and n_clusters={K} is more: "
                "drop some of them, or ask for fewer clusters"
            )
        features, scaling = items.features, None
        if not builder.pairwise:
            scaling = Scaling.of(features, items.weights, self.scale_features)
            features = features if scaling is None else scaling(features)
        elif self.scale_features != "none":
            raise InputError(f"scale_features={self.scale_features!r} needs features, not a precomputed matrix")
        with stage("building the affinity"):
            evidence = builder.build(features, n_clusters=K, weights=items.weights)
            # Merged copies of rows count once in a graph; of items that are only known by their pairs each counts.
            counts = items.weights if builder.pairwise else None
            normalised = normalise(evidence.affinity, self._normalization(), counts, remedy=self._all_pairs)
            affinity = self._factorized(normalised)
            steps = self._steps(affinity)
            if steps > 1:
                affinity = DiffusedAffinity(affinity, steps, counts)
        usable = None if builder.pairwise or np.isnan(features).any() else features
        graph = normalised.affinity if normalised.how != "none" else None
        of_items = Problem(affinity, self._objective(), items.weights)
        problem, inverse = of_items, items.inverse
        if constraints is not None:
            problem, within = constraints.applied(of_items)
            affinity, inverse = problem.affinity, constraints.place(inverse)
            usable = None if usable is None else constraints.mean(usable, items.weights)
            graph = None if graph is None else constraints.contracted(graph, items.weights)
        starts = Starts(affinity, K, usable, problem.weights, graph, counts if constraints is None else None)
        solver = self.solver or self._default_solver(affinity, K)
        options: dict[str, Any] = {
            "start": start_of_items(self.start, inverse, affinity.n_items),
            "max_iter": self.max_iter,
            "tol": self.tol,
            "max_seconds": self.max_seconds,
            "seed": seed(self.random_state),
        }
        with stage("finding a start"):
            result = drive(
                problem,
                solver,
                starts,
                n_init=self._n_init(),
                n_jobs=self.n_jobs,
                on_interrupt=self.on_interrupt,
                checkpoint=checkpoint,
                progress=stage.bar,
                **options,
            )
        if result.status == "converged":
            with stage("comparing with other sizes"):
                try:
                    others = other_answers(
                        problem, self._alternatives(), solver, starts, result.membership.labels, **options
                    )
                except KeyboardInterrupt:
                    others = ("interrupted while comparing with other sizes",)
                    result = self._interrupted(result, checkpoint)
            result = dataclasses.replace(result, notes=(*result.notes, *others))
        stage.enter("putting the result together")
        result = dataclasses.replace(result, notes=(*result.notes, *sparse_way(affinity)))
        self._builder_, self._solver_ = builder, solver
        labels = result.membership.labels
        if constraints is not None:
            result = constraints.told(result, problem, within)
            labels = constraints.of_items(labels)
        assert result.factor is not None
        factor = result.factor if constraints is None else constraints.of_items(result.factor)
        used = columns_of(items, n) if builder.pairwise else None
        self._extension = Extension.of_fit(evidence, normalised, of_items, factor, result.scale, scaling, used)
        self.affinity_ = affinity
        self.item_index_ = inverse
        self.__dict__.pop("ensemble_", None)
        if isinstance(evidence, EnsembleEvidence):
            self.ensemble_ = evidence.compared(labels, items.inverse)
            result = dataclasses.replace(result, evidence=self.ensemble_)
        self._keep(result, inverse, X)
        self._calibrator: Calibrator | None = None
        self.__dict__.pop("calibration_", None)
        if self._probabilities() != "fitted":
            with stage("calibrating the memberships"):
                plain = constraints is None and result.status != "interrupted"
                try:
                    given, self._calibrator, self.calibration_ = calibrate_fit(
                        *(self, builder, features, items.weights, result.membership),
                        plain=plain,
                        averaged=self._probabilities() == "averaged",
                    )
                except KeyboardInterrupt:
                    result = self._interrupted(self.result_, checkpoint)
                    note = "interrupted while calibrating: the memberships are the fitted ones"
                    self.result_ = dataclasses.replace(result, notes=(*result.notes, note))
                    return
                self._keep_calibrated(features, given, inverse, X)

    def _interrupted(self, result: SolveResult, checkpoint: OpenCheckpoint | None) -> SolveResult:
        """What Ctrl-C after the factorization leaves: with on_interrupt="best" the result, to go on from."""
        if self.on_interrupt != "best":
            raise KeyboardInterrupt
        if checkpoint is not None:
            checkpoint.complete = False
        return dataclasses.replace(result, status="interrupted")

    def _probabilities(self) -> str:
        """Whether memberships are "fitted", "calibrated" or "averaged"."""
        return str(getattr(self, "probabilities", "fitted"))

    def _keep_calibrated(self, features: Any, fitted: Array, inverse: NDArray[np.intp], X: Any) -> None:
        """Put the calibrated membership of every row in the place of the fitted one; `result_` keeps that."""
        assert self._calibrator is not None
        W = self._calibrator(features, fitted)
        labels = argmax_labels(W, np.random.default_rng(0))
        unseen = np.flatnonzero(inverse < 0)
        rest = self._calibrator(self._scaled(X[unseen]), self.membership_[unseen]) if len(unseen) else W[:0]
        W, labels = W[inverse], labels[inverse]
        W[unseen], labels[unseen] = rest, rest.argmax(axis=1)
        self.membership_, self.labels_, self.entropy_ = W, labels, row_entropy(W)

    def _scaled(self, X: Any) -> Any:
        scaling = self._extension.scaling
        return X if scaling is None else scaling(X)

    def _keep(self, result: SolveResult, inverse: NDArray[np.intp], X: Any) -> None:
        """Hand the answer for the distinct items back to every row."""
        W, labels = result.membership.matrix, result.membership.labels
        if len(inverse) != len(W) or not np.array_equal(inverse, np.arange(len(W))):
            unseen = np.flatnonzero(inverse < 0)
            W, labels = W[inverse], labels[inverse]
            if len(unseen):
                W[unseen] = self._extension.membership(X[unseen])
                labels[unseen] = W[unseen].argmax(axis=1)
            result = expanded(result, W, labels, inverse)
        self.membership_ = W
        self.labels_ = labels
        self.n_clusters_ = W.shape[1]
        self.entropy_ = row_entropy(W)
        self.objective_ = result.objective
        common = bool((result.scale == result.scale[0]).all())
        self.scale_ = float(result.scale[0]) if common and self._objective().name != "per_cluster" else result.scale
        self.n_iter_ = result.n_iter
        self.n_products_ = result.n_products
        self.result_ = result

    def predict_proba(self, X: Any) -> Any:
        """Membership of new items.

        Each row solves one small problem: its membership y minimises sum_j (p_j - y^T diag(scale) w_j)^2 over the
        simplex, with p its (normalised, diffused) affinity to the fitted items and w_j their memberships, which stay
        as they are. On the training items the answer may differ from `membership_`: there every item also moved the
        others. Calibrated memberships of new items come from the same density and temperature as those of the fitted.

        Parameters
        ----------
        X : M x d features, or M x N rows of affinities or distances to the fitted items
            With missing="unobserved" an affinity may be NaN, a pair that the row's problem leaves out, as it does those
            that a sparse X does not store under `Precomputed(unstored="unobserved")`. A row that knows nothing is
            uniform. Features may be a Dask array or dataframe: the answer is one too, computed block by block when
            it is asked for.

        Returns
        -------
        M x K array, rows on the simplex
        """
        check_is_fitted(self)
        if comes_in_blocks(X):
            return predict_in_blocks(self, X, type(self).predict_proba, self.n_clusters_)
        X = self._checked(X, self._builder_, reset=False)
        calibrator: Calibrator | None = getattr(self, "_calibrator", None)
        if calibrator is None:
            return self._extension.membership(X)
        if calibrator.density is None:
            return calibrator(None, self._extension.membership(X))
        return calibrator(self._scaled(X), None)

    def predict(self, X: Any) -> Any:
        """Most probable cluster of new items; on the training items it may differ from `labels_`."""
        if comes_in_blocks(X):
            return predict_in_blocks(self, X, type(self).predict, None)
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        pairwise = (
            self.affinity.pairwise
            if isinstance(self.affinity, Builder)
            else self.affinity in ("precomputed", "precomputed_distance")
        )
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = pairwise
        tags.input_tags.allow_nan = self.missing == "unobserved"
        return tags

    def _checked(self, X: Any, builder: Builder, *, reset: bool) -> Any:
        """X as an array of finite floats (or a sparse matrix where the affinity is pairwise)."""
        if reset and isinstance(builder, Precomputed) and (is_foreign(X) or is_foreign_csr(X)):
            X = builder.build(X, n_clusters=1).affinity  # products stay where the matrix lies
        if isinstance(X, Affinity):
            if not isinstance(builder, Precomputed):
                raise InputError("an Affinity was given: pass affinity='precomputed'")
            if not reset:
                raise InputError("an Affinity was given: pass its rows for the items to score, affinity.rows(index)")
            self.n_features_in_ = X.n_items
            return X
        if reset:
            check_size(X, pairwise=builder.pairwise)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if builder.pairwise else False,
            dtype=np.float64,
            ensure_all_finite=False,
            ensure_min_samples=1,
        )
        if builder.pairwise and not reset:
            return X
        if not builder.pairwise:
            check_finite(X, self.missing)
            if reset:
                check_magnitude(X)
        return X

    def _n_init(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return RANDOM_RESTARTS if isinstance(self.start, str) and self.start == "dirichlet" else 1
