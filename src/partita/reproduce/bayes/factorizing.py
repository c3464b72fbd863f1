"""The four factorizations of [bayes-nmf] section 5.1.1: a start for each K, what its partition says, and the choice.

For each K from 2 to 12, ten random starts, the one of least objective; then the K whose partition, argmax of a column
of H [bayes-nmf eq. (20)], has the least expected loss. Starts are computed one by one, so that few of them are some of
all: `chosen` puts together what there is. "One of the expected loss functions" is not named: each of the three is
there, Binder's is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from partita.arrays import Array, Labels
from partita.reproduce.bayes.published import NMF
from partita.reproduce.experiment import Numbers
from partita.reproduce.outcome import Entry, Table

if TYPE_CHECKING:
    from partita.nmf import NMFResult

__all__ = [
    "CHOICES",
    "CRITERIA",
    "READINGS",
    "Criterion",
    "Scaling",
    "choices_table",
    "chosen",
    "factorized",
    "sof_swept",
]

Criterion = Literal["binder", "pear", "vi_lb"]
Scaling = Literal["plain", "balanced"]

CRITERIA: dict[Criterion, str] = {
    "binder": "Binder, eq. (11)",
    "pear": "PEAR, eq. (16)",
    "vi_lb": "VI, lower bound",
}
READINGS: dict[Scaling, str] = {"plain": "H as it is", "balanced": "balanced"}

CHOICES = (
    "Which expected loss chooses K: not said. Binder's, for all; the table of criteria has the others.",
    "Starts: both factors uniform on (0, largest entry), the same for all four methods; a run ends when its partition "
    "is the same at 40 checks, one every 10 iterations, or after 2,000: the default of R's NMF package.",
    "Partition: the argmax over H as it is, as printed, although it depends on how components are scaled; the table of "
    "readings has it balanced.",
)


def factorized(
    V: Array,
    seed: int,
    settings: Mapping[str, Any],
    say: Callable[[Labels], Numbers],
    keep: Callable[[NMFResult], Numbers] = lambda _: {},
    methods: Sequence[str] = tuple(NMF),
) -> dict[str, list[Numbers]]:
    """Return one random start for each method and K: objective, expected losses, and what `say` tells of the partition.

    The start is the same for all methods. `keep` adds what is wanted of the factors.
    """
    from partita.nmf import Factors, nmf
    from partita.nmf.reading import read

    found: dict[str, list[Numbers]] = {}
    for method in methods:
        found[NMF[method]] = rows = []
        for K in range(2, settings["largest_K"] + 1):
            result = nmf(
                V,
                K,
                method=method,
                start="random",
                n_init=1,
                scaling="plain",
                max_iter=settings["max_iter"],
                seed=seed,
                n_jobs=1,
            )
            factors = Factors(result.W, np.ascontiguousarray(result.H.T), result.offset)
            row: Numbers = {"K": K, "objective": result.objective, **keep(result)}
            for scaling, labels in (("plain", result.labels), ("balanced", read(factors, "balanced").labels)):
                row[scaling] = {**say(labels), **_losses(labels, V)}
            rows.append(row)
    return found


def sof_swept(V: Array, settings: Mapping[str, Any], say: Callable[[Labels], Numbers]) -> Numbers:
    """Return SoF on the same matrix without its diagonal, K by Binder's loss as well: what is said of its partition."""
    from partita.nmf import sof_membership

    rows = []
    for K in range(2, settings["largest_K"] + 1):
        labels = sof_membership(V, K, start="dendrogram", seed=0, n_jobs=1).membership.labels
        rows.append({**say(labels), **_losses(labels, V)})
    return min(rows, key=lambda row: float(row["binder"]))


def chosen(
    starts: Sequence[Sequence[Mapping[str, Any]]], *, criterion: Criterion = "binder", scaling: Scaling = "plain"
) -> dict[str, Any]:
    """Return the partition taken: for each K the start of least objective, then the K of least expected loss.

    >>> worse = [{"K": 2, "objective": 3.0, "plain": {"binder": 0.1, "of": "worse"}}]
    >>> better = [{"K": 2, "objective": 1.0, "plain": {"binder": 0.2, "of": "better"}}]
    >>> chosen([worse, better])["of"]
    'better'
    """
    best = [min(rows, key=lambda row: float(row["objective"])) for rows in zip(*starts, strict=True)]
    sign = -1.0 if criterion == "pear" else 1.0
    row = min(best, key=lambda row: sign * float(row[scaling][criterion]))
    return {**row, **row[scaling]}


def _losses(labels: Labels, V: Array) -> Numbers:
    from partita.partition import expected_loss_from_similarity

    return {name: float(expected_loss_from_similarity(labels, V, loss=name)) for name in CRITERIA}


def choices_table(name: str, title: str, entry: Callable[[Criterion, Scaling, str], Entry], *, digits: int) -> Table:
    """Return the table of the results of a method under each loss that can choose K and each way to read the
    partition.
    """
    rows = [
        (f"{words}, {read}", [entry(criterion, scaling, method) for method in NMF.values()])
        for criterion, words in CRITERIA.items()
        for scaling, read in READINGS.items()
    ]
    return Table(name, title, list(NMF.values()), rows, digits=digits, corner="loss, reading")
