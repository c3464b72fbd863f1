"""The parameters that the factorization estimators share: what they may be, the builder and the input they ask for."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from partita.affinity import (
    Affinity,
    Builder,
    LowRankRepresentation,
    MatchingPursuit,
    NeighborGraph,
    Precomputed,
    RelativeDistance,
    SparseSubspace,
)
from partita.ensemble import Ensemble
from partita.errors import InputError
from partita.estimators.frames import checked_frame, row_names
from partita.estimators.rows import check_finite, check_magnitude, check_size, warn_of_lost_digits
from partita.kernels.foreign_csr import is_foreign_csr
from partita.kernels.namespace import is_foreign
from partita.n_clusters import Criterion
from partita.solvers import Checkpoint, Solver

__all__ = ["FactorizationParameters"]

# Restarts where the start is random, as scikit-learn's KMeans has it.
RANDOM_RESTARTS = 10
# Affinities of items near a union of subspaces.
SUBSPACE: dict[str, type[Builder]] = {
    kind.name: kind for kind in (LowRankRepresentation, MatchingPursuit, SparseSubspace)
}


class CriterionName(StrOptions):
    """The word "auto", or the name that a criterion has by then: users add their own."""

    def __init__(self) -> None:
        super().__init__({"auto"})

    def is_satisfied_by(self, value: Any) -> bool:
        return isinstance(value, str) and (value in self.options or value in Criterion.registry)

    def __str__(self) -> str:
        return f"'auto' or the name of a criterion ({', '.join(sorted(Criterion.registry))})"


class FactorizationParameters(ClusterMixin, BaseEstimator):
    """The parameters of a factorization, stored as given and checked at `fit`."""

    # May be anything before `fit`.
    n_clusters: Any
    affinity: Any
    start: Any
    n_init: Any
    scale_features: Any
    missing: Any
    symmetrize: Any
    on_interrupt: Any
    checkpoint: Any

    # Names of the rows that were fitted, where the index of a pandas frame has any.
    items_: NDArray[np.str_] | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), CriterionName()],
        "affinity": [
            StrOptions({"relative", "neighbors", "ensemble", "precomputed", "precomputed_distance", *SUBSPACE}),
            Builder,
        ],
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

    def __init__(
        self,
        n_clusters: int | str = 8,
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
            case "ssc" | "ssc-omp" | "lrr":
                return SUBSPACE[self.affinity]()
            case "precomputed_distance":
                return self._distance_builder()
        return Precomputed(missing=self.missing, symmetrize=self.symmetrize)

    def _distance_builder(self) -> Builder:
        return RelativeDistance(metric="precomputed")

    def _n_init(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return RANDOM_RESTARTS if isinstance(self.start, str) and self.start == "dirichlet" else 1

    def _probabilities(self) -> str:
        """Whether memberships are "fitted", "calibrated" or "averaged"."""
        return str(getattr(self, "probabilities", "fitted"))

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
            self.n_features_in_, self.items_ = X.n_items, None
            return X
        X, given = checked_frame(X, pairwise=builder.pairwise and reset), getattr(X, "dtype", None)
        if reset:
            self.items_ = row_names(X)
            check_size(X, pairwise=builder.pairwise)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if builder.pairwise else False,
            dtype=np.float64,
            order="C",  # a frame's columns lie apart, and sums in another order have other last bits
            ensure_all_finite=False,
            ensure_min_samples=1,
        )
        if builder.pairwise and not reset:
            return X
        if not builder.pairwise:
            check_finite(X, self.missing)
            if reset:
                check_magnitude(X)
                warn_of_lost_digits(X, given)
        return X
