"""The runs of a partition search: from which starts, how many, which are polished, when it is enough.

Each start is settled (single items, merges), and the best that they lead to are polished (splits, rebuilt clusters).
Random starts end early where they agree. Every random stream is that of a run's number, so that the answer does not
depend on threads. Of 9 items or fewer all partitions are scored at the end, so that no other is better than the answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from partita.kernels.threads import limit_threads
from partita.partition.climb import Climb
from partita.partition.dendrogram import Codes, Dendrogram, Linkage, numbered
from partita.partition.evidence import PartitionEvidence
from partita.partition.exhaustive import exhaustive
from partita.partition.result import EXHAUSTIVE, SEARCHED, PartitionResult, Run, Tried
from partita.runs import Runs, Stopped

__all__ = ["search_evidence"]

LINKAGES: tuple[Linkage, ...] = ("average", "complete")
# Similarities added up to find the best of the draws, and the fewest draws that are looked at.
DRAWS_COST, FEWEST_DRAWS = 1e7, 8
# Random starts end when so many of them have led to the best value so far.
AGREEING = 2
# Of so many random starts one begins at random labels, the others at items placed one after the other.
EVERY = 4
# Different partitions that are polished, the best first.
POLISHED = 3
# Items up to which all partitions are scored: 21,147 of 9.
EXHAUSTED = 9
# Values that differ by no more, relative to them or to one, are the same: sums over draws in another order.
SAME = 1e-9


def search_evidence(
    evidence: PartitionEvidence,
    *,
    cap: int,
    given: Mapping[str, Codes],
    n_init: int,
    seed: int | None,
    runs: Runs | None = None,
) -> PartitionResult:
    """Return the best partition of all runs; options as in `search_partition`, checked already."""
    runs = Runs() if runs is None else runs
    search = _Search(evidence, cap, np.random.SeedSequence(seed), runs)
    with runs:
        search.all(dict(given), n_init)
    if search.best is None:
        raise KeyboardInterrupt
    return search.result(seed)


@dataclass(frozen=True, eq=False)
class _Start:
    """Where a run begins: at a partition, or at one that it draws in a way of `drawn`."""

    name: str
    codes: Codes | None = None
    drawn: Literal["levels", "random", "allocation"] = "allocation"


@dataclass(eq=False)
class _Found:
    """A partition and its value."""

    start: str
    codes: Codes
    value: float
    seconds: float = 0.0


@dataclass(eq=False)
class _Search:
    """State of one search: the results so far."""

    evidence: PartitionEvidence
    cap: int
    seed: np.random.SeedSequence
    runs: Runs
    scored: list[_Found] = field(default_factory=list)
    ended: list[_Found] = field(default_factory=list)
    best: _Found | None = None
    cap_bound: bool = False
    notes: list[str] = field(default_factory=list)

    def all(self, given: dict[str, Codes], n_init: int) -> None:
        """Starts, runs, and the polish of the best."""
        with limit_threads(self.runs.n_jobs):
            starts = [_Start(f.start, f.codes) for f in self._scored_starts()]
        if self.best is None:  # time is over already, or nothing could be scored: there is always an answer
            self._score("one cluster", np.zeros(self.evidence.n_items, dtype=np.int64))
        for name, codes in given.items():
            self._score(name, codes)
            starts.append(_Start(name, codes))
        starts = _distinct(starts)
        n_scored = len(starts)
        starts += [self._drawn(r) for r in range(n_init if starts else max(n_init, 1))]
        seeds = self.seed.spawn(len(starts) + POLISHED)
        self.runs.tell("moving items")
        for numbers in (range(n_scored), range(n_scored, len(starts))):
            for found in self.runs.each(lambda r: self._run(starts[r], seeds[r]), numbers):
                self._better(found)
                self.ended.append(found)
                if self._agree(n_scored) >= AGREEING:
                    break
            if self._over():
                return
        self.runs.tell("splitting and rebuilding clusters")
        order = self._different()
        jobs = list(zip(order, seeds[len(starts) :]))
        polished = self.runs.each(lambda p: self._polish(*jobs[p], foremost=p == 0), range(len(jobs)))
        for found, r in zip(polished, order):
            self._better(found)
            self.ended[r] = found
        assert self.best is not None
        if self.evidence.n_items <= EXHAUSTED:
            if not self._over():
                self._exhaust()
        elif self.cap < self.evidence.n_items and self.best.codes.max() + 1 == self.cap:
            self.cap_bound = self._would_go_on(self.best, seeds[-1])

    def _scored_starts(self) -> list[_Found]:
        """The best cut of each dendrogram, and the best of some draws."""
        evidence = self.evidence
        found: list[_Found] = []
        if evidence.has_levels:
            self.runs.tell("moving and joining items level by level")
            found.append(self._score("levels", evidence.multilevel(np.random.default_rng(self.seed.spawn(1)[0]))))
        if not evidence.has_dendrograms and evidence.draws is None:
            return found
        if not evidence.has_dendrograms:
            self.notes.append("no dendrogram starts: the similarity matrix would not fit into memory")
        else:
            self.runs.tell("making the similarity matrix")
            for linkage in LINKAGES:
                if found and self._over():
                    return found
                self.runs.tell(f"scoring the cuts of the {linkage} linkage dendrogram")
                tree = Dendrogram.of(evidence.shares, linkage)
                values = evidence.cut_values(tree)
                fewest = max(0, evidence.n_items - self.cap)
                t = fewest + int(np.argmin(values[fewest:]))
                found.append(self._keep(_Found(f"{linkage} linkage", tree.cut(t), float(values[t]))))
        if evidence.draws is not None and not self._over():
            best = self._best_draw()
            if best is not None:
                found.append(best)
        return found

    def _best_draw(self) -> _Found | None:
        """The best of some draws by pairs, scored by the loss."""
        draws = self.evidence.draws
        assert draws is not None
        able = np.flatnonzero(draws.n_clusters <= self.cap)
        if not len(able):
            return None
        most = max(FEWEST_DRAWS, int(DRAWS_COST / draws.n_items**2))
        rng = np.random.default_rng(self.seed.spawn(1)[0])
        rows = able if len(able) <= most else np.sort(rng.choice(able, most, replace=False))
        if not self.evidence.has_pairs:
            rows = rows[:FEWEST_DRAWS]
            values = [self.evidence.value(draws.labels[row]) for row in rows]
            row = rows[int(np.argmin(values))]
        else:
            row = rows[int(np.argmin(self.evidence.pair_values(rows)))]
        return self._score("best of the draws", draws.labels[row].astype(np.int64))

    def _score(self, start: str, codes: Codes) -> _Found:
        return self._keep(_Found(start, numbered(codes), self.evidence.value(codes)))

    def _keep(self, found: _Found) -> _Found:
        self.scored.append(found)
        self._better(found)
        return found

    def _better(self, found: _Found) -> None:
        if self.best is None or found.value < self.best.value - _margin(self.best.value):
            self.best = found

    def _climb(self) -> Climb:
        return Climb(self.evidence, self.cap, self._over)

    def _run(self, start: _Start, seed: np.random.SeedSequence) -> _Found:
        began, rng, climb = time.perf_counter(), np.random.default_rng(seed), self._climb()
        if start.codes is not None:
            climb.assign(start.codes)
        elif start.drawn == "levels":
            climb.assign(self.evidence.multilevel(rng))
        elif start.drawn == "random":
            climb.assign(rng.integers(min(self.cap, self._n_clusters_so_far()), size=self.evidence.n_items))
        else:
            climb.allocate(rng.permutation(self.evidence.n_items))
        try:
            climb.settle(rng)
        except Stopped:
            if start.codes is None and self.best is not None:
                raise
        return _Found(start.name, numbered(climb.labels), climb.value, time.perf_counter() - began)

    def _drawn(self, r: int) -> _Start:
        """Random start number r: allocations, and labels at random in their midst."""
        if self.evidence.has_levels:
            return _Start(f"levels {r}", drawn="levels")
        if r % EVERY == EVERY - 1:
            return _Start(f"random {r}", drawn="random")
        return _Start(f"allocation {r}")

    def _n_clusters_so_far(self) -> int:
        return 1 if self.best is None else int(self.best.codes.max()) + 1

    def _polish(self, r: int, seed: np.random.SeedSequence, *, foremost: bool) -> _Found:
        began, found, climb = time.perf_counter(), self.ended[r], self._climb()
        climb.assign(found.codes)
        try:
            climb.polish(np.random.default_rng(seed), foremost=foremost)
        except Stopped:
            if (climb.labels < 0).any():
                return found
        seconds = found.seconds + time.perf_counter() - began
        return _Found(found.start, numbered(climb.labels), climb.value, seconds)

    def _exhaust(self) -> None:
        """Score all partitions; a better one than was found takes its place."""
        self.runs.tell("scoring all partitions")
        best = exhaustive(self.evidence, self.cap)
        self._keep(_Found(EXHAUSTIVE, best.codes, best.value))
        self.cap_bound = best.least < best.value - _margin(best.value)
        if best.n_equal > 1:
            self.notes.append(f"{best.n_equal:,} partitions are equally good: the result is one of them")

    def _would_go_on(self, found: _Found, seed: np.random.SeedSequence) -> bool:
        """Whether more clusters than the cap allows would lower the value."""
        climb = Climb(self.evidence, self.evidence.n_items, self._over)
        try:
            climb.assign(found.codes)
            rng = np.random.default_rng(seed)
            climb.settle(rng)
            climb.polish(rng)
        except Stopped:
            pass
        return not (climb.labels < 0).any() and climb.value < found.value - _margin(found.value)

    def _agree(self, first: int = 0) -> int:
        """Number of runs, from one on, whose value is that of the best of all up to rounding."""
        least = min(found.value for found in self.ended)
        return sum(found.value <= least + _margin(least) for found in self.ended[first:])

    def _different(self) -> list[int]:
        """The runs to polish: the best, each different partition once."""
        order = sorted(range(len(self.ended)), key=lambda r: (self.ended[r].value, r))
        chosen: list[int] = []
        for r in order:
            if len(chosen) == POLISHED:
                break
            if not any(np.array_equal(self.ended[r].codes, self.ended[q].codes) for q in chosen):
                chosen.append(r)
        return chosen

    def _over(self) -> bool:
        return self.runs.stops() is not None

    def result(self, seed: int | None) -> PartitionResult:
        assert self.best is not None
        loss, best = self.evidence.loss, self.best
        exact = self.evidence.value(best.codes)
        values = [found.value for found in self.ended]
        runs = tuple(
            Run(f.start, int(f.codes.max()) + 1, float(loss.reported(f.value)), f.codes, f.seconds) for f in self.ended
        )
        tried = [Tried(f.start, int(f.codes.max()) + 1, float(loss.reported(f.value))) for f in self.scored]
        tried += [Tried(f"{SEARCHED}{run.start}", run.n_clusters, run.loss) for run in runs]
        return PartitionResult(
            labels=best.codes,
            n_clusters=int(best.codes.max()) + 1,
            expected_loss=float(loss.reported(exact)),
            loss=loss,
            status=self.runs.cut_short or "converged",
            runs=runs,
            tried=tuple(tried),
            cap_bound=self.cap_bound,
            gap=max(0.0, max(values) - best.value) if values else 0.0,
            n_agreeing=sum(value <= best.value + _margin(best.value) for value in values),
            seconds=self.runs.seconds,
            seed=seed,
            notes=tuple(self.notes),
        )


def _distinct(starts: list[_Start]) -> list[_Start]:
    """Each partition once."""
    seen: dict[bytes, _Start] = {}
    for start in starts:
        assert start.codes is not None
        seen.setdefault(start.codes.astype(np.int64).tobytes(), start)
    return list(seen.values())


def _margin(value: float) -> float:
    return SAME * max(1.0, abs(value))
