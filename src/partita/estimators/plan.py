"""What a fit does where its parameters leave it to be chosen, and why.

The rule of `affinity="auto"`: the ensemble wherever it can be afforded, which is up to 200,000 rows and within
`max_seconds`; the graph of each item's nearest neighbours beyond, since the ensemble's draws would take minutes there.
Where only a graph is known (an `Affinity`, a sparse N x N matrix), the ensemble is one of its nodes, up to 5,000 of
them, and the graph itself is the evidence beyond. The rule looks at the kind and the size of the input and at nothing
else: over the development sets and the tables together the ensemble is the best evidence that Partita has
(`benchmarks/README.md`), and no rule that would choose by the data was found better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import scipy.sparse as sp

from partita.affinity import Affinity, Builder, NeighborGraph, Precomputed
from partita.ensemble import Ensemble, GraphEnsemble, is_plain_graph
from partita.errors import InputError
from partita.estimators.model import Model
from partita.estimators.scaling import ScaleFeatures

__all__ = ["Plan", "Probabilities", "Reasoned", "affinity_for"]

Probabilities = Literal["fitted", "calibrated", "averaged", "auto"]

# Rows up to which an ensemble is afforded.
AFFORDED = 200_000
# Seconds that an ensemble takes, for any items and for each, where the number of clusters is given or sought (measured
# on two cores, `benchmarks/README.md`).
GIVEN, SOUGHT = (3.0, 1 / 4000), (6.0, 1 / 2000)
# The same of an ensemble of a graph's nodes.
GRAPH_GIVEN, GRAPH_SOUGHT = (1.0, 1 / 400), (3.0, 1 / 100)


class Reasoned(NamedTuple):
    """What was taken for a parameter that was left to be chosen, and why."""

    value: Any
    why: str


@dataclass(frozen=True, eq=False)
class Plan:
    """What a fit does.

    Attributes
    ----------
    builder : Builder
    model : Model
    scale_features : {"none", "standard", "minmax", "auto"}
    probabilities : {"fitted", "calibrated", "averaged", "auto"}
        "auto" is decided by the fit, from what it finds.
    chosen : mapping from parameters to what was taken for them, and why
    """

    builder: Builder
    model: Model
    scale_features: ScaleFeatures = "none"
    probabilities: Probabilities = "fitted"
    chosen: Mapping[str, Reasoned] = field(default_factory=dict)


def affinity_for(
    X: Any, max_seconds: float | None, *, sought: bool, mixed: bool = False, **settings: Any
) -> tuple[Builder, str]:
    """Return the evidence that is made of an input, and why.

    Parameters
    ----------
    X : the input, as it came
    max_seconds : float, optional
    sought : bool
        Whether the number of clusters is.
    mixed : bool
        Whether there are columns of words, or missing cells beside their names.
    **settings
        `missing`, `symmetrize` and `seed`, as `Builder.named` takes them.

    >>> settings = {"missing": "error", "symmetrize": None, "seed": 0}
    >>> affinity_for([[0.0], [1.0]], None, sought=True, **settings)[0].name
    'ensemble'
    >>> affinity_for([[0.0], [1.0]], 2.0, sought=True, **settings)[0].name
    'neighbors'
    >>> affinity_for(sp.eye_array(500), None, sought=True, **settings)[0].name
    'graph_ensemble'
    >>> affinity_for(sp.eye_array(500), 2.0, sought=True, **settings)[0].name
    'precomputed'

    Raises
    ------
    InputError
        For a way to make a graph symmetric where there is none.
    """
    first, each = GRAPH_SOUGHT if sought else GRAPH_GIVEN
    affordable = max_seconds is None or max_seconds >= first + each * n_rows(X)
    if is_plain_graph(X) and settings["missing"] == "error" and affordable:
        return GraphEnsemble.named(**settings), "a graph was given, and methods for graphs say more of it together"
    if isinstance(X, Affinity) or (sp.issparse(X) and X.shape[0] == X.shape[1]):
        return Precomputed.named(**settings), "a graph was given"
    if mixed:
        why = "it takes words and missing cells; its clusterings are weighed by their validity"
        return Ensemble(power=None, seed=settings["seed"]), why
    if settings["symmetrize"] is not None:
        raise InputError(
            f"symmetrize={settings['symmetrize']!r} needs a graph (a sparse N x N matrix, or affinity='precomputed'), "
            "not features"
        )
    rows = n_rows(X)
    first, each = SOUGHT if sought else GIVEN
    if rows > AFFORDED:
        return NeighborGraph.named(**settings), f"an ensemble is afforded up to {AFFORDED:,} rows"
    if max_seconds is not None and max_seconds < first + each * rows:
        why = f"an ensemble would take about {first + each * rows:.0f} s, and max_seconds={max_seconds:g}"
        return NeighborGraph.named(**settings), why
    why = f"unlike clusterings, weighed by their validity, are the best evidence, afforded up to {AFFORDED:,} rows"
    return Ensemble(power=None, seed=settings["seed"]), why


def n_rows(X: Any) -> int:
    """Return the number of rows of an input that nobody has looked at yet; 0 for what has none."""
    if isinstance(X, Affinity):
        return int(X.n_items)
    shape = getattr(X, "shape", None)
    try:
        return int(shape[0]) if shape else len(X)
    except TypeError:
        return 0
