"""`n_clusters="auto"`: what the number of clusters is judged by, and what a fit makes of the verdict.

Features that Euclidean distances make sense of are judged as they are (scaled, copies once), whatever affinity is made
of them afterwards: that is what the verdict was measured on (`partita.n_clusters.verdict`), and it looks at 20,000 of
them at most. Under another metric, with cells missing, and where distances are given, it is the graph of each item's
nearest neighbours by those distances; the affinity itself where one is given, or made of subspaces.

Constraints come afterwards: must-links say who belongs together, not how many clusters there are, and two linked items
far apart would be one item in between. The number is then brought into what they allow.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import (
    Affinity,
    Builder,
    Landmarks,
    LowRankRepresentation,
    MatchingPursuit,
    NeighborGraph,
    Nystrom,
    Precomputed,
    RandomFeatures,
    RelativeDistance,
    SparseSubspace,
)
from partita.affinity.evidence import Evidence
from partita.affinity.normalise import Normalised
from partita.ensemble import Ensemble
from partita.ensemble.frame import frame_of
from partita.errors import InputError, UnsureWarning
from partita.kernels.threads import limit_threads, n_threads
from partita.n_clusters import KEvidence, Verdict, judge_all
from partita.n_clusters.evidence import MOST_GRAPHED
from partita.n_clusters.verdict import DOUBTFUL

__all__ = ["GIVE_A_NUMBER", "Choice", "Undivided", "evidence_on_k", "judged"]

Array = NDArray[np.float64]

# Affinities of features under Euclidean distances, and those that are the same for any number of clusters.
OF_DISTANCES = (Ensemble, Landmarks, NeighborGraph, Nystrom, RandomFeatures, RelativeDistance)
SAME_FOR_ALL = (Landmarks, LowRankRepresentation, MatchingPursuit, Precomputed, RelativeDistance, SparseSubspace)
GIVE_A_NUMBER = "give the number of clusters (command line: as --k 3)"


@dataclass(frozen=True, eq=False)
class Choice:
    """The number of clusters that a fit goes on with.

    Attributes
    ----------
    n_clusters : int
    start : labels of the affinity's items, optional
        To start from, in the place of the estimator's `start`.
    verdict : Verdict, optional
    notes : tuple of str
        For `result_.notes`.
    """

    n_clusters: int
    start: NDArray[np.int64] | None = None
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()

    def within(self, least: int, most: int) -> Choice:
        """This choice, or the most probable number that constraints and distinct items allow, with a note.

        >>> Choice(1).within(2, 5).n_clusters
        2
        """
        if least <= self.n_clusters <= most:
            return self
        K = min(max(self.n_clusters, least), most)
        allowed = () if self.verdict is None else self.verdict.probabilities[least - 1 : most]
        if len(allowed):
            K = least + int(np.argmax(allowed))
        why = "cannot-links need" if self.n_clusters < least else "must-links and distinct items leave"
        note = f"{self.n_clusters} clusters would have been chosen; {why} {K}"
        return replace(self, n_clusters=K, start=None, notes=(*self.notes, note))

    def warn(self) -> None:
        """Warn where criteria disagree and the number is less probable than not.

        Warns
        -----
        UnsureWarning
        """
        verdict = self.verdict
        if verdict is not None and verdict.disagree and verdict.sure < DOUBTFUL:
            words = f"n_clusters='auto' chose {self.n_clusters}: " + "; ".join(verdict.notes)
            warnings.warn(words, UnsureWarning, stacklevel=5)


@dataclass(frozen=True, eq=False)
class Undivided:
    """Items whose number of clusters is to be chosen, and the affinity for any number.

    Attributes
    ----------
    builder : Builder
    features : n x d array, or n x n matrix or Affinity where the builder is pairwise
        Of the distinct items, scaled.
    weights : array of n, optional
        How often each item counts.
    seed : int
        The same for the same `random_state`; 0 for None.
    most : int
        Clusters that there may be at most.
    normalised_of : callable
        The normalisation of the estimator.
    """

    builder: Builder
    features: Any
    weights: Array | None
    seed: int
    most: int
    normalised_of: Callable[[Affinity], Normalised]
    _built: dict[int, tuple[Evidence, Normalised]] = field(default_factory=dict, repr=False)

    def built(self, n_clusters: int) -> tuple[Evidence, Normalised]:
        """The evidence of the builder at this number of clusters, and its affinity normalised; made once."""
        known = self._known(n_clusters)
        if known not in self._built:
            self._built.clear()  # one at a time: it may be N x N
            evidence = self.builder.build(self.features, n_clusters=n_clusters, weights=self.weights)
            self._built[known] = evidence, self.normalised_of(evidence.affinity)
        return self._built[known]

    def apart(self) -> tuple[Evidence, Normalised]:
        """The same before there is a number: pieces of a neighbour graph stay apart.

        An affinity that needs the number ("ensemble", scale="balanced") is made for the one that `judged` gives.
        """
        if isinstance(self.builder, Ensemble) or getattr(self.builder, "scale", None) == "balanced":
            return self.built(judged(self).n_clusters)
        return self.built(self.features.n_items if isinstance(self.features, Affinity) else self.features.shape[0])

    def _known(self, n_clusters: int) -> int:
        b = self.builder
        same = isinstance(b, SAME_FOR_ALL) and getattr(b, "scale", None) != "balanced"
        return 0 if same or (isinstance(b, NeighborGraph) and b.pairwise) else n_clusters


def judged(shown: Undivided, by: str = "auto") -> Choice:
    """The verdict of the voting criteria, or what one criterion says.

    Parameters
    ----------
    shown : Undivided
    by : str
        "auto" or the name of a criterion.

    Raises
    ------
    InputError
        For evidence that the criteria cannot look at: pairs not observed, an affinity on Dask workers, negative row
        sums, a criterion that wants features where there are none.
    """
    evidence = evidence_on_k(shown)
    with limit_threads(n_threads()):
        try:
            verdict = judge_all(evidence, "auto" if by == "auto" else [by])
        except InputError as error:
            raise InputError(f"n_clusters={by!r}: {error}; or {GIVE_A_NUMBER}") from error
    return Choice(verdict.n_clusters, verdict=verdict, notes=verdict.notes)


def evidence_on_k(shown: Undivided) -> KEvidence:
    """What the number of clusters is judged by; see the top of this file.

    Raises
    ------
    InputError
    """
    X, builder = shown.features, shown.builder
    n = X.n_items if isinstance(X, Affinity) else X.shape[0]
    if isinstance(builder, OF_DISTANCES) and not builder.pairwise:
        metric, missing = getattr(builder, "metric", "euclidean"), bool(np.isnan(X).any())
        if metric in ("euclidean", "nan_euclidean") and not missing:
            if isinstance(builder, Ensemble):
                X = frame_of(X, builder.units)(X)
            return KEvidence(features=X, seed=shown.seed)
        rng = np.random.default_rng(shown.seed)
        rows = np.arange(n) if n <= MOST_GRAPHED else np.sort(rng.choice(n, MOST_GRAPHED, replace=False))
        given = getattr(builder, "metric_params", None)
        graph = NeighborGraph(metric="nan_euclidean" if metric == "euclidean" else metric, metric_params=given)
        return KEvidence(affinity=_graph(graph, X[rows]), seed=shown.seed)
    if builder.pairwise and not isinstance(builder, Precomputed):
        return KEvidence(
            affinity=_graph(NeighborGraph(metric="precomputed"), X), weights=shown.weights, seed=shown.seed
        )
    affinity = shown.apart()[0].affinity
    if affinity.pair_weights is not None:
        raise InputError(f"n_clusters='auto': criteria compare all pairs, and some were not observed: {GIVE_A_NUMBER}")
    if affinity.name == "distributed":
        raise InputError(
            f"n_clusters='auto': criteria resample items, and the affinity lies on Dask workers: {GIVE_A_NUMBER}"
        )
    return KEvidence(affinity=affinity, weights=shown.weights, seed=shown.seed)


def _graph(graph: NeighborGraph, X: Any) -> Affinity:
    """Left in as many pieces as it falls into."""
    n = X.shape[0]
    if n == 1:
        return Precomputed().build(np.ones((1, 1)), n_clusters=1).affinity
    return graph.build(X, n_clusters=n).affinity
