"""Local search (climb): one run from a start to a partition that no move improves.

Passes that move single items until nothing changes, then merges; and for the runs that ended best, splits and the
rebuilding of whole clusters [dahl2022], with passes again after each that was kept. Where that changes nothing more,
there are moves that are worse at first (`partita.kernels.partition_escapes`): at the cap on clusters, where nothing can
be split, two clusters are divided anew; and where passes are cheap, items are moved in a chain and clusters are merged
by force. Between two calls of compiled code, a fraction of a second apart, the clock and Ctrl-C are heard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernels.interrupts import call_whole
from partita.partition.dendrogram import Codes, numbered
from partita.partition.evidence import PartitionEvidence
from partita.runs import Stopped

__all__ = ["Climb"]

# Numbers read in one call of compiled code: a tenth of a second or so.
AT_ONCE = 2e8
# Passes over the items of a cluster that is being split.
SPLIT_PASSES = 4
# Numbers read by a chain, and by forced merges, at most: some 5 ms. A chain costs a pass for each item that it moves;
# shorter ones find little, and longer ones no more.
ESCAPE, SHORTEST, LONGEST = 1e7, 8, 64
# Passes over the items in which they respond to a forced merge.
RESPONSES = 2


class Climb:
    """State of a local search, and the moves on it.

    Parameters
    ----------
    evidence : PartitionEvidence
    cap : int
        Clusters at most.
    stops : callable
        Whether to stop now, by raising `Stopped`; asked between calls.
    """

    def __init__(self, evidence: PartitionEvidence, cap: int, stops: Callable[[], bool]) -> None:
        self.evidence, self.cap, self.stops = evidence, min(cap, evidence.n_items), stops
        self.state: Any = evidence.empty_state()
        self.N = evidence.n_items
        self.out = np.empty(self.N + 2)

    @property
    def labels(self) -> Codes:
        """Cluster of each item; -1 for those placed nowhere."""
        return np.asarray(self.state.labels)

    @property
    def n_clusters(self) -> int:
        """Number of clusters K."""
        return int(self.state.counts[0])

    @property
    def value(self) -> float:
        """The value that is minimised."""
        return float(self.state.value())

    def assign(self, codes: Codes) -> None:
        """Begin at a partition."""
        from partita.kernels.partition_moves import assign

        codes = numbered(codes)
        for part in self._parts(np.arange(self.N)):
            call_whole(assign, self.state, part, codes)

    def allocate(self, order: NDArray[np.int64]) -> None:
        """Begin with the items placed one after the other."""
        from partita.kernels.partition_moves import sweep

        for part in self._parts(order):
            call_whole(sweep, self.state, part, self.cap, self.out)

    def sweep_all(self, rng: np.random.Generator) -> None:
        """Move single items, in random order, until a pass changes nothing."""
        from partita.kernels.partition_moves import sweep

        moved = -1
        while moved:
            moved = 0
            for part in self._parts(rng.permutation(self.N)):
                moved += call_whole(sweep, self.state, part, self.cap, self.out)

    def gather(self, items: NDArray[np.int64], mate: int | None) -> None:
        """Put items that are together into the cluster of `mate`, or into a new one of their own."""
        from partita.kernels.partition_moves import gather

        call_whole(gather, self.state, np.asarray(items, dtype=np.int64), -1 if mate is None else mate)

    def settle(self, rng: np.random.Generator) -> None:
        """Move single items, then merge clusters, until neither changes anything."""
        from partita.kernels.partition_moves import merge_pass

        while True:
            self.sweep_all(rng)
            self._hear()
            if not call_whole(merge_pass, self.state, self.out):
                return

    def polish(self, rng: np.random.Generator, *, foremost: bool = True) -> None:
        """Split and rebuild clusters, and try detours, until nothing changes; settled before and after.

        A run that is not the `foremost` tries only detours that are cheap.
        """
        while self._split_all(rng) or self.rebuild_all(rng) or self._escape(rng, foremost):
            self.settle(rng)

    def _split_all(self, rng: np.random.Generator) -> int:
        from partita.kernels.partition_moves import split

        kept = 0
        for members in self._clusters(rng):
            if len(members) > 1 and self.n_clusters < self.cap:
                kept += call_whole(split, self.state, members, SPLIT_PASSES, self.out)
        return kept

    def rebuild_all(self, rng: np.random.Generator) -> int:
        """Take each cluster apart and place its items anew, kept where that is better; how many were [dahl2022]."""
        from partita.kernels.partition_moves import rebuild

        kept = 0
        for members in self._clusters(rng):
            if len(members) > 1:
                kept += call_whole(rebuild, self.state, members, self.cap, self.out)
        return kept

    def _escape(self, rng: np.random.Generator, foremost: bool) -> int:
        """Try moves that are worse at first; return how many led to a better partition (0 where there are levels)."""
        if self.evidence.has_levels:
            return 0
        passes = int(ESCAPE / (self.N * self.evidence.pass_cost(self.n_clusters)))
        cheap, kept = passes >= SHORTEST, 0
        if self.n_clusters == self.cap < self.N and (foremost or cheap):
            kept = self._redivide_all(rng)
        if not kept and cheap:
            kept = self._chain(rng, min(passes, LONGEST))
        if not kept and passes >= RESPONSES * self.n_clusters:
            kept = self._merge_all(rng)
        return kept

    def _redivide_all(self, rng: np.random.Generator) -> int:
        """Divide each cluster and the one nearest to it anew."""
        from partita.kernels.partition_escapes import nearest, redivide

        kept = 0
        for own in self._clusters(rng):
            b = nearest(self.state, int(self.labels[own[0]]), self.out)
            if b >= 0:
                other = np.flatnonzero(self.labels == b)
                order = rng.permutation(np.append(own, other))
                kept += call_whole(redivide, self.state, own, other, order, self.cap, self.out)
        return kept

    def _chain(self, rng: np.random.Generator, length: int) -> int:
        from partita.kernels.partition_escapes import chain

        self._hear()
        return int(call_whole(chain, self.state, rng.permutation(self.N), self.cap, length, self.out))

    def _merge_all(self, rng: np.random.Generator) -> int:
        """Merge each cluster with the one nearest to it, by force."""
        from partita.kernels.partition_escapes import merge_and_respond

        kept = 0
        for own in self._clusters(rng):
            given = (int(own[0]), rng.permutation(self.N), self.cap, RESPONSES)
            kept += call_whole(merge_and_respond, self.state, *given, self.out)
        return kept

    def _clusters(self, rng: np.random.Generator) -> Any:
        """Clusters in random order, known by one of their items: each as it is when its turn comes, items shuffled."""
        firsts = np.unique(self.labels, return_index=True)[1]
        for first in rng.permutation(firsts):
            self._hear()
            yield rng.permutation(np.flatnonzero(self.labels == self.labels[first]))

    def _parts(self, order: NDArray[np.int64]) -> Any:
        step = max(1, int(AT_ONCE / self.evidence.pass_cost(max(self.n_clusters, 8))))
        for low in range(0, len(order), step):
            self._hear()
            yield order[low : low + step]

    def _hear(self) -> None:
        if self.stops():
            raise Stopped
