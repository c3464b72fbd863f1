"""The spectral relaxation of kernel k-means, made a partition by cluster_qr."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from partita import solvers
from partita.affinity import Affinity, Builder, RelativeDistance
from partita.affinity.normalise import How
from partita.estimators.base import FILL_IN, FactorizationEstimator
from partita.objectives import Objective, SpectralObjective
from partita.solvers import Solver

__all__ = ["SpectralRelaxation"]


class SpectralRelaxation(FactorizationEstimator):
    """Spectral clustering of an affinity: the relaxation of kernel k-means with a closed solution [zha2001].

    Objective: minimise ||P - W W^T||^2 over W with W^T W = I. The optimum is the span of the K leading eigenvectors;
    its value is a lower bound of kernel k-means on the same affinity. With the symmetric normalisation it is the
    relaxation of normalised cut. The partition is read off by cluster_qr [damle2019], which needs no start and no luck.

    Memberships are zeros and ones. `SoF`, `SoftClustering` and `BaumEagon` with `start="spectral"` begin from here.

    Parameters
    ----------
    n_clusters : int, default 8
        K >= 1, at most the number of distinct items.
    normalization : {"symmetric", "none"}
        D^-1/2 P D^-1/2 with D the row sums, or P.
    affinity : {"relative", "neighbors", "precomputed", "precomputed_distance"} or a builder
        As in `SoF`.
    solver : Solver, optional
        `solvers.LeadingEigenvectors()` by default, the only one.
    start, n_init, max_iter, tol
        Without influence on the answer: the optimum is found in one step.
    max_seconds, scale_features, missing, symmetrize, on_interrupt, random_state, n_jobs, verbose
        As in `SoF`.

    Attributes
    ----------
    membership_ : N x K array of zeros and ones
    labels_, n_clusters_, entropy_, objective_, scale_, n_iter_, n_products_, result_, affinity_, item_index_
        As in `SoF`; `result_.factor` holds the eigenvectors.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    `predict` gives a new item the cluster whose mean is nearest in the space of the kernel. Cost: a dense eigenproblem
    for up to 1,200 items, else some tens of products with a vector.

    References
    ----------
    [zha2001] H. Zha, X. He, C. Ding, H. Simon, M. Gu, Spectral relaxation for k-means clustering, NIPS 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> SpectralRelaxation(n_clusters=3).fit(load_iris().data).membership_.sum(axis=0).astype(int).tolist()
    [50, 61, 39]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "normalization": [StrOptions({"none", "symmetric"})],
    }

    _all_pairs = FILL_IN

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        normalization: str = "symmetric",
        affinity: str | Builder = "relative",
        solver: Solver | None = None,
        start: Any = "kmeans",
        n_init: int | str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        max_seconds: float | None = None,
        scale_features: str = "none",
        missing: str = "error",
        symmetrize: str | None = None,
        on_interrupt: str = "raise",
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _objective(self) -> Objective:
        return SpectralObjective()

    def _default_solver(self, affinity: Affinity, n_clusters: int) -> Solver:
        return solvers.LeadingEigenvectors()

    def _distance_builder(self) -> Builder:
        return RelativeDistance(metric="precomputed")

    def _normalization(self) -> How:
        return self.normalization  # type: ignore[return-value]
