"""The number of clusters of a fit: the one that is given, or the one that the evidence is judged to have.

Features that Euclidean distances make sense of are judged as they are (scaled, copies once), whatever affinity is made
of them afterwards: that is what the verdict was measured on (`partita.n_clusters.verdict`), and it looks at 20,000 of
them at most. Under another metric, with cells missing, and where distances are given, it is the graph of each item's
nearest neighbours by those distances, or by similarities where `SoftClustering` may choose; the affinity itself where
another one is given, or made of subspaces.

Constraints come afterwards: must-links say who belongs together, not how many clusters there are, and two linked items
far apart would be one item in between. The number is then brought into what they allow.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity, Builder, Evidence, NeighborGraph, Normalised, Precomputed
from partita.arrays import Array
from partita.ensemble.consensus import Consensus
from partita.ensemble.tree import groups_with_a_gap
from partita.errors import InputError, UnsureWarning
from partita.estimators.coordinates import distances_of
from partita.estimators.groups import Groups
from partita.estimators.items import Items
from partita.estimators.model import Model
from partita.kernels.threads import limit_threads, n_threads
from partita.n_clusters import KEvidence, Verdict, judge_all
from partita.n_clusters.agreement import Agreement, is_of_classes, is_of_modes, verdict_of, with_consensus
from partita.n_clusters.evidence import MOST_GRAPHED
from partita.n_clusters.verdict import doubts
from partita.wording import count

__all__ = ["Built", "Choice", "Choose", "EvidenceByK", "FromDraws", "Kind", "NumberOfClusters", "judged", "why_so_many"]


# How many times as probable as they say the odds of one cluster are, where parts of a curve may be taken for clusters.
PARTS = 1.5
# What items are, where it matters to their number.
Kind: TypeAlias = Literal["plain", "similar", "points", "curved", "roots"]
# How many times as far as any two items of one group those of others are, squared, where there is a gap between groups;
# the share of the weight that such groups have; and items at most.
GAPS, SHARE, COMPARED = {"points": 9.0, "curved": 9.0, "roots": 3.0}, 0.75, 2_000
# The least and the largest number of clusters.
Bounds: TypeAlias = tuple[int, int | None]
ANY: Bounds = (1, None)

GIVE_A_NUMBER = "give the number of clusters (command line: as --k 3)"


@dataclass(frozen=True, eq=False)
class Built:
    """The evidence at a number of clusters, and its affinity normalised.

    Attributes
    ----------
    evidence : Evidence
    normalised : Normalised
    n_clusters : int, optional
        The number; None where the evidence is the same for any.
    """

    evidence: Evidence
    normalised: Normalised
    n_clusters: int | None = None

    def serving(self, n_clusters: int) -> Built | None:
        """Return this where it is the evidence at a number of clusters, else None."""
        return self if self.n_clusters in (None, n_clusters) else None


@dataclass(frozen=True, eq=False)
class Choice:
    """Choice of the number of clusters of a fit.

    Attributes
    ----------
    n_clusters : int
    start : labels of the affinity's items, optional
        To start from, in the place of the estimator's `start`.
    verdict : Verdict, optional
    consensus : Consensus, optional
        The draws behind the verdict, where the evidence is made of clusterings.
    built : Built, optional
        Evidence that was built to choose by, for a fit that needs the same.
    notes : tuple of str
        For `result_.notes`.
    """

    n_clusters: int
    start: NDArray[np.int64] | None = None
    verdict: Verdict | None = None
    consensus: Consensus | None = None
    built: Built | None = None
    notes: tuple[str, ...] = ()

    def within(self, groups: Groups, bounds: Bounds = ANY) -> Self:
        """Return this choice, or the most probable number that bounds, constraints and distinct items allow, with a
        note.
        """
        most = min(groups.n_distinct, bounds[1] or np.inf)
        least = int(min(max(groups.n_needed, bounds[0]), most))
        verdict, notes = self.verdict, self.notes
        if verdict is not None:
            allowed = verdict.within(least, int(most))
            notes = (*allowed.notes, *(said for said in notes if said not in verdict.notes))
            verdict = allowed
        if least <= self.n_clusters <= most:
            return replace(self, verdict=verdict, notes=notes)
        known = verdict is not None and least <= verdict.n_clusters <= most
        K = verdict.n_clusters if verdict is not None and known else int(min(max(self.n_clusters, least), most))
        if bounds[0] <= self.n_clusters <= (bounds[1] or self.n_clusters):
            why = "must-links and distinct items leave"
            if self.n_clusters < least:
                why = "cannot-links need" if least == K else f"cannot-links need {least} or more, most probably"
        else:
            why = "the bounds leave"
        note = f"{self.n_clusters} clusters would have been chosen; {why} {K}"
        built = None if self.built is None else self.built.serving(K)
        return replace(self, n_clusters=K, start=None, verdict=verdict, built=built, notes=(*notes, note))

    def ended_at(self, n_clusters: int, note: str) -> Self:
        """Return the choice of a fit that ended with fewer clusters, with a note and its verdict on that number.

        A number below all that are probable, as below a range that was asked for, has no probability: the verdict stays
        that on the number that was fitted.
        """
        verdict, notes = self.verdict, self.notes
        if verdict is not None and verdict.n_clusters == self.n_clusters and verdict.probabilities[:n_clusters].any():
            ended = verdict.ended_at(n_clusters)
            notes = (*ended.notes, *(said for said in notes if said not in verdict.notes))
            verdict = ended
        return replace(self, n_clusters=n_clusters, verdict=verdict, notes=(*notes, note))

    def warn(self) -> None:
        """Warn where the number is less probable than not, unless a single criterion was asked for.

        Warns
        -----
        UnsureWarning
        """
        verdict = self.verdict
        if verdict is None or (self.consensus is None and len(verdict.judgements) == 1):
            return
        doubt = doubts(verdict.n_clusters, verdict.sure, verdict.likely)
        if doubt:
            said = dict.fromkeys([*verdict.notes, *doubt])
            words = f"n_clusters='auto' chose {self.n_clusters}: " + "; ".join(said)
            warnings.warn(words, UnsureWarning, stacklevel=6)


@dataclass(frozen=True, eq=False)
class EvidenceByK:
    """The evidence of the items of a fit at any number of clusters, made when it is asked for.

    Attributes
    ----------
    builder : Builder
    model : Model
        Which normalisation.
    items : Items
    features : n x d array, or n x n matrix or Affinity where the builder is pairwise
        Features of the items, scaled.
    seed : int
        The same for the same `random_state`; 0 for None.
    """

    builder: Builder
    model: Model
    items: Items
    features: Any
    seed: int

    @property
    def copies(self) -> Array | None:
        """Number of copies of each item that the affinity counts.

        Merged copies of rows count once in a graph; of items that are only known by their pairs each counts.
        """
        return self.items.weights if self.builder.pairwise else None

    def at(self, n_clusters: int) -> Built:
        """Return the evidence at this number of clusters."""
        evidence = self.builder.build(self.features, n_clusters=n_clusters, weights=self.items.weights)
        return self._built(evidence, n_clusters if self.builder.varies_with_k else None)

    def _built(self, evidence: Evidence, n_clusters: int | None) -> Built:
        return Built(evidence, self.model.normalised(evidence.affinity, self.copies), n_clusters)

    def of(self, choice: Choice) -> Built:
        """Return the evidence of a choice: the draws behind its number, what it was chosen by, or what `at` builds."""
        if choice.start is not None and choice.consensus is not None:
            return self._built(self.builder.of_consensus(self.features, choice.consensus), choice.n_clusters)
        built = None if choice.built is None else choice.built.serving(choice.n_clusters)
        return built or self.at(choice.n_clusters)

    def before_k(self) -> Built:
        """Return the evidence before there is a number: connected components of a neighbour graph are not linked.

        An affinity that needs the number ("ensemble", scale="balanced") is made for the one that `judged` gives.
        """
        return self.at(judged(self).n_clusters if self.builder.needs_k else self.items.n_items)


def bounds_of(n_clusters: Any) -> Bounds:
    """Return the least and the largest number of clusters that a pair asks for.

    >>> bounds_of((2, 12)), bounds_of((2, None))
    ((2, 12), (2, None))

    Raises
    ------
    InputError
    """
    least, most = n_clusters if len(n_clusters) == 2 else (0, None)
    if isinstance(least, Integral) and (most is None or isinstance(most, Integral)):
        bounds = int(least), None if most is None else int(most)
        if 1 <= bounds[0] <= (bounds[0] if bounds[1] is None else bounds[1]):
            return bounds
    raise InputError(
        f"n_clusters={n_clusters!r}: expected two whole numbers of at least 1, the smaller first, as in (2, 12), or "
        "None in the place of the second for no bound"
    )


# How a fit gets its number of clusters: from the evidence at any number and the groups that constraints leave.
Choose: TypeAlias = Callable[[EvidenceByK, Groups], Choice]


@dataclass(frozen=True)
class NumberOfClusters:
    """Choose the number that is asked for, or find one within what constraints and distinct items allow.

    Parameters
    ----------
    asked : int, "auto", a pair of bounds, or the name of a criterion
    items : {"plain", "similar", "points", "curved", "roots"}
        "similar": known by similarities, of which criteria look at the nearest ones, not at all pairs. "points": known
        by distances, which may have a history of branches within branches: groups with a gap between them are three
        times as probable as all else. "curved": points along curves as well, of whose parts methods may agree that they
        are clusters: one cluster is at least as probable as criteria say of the nearest neighbours, and its odds
        beside the likeliest number, not beside all of them together, are multiplied by one and a half. "roots": the
        same of points by the roots of distances, which make small ones larger beside large ones.
    """

    asked: Any = "auto"
    items: Kind = "plain"

    def __call__(self, evidence: EvidenceByK, groups: Groups) -> Choice:
        """Return the choice.

        Raises
        ------
        InputError
            For more clusters than there are distinct items or groups, and for evidence that criteria cannot look at.
        """
        asked, bounds = self.asked, ANY
        if isinstance(asked, Sequence) and not isinstance(asked, str):
            asked, bounds = "auto", bounds_of(asked)
            require_enough(bounds[0], evidence.items, groups)
            asked = 1 if bounds[1] == 1 else asked  # nothing is left to choose
        if not isinstance(asked, str):
            require_enough(asked, evidence.items, groups)
            return Choice(int(asked))
        if evidence.builder.pairwise and (groups.weight == 0).any():
            raise InputError(
                "n_clusters='auto': pair_weight says that pairs were not observed, and criteria read all: "
                f"{GIVE_A_NUMBER}"
            )
        least = max(groups.n_needed, bounds[0])  # cannot-links rule fewer out
        several = (least if bounds[1] is None else min(least, bounds[1]), bounds[1])
        return judged(evidence, asked, several, self.items).within(groups, bounds)


@dataclass(frozen=True, eq=False)
class FromDraws:
    """Choose a given number, and take the draws of an earlier consensus as its evidence.

    Parameters
    ----------
    found : Consensus
    n_clusters : int
    """

    found: Consensus
    n_clusters: int

    def __call__(self, evidence: EvidenceByK, groups: Groups) -> Choice:
        """Return the choice.

        Raises
        ------
        InputError
            For more clusters than distinct items or groups.
        """
        require_enough(self.n_clusters, evidence.items, groups)
        start = self.found.labels if self.found.item is None else None
        return Choice(self.n_clusters, start, consensus=self.found)


def why_so_many(verdict: Verdict, n_clusters: int, found: Consensus | None = None) -> str:
    """Return whose number of clusters a fit has, and how probable it is.

    Parameters
    ----------
    verdict : Verdict
    n_clusters : int
        Of the fit.
    found : Consensus, optional
        What different methods found.
    """
    of_methods = [judgement for judgement in verdict.judgements if judgement.criterion == Agreement.name]
    agreed = of_methods[0].n_clusters if of_methods else None
    whose = "it" if (agreed or verdict.n_clusters) == n_clusters else f"{agreed or verdict.n_clusters}"
    if agreed is not None and agreed > n_clusters == verdict.n_clusters:
        whose += f", of which {n_clusters} hold an item"
    probable = verdict.probability_of(n_clusters)
    if is_of_modes(verdict) and n_clusters == verdict.n_clusters:
        why = f"the density has {count(n_clusters, 'mode')}"
        return f"{why}, with a probability of {probable:.2f} for {n_clusters}"
    if agreed == n_clusters and found is not None and found.by_components:
        why = (
            "it is the number of components of a mixture, which are better clusters than those of the other methods "
            f"with a probability of {found.components:.2f}"
        )
        return f"{why}; {n_clusters} has a probability of {probable:.2f}"
    most_probable = probable >= verdict.probabilities.max()
    if is_of_classes(verdict) and n_clusters in (agreed, verdict.n_clusters) and most_probable:
        why = "the latent class model of the categories is most probable with it"
    elif agreed is not None and not most_probable:
        why = f"the clustering that has most in common with the others has {whose}"
    elif agreed is not None:
        why = f"clusterings by different methods, weighted by how valid they are, have {whose}"
    elif of_methods and len(verdict.judgements) == 1 and not most_probable:
        why = "several clusters, which may be parts of one, would have to be more probable"
    elif of_methods and len(verdict.judgements) == 1:
        why = "no clustering into several clusters fits better than a single cluster"
    elif all(judgement.n_clusters is None for judgement in verdict.judgements):
        why = "no criterion could tell"
    elif n_clusters == verdict.n_clusters and all(said.n_clusters != n_clusters for said in verdict.judgements):
        why = "it is what is left of a number with clusters that would hold no item"
    else:
        why = f"criteria find {whose}"
    return f"{why}, with a probability of {probable:.2f} for {n_clusters}"


def require_enough(n_clusters: int, items: Items, groups: Groups) -> None:
    """Raise where there are fewer distinct items, or groups of them, than clusters.

    Raises
    ------
    InputError
    """
    if items.n_distinct < n_clusters:
        raise InputError(
            f"n_clusters={n_clusters} is larger than the number of distinct items, {items.n_distinct} (n_samples = "
            f"{len(items.of_row)}; command line: --k); ask for at most {count(items.n_distinct, 'cluster')}"
        )
    if groups.n_distinct < n_clusters:
        raise InputError(
            f"must-links leave {groups.n_distinct} items to tell apart, and n_clusters={n_clusters} is more: "
            "drop some of them, or ask for fewer clusters"
        )


def judged(evidence: EvidenceByK, by: str = "auto", bounds: Bounds = ANY, items: Kind = "plain") -> Choice:
    """Return what an ensemble, the voting criteria or one criterion says of the number of clusters.

    Parameters
    ----------
    evidence : EvidenceByK
    by : str
        "auto" or the name of a criterion.
    bounds : (int, int or None)
        The least and the largest number that a consensus is looked for at; criteria say what they say.
    items : {"plain", "similar", "points", "curved", "roots"}
        As in `NumberOfClusters`.

    Raises
    ------
    InputError
        For evidence that the criteria cannot look at: pairs not observed, an affinity on Dask workers, negative row
        sums, a criterion that wants features where there are none.
    """
    builder = evidence.builder
    found, verdict, built = None, None, None
    with limit_threads(n_threads()):
        if by == "auto" and not builder.needs_criteria:
            found = builder.consensus(evidence.features, bounds, weights=evidence.items.weights)
            if found is not None and found.one is None:  # of few items criteria know better whether they are one
                found = replace(found, one=float(_criteria(evidence, by)[0].probabilities[0]))
            if found is not None and items in GAPS:
                found = _with_gap(found, evidence.features, GAPS[items], bounds)
            if found is not None and items in ("curved", "roots"):
                graph = _of_sample(NeighborGraph(metric="sqeuclidean"), evidence.features, evidence.seed)
                shown = KEvidence(affinity=graph, seed=evidence.seed)
                one, most = float(judge_all(shown).probabilities[0]), max(found.share_of().values())
                found = replace(found, one=_beside_parts(max(found.one or 0.0, one), most))
            verdict = None if found is None else verdict_of(found, bounds[0])
        if verdict is None:
            verdict, built = _criteria(evidence, by, nearest=items == "similar" and by == "auto")
            if by == "auto" and builder.needs_criteria:
                found = builder.consensus(evidence.features, bounds, prior=verdict.probabilities)
                verdict = verdict if found is None else with_consensus(verdict, found)
    start = None
    believed = found is not None and verdict.judgements[-1].n_clusters == found.n_clusters == verdict.n_clusters
    if found is not None and believed and (found.item is None or found.modes):
        start = found.labels  # draws of a sample place the others poorly, but along a line
    built = None if built is None else built.serving(verdict.n_clusters)
    return Choice(verdict.n_clusters, start, verdict, found, built, verdict.notes)


def _beside_parts(one: float, most: float) -> float:
    """The probability of one cluster where several may be parts of a curve; `most` is the largest share that a number
    has among several.
    """
    odds = PARTS * one / max((1.0 - one) * most, np.finfo(float).tiny)
    return float(odds / (1.0 + odds))


def _with_gap(found: Consensus, X: Array, factor: float, bounds: Bounds) -> Consensus:
    """The consensus with groups that have a gap between them as its answer, if there are such."""
    groups = groups_with_a_gap(X, factor) if found.item is None and len(X) <= COMPARED else None
    if groups is None or not bounds[0] <= groups.max() + 1 <= (bounds[1] or np.inf):
        return found
    return found.siding_with(groups, SHARE)


def _criteria(evidence: EvidenceByK, by: str, *, nearest: bool = False) -> tuple[Verdict, Built | None]:
    """What criteria say, and the evidence that was built for them."""
    shown, built = _shown_to_criteria(evidence, nearest)
    try:
        return judge_all(shown, "auto" if by == "auto" else [by]), built
    except InputError as error:
        raise InputError(f"n_clusters={by!r}: {error}; or {GIVE_A_NUMBER}") from error


def _shown_to_criteria(evidence: EvidenceByK, nearest: bool) -> tuple[KEvidence, Built | None]:
    """Evidence by which the number of clusters is judged (see the top of this file), and what was built for it.

    Raises
    ------
    InputError
    """
    X, builder, seed = evidence.features, evidence.builder, evidence.seed
    if builder.of_distances and not builder.pairwise:
        if builder.metric in ("euclidean", "nan_euclidean") and not np.isnan(X).any():
            return KEvidence(features=builder.as_judged(X), seed=seed), None
        metric = "nan_euclidean" if builder.metric == "euclidean" else builder.metric
        graph = NeighborGraph(metric=metric, metric_params=builder.metric_params)
        return KEvidence(affinity=_of_sample(graph, X, seed), seed=seed), None
    if builder.pairwise and (builder.of_distances or nearest):
        if not builder.of_distances:
            X = distances_of(X, float(X.diagonal().mean()))
            np.fill_diagonal(X, 0.0)
        graph = NeighborGraph(metric="precomputed")
        if evidence.items.n_distinct == 1:  # copies of one item, as they are where features are given
            return KEvidence(affinity=_in_pieces(graph, X[:1, :1]), seed=seed), None
        return KEvidence(affinity=_in_pieces(graph, X), weights=evidence.items.weights, seed=seed), None
    of_clusterings = builder.pairwise and builder.needs_k
    built = None if of_clusterings else evidence.before_k()
    affinity = builder.as_judged(X) if built is None else built.evidence.affinity
    if affinity.pair_weights is not None:
        raise InputError(f"n_clusters='auto': criteria compare all pairs, and some were not observed: {GIVE_A_NUMBER}")
    if not affinity.can_be_resampled:
        raise InputError(
            f"n_clusters='auto': criteria resample items, and the affinity lies on Dask workers: {GIVE_A_NUMBER}"
        )
    shown = KEvidence(affinity=affinity, weights=evidence.items.weights, seed=seed)
    if not of_clusterings:
        return shown, built
    linked = np.flatnonzero(affinity.row_sums() > affinity.diagonal())  # a node without edges is in any cluster
    return (shown.subset(linked) if 1 < len(linked) < affinity.n_items else shown), built


def _of_sample(graph: NeighborGraph, X: Array, seed: int) -> Affinity:
    """The graph of the items, or of as many as criteria look at."""
    n, rng = len(X), np.random.default_rng(seed)
    rows = np.arange(n) if n <= MOST_GRAPHED else np.sort(rng.choice(n, MOST_GRAPHED, replace=False))
    return _in_pieces(graph, X[rows])


def _in_pieces(graph: NeighborGraph, X: Any) -> Affinity:
    """The graph with its connected components not linked."""
    n = X.shape[0]
    if n == 1:
        return Precomputed().build(np.ones((1, 1)), n_clusters=1).affinity
    return graph.build(X, n_clusters=n).affinity
