"""Restarts: one from its start to its end, and many: on threads, or handed to joblib.

Restart r depends on the task and its number alone: its random stream is spawned from the entropy by r, and products are
cut into chunks whatever the number of threads. So its bits are the same wherever it runs, and, given where it stood, in
a later process too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernels.namespace import to_numpy
from partita.kernels.threads import available_cores, limit_threads, n_threads
from partita.membership import argmax_labels
from partita.objectives import Problem
from partita.solvers.base import Solver, State
from partita.solvers.result import Restart, Status
from partita.solvers.start import Starts

__all__ = ["Start", "Task", "Unfinished", "Watch", "on_threads", "run_restart", "spread", "spreads"]

Array = NDArray[np.float64]
Start = str | Array
Outcome = tuple[Restart, "Unfinished | None"]


@dataclass(frozen=True, eq=False)
class Task:
    """What all restarts share, and all that a process needs to run one of them."""

    problem: Problem
    solver: Solver
    starts: Starts
    start: tuple[Start, ...]
    n_init: int
    max_iter: int
    tol: float
    entropy: Any

    def start_of(self, r: int) -> Start:
        """What restart r begins with; the last entry serves the rest."""
        return self.start[min(r, len(self.start) - 1)]

    def generator(self, r: int) -> np.random.Generator:
        """The random stream of restart r; number `n_init` is the result's own."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(r,)))

    def membership(self, factor: Array) -> Array:
        """What a factor says as a membership; on the simplex they are one thing."""
        domain = self.problem.objective.domain
        weights = self.problem.weights
        return domain.membership(factor, domain.columns(factor, weights), weights)

    def prepare(self, numbers: Iterable[int]) -> None:
        """Compute once what the restarts would each compute beside one another."""
        self.problem.squared_norm  # noqa: B018 - fills the cache
        if any(isinstance(s, str) and s == "spectral" for s in map(self.start_of, numbers)):
            self.starts.spectral_labels  # noqa: B018 - fills the cache


@dataclass(frozen=True, eq=False)
class Unfinished:
    """Where a restart stands: everything that its next iteration, and its end, depend on."""

    state: State
    trace: Array
    n_products: int
    generator: Mapping[str, Any]
    seconds: float


class Watch:
    """What the loop asks between two iterations, and what it tells; here it asks for nothing and tells nobody."""

    def stops(self) -> Status | None:
        """Why a restart should end before it has converged, if it should."""
        return None

    def interrupt(self) -> None:
        """Ctrl-C came."""

    def begun(self, r: int, state: State) -> None:
        """The first state."""

    def told(self, r: int, iteration: int, state: State, *, done: bool) -> None:
        """A state, and that it is the last."""

    def due(self, r: int) -> bool:
        """Whether the restart is to be kept as it stands now."""
        return False

    def keep(self, r: int, unfinished: Unfinished) -> None:
        """Keep it."""


@dataclass(frozen=True, eq=False)
class _Now:
    state: State
    iteration: int
    n_products: int


def run_restart(task: Task, r: int, watch: Watch, standing: Unfinished | None = None) -> Outcome | None:
    """Run restart r, from its start or from where it stood; None where Ctrl-C came before its first state.

    Returns
    -------
    What it led to, and where it stands if it was stopped.
    """
    began = time.perf_counter()
    before = 0.0 if standing is None else standing.seconds
    problem, rng = task.problem.fresh(), task.generator(r)
    trace: list[float] = []
    now: _Now | None = None
    status: Status | None

    def unfinished(at: _Now) -> Unfinished:
        seconds = before + time.perf_counter() - began
        return Unfinished(
            at.state, np.array(trace[: at.iteration + 1]), at.n_products, rng.bit_generator.state, seconds
        )

    try:
        if standing is None:
            W = task.starts.make(task.start_of(r), r, rng)
            W = problem.affinity.native(W) if task.solver.any_arrays else W
            state = task.solver.start(problem, problem.objective.domain.begin(problem, W))
            trace.append(state.point.value)
            now = _Now(state, 0, problem.n_products)
            watch.begun(r, state)
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
                status = watch.stops()
                if status == "max_seconds" and standing is not None and now.iteration == len(standing.trace) - 1:
                    status = None  # a resumed restart takes a step in any case: short calls get on too
            if status is not None:
                break
            state = task.solver.step(problem, now.state)
            trace.append(state.point.value)
            # One assignment: wherever Ctrl-C comes, state, count and trace are those of one iteration.
            now = _Now(state, now.iteration + 1, problem.n_products)
            watch.told(r, now.iteration, state, done=False)
            if watch.due(r):
                watch.keep(r, unfinished(now))
    except KeyboardInterrupt:  # in the main thread only
        watch.interrupt()
        status = "interrupted"
    if now is None:
        return None
    left = None if status in ("converged", "max_iter") else unfinished(now)
    watch.told(r, now.iteration, now.state, done=True)
    return _restart(task, r, rng, now, trace, status, before + time.perf_counter() - began), left


