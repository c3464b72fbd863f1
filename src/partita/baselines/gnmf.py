"""Graph-regularised NMF [cai2011] by its multiplicative updates.

    min ||X - V U^T||^2 + lambda tr(V^T L V)      over U (d x K), V (N x K) >= 0,      L = D - S of a neighbour graph S

    u_jk <- u_jk (X^T V)_jk / (U V^T V)_jk      v_ik <- v_ik (X U + lambda S V)_ik / (V U^T U + lambda D V)_ik

The objective never rises [cai2011, Theorem 1]. It does not fix the scale of V: V can shrink and U grow, which takes the
graph's term towards zero, so what an unlimited number of updates finds is NMF again. The number of updates is therefore
part of the method. Cost: N K (d + K) and N p K multiplications an update.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, shares
from partita.baselines.k_means import lloyd
from partita.baselines.nonnegative import nonnegative_features, started, unit_basis
from partita.errors import InputError

__all__ = ["GNMF", "descend", "neighbour_graph"]

# Entries stay above this share of the largest of their factor, so that none is stuck at zero for good.
FLOOR = 1e-10


@dataclass(frozen=True)
class GNMF(Baseline):
    """Graph-regularised NMF; hard, and soft with labels by "argmax".

    Parameters
    ----------
    n_neighbors : int
        p: S_ij is 1 where one of i and j is among the p closest others of the other.
    penalty : float
        lambda.
    labels : {"k-means", "argmax"}
        k-means on the rows of V, the basis at unit length, or the largest entry of each.
    n_init, max_iter : int
    tol : float
        Relative fall of the objective over ten updates at which a run ends.

    Raises
    ------
    InputError
        For another word for `labels`.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[8.0, 0.0], [8.1, 0.1], [0.0, 8.0], [0.1, 8.1]])
    >>> labels = GNMF(n_neighbors=1).cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[1] != labels[2] == labels[3]
    np.True_
    """

    name = "gnmf"
    idea = "NMF whose coefficients are alike for neighbours"
    source = "[cai2011]; ours, NumPy, with scikit-learn's neighbours and KMeans"
    left_open = (
        "[zhao2015]: the graph, lambda, the number of updates, how labels are read, negative features. Here the 0/1 "
        "weights of 5 neighbours and the lambda = 100 of [cai2011], at most 500 updates, k-means on the coefficients, "
        "columns shifted to zero."
    )
    requires = "features"

    n_neighbors: int = 5
    penalty: float = 100.0
    labels: Literal["k-means", "argmax"] = "k-means"
    n_init: int = 1
    max_iter: int = 500
    tol: float = 1e-5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.labels not in ("k-means", "argmax"):
            raise InputError(f"labels={self.labels!r}: expected 'k-means' or 'argmax'")

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X, note = nonnegative_features(evidence.features)
        S = evidence.once(("0/1 graph", self.n_neighbors), lambda: neighbour_graph(evidence.features, self.n_neighbors))
        runs = []
        for _ in range(self.n_init):
            U = started(X, n_clusters, rng).T
            V = rng.random((len(X), n_clusters))
            runs.append(descend(X, S, U, V, self.penalty, max_iter=self.max_iter, tol=self.tol))
        U, V, _, converged = min(runs, key=lambda run: run[2][-1])
        V = unit_basis(V, U.T)[0]
        if self.labels == "k-means":
            found = lloyd(V, n_clusters, rng, self.n_init, 300)
            return BaselineResult(found.labels, None, converged, note)
        return BaselineResult(V.argmax(axis=1).astype(np.int64), shares(V), converged, note)


def neighbour_graph(X: Array, n_neighbors: int) -> sp.csr_array:
    """Return S_ij = 1 where one of the two is among the p closest others of the other; no diagonal.

    >>> neighbour_graph(np.array([[0.0], [1.0], [5.0]]), 1).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    p = min(n_neighbors, len(X) - 1)
    if p < 1:
        return sp.csr_array((len(X), len(X)))
    chosen = sp.csr_array(kneighbors_graph(X, p, mode="connectivity", include_self=False))
    return sp.csr_array(chosen.maximum(chosen.T))


def descend(
    X: Array, S: sp.csr_array, U: Array, V: Array, penalty: float, *, max_iter: int, tol: float
) -> tuple[Array, Array, list[float], bool]:
    """Update U (d x K) and V (N x K) in turn: return both factors, the objective after each update, and whether it
    settled.
    """
    degrees = np.asarray(S.sum(axis=1)).ravel()[:, None]
    square = float(np.vdot(X, X))
    U, V = _lifted(U), _lifted(V)
    trace: list[float] = []
    for _ in range(max_iter):
        U = _lifted(U * _ratio(X.T @ V, U @ (V.T @ V)))
        cross, gram = X @ U, U.T @ U
        V = _lifted(V * _ratio(cross + penalty * (S @ V), V @ gram + penalty * degrees * V))
        fit = square - 2.0 * float(np.vdot(V, cross)) + float(np.vdot(V.T @ V, gram))
        trace.append(fit + penalty * float(np.vdot(V, degrees * V - S @ V)))
        if len(trace) > 10 and trace[-11] - trace[-1] <= tol * abs(trace[-11]):
            return U, V, trace, True
    return U, V, trace, False


def _ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.ones_like(above), where=below > 0)


def _lifted(F: Array) -> Array:
    return np.maximum(F, FLOOR * float(F.max(initial=0.0)))
