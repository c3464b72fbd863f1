"""What the factorization estimators share: merging of copies, the fit, and what is kept of it."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from contextlib import nullcontext
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context

from partita.affinity import Affinity, Builder, DiffusedAffinity
from partita.affinity.normalise import NONE, How, Normalised, normalise
from partita.calibration import Calibration
from partita.ensemble import EnsembleEvidence
from partita.errors import InputError
from partita.estimators.alternatives import other_answers
from partita.estimators.calibrating import calibrate_fit
from partita.estimators.choosing import GIVE_A_NUMBER, Choice, Undivided, judged
from partita.estimators.constraints import Constraints
from partita.estimators.extension import Extension
from partita.estimators.items import check_weights, merge_identical
from partita.estimators.rows import (
    columns_of,
    copies,
    empty_clusters,
    expanded,
    seed,
    sparse_way,
    start_of_items,
    weighted_part,
)
from partita.estimators.scaling import Scaling
from partita.estimators.scoring import ScoringEstimator
from partita.membership import argmax_labels, row_entropy
from partita.n_clusters import Verdict
from partita.objectives import Objective, Problem
from partita.progress import ProgressBar, Stages
from partita.solvers import OpenCheckpoint, Solver, SolveResult, Starts, default_solver, drive, opened

__all__ = ["FILL_IN", "FactorizationEstimator"]

Array = NDArray[np.float64]

# What a model says that does not take unobserved pairs at all.
FILL_IN = (
    "fill the pairs in, or use SymNMF or SoftClustering with normalization='none' (command line: --model symnmf "
    "--normalization none)"
)


class FactorizationEstimator(ScoringEstimator):
    """A membership by factorization of an affinity, with scikit-learn's conventions."""

    membership_: Array
    result_: SolveResult
    calibration_: Calibration
    verdict_: Verdict

    # What to do about unobserved pairs that the normalisation does not take.
    _all_pairs: ClassVar[str] = NONE
    # Whether `_choice` is asked although a number was given.
    _chooses: ClassVar[bool] = False

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

    def _choice(self, shown: Undivided, constraints: Constraints | None) -> Choice:
        """The number of clusters where none was given.

        Raises
        ------
        InputError
            For evidence that criteria cannot look at.
        """
        if shown.builder.pairwise and constraints is not None and (constraints.weight == 0).any():
            raise InputError(
                f"n_clusters='auto': pair_weight says that pairs were not observed, and criteria read all: "
                f"{GIVE_A_NUMBER}"
            )
        least = 1 if constraints is None or not len(constraints.apart) else 2
        return judged(shown, self.n_clusters).within(least, shown.most)

    def _start(
        self, choice: Choice | None, constraints: Constraints | None, inverse: NDArray[np.intp], n_items: int
    ) -> Any:
        """The start for the items: that of the choice, or else the one given."""
        if choice is None or choice.start is None:
            return start_of_items(self.start, inverse, n_items)
        return choice.start if constraints is None else constraints.first_of(choice.start)

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
            What `affinity` says. A frame of pandas, polars or pyarrow whose columns are numbers is an array with names.
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
        note = empty_clusters(self.labels_, self.n_clusters_)
        if note is not None:
            self.result_ = dataclasses.replace(self.result_, notes=(*self.result_.notes, note))
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
        K = None if isinstance(self.n_clusters, str) else int(self.n_clusters)
        number = seed(self.random_state)
        if builder.pairwise:
            items = weighted_part(X, weights, n)
            distinct = items.features.shape[0] - copies(items.features, builder)
        else:
            items = merge_identical(X, weights)
            distinct = len(items.features)
        if K is not None and distinct < K:
            raise InputError(
                f"n_clusters={K} is larger than the number of distinct items, {distinct} (n_samples = {n}); "
                f"ask for at most {distinct} clusters"
            )
        constraints = Constraints.of(*known, items.inverse, items.features.shape[0], weights)
        n_groups = distinct if constraints is None else constraints.n_groups(distinct)
        if K is not None and n_groups < K:
            raise InputError(
                f"must-links leave {n_groups} items to tell apart, and n_clusters={K} is more: "
                "drop some of them, or ask for fewer clusters"
            )
        features, scaling = items.features, None
        if not builder.pairwise:
            scaling = Scaling.of(features, items.weights, self.scale_features)
            features = features if scaling is None else scaling(features)
        elif self.scale_features != "none":
            raise InputError(f"scale_features={self.scale_features!r} needs features, not a precomputed matrix")
        # Merged copies of rows count once in a graph; of items that are only known by their pairs each counts.
        counts = items.weights if builder.pairwise else None
        shown = Undivided(
            *(builder, features, items.weights, number or 0, min(distinct, n_groups)),
            lambda affinity: normalise(affinity, self._normalization(), counts, remedy=self._all_pairs),
        )
        choice = None
        if K is None or self._chooses:
            with stage("choosing the number of clusters"):
                choice = self._choice(shown, constraints)
            choice.warn()
            K = choice.n_clusters
        with stage("building the affinity"):
            evidence, normalised = shown.built(K)
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
            "start": self._start(choice, constraints, inverse, affinity.n_items),
            "max_iter": self.max_iter,
            "tol": self.tol,
            "max_seconds": self.max_seconds,
            "seed": number,
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
                    others = other_answers(problem, self._alternatives(), solver, starts, result.membership, **options)
                except KeyboardInterrupt:
                    others = ("interrupted while comparing with other sizes",)
                    result = self._interrupted(result, checkpoint)
            result = dataclasses.replace(result, notes=(*result.notes, *others))
        stage.enter("putting the result together")
        chosen = () if choice is None else choice.notes
        result = dataclasses.replace(result, notes=(*chosen, *result.notes, *sparse_way(affinity)))
        self._builder_, self._solver_ = builder, solver
        labels = result.membership.labels
        if constraints is not None:
            result = constraints.told(result, problem, within)
            labels = constraints.of_items(labels)
        assert result.factor is not None
        factor = result.factor if constraints is None else constraints.of_items(result.factor)
        used = columns_of(items, n) if builder.pairwise else None
        self._extension = Extension.of_fit(evidence, normalised, of_items, factor, result.scale, scaling, labels, used)
        self.affinity_ = affinity
        self.item_index_ = inverse
        self.__dict__.pop("ensemble_", None)
        self.__dict__.pop("verdict_", None)
        if choice is not None and choice.verdict is not None:
            self.verdict_ = choice.verdict
        if isinstance(evidence, EnsembleEvidence):
            self.ensemble_ = evidence.compared(labels, items.inverse)
            result = dataclasses.replace(result, evidence=self.ensemble_)
        self._keep(result, inverse, X)
        self._calibrator = None
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
        self.n_iter_ = max(result.n_iter, 1)  # scikit-learn asks a transformer for one at least
        self.n_products_ = result.n_products
        self.result_ = result
