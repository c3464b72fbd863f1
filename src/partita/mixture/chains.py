"""The only loop: chains in blocks of sweeps, on threads, until each has its draws, or time is over, or Ctrl-C.

A chain depends on the model, its start and its number alone, and is cut into blocks that depend on N and the number of
draws: so its draws are the same on any number of threads. Threads take the chain that has waited longest, run a block
and put it back, so that chains stopped early have about as many draws each.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from partita.kernels.threads import limit_threads, run_chunks
from partita.mixture.base import Kept, Model, Recorded, Sampler, State
from partita.pace import Progressing

__all__ = ["Chain", "Plan", "Status", "run_chains"]

Status = Literal["completed", "max_seconds", "interrupted"]

# Updates of an item's label in a block: some hundredths of a second, so that a stop is heard and chains keep together.
UPDATES = 100_000
# Sweeps of a block of burn-in at most.
BURN_IN_BLOCK = 50
# Seconds between two reports of a chain.
REPORT = 0.1


@dataclass(frozen=True)
class Plan:
    """How long chains run; components are recorded at the end of a block, at least at every `stride`-th draw."""

    n_draws: int
    burn_in: int
    thin: int
    stride: int

    @property
    def n_sweeps(self) -> int:
        """Sweeps of a whole chain."""
        return self.burn_in + self.n_draws * self.thin

    def next_block(self, n_items: int, sweeps: int, kept: int) -> tuple[int, int]:
        """Sweeps of the next block, and draws that it keeps."""
        allowed = max(1, UPDATES // n_items)
        if sweeps < self.burn_in:
            return min(allowed, BURN_IN_BLOCK, self.burn_in - sweeps), 0
        draws = min(max(1, allowed // self.thin), self.n_draws - kept, self.stride - kept % self.stride)
        return draws * self.thin, draws


@dataclass(frozen=True, eq=False)
class _At:
    """Where a chain is: one assignment, so that Ctrl-C leaves no half of it."""

    state: State
    sweeps: int
    n_kept: int


@dataclass(eq=False)
class Chain:
    """One chain: its number, random stream, where it is, and what it has kept."""

    number: int
    start: str
    rng: np.random.Generator
    at: _At
    kept: Kept
    recorded: list[Recorded] = field(default_factory=list)
    reported: float = 0.0

    @classmethod
    def of(cls, number: int, start: str, rng: np.random.Generator, state: State, n_draws: int) -> Chain:
        """A chain that has not moved yet, with room for its draws."""
        n_items = len(state.labels)
        label = np.int16 if n_items <= np.iinfo(np.int16).max else np.int32
        kept = Kept(
            np.empty((n_draws, n_items), dtype=label),
            np.empty(n_draws, dtype=np.int64),
            np.empty(n_draws),
            np.empty(n_draws),
        )
        return cls(number, start, rng, _At(state, 0, 0), kept)

    def advance(self, sampler: Sampler, model: Model, n_sweeps: int, n_draws: int, thin: int) -> None:
        """One block."""
        at = self.at
        rows = self.kept.rows(at.n_kept, at.n_kept + n_draws)
        state = sampler.advance(model, at.state, self.rng, n_sweeps, thin, rows)
        self.at = _At(state, at.sweeps + n_sweeps, at.n_kept + n_draws)


def run_chains(
    chains: list[Chain],
    sampler: Sampler,
    model: Model,
    plan: Plan,
    *,
    n_threads: int,
    max_seconds: float | None = None,
    progress: Callable[[Progressing], None] | None = None,
) -> Status:
    """Run the chains to the end of the plan, or until `max_seconds` or Ctrl-C; every chain keeps at least one draw."""
    began = time.perf_counter()
    waiting = deque(chains)
    running: set[int] = set()
    change = threading.Condition()
    stopped = threading.Event()
    why: list[Status] = []

    def stop(status: Status) -> None:
        why.append(status)
        stopped.set()

    def tell(chain: Chain, *, done: bool) -> None:
        now = time.perf_counter()
        if progress is None or (now - chain.reported < REPORT and not done):
            return
        chain.reported = now
        left = None if max_seconds is None else max(max_seconds - (now - began), 0.0)
        progress(Progressing(chain.number, len(chains), chain.at.sweeps, plan.n_sweeps, 0.0, done, seconds_left=left))

    def run(chain: Chain) -> bool:
        """One block; whether there is another."""
        n_sweeps, n_draws = plan.next_block(len(model.items), chain.at.sweeps, chain.at.n_kept)
        chain.advance(sampler, model, n_sweeps, n_draws, plan.thin)
        kept = chain.at.n_kept
        if n_draws:
            chain.recorded.append(Recorded.of(kept - 1, chain.at.state))
        done = kept == plan.n_draws
        tell(chain, done=done)
        return not done

    def work(low: int, _high: int) -> None:
        with change:
            running.add(low)
        try:
            while not stopped.is_set():
                try:
                    chain = waiting.popleft()
                except IndexError:  # those that are left run on other threads
                    return
                if run(chain):
                    waiting.append(chain)
                if max_seconds is not None and time.perf_counter() - began >= max_seconds and not stopped.is_set():
                    stop("max_seconds")
        except KeyboardInterrupt:  # in the main thread only
            stop("interrupted")
        except BaseException:
            stopped.set()
            raise
        finally:
            with change:
                running.discard(low)
                change.notify_all()

    workers = min(n_threads, len(chains))
    with limit_threads(workers):
        try:
            run_chunks(work, [(w, w + 1) for w in range(workers)])
        except KeyboardInterrupt:  # it came while the main thread waited for the others
            stop("interrupted")
            with change:
                change.wait_for(lambda: not running)
    unfinished = any(chain.at.n_kept < plan.n_draws for chain in chains)
    for chain in chains:
        if chain.at.n_kept == 0:  # stopped within the burn-in: where it stands is the only draw there is
            chain.advance(sampler, model, 1, 1, 1)
            chain.recorded.append(Recorded.of(0, chain.at.state))
            with suppress(KeyboardInterrupt):
                tell(chain, done=True)
    return why[0] if why and unfinished else "completed"
