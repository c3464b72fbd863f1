"""What the factorization estimators share: input, merging of copies, the fit, and scoring of new items."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from partita.affinity import Affinity, Builder, DiffusedAffinity, NeighborGraph, Precomputed, RelativeDistance
from partita.affinity.checks import LARGEST, SMALLEST
from partita.affinity.normalise import How, normalise
from partita.errors import InputError
from partita.estimators.extension import Extension
from partita.estimators.items import Items, check_weights, merge_identical
from partita.estimators.scaling import Scaling
from partita.membership import Membership, row_entropy
from partita.objectives import Objective, Problem
from partita.progress import ProgressBar, no_stage
from partita.solvers import ProjectedGradient, Solver, SolveResult, Starts, drive

__all__ = ["FactorizationEstimator"]

Array = NDArray[np.float64]

# Restarts where the start is random, as scikit-learn's KMeans has it.
RANDOM_RESTARTS = 10


class FactorizationEstimator(ClusterMixin, BaseEstimator):
    """A membership by factorization of an affinity, with scikit-learn's conventions."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "affinity": [StrOptions({"relative", "neighbors", "precomputed", "precomputed_distance"}), Builder],
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
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    @abstractmethod
    def _objective(self) -> Objective: ...

    def _normalization(self) -> How:
        return "none"

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
            case "precomputed_distance":
                return self._distance_builder()
        return Precomputed(missing=self.missing, symmetrize=self.symmetrize)

    @abstractmethod
    def _distance_builder(self) -> Builder: ...

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the membership.

        Parameters
        ----------
        X : N x d array of features, or N x N affinities or distances (dense or sparse), or an `Affinity`
            What `affinity` says.
        y : ignored
        sample_weight : array of N, optional
            Nonnegative; a weight of two is the same as giving the item twice, zero the same as leaving it out.

        Returns
        -------
        self

        Raises
        ------
        InputError
            For input that is wrong; the message says where and what to do.
        MemoryLimitError
            Where N x N would not fit.
        """
        builder = self._builder()
        X = self._checked(X, builder, reset=True)
        n = X.n_items if isinstance(X, Affinity) else X.shape[0]
        weights = check_weights(sample_weight, n)
        with ProgressBar() if self.verbose else nullcontext() as bar:
            self._fit(X, weights, builder, bar)
        return self

    def _fit(self, X: Any, weights: Array | None, builder: Builder, bar: ProgressBar | None) -> None:
        stage = bar.stage if bar else no_stage
        n = X.n_items if isinstance(X, Affinity) else X.shape[0]
        if self.n_clusters == "auto":
            raise InputError("n_clusters='auto' is not available in this version: give the number of clusters")
        K = int(self.n_clusters)
        if builder.pairwise:
            items = _weighted_part(X, weights, n)
            distinct = items.features.shape[0] - _copies(items.features, builder)
        else:
            items = merge_identical(X, weights)
            distinct = len(items.features)
        if distinct < K:
            raise InputError(
                f"n_clusters={K} is larger than the number of distinct items, {distinct} (n_samples = {n}); "
                f"ask for at most {distinct} clusters"
            )
        features, scaling = items.features, None
        if not builder.pairwise:
            scaling = Scaling.of(features, items.weights, self.scale_features)
            features = features if scaling is None else scaling(features)
        elif self.scale_features != "none":
            raise InputError(f"scale_features={self.scale_features!r} needs features, not a precomputed matrix")
        with stage("building the affinity"):
            evidence = builder.build(features, n_clusters=K, weights=items.weights)
            normalised = normalise(evidence.affinity, self._normalization())
            affinity = normalised.affinity
            steps = self._steps(affinity)
            if steps > 1:
                affinity = DiffusedAffinity(affinity, steps)
        problem = Problem(affinity, self._objective(), items.weights)
        usable = not builder.pairwise and not np.isnan(features).any()
        graph = normalised.affinity if normalised.how != "none" else None
        starts = Starts(affinity, K, features if usable else None, items.weights, graph)
        with stage("finding a start"):
            result = drive(
                problem,
                self.solver or ProjectedGradient(),
                starts,
                self._contracted_start(items.inverse, affinity.n_items),
                n_init=self._n_init(),
                max_iter=self.max_iter,
                tol=self.tol,
                max_seconds=self.max_seconds,
                seed=_seed(self.random_state),
                n_jobs=self.n_jobs,
                on_interrupt=self.on_interrupt,
                progress=bar,
            )
        W = result.membership.matrix
        self._builder_ = builder
        self._extension = Extension.of_fit(evidence, normalised, affinity, W, result.scale, items.weights, scaling)
        self.affinity_ = affinity
        self.item_index_ = items.inverse
        self._keep(result, items.inverse, X)

    def _keep(self, result: SolveResult, inverse: NDArray[np.intp], X: Any) -> None:
        """Hand the answer for the distinct items back to every row."""
        W, labels = result.membership.matrix, result.membership.labels
        if len(inverse) != len(W) or not np.array_equal(inverse, np.arange(len(W))):
            unseen = np.flatnonzero(inverse < 0)
            W, labels = W[inverse], labels[inverse]
            if len(unseen):
                rows = X[unseen][:, np.flatnonzero(inverse >= 0)] if self._builder_.pairwise else X[unseen]
                W[unseen] = self._extension.membership(rows)
                labels[unseen] = W[unseen].argmax(axis=1)
            result = _expanded(result, W, labels, inverse)
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

    def predict_proba(self, X: Any) -> Array:
        """Membership of new items.

        Each row solves one small problem: its membership y minimises sum_j (p_j - y^T diag(scale) w_j)^2 over the
        simplex, with p its (normalised, diffused) affinity to the fitted items and w_j their memberships, which stay
        as they are. On the training items the answer may differ from `membership_`: there every item also moved the
        others.

        Parameters
        ----------
        X : M x d features, or M x N rows of affinities or distances to the fitted items

        Returns
        -------
        M x K array, rows on the simplex
        """
        check_is_fitted(self)
        X = self._checked(X, self._builder_, reset=False)
        return self._extension.membership(X)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Most probable cluster of new items; on the training items it may differ from `labels_`."""
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
        if isinstance(X, Affinity):
            if not isinstance(builder, Precomputed):
                raise InputError("an Affinity was given: pass affinity='precomputed'")
            if not reset:
                raise InputError("an Affinity was given: pass its rows for the items to score, affinity.rows(index)")
            self.n_features_in_ = X.n_items
            return X
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
            _check_finite(X, self.missing)
            if reset:
                _check_magnitude(X)
        return X

    def _n_init(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return RANDOM_RESTARTS if isinstance(self.start, str) and self.start == "dirichlet" else 1

    def _contracted_start(self, inverse: NDArray[np.intp], n_distinct: int) -> Any:
        """A start given for the rows, as one for the distinct items: the first copy's."""
        if isinstance(self.start, str):
            return self.start
        starts = list(self.start)
        # A list of arrays is several starts, also where each holds labels; rows of one array are one membership.
        listed = not isinstance(self.start, np.ndarray) and any(isinstance(s, np.ndarray) for s in starts)
        many = listed or any(isinstance(s, str) or np.ndim(s) == 2 for s in starts)
        out = [self._contract(s, inverse, n_distinct) for s in (starts if many else [np.asarray(self.start)])]
        return out

    @staticmethod
    def _contract(start: Any, inverse: NDArray[np.intp], n_distinct: int) -> Any:
        if isinstance(start, str):
            return start
        array = np.asarray(start)
        if len(array) != len(inverse):
            raise InputError(f"start has {len(array)} rows, expected one for each of the {len(inverse)} items")
        first = np.zeros(n_distinct, dtype=np.intp)
        known = np.flatnonzero(inverse >= 0)[::-1]
        first[inverse[known]] = known
        return array[first]


def _weighted_part(X: Any, weights: Array | None, n: int) -> Items:
    """Pairwise input without the items of weight zero; they are scored afterwards."""
    if weights is None or isinstance(X, Affinity) or weights.all():
        return Items(X, weights, np.arange(n))
    used = np.flatnonzero(weights)
    inverse = np.full(n, -1, dtype=np.intp)
    inverse[used] = np.arange(len(used))
    return Items(X[used][:, used], weights[used], inverse)


def _copies(X: Any, builder: Builder) -> int:
    """Items at distance zero from an earlier one; an affinity does not tell."""
    if isinstance(builder, Precomputed) or not isinstance(X, np.ndarray) or X.shape[0] != X.shape[1]:
        return 0
    return int(np.triu(X == 0, 1).any(axis=0).sum())


def _check_finite(X: Array, missing: str) -> None:
    bad = np.isinf(X) if missing == "unobserved" else ~np.isfinite(X)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        value = "NaN" if np.isnan(X[i, j]) else "infinity"
        more = f" (and {int(bad.sum()) - 1:,} more cells)" if bad.sum() > 1 else ""
        raise InputError(
            f"X[{i}, {j}] is {value}{more}: fill it in, drop the row"
            + (", or pass missing='unobserved'" if value == "NaN" else "")
        )
    if missing == "unobserved" and np.isnan(X).all(axis=1).any():
        i = int(np.flatnonzero(np.isnan(X).all(axis=1))[0])
        raise InputError(f"row {i} of X has no observed value: drop it")


def _check_magnitude(X: Array) -> None:
    """For fitted items only: a new one may lie as far away as it likes, and still gets a membership."""
    magnitude = np.abs(X)
    top = float(np.nanmax(magnitude, initial=0.0))
    if top > LARGEST or 0 < top < SMALLEST:
        i, j = np.argwhere(magnitude == top)[0]
        raise InputError(
            f"X[{i}, {j}] = {X[i, j]:g} is too {'large' if top > LARGEST else 'small'} for distances in double "
            "precision: express the features in another unit"
        )


def _seed(random_state: Any) -> int | None:
    """A whole number from any of the ways to say a seed."""
    if random_state is None or isinstance(random_state, Integral):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(random_state.randint(2**31 - 1))


def _expanded(result: SolveResult, W: Array, labels: NDArray[np.int64], inverse: NDArray[np.intp]) -> SolveResult:
    membership = Membership(W)
    membership.labels = labels  # the same tie-breaks for every copy
    restarts = tuple(
        dataclasses.replace(
            restart,
            labels=np.where(inverse < 0, labels, restart.labels[inverse]).astype(np.int32),
            membership=None if restart.membership is None or (inverse < 0).any() else restart.membership[inverse],
        )
        for restart in result.restarts
    )
    return dataclasses.replace(result, membership=membership, restarts=restarts)
