"""What a fit does where its parameters leave it to be chosen, and why.

The rule of `affinity="auto"`: the ensemble wherever it can be afforded, which is up to 200,000 rows; the graph of each
item's nearest neighbours beyond, since the ensemble's draws would take minutes there. To keep `max_seconds` the
ensemble spends less, in the steps of `GIVEN` or `SOUGHT`, and says so; the last step is taken where it would not fit
either, since the graph is faster on a few hundred rows alone. Which step depends on rows, columns and `max_seconds`
alone, by seconds that were measured on two cores, and not on a clock: the same call gives the same bits everywhere, and
takes longer on a slower machine.

Where only a graph is known (an `Affinity`, a sparse N x N matrix), the ensemble is one of its nodes, up to 5,000 of
them, and the graph itself is the evidence beyond. The rule looks at the kind and the size of the input and at nothing
else: over the development sets and the tables together the ensemble is the best evidence that Partita has
(`benchmarks/README.md`), and no rule that would choose by the data was found better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from partita.affinity import Affinity, Builder, NeighborGraph, Precomputed, SparseAffinity
from partita.ensemble import Ensemble, GraphEnsemble, is_plain_graph
from partita.ensemble.builder import CONSENSUS_ITEMS, METHODS, OF_MANY
from partita.errors import InputError
from partita.estimators.choosing import Choose, NumberOfClusters
from partita.estimators.model import Model
from partita.estimators.scaling import ScaleFeatures
from partita.wording import count

__all__ = ["AFFORDED", "Effort", "Plan", "Probabilities", "Reasoned", "affinity_for", "ensemble_of", "examining"]

Probabilities = Literal["fitted", "calibrated", "averaged", "auto"]

# Rows up to which an ensemble is afforded, and draws of each of its methods where the number of clusters is given or
# items are many: four are no better, two have as good labels and less good probabilities, one is worse at both.
AFFORDED, DRAWS = 200_000, 3
# Nodes and stored pairs up to which a graph's ensemble is afforded, and seconds that it takes: for any graph, for each
# node, and for each pair.
MOST_NODES, MOST_PAIRS = 5_000, 2_000_000
GRAPH_GIVEN, GRAPH_SOUGHT = (1.0, 1 / 400, 3e-6), (3.0, 1 / 100, 7e-6)


class Reasoned(NamedTuple):
    """Value taken for a parameter that was left to be chosen, and the reason."""

    value: Any
    why: str


@dataclass(frozen=True)
class Effort:
    """Effort spent on an ensemble of features.

    Parameters
    ----------
    n_draws, max_items : int
        As in `Ensemble`.
    calibrated : bool
        Whether a density is looked for.
    """

    n_draws: int = DRAWS
    max_items: int = Ensemble.max_items
    calibrated: bool = True

    def seconds(self, n: int, d: int, n_clusters: int | None) -> float:
        """Return about how long a fit to n rows of d columns takes on two cores, the first one of a process.

        Smooth through what was measured from 300 to 100,000 rows, 4 to 400 columns, 5 to 60 clusters, mostly above it;
        where the number of clusters is sought, through tables of about 20, as many as it is taken to be.

        >>> [round(Effort(draws).seconds(20_000, 16, 20), 1) for draws in (3, 2, 1)]
        [4.6, 3.7, 2.7]
        """
        k = (n_clusters or MEASURED) / MEASURED
        seen, judged = min(n, self.max_items), self.judged(n)
        draws = 0 if n_clusters is None and judged == n else self.n_draws  # those of the consensus are the evidence
        evidence = draws * (seen * (7e-7 * d + 1.5e-4 * k) + 1.9e-5 * (n - seen))
        factorization = 0.1 + 1.1e-5 * n * k
        consensus = 0.5 + judged * (1.1e-3 + 1.2e-5 * min(d, 200)) if n_clusters is None else 0.0
        density = 0.16 + min(n, 4000) * (7e-5 + 5.5e-7 * min(d, 100) + 6e-5 * k) if self.calibrated else 0.0
        nearest = 1.5e-7 * n * d * (1.0 + seen / 1000)  # of every row among those that the draws saw
        return FIRST + evidence + factorization + consensus + density + nearest

    def judged(self, n: int) -> int:
        """Return on how many of n items the number of clusters is sought."""
        return min(n, self.max_items, CONSENSUS_ITEMS)

    def spared(self, n: int) -> str:
        """Return what is spent less on n items than by default."""
        less = []
        if self.n_draws < DRAWS:
            less.append(f"{count(self.n_draws, 'draw')} of each method in the place of {DRAWS}")
        if self.max_items < min(n, Ensemble.max_items):
            less.append(f"{self.max_items:,} items a draw in the place of {min(n, Ensemble.max_items):,}")
        return " and ".join(less)


# Seconds by which the first fit of a process is slower, and clusters of the tables that were measured first of all.
FIRST, MEASURED = 0.5, 20
# What is spent, in the order in which less is, where the number of clusters is given or sought.
GIVEN = (
    *(Effort(draws) for draws in (DRAWS, 2, 1)),
    *(Effort(1, items, calibrated=False) for items in (4000, 2000, 1000)),
)
SOUGHT = (
    *(Effort(draws) for draws in (DRAWS, 1)),
    Effort(1, 1000),
    *(Effort(1, items, calibrated=False) for items in (1000, 500)),
)


@dataclass(frozen=True, eq=False)
class Plan:
    """Plan of a fit: the choices made before anything is computed.

    Attributes
    ----------
    builder : Builder
        Makes the affinity.
    model : Model
    choose : callable
        Chooses the number of clusters: `NumberOfClusters`, or anything called with the evidence at any number and the
        groups that constraints leave, that returns a `Choice`.
    scale_features : {"none", "standard", "minmax", "auto"}
    probabilities : {"fitted", "calibrated", "averaged", "auto"}
        "auto" is decided by the fit, from what it finds.
    chosen : mapping from parameters to what was taken for them, and why
    """

    builder: Builder
    model: Model
    choose: Choose = field(default_factory=NumberOfClusters)
    scale_features: ScaleFeatures = "none"
    probabilities: Probabilities = "fitted"
    chosen: Mapping[str, Reasoned] = field(default_factory=dict)


def affinity_for(
    X: Any,
    max_seconds: float | None,
    *,
    n_clusters: int | None,
    mixed: bool = False,
    calibrated: bool = True,
    **settings: Any,
) -> tuple[Builder, dict[str, Reasoned]]:
    """Return the evidence that is made of an input, and what was taken for which parameter, and why.

    Parameters
    ----------
    X : the input, as it came
    max_seconds : float, optional
    n_clusters : int, optional
        None where it is sought.
    mixed : bool
        Whether there are columns of words, or missing cells beside their names.
    calibrated : bool
        Whether a density is looked for where there is time.
    **settings
        `missing`, `symmetrize` and `seed`, as `Builder.named` takes them.

    >>> settings = {"n_clusters": None, "missing": "error", "symmetrize": None, "seed": 0}
    >>> affinity_for([[0.0], [1.0]], None, **settings)[0].name
    'ensemble'
    >>> affinity_for(np.zeros((9_000, 2)), 0.2, **settings)[0].n_draws
    1
    >>> affinity_for(sp.eye_array(500), None, **settings)[0].name
    'graph_ensemble'
    >>> affinity_for(sp.eye_array(500), 2.0, **settings)[0].name
    'precomputed'

    Raises
    ------
    InputError
        For a way to make a graph symmetric where there is none.
    """
    rows, columns = size_of(X)
    plain = is_plain_graph(X) and settings["missing"] == "error"
    pairs = (X.matrix if isinstance(X, SparseAffinity) else X).nnz if plain else 0
    first, each, each_pair = GRAPH_SOUGHT if n_clusters is None else GRAPH_GIVEN
    affordable = max_seconds is None or max_seconds >= first + each * rows + each_pair * pairs
    small = rows <= MOST_NODES and pairs <= MOST_PAIRS
    if plain and small and affordable:
        why = "for a graph, four methods of community detection are combined"
        return _taken(GraphEnsemble.named(**settings), why)
    if isinstance(X, Affinity) or (sp.issparse(X) and X.shape[0] == X.shape[1]):
        why = "a graph was given"
        if plain and not small:
            most = f"{MOST_NODES:,} nodes or {MOST_PAIRS:,} stored pairs"
            why = f"methods of community detection are left out beyond {most}; affinity='graph_ensemble' has them"
        return _taken(Precomputed.named(**settings), why)
    if settings["symmetrize"] is not None and not mixed:
        raise InputError(
            f"symmetrize={settings['symmetrize']!r} needs a graph (a sparse N x N matrix, or affinity='precomputed'), "
            "not features"
        )
    if rows > AFFORDED and not mixed:
        return _taken(NeighborGraph.named(**settings), f"the ensemble takes too long beyond {AFFORDED:,} rows")
    return _ensemble(rows, columns, max_seconds, n_clusters, mixed, calibrated, settings["seed"])


def _ensemble(
    n: int, d: int, max_seconds: float | None, n_clusters: int | None, mixed: bool, calibrated: bool, seed: int
) -> tuple[Builder, dict[str, Reasoned]]:
    """The ensemble of as much as `max_seconds` affords, and what was spent less."""
    steps = [replace(one, calibrated=one.calibrated and calibrated) for one in steps_of(n, n_clusters)]
    effort, within = effort_for(steps, n, d, n_clusters, max_seconds)
    kept = f"to keep max_seconds={max_seconds or np.inf:g}"
    why = f"up to {AFFORDED:,} rows, several clustering methods weighted by how valid their clusters are"
    if mixed:
        why = "for words and missing cells, several clustering methods weighted by how valid their clusters are"
    if less := effort.spared(n):
        why += f"; {less}, {kept}, so that the answer is less certain and may be less accurate"
    if not within:
        why += f"; this is the least that can be done, and takes about {effort.seconds(n, d, n_clusters):.1f} s"
    builder, chosen = _taken(ensemble_of(effort, seed), why)
    if calibrated and not effort.calibrated:
        chosen["probabilities"] = Reasoned("fitted", f"calibration is left out, {kept}")
    return builder, chosen


def ensemble_of(effort: Effort, seed: int) -> Ensemble:
    """Return the ensemble on which so much is spent."""
    return Ensemble(
        methods=(*METHODS, "components"), power=None, seed=seed, n_draws=effort.n_draws, max_items=effort.max_items
    )


def examining(builder: Builder, X: Any, seed: int) -> Builder:
    """Return the evidence by which a number of clusters that was given is examined: clusterings by unlike methods.

    It is the builder itself where it is made of draws, and what the default would make of complete features with
    Euclidean distances, and of a plain graph. Of other evidence the builder itself, and criteria judge it.

    >>> examining(NeighborGraph(), np.zeros((9, 2)), 0).name, examining(NeighborGraph(metric="cosine"), [[0.0]], 0).name
    ('ensemble', 'neighbors')
    """
    plain = builder.metric == "euclidean" and not builder.pairwise and not np.isnan(X).any()
    if builder.of_draws or not (plain or (builder.pairwise and not builder.of_distances)):
        return builder
    usual, _ = affinity_for(X, None, n_clusters=None, missing="error", symmetrize=None, seed=seed)
    return usual if usual.of_draws else builder


def _taken(builder: Builder, why: str) -> tuple[Builder, dict[str, Reasoned]]:
    return builder, {"affinity": Reasoned(builder.name, why)}


def steps_of(n: int, n_clusters: int | None) -> list[Effort]:
    """Return what can be spent on n items, most first: with less time none before the one with more is taken."""
    if n_clusters is None:  # the draws of a consensus on all items are the evidence, and there are no others
        return [replace(one, n_draws=DRAWS) if one.judged(n) == n else one for one in SOUGHT]
    return [one for one in GIVEN if one.max_items >= min(OF_MANY * n_clusters, Ensemble.max_items)]


def effort_for(
    steps: Sequence[Effort], n: int, d: int, n_clusters: int | None, max_seconds: float | None
) -> tuple[Effort, bool]:
    """Return the first step that keeps `max_seconds` on n items of d columns, and whether there is one; else the last.

    >>> effort_for(GIVEN, 20_000, 16, 20, 3)
    (Effort(n_draws=1, max_items=4000, calibrated=True), True)
    """
    for one in steps:
        if max_seconds is None or one.seconds(n, d, n_clusters) <= max_seconds:
            return one, True
    return steps[-1], False


def size_of(X: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of an input that nobody has looked at yet; 0 for what has none.

    >>> size_of([[1.0, 2.0]]), size_of(sp.eye_array(3)), size_of(7), size_of([[1.0], [2.0, 3.0]])
    ((1, 2), (3, 3), (0, 0), (2, 1))
    """
    if isinstance(X, Affinity):
        return int(X.n_items), int(X.n_items)
    shape = getattr(X, "shape", None)
    try:
        rows = int(shape[0]) if shape else len(X)
        return rows, (int(shape[1]) if len(shape) > 1 else 1) if shape else len(X[0]) if rows else 0
    except (TypeError, KeyError, IndexError):
        return 0, 0
