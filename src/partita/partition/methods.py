"""Search methods of the literature under their own names, so that a paper can be run as it is written.

`METHODS` has them all. Each takes draws (or `PartitionDraws`, which make the similarity matrix once for many methods)
and returns a `MethodResult`. The default search of Partita is `search_partition`; these are for comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.partition.dendrogram import Dendrogram, Linkage
from partita.partition.evidence import PartitionEvidence, evidence_of
from partita.partition.exhaustive import exhaustive
from partita.partition.greedy import greedy_rastelli_friel, greedy_wade_ghahramani, salso
from partita.partition.losses import LowerBound, PartitionLoss, Unit, VariationOfInformation
from partita.partition.result import MethodResult

__all__ = [
    "METHODS",
    "MethodResult",
    "best_cut",
    "best_draw",
    "greedy_rastelli_friel",
    "greedy_wade_ghahramani",
    "max_pear",
    "medvedovic",
    "min_binder",
    "min_vi",
    "salso",
]

# Partitions that are scored in one chunk of work.
CHUNK = 16


def best_cut(
    draws: Any = None,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    linkage: Linkage = "average",
    similarity: ArrayLike | None = None,
) -> MethodResult:
    """Return the best of the N cuts of a dendrogram on 1 - PSM, by the loss itself [fritsch2009; wade2018].

    Parameters
    ----------
    draws : array-like M x N, or PartitionDraws
    loss, unit
        As in `expected_loss`.
    linkage : {"average", "complete"}
    similarity : array N x N, optional
        A posterior similarity matrix in the place of draws, for the losses that it determines: "binder", "pear",
        "vi_lb".

    Raises
    ------
    InputError, MemoryLimitError

    Examples
    --------
    >>> best_cut([[0, 0, 1, 1], [0, 0, 0, 1]], loss="binder").labels.tolist()
    [0, 0, 1, 2]
    """
    evidence = evidence_of(draws, loss, unit, similarity)
    tree = Dendrogram.of(evidence.similarity, linkage)
    return MethodResult.of(
        f"best cut, {linkage} linkage", evidence, tree.cut(int(np.argmin(evidence.cut_values(tree))))
    )


def min_binder(draws: Any = None, *, linkage: Linkage = "average", similarity: ArrayLike | None = None) -> MethodResult:
    """Return MinBinder: the dendrogram cut of least Binder loss [bayes-nmf] eq. (11).

    From draws, or `similarity=`, a posterior similarity matrix.

    Examples
    --------
    >>> min_binder([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    return best_cut(draws, loss="binder", linkage=linkage, similarity=similarity)


def max_pear(draws: Any = None, *, linkage: Linkage = "average", similarity: ArrayLike | None = None) -> MethodResult:
    """Return MaxPEAR: the dendrogram cut of largest PEAR [fritsch2009]; [bayes-nmf] eq. (16).

    From draws, or `similarity=`, a posterior similarity matrix.

    Examples
    --------
    >>> max_pear([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    return best_cut(draws, loss="pear", linkage=linkage, similarity=similarity)


def min_vi(
    draws: Any = None,
    *,
    unit: Unit | None = None,
    linkage: Linkage = "average",
    similarity: ArrayLike | None = None,
) -> MethodResult:
    """Return MinVI: the dendrogram cut of least lower bound of the expected variation of information [wade2018].

    From draws, or `similarity=`, a posterior similarity matrix.

    Examples
    --------
    >>> min_vi([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    return best_cut(draws, loss="vi_lb", unit=unit, linkage=linkage, similarity=similarity)


def medvedovic(
    draws: Any = None,
    *,
    loss: str | PartitionLoss | None = None,
    unit: Unit | None = None,
    height: float = 0.99,
    similarity: ArrayLike | None = None,
) -> MethodResult:
    """Return complete linkage on 1 - PSM, cut at a height near one [medvedovic2002]; the loss is reported only.

    From draws, or `similarity=`, a posterior similarity matrix. The loss is "vi" of draws and "vi_lb" of a matrix.

    Examples
    --------
    >>> medvedovic([[0, 0, 1, 1], [0, 0, 0, 1]]).n_clusters
    2
    """
    if not 0.0 <= height <= 1.0:
        raise InputError(f"height={height}: expected a dissimilarity from 0 to 1, such as 0.99")
    reported = loss or ("vi" if similarity is None else "vi_lb")
    evidence = evidence_of(draws, reported, unit, similarity)
    return MethodResult.of("medvedovic", evidence, Dendrogram.of(evidence.similarity, "complete").cut_at(height))


def best_draw(draws: Any, *, loss: str | PartitionLoss = "vi", unit: Unit | None = None) -> MethodResult:
    """Return the draw of least expected loss [dahl2006], among all.

    O(M N^2) for losses of pairs, else O(M^2 N), where the variation of information takes the draws in the order of its
    lower bound and ends when that exceeds the best.

    Examples
    --------
    >>> best_draw([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    evidence = evidence_of(draws, loss, unit)
    assert evidence.draws is not None
    given, rows = evidence.draws, np.arange(evidence.draws.n_draws)
    if evidence.loss.by_pairs:
        best = int(np.argmin(evidence.pair_values(rows)))
    else:
        bound = np.full(len(rows), -np.inf)
        chosen = evidence.loss
        if isinstance(chosen, VariationOfInformation) and chosen.a == 1.0 and evidence.has_pairs:
            bound = PartitionEvidence(LowerBound(unit=chosen.unit), given).pair_values(rows)
        order = np.argsort(bound, kind="stable")
        values = np.full(len(rows), np.inf)
        for low, high in row_bounds(len(rows), 8 * CHUNK):
            some = order[low:high]
            if bound[some[0]] > values.min():
                break
            values[some] = _scores(evidence, some)
        best = int(np.argmin(values))
    return MethodResult.of("best draw", evidence, given.labels[best].astype(np.int64))


def exhaustive_search(draws: Any, *, loss: str | PartitionLoss = "vi", unit: Unit | None = None) -> MethodResult:
    """Return the best of all partitions of at most 10 items: the oracle of all others.

    Raises
    ------
    InputError
        For more than 10 items: there are 115,975 partitions of 10.

    Examples
    --------
    >>> exhaustive_search([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]).labels.tolist()
    [0, 0, 1, 1]
    """
    evidence = evidence_of(draws, loss, unit)
    return MethodResult.of("exhaustive", evidence, exhaustive(evidence).codes)


METHODS: dict[str, Callable[..., MethodResult]] = {
    "best_cut": best_cut,
    "min_binder": min_binder,
    "max_pear": max_pear,
    "min_vi": min_vi,
    "medvedovic": medvedovic,
    "best_draw": best_draw,
    "greedy_wade_ghahramani": greedy_wade_ghahramani,
    "greedy_rastelli_friel": greedy_rastelli_friel,
    "salso": salso,
    "exhaustive": exhaustive_search,
}


def _scores(evidence: PartitionEvidence, rows: Any) -> Any:
    """Values, to be minimised, of some of the draws."""
    from partita.kernels.partition_formula import for_kernels
    from partita.kernels.partition_scores import score_partitions

    draws, loss = evidence.draws, evidence.loss
    assert draws is not None
    some, K = np.ascontiguousarray(draws.labels[rows]), draws.n_clusters[rows]
    out, f, formula = np.empty(len(some)), loss.counts(draws.n_items), for_kernels(loss.formula)

    def work(low: int, high: int) -> None:
        given = (draws.labels, draws.n_clusters, draws.weights, f)
        score_partitions(formula, loss.per_draw, some, K, *given, low, high, out)

    run_chunks(work, row_bounds(len(some), CHUNK))
    return out
