"""Chains in blocks of sweeps, on threads, until each has its draws, or the engine (`partita.runs`) stops them.

A chain depends on the model, its start and its number alone, and is cut into blocks that depend on N and the number of
draws: so its draws are the same on any number of threads. Threads take the chain that has waited longest, run a block
and put it back, so that chains stopped early have about as many draws each.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from partita.mixture.base import ChainState, Kept, MixtureModel, Recorded, Sampler
from partita.pace import Progressing
from partita.runs import Runs, Status

__all__ = ["Chain", "ChainPlan", "run_chains"]

# Updates of an item's label in a block: some hundredths of a second, so that a stop is heard and chains keep together.
UPDATES = 100_000
# Sweeps of a block of burn-in at most.
BURN_IN_BLOCK = 50
# Seconds between two reports of a chain.
REPORT = 0.1


@dataclass(frozen=True)
class ChainPlan:
    """Lengths of the chains; components are recorded at the end of a block, at least at every `stride`-th draw."""

    n_draws: int
    burn_in: int
    thin: int
    stride: int

    @property
    def n_sweeps(self) -> int:
        """Sweeps of a whole chain."""
        return self.burn_in + self.n_draws * self.thin

    def next_block(self, n_items: int, sweeps: int, kept: int) -> tuple[int, int]:
        """Return the sweeps of the next block, and draws that it keeps."""
        allowed = max(1, UPDATES // n_items)
        if sweeps < self.burn_in:
            return min(allowed, BURN_IN_BLOCK, self.burn_in - sweeps), 0
        draws = min(max(1, allowed // self.thin), self.n_draws - kept, self.stride - kept % self.stride)
        return draws * self.thin, draws


@dataclass(frozen=True, eq=False)
class _At:
    """Progress of a chain, replaced in one assignment, so that Ctrl-C leaves no half of it."""

    state: ChainState
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
    reported: float = -np.inf

    @classmethod
    def of(cls, number: int, start: str, rng: np.random.Generator, state: ChainState, n_draws: int) -> Chain:
        """Return a chain that has not moved yet, with room for its draws."""
        n_items = len(state.labels)
        label = np.int16 if n_items <= np.iinfo(np.int16).max else np.int32
        kept = Kept(
            np.empty((n_draws, n_items), dtype=label),
            np.empty(n_draws, dtype=np.int64),
            np.empty(n_draws),
            np.empty(n_draws),
        )
        return cls(number, start, rng, _At(state, 0, 0), kept)

    def advance(self, sampler: Sampler, model: MixtureModel, n_sweeps: int, n_draws: int, thin: int) -> None:
        """Run one block of sweeps."""
        at = self.at
        rows = self.kept.rows(at.n_kept, at.n_kept + n_draws)
        state = sampler.advance(model, at.state, self.rng, n_sweeps, thin, rows)
        self.at = _At(state, at.sweeps + n_sweeps, at.n_kept + n_draws)


def run_chains(chains: list[Chain], sampler: Sampler, model: MixtureModel, plan: ChainPlan, runs: Runs) -> Status:
    """Run the chains to the end of the plan, or until `max_seconds` or Ctrl-C; every chain keeps at least one draw."""
    waiting = deque(chains)

    def tell(chain: Chain, *, done: bool) -> None:
        if done or runs.seconds - chain.reported >= REPORT:
            chain.reported = runs.seconds
            runs.tell(Progressing(chain.number, len(chains), chain.at.sweeps, plan.n_sweeps, 0.0, done))

    def block(chain: Chain) -> bool:
        """Run one block; whether there is another."""
        n_sweeps, n_draws = plan.next_block(len(model.items), chain.at.sweeps, chain.at.n_kept)
        chain.advance(sampler, model, n_sweeps, n_draws, plan.thin)
        kept = chain.at.n_kept
        if n_draws:
            chain.recorded.append(Recorded.of(kept - 1, chain.at.state))
        done = kept == plan.n_draws
        tell(chain, done=done)
        return not done

    def work(_: int) -> None:
        while True:
            try:
                chain = waiting.popleft()
            except IndexError:  # those that are left run on other threads
                return
            if block(chain):
                waiting.append(chain)
            if runs.stops() is not None:
                return

    with runs:
        for _ in runs.each(work, range(min(runs.n_jobs, len(chains)))):
            pass
    unfinished = any(chain.at.n_kept < plan.n_draws for chain in chains)
    for chain in chains:
        if chain.at.n_kept == 0:  # stopped within the burn-in: where it stands is the only draw there is
            chain.advance(sampler, model, 1, 1, 1)
            chain.recorded.append(Recorded.of(0, chain.at.state))
            with suppress(KeyboardInterrupt):
                tell(chain, done=True)
    return (unfinished and runs.cut_short) or "completed"
