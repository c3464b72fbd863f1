"""One restart, from its start to its end: the loop over iterations of all solvers.

Restart r depends on the task and its number alone: its random stream is spawned from the entropy by r, and products are
cut into chunks whatever the number of threads. So its bits are the same wherever it runs, and, given where it stood, in
a later process too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.kernels.namespace import to_numpy
from partita.membership import argmax_labels
from partita.objectives import Problem
from partita.runs import Runs, Status, Stopped
from partita.solvers.base import Solver, State
from partita.solvers.result import Restart
from partita.solvers.start import Start, Starts

__all__ = ["Task", "Unfinished", "Watch", "run_restart"]

# Given the number of a restart, the iteration, the state after it, and what makes an `Unfinished` of it.
Watch = Callable[[int, int, State, "Callable[[], Unfinished]"], None]


@dataclass(frozen=True, eq=False)
class Task:
    """Work that all restarts share: all that a process needs to run one of them."""

    problem: Problem
    solver: Solver
    starts: Starts
    start: tuple[Start, ...]
    n_init: int
    max_iter: int
    tol: float
    entropy: Any

    def start_of(self, r: int) -> Start:
        """Return the start of restart r; the last entry serves the rest."""
        return self.start[min(r, len(self.start) - 1)]

    def generator(self, r: int) -> np.random.Generator:
        """Return the random stream of restart r; number `n_init` is the result's own."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(r,)))

    def membership(self, factor: Array) -> Array:
        """Return the membership that a factor stands for: itself on the simplex."""
        domain = self.problem.objective.domain
        weights = self.problem.weights
        return domain.membership(factor, domain.columns(factor, weights), weights)

    def prepare(self, numbers: Iterable[int]) -> None:
        """Compute what restarts share before they run side by side, each of which would compute it otherwise."""
        self.problem.squared_norm  # noqa: B018 - fills the cache
        if any(isinstance(s, str) and s == "spectral" for s in map(self.start_of, numbers)):
            self.starts.spectral_labels  # noqa: B018 - fills the cache


@dataclass(frozen=True, eq=False)
class Unfinished:
    """State of an unfinished restart: everything that its next iteration, and its end, depend on."""

    state: State
    trace: Array
    n_products: int
    generator: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, eq=False)
class _Now:
    state: State
    iteration: int
    n_products: int


def run_restart(
    runs: Runs, task: Task, r: int, standing: Unfinished | None = None, watch: Watch | None = None
) -> tuple[Restart, Unfinished | None]:
    """Run restart r, from its start or from where it stood.

    Returns
    -------
    The restart as it ended, and where it stands if it was stopped before its end.

    Raises
    ------
    Stopped
        Where Ctrl-C came before the first state.
    """
    began = time.perf_counter()
    before = 0.0 if standing is None else standing.seconds
    problem, rng = task.problem.fresh(), task.generator(r)
    trace: list[float] = []
    now: _Now | None = None
    status: Status | None

    def unfinished() -> Unfinished:
        assert now is not None
        known, seconds = np.array(trace[: now.iteration + 1]), before + time.perf_counter() - began
        return Unfinished(now.state, known, now.n_products, rng.bit_generator.state, seconds)

    try:
        if standing is None:
            W = task.starts.make(task.start_of(r), r, rng)
            W = problem.affinity.native(W) if task.solver.any_arrays else W
            state = task.solver.start(problem, problem.objective.domain.begin(problem, W))
            trace.append(state.point.value)
            now = _Now(state, 0, problem.n_products)
            if watch is not None:
                watch(r, 0, state, unfinished)
        else:
            rng.bit_generator.state = standing.generator
            trace.extend(standing.trace.tolist())
            problem.n_products = standing.n_products
            now = _Now(standing.state, len(trace) - 1, standing.n_products)
        while True:
            if now.state.stalled or now.state.optimality <= task.tol:
                status = "converged"
            elif now.iteration >= task.max_iter:
                status = "max_iter"
            else:
                status = runs.stops()
                if status == "max_seconds" and standing is not None and now.iteration == len(standing.trace) - 1:
                    status = None  # a resumed restart takes a step in any case: short calls get on too
            if status is not None:
                break
            state = task.solver.step(problem, now.state)
            trace.append(state.point.value)
            # One assignment: wherever Ctrl-C comes, state, count and trace are those of one iteration.
            now = _Now(state, now.iteration + 1, problem.n_products)
            if watch is not None:
                watch(r, now.iteration, state, unfinished)
    except KeyboardInterrupt:  # in the main thread only
        runs.interrupt()
        status = "interrupted"
    if now is None:
        raise Stopped
    left = None if status in ("converged", "max_iter") else unfinished()
    return _restart(task, r, rng, now, trace, status, before + time.perf_counter() - began), left


def _restart(
    task: Task, r: int, rng: np.random.Generator, now: _Now, trace: list[float], status: Status, seconds: float
) -> Restart:
    start, point, norm = task.start_of(r), now.state.point, task.problem.squared_norm
    factor = np.asarray(to_numpy(point.W), dtype=np.float64)
    if task.problem.rounding > 1:  # of single precision, which leaves rows that sum to one by 1e-6
        factor = task.problem.objective.domain.project(factor, task.problem.weights)
    membership = task.membership(factor)
    return Restart(
        start=start if isinstance(start, str) else "given",
        objective=task.problem.total(point),
        status=status,
        optimality=now.state.optimality,
        n_iter=now.iteration,
        n_products=now.n_products,
        seconds=seconds,
        scale=point.scale,
        labels=argmax_labels(membership, rng).astype(np.int32),
        trace=np.maximum(np.array(trace[: now.iteration + 1]) + norm, 0.0),
        membership=membership,
        factor=factor,
    )
