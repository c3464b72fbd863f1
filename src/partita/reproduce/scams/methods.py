"""Partitions of one set of items by each method that [li2014, section 5] compares, and ours.

    GH, ST, SOD   a number of clusters by the eigengap, soft thresholds or second-order differences, and the spectral
                  clustering with so many                                  [luxburg2007], [liu2013], [zhang2012]
    SCAMS         ADMM at the constants printed, then the Boolean factorization
    SCAMS-CK      the same ADMM, then Cholesky
    ours          `scams_local`, which finds what a pair costs with the partition
    default, ADMM       `SCAMS(method="admm")`: ADMM at the gamma that the share comes to, the factorization, moves
    theta .7, ADMM      `scams_admm` as it comes, where gamma is .7 / N, then the Boolean factorization
    printed, searched   the objective with the constants printed, searched by moves as ours is
    conductance   the spectral clustering with as many clusters as `ConductanceJump` finds; own pairs left out
    K known       spectral clustering that is told K: how good the affinity is

SOD is told the dimension of the subspaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Labels

if TYPE_CHECKING:
    from partita.affinity import Builder
    from partita.n_clusters import KEvidence
    from partita.scams import ADMMResult

__all__ = [
    "BESIDE",
    "COMPARED",
    "CONDUCTANCE",
    "DEFAULT_ADMM",
    "METHODS",
    "PRINTED_SEARCHED",
    "THETA_ADMM",
    "Case",
    "judged",
    "labels_of",
    "printed",
]


BESIDE = DEFAULT_ADMM, THETA_ADMM, PRINTED_SEARCHED = ("default, ADMM", "theta .7, ADMM", "printed, searched")
COMPARED = ("GH", "ST", "SOD", "SCAMS", "SCAMS-CK")
METHODS = (*COMPARED, "ours", "K known")
CONDUCTANCE = "ours, conductance"


@dataclass(frozen=True, eq=False)
class Case:
    """Items, their groups, and what the methods are told.

    Attributes
    ----------
    X : N x d array
    truth : array of N
    dimension : int
        Dimension of the subspaces, for SOD.
    builder : Builder
        Makes the affinity.
    share : float, optional
        Share of `LocalSearch`; its default otherwise.
    factor : float
        Times which the constants as printed see the affinity.
    """

    X: Array
    truth: Labels
    dimension: int
    builder: Builder
    share: float | None = None
    factor: float = 1.0


def judged(case: Case, methods: Sequence[str]) -> dict[str, list[float]]:
    """Return Rand index, adjusted Rand index and number of clusters of each method's partition.

    >>> from partita.affinity import LowRankRepresentation
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0], [0.0, 1.0], [0.1, -2.0], [0.0, 3.0]])
    >>> case = Case(X, np.repeat([0, 1], 3), 1, LowRankRepresentation())
    >>> judged(case, ["K known"])
    {'K known': [1.0, 1.0, 2.0]}
    """
    from partita.metrics import adjusted_rand_index, rand_index

    return {
        name: [
            rand_index(labels, case.truth),
            adjusted_rand_index(labels, case.truth),
            float(len(np.unique(labels))),
        ]
        for name, labels in labels_of(case, methods).items()
    }


def labels_of(case: Case, methods: Sequence[str]) -> dict[str, Labels]:
    """Return labels by each of the methods, in their order."""
    from partita import SCAMS
    from partita.n_clusters import ConductanceJump, Eigengap, KEvidence, SecondOrderDifference, SoftThreshold
    from partita.scams import LocalSearch, scams_local

    K = len(np.unique(case.truth))
    affinity = case.builder.build(case.X, n_clusters=K).affinity
    plain = KEvidence(features=case.X, affinity=affinity, dimension=case.dimension)
    evidence = replace(plain, partition_at=lambda k: _spectral(plain, k))
    found: dict[str, Labels] = {}
    if {"SCAMS", "SCAMS-CK"} & set(methods):
        found |= _printed(case, affinity)
    if DEFAULT_ADMM in methods:
        found[DEFAULT_ADMM] = SCAMS(affinity="precomputed", method="admm", random_state=0).fit(affinity).labels_
    if THETA_ADMM in methods:
        found[THETA_ADMM] = _theta_admm(affinity)
    if PRINTED_SEARCHED in methods:
        constants = LocalSearch(lam=2.0, gamma=0.005, scale=None)
        found[PRINTED_SEARCHED] = scams_local(_printed_affinity(case, affinity), constants, seed=0).labels
    if "ours" in methods:
        settings = LocalSearch() if case.share is None else LocalSearch(share=case.share)
        found["ours"] = scams_local(affinity, settings, seed=0).labels
    if CONDUCTANCE in methods:
        bare = plain.without_own_pairs()
        found[CONDUCTANCE] = _spectral(bare, ConductanceJump().judge(bare).n_clusters or 1)
    for name, criterion in {"GH": Eigengap(), "ST": SoftThreshold(), "SOD": SecondOrderDifference()}.items():
        if name in methods:
            found[name] = evidence.partition(criterion.judge(evidence).n_clusters or 1)
    if "K known" in methods:
        found["K known"] = evidence.partition(K)
    return {name: found[name] for name in methods}


def printed(A: Array) -> ADMMResult:
    """Run algorithm 1 with the constants of [li2014], section 5: lambda 2, gamma .005, the affinity as it is."""
    from partita.scams import ADMM, scams_admm

    return scams_admm(A, ADMM.paper())


def _printed_affinity(case: Case, affinity: Any) -> Array:
    A = case.factor * np.array(affinity.to_dense())
    if case.builder.name == "ssc":  # |C| + |C|^T has a diagonal of zeros; that of low-rank affinities is one
        np.fill_diagonal(A, 0.0)
    return A


def _theta_admm(affinity: Any) -> Labels:
    from partita.scams import ADMM, boolean_factorization, scams_admm

    settings = ADMM()
    result = scams_admm(affinity, settings)
    return boolean_factorization(result.pattern, settings.prepare(affinity), max_clusters=result.max_clusters).labels


def _printed(case: Case, affinity: Any) -> dict[str, Labels]:
    from partita.scams import boolean_factorization, cholesky_labels

    A = _printed_affinity(case, affinity)
    result = printed(A)
    groups = boolean_factorization(result.pattern, A, max_clusters=result.max_clusters)
    return {"SCAMS": groups.labels, "SCAMS-CK": cholesky_labels(result.pattern, result.max_clusters)}


def _spectral(evidence: KEvidence, n_clusters: int) -> Labels:
    """k-means on the rows, scaled to length one, of the leading eigenvectors [ng2002]."""
    from sklearn.cluster import KMeans

    from partita.affinity.from_subspace.codes import unit_rows

    seen = evidence if n_clusters <= evidence.most else evidence.grown(n_clusters)
    means = KMeans(n_clusters, n_init=10, random_state=evidence.seed)
    return np.asarray(means.fit_predict(unit_rows(seen.embedding[1][:, :n_clusters])), dtype=np.int64)
