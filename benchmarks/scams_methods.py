"""Partitions of one set of items by each method that `scams.py` compares, and the figures of a partition.

"paper" is the preset of [li2014] on the affinity as it comes, by ADMM and Boolean factorization or Cholesky; "local" is
our default; "ADMM" the same objective at the gamma that the local search found. GH, ST and SOD are the competitors of
[li2014]: a number of clusters, and the spectral clustering with so many; "spectral, K known" is the ceiling of those.
SOD is told the mean of the true dimensions. "correlation clustering": every pair +1 or -1 by the mean affinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from partita.affinity import Builder
from partita.affinity.from_subspace.codes import unit_rows
from partita.metrics import adjusted_rand_index, rand_index
from partita.n_clusters import Eigengap, KEvidence, SecondOrderDifference, SoftThreshold
from partita.n_clusters.base import Criterion
from partita.partition import search_partition
from partita.partition.losses import Binder
from partita.scams import ADMM, LocalSearch, boolean_factorization, cholesky_labels, scams_admm, scams_local

__all__ = ["METHODS", "Case", "Figures", "figures", "labels_of"]

Labels = NDArray[np.int64]
# Rand, adjusted Rand, |K - truth|, K.
Figures = tuple[float, float, float, float]

METHODS = (
    "paper, ADMM + AssoCBMF",
    "paper, ADMM + Cholesky",
    "local",
    "ADMM + AssoCBMF",
    "GH",
    "ST",
    "SOD",
    "correlation clustering",
    "spectral, K known",
)


@dataclass(frozen=True)
class Case:
    """Items, their groups, the dimension that SOD is told, and what is asked of them."""

    X: NDArray[np.float64]
    truth: NDArray[np.int64]
    dimension: int
    builder: Builder
    share: float | None = None
    seed: int = 0


def labels_of(case: Case, methods: Sequence[str]) -> dict[str, Labels]:
    """Labels by each of the methods, in their order."""
    K = len(np.unique(case.truth))
    affinity = case.builder.build(case.X, n_clusters=K).affinity
    plain = KEvidence(features=case.X, affinity=affinity, dimension=case.dimension, seed=case.seed)
    evidence = replace(plain, partition_at=lambda k: spectral(plain, k))
    found: dict[str, Labels] = {}
    if any(name.startswith("paper") for name in methods):
        found |= _paper(case, affinity)
    if "local" in methods or "ADMM + AssoCBMF" in methods:
        settings = LocalSearch() if case.share is None else LocalSearch(share=case.share)
        local = scams_local(affinity, settings, seed=case.seed)
        found["local"] = local.labels
    if "ADMM + AssoCBMF" in methods:
        result = scams_admm(affinity, ADMM(gamma=local.gamma, lam=local.lam))
        found["ADMM + AssoCBMF"] = boolean_factorization(
            result.pattern, ADMM().prepare(affinity), max_clusters=result.max_clusters
        ).labels
    criteria: dict[str, Criterion] = {"GH": Eigengap(), "ST": SoftThreshold(), "SOD": SecondOrderDifference()}
    for name, criterion in criteria.items():
        if name in methods:
            found[name] = evidence.partition(criterion.judge(evidence).n_clusters or 1)
    if "correlation clustering" in methods:
        found["correlation clustering"] = _unweighted(affinity, case.seed)
    if "spectral, K known" in methods:
        found["spectral, K known"] = evidence.partition(K)
    return {name: found[name] for name in methods}


def figures(labels: Labels, truth: Labels) -> Figures:
    """Rand, adjusted Rand, |K - truth|, K."""
    K = len(np.unique(labels))
    off = abs(K - len(np.unique(truth)))
    return rand_index(labels, truth), adjusted_rand_index(labels, truth), float(off), float(K)


def _paper(case: Case, affinity: Any) -> dict[str, Labels]:
    """As printed. The diagonal of |C| + |C|^T is zero, that of low-rank affinities one."""
    A = np.array(affinity.to_dense())
    if case.builder.name == "ssc":
        np.fill_diagonal(A, 0.0)
    result = scams_admm(A, ADMM.paper())
    groups = boolean_factorization(result.pattern, A, max_clusters=result.max_clusters)
    return {
        "paper, ADMM + AssoCBMF": groups.labels,
        "paper, ADMM + Cholesky": cholesky_labels(result.pattern, result.max_clusters),
    }


def spectral(evidence: KEvidence, n_clusters: int) -> Labels:
    """k-means on the rows, scaled to length one, of the leading eigenvectors [ng2002]."""
    vectors = (evidence if n_clusters <= evidence.most else evidence.grown(n_clusters)).embedding[1][:, :n_clusters]
    means = KMeans(n_clusters, n_init=10, random_state=evidence.seed)
    return np.asarray(means.fit_predict(unit_rows(vectors)), dtype=np.int64)


def _unweighted(affinity: Any, seed: int) -> Labels:
    A = np.array(affinity.to_dense())
    apart = ~np.eye(len(A), dtype=bool)
    similar = (float(A[apart].mean()) < A) | ~apart
    found = search_partition(
        similarity=similar.astype(np.float64), loss=Binder(normalize="pairs"), n_init=2, random_state=seed
    )
    return found.labels
