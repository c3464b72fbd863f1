"""Certain items: the largest set of items whose partition holds as a whole with a stated probability.

For a set S of items, its relations hold in a draw when the draw parts S just as the estimate does: items of one cluster
together, items of different clusters apart, all at once. Wanted is a large S with

    P(draw restricted to S = estimate restricted to S) >= level.

Joint statements are far stronger than those about pairs: where each of many items is 99% sure, all of them together may
almost never be right, and the set is small. The largest S is a hard combinatorial problem (one draw to hold in is a
choice of items for each; all of them together are a hitting set), and this search is greedy, from two sides:

1. all items are kept, and the least certain goes, again and again, until enough draws hold; then items are added again
   while enough do;
2. no item is kept, and always the one is added that leaves the most draws.

The larger set is the answer, and no item can be added to it. Of 200 posteriors of 8 items it missed the largest set,
found by exhaustion, in 5, by one or two items (`tests/oracle/test_credible_ball.py` guards it); for more items nothing
is proved. The probability is a count over the draws and exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.errors import InputError
from partita.metrics.checks import codes_of
from partita.partition.certainty import certainty_of
from partita.partition.credible_ball import ROUNDING, check_level
from partita.partition.draws import PartitionDraws
from partita.wording import Printed, count, items

__all__ = ["PartialPartition", "partial_partition"]

# Comparisons of labels up to which items are also taken away, which costs M N^2: about 20 seconds of one core.
COMPARISONS = 2e10


@dataclass(frozen=True, eq=False, repr=False)
class PartialPartition(Printed):
    """A partition of some of the items.

    Attributes
    ----------
    labels : array of N
        0..K-1, numbered by the first item kept, and -1 for items that were dropped.
    kept, dropped : array of item numbers
    probability : float
        Share of the draws in which all relations between kept items hold.
    level : float
        Level that was asked for.
    """

    labels: NDArray[np.int64]
    kept: NDArray[np.int64]
    dropped: NDArray[np.int64]
    probability: float
    level: float

    def __str__(self) -> str:
        n, N, K = len(self.kept), len(self.labels), int(self.labels.max()) + 1
        return (
            f"with probability {self.probability:.3f}, {n} of {items(N)} {'lies' if n == 1 else 'lie'} in "
            f"{count(K, 'cluster')} as stated, all at once"
        )


def partial_partition(
    labels: ArrayLike, draws: Any, *, level: float = 0.95, weights: ArrayLike | None = None
) -> PartialPartition:
    """Return items whose partition by the estimate holds as a whole with probability `level` or more.

    As many as greed finds.

    Parameters
    ----------
    labels : array-like of N
        The estimate: any whole numbers or strings.
    draws : array-like, M x N
        Rows are draws.
    level : float in (0, 1]
    weights : array of M, optional
        Nonnegative weight of each draw; equal by default.

    Raises
    ------
    InputError
        For a level outside (0, 1], labels and draws that do not fit together, a similarity matrix in the place of
        draws, or weights that do not fit.
    MemoryLimitError
        Where the labels of all draws would not fit.

    Notes
    -----
    Time O(M N^2 + K M N), memory 6 bytes a label or so; beyond 2e10 = M N^2 only the second search is made, O(K M N).
    Greedy: there may be a larger set.

    Examples
    --------
    >>> found = partial_partition([0, 0, 0, 1, 1], [[0, 0, 0, 1, 1]] * 8 + [[0, 0, 1, 1, 1]] * 2, level=0.9)
    >>> found.labels.tolist(), found.dropped.tolist(), found.probability
    ([0, 0, -1, 1, 1], [2], 1.0)
    """
    from partita.kernels.partition_cores import grow_cores, shrink_to_cores

    check_level(level)
    given = PartitionDraws.of(draws, weights)
    codes = codes_of(labels, "labels")
    M, N = given.labels.shape
    if len(codes) != N:
        raise InputError(
            f"labels have {len(codes)} items and the draws {N}: rows are draws, columns items; are the draws "
            "transposed?"
        )
    doubt = certainty_of(codes, LabelBlocks(given.labels), given.counts).loss
    needed = level * given.counts.sum() * (1.0 - ROUNDING)
    best: tuple[int, float, NDArray[np.bool_]] | None = None
    for shrink in (True, False):
        kept = np.full(N, shrink)
        if shrink and float(M) * N * N > COMPARISONS:
            continue
        if shrink:
            shrink_to_cores(given.labels, codes, given.counts, needed, kept)
        holds = np.empty(M, dtype=np.bool_)
        K, most = int(codes.max()) + 1, int(given.n_clusters.max())
        grow_cores(given.labels, most, codes, K, given.counts, doubt, needed, kept, holds)
        found = (int(kept.sum()), float(given.weights[holds].sum()), kept)
        if best is None or found[:2] > best[:2]:
            best = found
    assert best is not None
    _, probability, kept = best
    return PartialPartition(_numbered(codes, kept), np.flatnonzero(kept), np.flatnonzero(~kept), probability, level)


def _numbered(codes: NDArray[np.intp], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Labels of the kept items in order of appearance, -1 for the others."""
    _, first, inverse = np.unique(codes[kept], return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    out = np.full(len(codes), -1, dtype=np.int64)
    out[kept] = number[inverse.ravel()]
    return out
