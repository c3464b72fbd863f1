"""NMF and regularised NMF of a feature table by alternating nonnegative least squares [kim2008b; kim2008a].

    min ||X - W H||^2 + alpha ||W||^2 + alpha ||H||^2      over W >= 0 (N x K), H >= 0 (K x d);      alpha = 0 is NMF

With one factor fixed the other is a convex problem row by row, solved exactly by block principal pivoting, so the
objective never rises and limit points are stationary. Stopped when the projected gradient has fallen to `tol` of what
it was [kim2008b], or to rounding. Cost: N K (d + K) multiplications an iteration and the pivots; memory N (d + K).

scikit-learn's NMF minimises the same by coordinate descent or multiplicative updates, which is not what the paper ran.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, shares
from partita.baselines.nonnegative import nonnegative_features, started, unit_basis
from partita.kernels.block_pivoting import pivoted_nonnegative

__all__ = ["NMF", "Alternation", "RegularizedNMF", "alternate"]

# A projected gradient of at most this share of the terms that it is the difference of is rounding: the fit is exact.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Alternation:
    """Factors, the objective after each iteration, and whether the projected gradient fell to the tolerance."""

    W: Array
    H: Array
    trace: tuple[float, ...]
    converged: bool


@dataclass(frozen=True)
class _Factorization(Baseline):
    requires = "features"

    n_init: int = 1
    max_iter: int = 500
    tol: float = 1e-4

    @abstractmethod
    def alpha(self, X: Array) -> float:
        """The weight of the Frobenius terms."""

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X, note = nonnegative_features(evidence.features)
        alpha = self.alpha(X)
        runs = [
            alternate(X, started(X, n_clusters, rng), alpha, max_iter=self.max_iter, tol=self.tol)
            for _ in range(self.n_init)
        ]
        best = min(runs, key=lambda run: run.trace[-1])
        coefficients = unit_basis(best.W, best.H)[0]
        return BaselineResult(coefficients.argmax(axis=1).astype(np.int64), shares(coefficients), best.converged, note)


@dataclass(frozen=True)
class NMF(_Factorization):
    """min ||X - W H||^2 over W, H >= 0; an item's cluster is its largest coefficient, its membership their shares.

    Parameters
    ----------
    n_init, max_iter : int
    tol : float
        Share of the first projected gradient at which a run ends.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> labels = NMF().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_
    """

    name = "nmf"
    idea = "largest coefficient of a nonnegative factorization of the features"
    source = "[kim2008b]; ours, NumPy (no library has alternating nonnegative least squares)"
    left_open: ClassVar[str] = (
        "[zhao2015]: the start, the stopping rule, what is done with negative features, and how components are scaled "
        "before coefficients are compared. Here rows drawn by k-means++ as the first basis, one start a run, a "
        "projected gradient of 1e-4 of the first, columns shifted to zero, a basis of unit length."
    )

    def alpha(self, X: Array) -> float:
        """Return 0: there are no Frobenius terms."""
        return 0.0


@dataclass(frozen=True)
class RegularizedNMF(_Factorization):
    """min ||X - W H||^2 + alpha (||W||^2 + ||H||^2) over W, H >= 0, read as `NMF` is.

    Parameters
    ----------
    n_init, max_iter : int
    tol : float
        Share of the first projected gradient at which a run ends.
    penalty : float
        alpha as a share of the largest singular value of X: the two terms together shrink every singular value of W H
        by alpha, were it not for the signs, so a change of the unit of X changes nothing.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> labels = RegularizedNMF().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_
    """

    name = "regularized-nmf"
    idea = "NMF that penalises large factors"
    source = "[kim2008a], [kim2008b]; ours, NumPy"
    left_open = NMF.left_open + " Also the weights of the two terms: here both 0.01 of the largest singular value."

    penalty: float = 0.01

    def alpha(self, X: Array) -> float:
        """Return the penalty in the unit of X."""
        return self.penalty * float(np.linalg.norm(X, 2))


def alternate(X: Array, H: Array, alpha: float, *, max_iter: int, tol: float) -> Alternation:
    """Factorize by alternating nonnegative least squares from a basis H.

    >>> X = np.outer([1.0, 2.0], [3.0, 4.0])
    >>> round(alternate(X, np.array([[1.0, 1.0]]), 0.0, max_iter=50, tol=1e-6).trace[-1], 9)
    0.0
    """
    K = len(H)
    ridge = alpha * np.eye(K)
    square = float(np.vdot(X, X))
    W, Wt_free, H_free = np.zeros((len(X), K)), None, None
    trace: list[float] = []
    first = 0.0
    cross, gram = X @ H.T, H @ H.T + ridge
    for _ in range(max_iter):
        W = pivoted_nonnegative(gram, cross, Wt_free)
        Wt_free = W > 0
        own = W.T @ W
        B = W.T @ X
        H = pivoted_nonnegative(own + ridge, B.T, H_free).T
        H_free = H.T > 0
        cross, gram = X @ H.T, H @ H.T + ridge
        # ||X||^2 - 2 <W H, X> + <W^T W, H H^T> + alpha (||W||^2 + ||H||^2)
        trace.append(square - 2.0 * float(np.vdot(H, B)) + float(np.vdot(own, gram)) + alpha * float(np.vdot(H, H)))
        slope = W @ gram - cross  # H is optimal for W: only W's half of the gradient is left
        projected = float(np.linalg.norm(np.where(W > 0, slope, np.minimum(slope, 0.0))))
        first = first or projected
        if projected <= max(tol * first, ROUNDING * float(np.linalg.norm(cross))):
            return Alternation(W, H, tuple(trace), True)
    return Alternation(W, H, tuple(trace), False)
