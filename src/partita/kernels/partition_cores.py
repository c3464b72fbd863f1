"""Cores of clusters: items taken away, or added, one at a time, while their relations hold jointly in enough draws.

A draw holds for a set of items when it parts them as the estimate does: each cluster of the estimate has one cluster of
the draw that stands for it, and none stands for two. Importing this module loads numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Flags, Ints

__all__ = ["grow_cores", "shrink_to_cores"]


@njit(cache=True, nogil=True)
def shrink_to_cores(draws: Ints, codes: Ints, weights: Array, needed: float, kept: Flags) -> None:
    """Take items away until draws of weight `needed` hold; `kept` (N) is all true before.

    A pair disagrees in a draw that joins it while the estimate parts it, or the other way round. The next item to go is
    the one with the most disagreeing pairs, each draw's pairs counting as one in all: a draw that disagrees in a few
    pairs weighs as much as one that is far off.
    """
    M, N = draws.shape
    wrong = np.zeros((M, N), dtype=np.int32)
    pairs = np.zeros(M, dtype=np.int64)
    for b in range(M):
        row, own = draws[b], wrong[b]
        for r in range(N):
            j, k = row[r], codes[r]
            total = 0
            for i in range(N):
                total += (row[i] == j) != (codes[i] == k)
            own[r] = total
            pairs[b] += total
    score = np.empty(N)
    for _ in range(N):
        held = 0.0
        score[:] = 0.0
        for b in range(M):
            if pairs[b] == 0:
                held += weights[b]
                continue
            per_pair, own = weights[b] / pairs[b], wrong[b]
            for i in range(N):
                score[i] += per_pair * own[i]
        if held >= needed:
            return
        r = -1
        for i in range(N):
            if kept[i] and (r < 0 or score[i] > score[r]):
                r = i
        kept[r] = False
        k = codes[r]
        for b in range(M):
            row, own = draws[b], wrong[b]
            if own[r] == 0:
                continue
            pairs[b] -= 2 * own[r]
            j = row[r]
            for i in range(N):
                own[i] -= kept[i] & ((row[i] == j) != (codes[i] == k))
            own[r] = 0


@njit(cache=True, nogil=True)
def _fits(row: Ints, image: Ints, owner: Ints, k: int, i: int) -> Any:
    """Test whether all relations still hold in a draw when item i of cluster k is added: its cluster is the one that
    stands for k, or none does and it stands for no other.
    """
    return row[i] == image[k] if image[k] >= 0 else owner[row[i]] < 0


@njit(cache=True, nogil=True)
def grow_cores(
    draws: Ints, most: int, codes: Ints, K: int, weights: Array, doubt: Array, needed: float, kept: Flags, holds: Flags
) -> None:
    """Add items while draws of weight `needed` hold: one that leaves the most weight, of these the least doubted.

    `kept` (N) marks items that begin as kept, and those kept in the end; `holds` (M) the draws in which all relations
    hold. image[b, k] is the draw's cluster that stands for k, or -1, and owner[b, j] the other way round.
    """
    M, N = draws.shape
    image, owner = np.full((M, K), -1, dtype=np.int32), np.full((M, most), -1, dtype=np.int32)
    opened = np.zeros(K, dtype=np.bool_)
    score = np.zeros(N)
    given = np.flatnonzero(kept)
    kept[:] = False
    holds[:] = True
    stale = True
    for turn in range(N):
        if stale:
            score[:] = 0.0
            for b in range(M):
                if holds[b]:
                    for i in range(N):
                        if _fits(draws[b], image[b], owner[b], codes[i], i):
                            score[i] += weights[b]
            stale = False
        at = -1
        if turn < len(given):
            at = given[turn]
        else:
            for i in range(N):
                if not kept[i] and score[i] >= needed and (
                    at < 0 or score[i] > score[at] or (score[i] == score[at] and doubt[i] < doubt[at])
                ):  # fmt: skip
                    at = i
        if at < 0:
            return
        k = codes[at]
        for b in range(M):
            if not holds[b]:
                continue
            row = draws[b]
            if not _fits(row, image[b], owner[b], k, at):
                holds[b] = False
                if opened[k]:
                    for i in range(N):
                        if _fits(row, image[b], owner[b], codes[i], i):
                            score[i] -= weights[b]
            elif not opened[k]:
                image[b, k], owner[b, row[at]] = row[at], k
        kept[at] = True
        stale = not opened[k]
        opened[k] = True
