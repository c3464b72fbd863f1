"""What the estimators of hard partitions share: parameters, and that the affinity may be normalised."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from partita.affinity import Builder
from partita.affinity.normalise import How
from partita.estimators.base import FILL_IN, FactorizationEstimator
from partita.solvers import Solver

__all__ = ["PartitionEstimator"]


class PartitionEstimator(FactorizationEstimator):
    """Zeros and ones for memberships."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "normalization": [StrOptions({"auto", "none", "symmetric"})],
    }

    _all_pairs = FILL_IN
    _own_normalization: ClassVar[How] = "none"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        normalization: str = "auto",
        affinity: str | Builder = "relative",
        solver: Solver | None = None,
        start: Any = "spectral",
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
        self.normalization = normalization
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

    def _normalization(self) -> How:
        return self._own_normalization if self.normalization == "auto" else self.normalization  # type: ignore[return-value]