def _restart(
    task: Task, r: int, rng: np.random.Generator, now: _Now, trace: list[float], status: Status, seconds: float
) -> Restart:
    start, point, norm = task.start_of(r), now.state.point, task.problem.squared_norm
    factor = np.asarray(to_numpy(point.W), dtype=np.float64)
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


def on_threads(
    one: Callable[[int], None],
    numbers: Sequence[int],
    over: Callable[[], bool],
    n_jobs: int,
    interrupt: Callable[[], None],
) -> None:
    """Call `one` for each number on `n_jobs` threads; where time is over, for the first `n_jobs` only.

    Ctrl-C, which reaches the main thread, calls `interrupt` and waits for those that run.
    """
    inner = max(1, n_threads() // n_jobs)
    running: set[int] = set()
    change = threading.Condition()

    def work(place: int, r: int) -> None:
        with change:
            if place >= n_jobs and over():
                return
            running.add(r)
        try:
            with limit_threads(inner):
                one(r)
        finally:
            with change:
                running.remove(r)
                change.notify_all()

    futures: list[Future[None]] = []
    with ThreadPoolExecutor(n_jobs) as pool:
        try:  # the first restarts run, and may be interrupted, while the others are still being handed in
            futures.extend(pool.submit(work, place, r) for place, r in enumerate(numbers))
            wait(futures)
        except KeyboardInterrupt:
            interrupt()
    with change:  # a pool interrupted while it starts a thread does not know of it, and would not wait
        change.wait_for(lambda: not running)
    for future in futures:
        future.result()


def spreads(n_jobs: int | None) -> bool:
    """Whether a joblib backend of several processes or machines was asked for: `joblib.parallel_config("loky")`.

    >>> spreads(2)
    False
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    # Threads are preferred here, so that anything else comes from the context.
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False) and effective_n_jobs(n_jobs) > 1


def spread(
    task: Task,
    numbers: Sequence[int],
    standing: Callable[[int], Unfinished | None],
    n_jobs: int | None,
    seconds: float | None,
    collect: Callable[[int, Outcome], None],
) -> None:
    """Hand whole restarts to joblib's active backend, and what each led to, as it comes in, to `collect`.

    Time is told by the clocks of the machines, which should agree. Nobody is told of single iterations.
    """
    from joblib import delayed, effective_n_jobs

    until, at_once = None if seconds is None else time.time() + seconds, effective_n_jobs(n_jobs)
    calls = (
        delayed(_elsewhere)(task, r, standing(r), until, at_once, may_drop=place >= at_once)
        for place, r in enumerate(numbers)
    )
    for r, outcome in _parallel(n_jobs)(calls):
        if outcome is not None:
            collect(r, outcome)


def _parallel(n_jobs: int | None) -> Any:
    from joblib import Parallel

    try:
        return Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except (TypeError, ValueError):  # an older joblib, or a backend that only knows lists
        return Parallel(n_jobs=n_jobs)


def _elsewhere(
    task: Task, r: int, standing: Unfinished | None, until: float | None, at_once: int, *, may_drop: bool
) -> tuple[int, Outcome | None]:
    watch = _Deadline(until)
    if may_drop and watch.stops():
        return r, None
    with limit_threads(max(1, available_cores() // at_once)):
        return r, run_restart(task, r, watch, standing)


class _Deadline(Watch):
    def __init__(self, until: float | None) -> None:
        self._until = until

    def stops(self) -> Status | None:
        return "max_seconds" if self._until is not None and time.time() >= self._until else None
