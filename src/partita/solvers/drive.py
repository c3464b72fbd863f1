"""The one driver: starts, restarts in parallel, stopping, trace, best-so-far, interruption, count of products.

Every factorization goes through here. Restart r has its own random stream, spawned from the seed by its number, and its
products are cut into the same chunks whatever the number of threads, so that the answer does not depend on `n_jobs`.
"""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.errors import InputError
from partita.kernels.threads import available_cores, limit_threads
from partita.membership import Membership, argmax_labels
from partita.memory import available_memory
from partita.objectives import Problem
from partita.solvers.base import Solver, State
from partita.solvers.result import Restart, SolveResult, Status, first_best
from partita.solvers.start import Starts

__all__ = ["Progress", "Start", "drive"]

Array = NDArray[np.float64]
Start = str | Array
Progress = Callable[["Progressing"], None]

log = logging.getLogger("partita")

# Memberships of all restarts are kept while together they take less than this share of the free memory.
KEEP_SHARE = 0.05
# Optimality that rounding of the objective may leave; a stall above it is worth a note.
PRECISE = 1e-6


@dataclass(frozen=True)
class Progressing:
    """What a progress callback is told after each iteration."""

    restart: int
    n_restarts: int
    iteration: int
    max_iter: int
    optimality: float
    done: bool


def drive(
    problem: Problem,
    solver: Solver,
    starts: Starts,
    start: Start | Sequence[Start],
    *,
    n_init: int = 1,
    max_iter: int = 1000,
    tol: float = 1e-4,
    max_seconds: float | None = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    progress: Progress | None = None,
    callback: Callable[[int, State], None] | None = None,
) -> SolveResult:
    """Minimise an objective from several starts; the best by objective wins, all are kept.

    Parameters
    ----------
    problem, solver, starts
        What, how, and from where.
    start : name, array, or a sequence of them
        Restart r takes entry r, and the last one for the rest.
    n_init : int
        Restarts.
    max_iter : int
        Iterations of a restart.
    tol : float
        A restart has converged when `optimality` is at most this: the root mean square distance that a natural gradient
        step would still move an item.
    max_seconds : float, optional
        For all restarts together.
    seed : int, optional
    n_jobs : int, optional
        Restarts at a time; None is 1, -1 every core.
    on_interrupt : {"raise", "best"}
        What Ctrl-C does: raise `KeyboardInterrupt`, or return the best membership so far with status "interrupted".
    progress : callable, optional
        Told after each iteration.
    callback : callable, optional
        Given the restart's number and its state after each iteration.

    Raises
    ------
    InputError
        For options out of range, an affinity that lacks what the solver requires, or an objective whose factor lies
        where the solver cannot go.
    """
    if n_init < 1 or max_iter < 1 or not tol >= 0 or (max_seconds is not None and not max_seconds > 0):
        raise InputError(
            f"n_init={n_init}, max_iter={max_iter}, tol={tol}, max_seconds={max_seconds}: expected n_init and max_iter "
            "of at least 1, tol of at least 0 and a positive max_seconds"
        )
    domain = problem.objective.domain.name
    if domain not in solver.domains:
        able = sorted(name for name, kind in Solver.registry.items() if domain in kind.domains)
        raise InputError(
            f"solver {solver.name!r} works on {' and '.join(sorted(solver.domains))} factors, and those of objective "
            f"{problem.objective.name!r} are {domain}; use {' or '.join(able)}"
        )
    pairs = problem.affinity.pair_weights
    if pairs is not None and not pairs.zero_or_one and not solver.weighs_pairs:
        able = sorted(n for n, kind in Solver.registry.items() if kind.weighs_pairs and domain in kind.domains)
        raise InputError(
            f"solver {solver.name!r} cannot weigh pairs; use {' or '.join(able)}"
            if able
            else f"no solver of {domain} factors weighs pairs: this model takes must-links only; drop cannot-links, "
            "pair weights and unobserved pairs, or use SoF or SoftClustering (command line: --model soft)"
        )
    missing = sorted(name for name in solver.requires if not hasattr(problem.affinity, name))
    if missing:
        raise InputError(f"solver {solver.name!r} needs {', '.join(missing)} of the affinity, which it does not offer")
    run = _Run(problem, solver, starts, _sequence(start), n_init, max_iter, tol, max_seconds, seed)
    run.progress, run.callback = progress, callback
    restarts = run.all(_jobs(n_jobs, n_init))
    if run.interrupted and (on_interrupt == "raise" or not restarts):
        raise KeyboardInterrupt
    return run.result(restarts)


@dataclass(eq=False)
class _Run:
    problem: Problem
    solver: Solver
    starts: Starts
    start: list[Start]
    n_init: int
    max_iter: int
    tol: float
    max_seconds: float | None
    seed: int | None
    progress: Progress | None = None
    callback: Callable[[int, State], None] | None = None

    def __post_init__(self) -> None:
        self.stop = threading.Event()
        self.interrupted = False
        self.began = time.perf_counter()
        n, K = self.problem.affinity.n_items, self.starts.n_clusters
        self.keep = 8 * n * K * self.n_init < KEEP_SHARE * available_memory()
        self.streams = np.random.SeedSequence(self.seed).spawn(self.n_init + 1)
        self.lock = threading.Lock()
        self.held: dict[int, tuple[float, Array]] = {}

    def all(self, n_jobs: int) -> list[Restart]:
        with limit_threads(max(1, available_cores() // n_jobs)):
            if n_jobs == 1:
                return self._one_after_another()
            return self._side_by_side(n_jobs)

    def _one_after_another(self) -> list[Restart]:
        found: list[Restart] = []
        for r in range(self.n_init):
            if found and self._out_of_time():
                break
            restart = self._one(r)
            if restart is not None:
                found.append(restart)
            if self.stop.is_set():
                break
        return found

    def _side_by_side(self, n_jobs: int) -> list[Restart]:
        # What every start needs is computed once, before the threads would all compute it.
        if any(isinstance(s, str) and s == "spectral" for s in self.start):
            self.starts.spectral_labels  # noqa: B018 - fills the cache
        inner = max(1, available_cores() // n_jobs)

        found: dict[int, Restart] = {}
        running: set[int] = set()
        change = threading.Condition()

        def work(r: int) -> None:
            with change:
                if r >= n_jobs and (self.stop.is_set() or self._out_of_time()):
                    return
                running.add(r)
            try:
                with limit_threads(inner):
                    restart = self._one(r)
                if restart is not None:
                    found[r] = restart
            finally:
                with change:
                    running.remove(r)
                    change.notify_all()

        futures: list[Future[None]] = []
        with ThreadPoolExecutor(n_jobs) as pool:
            try:  # the first restarts run, and may be interrupted, while the others are still being handed in
                futures.extend(pool.submit(work, r) for r in range(self.n_init))
                wait(futures)
            except KeyboardInterrupt:
                self.interrupted = True
                self.stop.set()
        with change:  # a pool interrupted while it starts a thread does not know of it, and would not wait
            change.wait_for(lambda: not running)
        for future in futures:
            future.result()
        return [found[r] for r in sorted(found)]

    def _out_of_time(self) -> bool:
        return self.max_seconds is not None and time.perf_counter() - self.began >= self.max_seconds

    def _one(self, r: int) -> Restart | None:
        began = time.perf_counter()
        problem = self.problem.fresh()
        rng = np.random.default_rng(self.streams[r])
        start = self.start[min(r, len(self.start) - 1)]
        status: Status = "max_iter"
        trace: list[float] = []
        state: State | None = None
        try:
            first = problem.objective.domain.begin(problem, self.starts.make(start, r, rng))
            state = self.solver.start(problem, first)
            trace.append(state.point.value)
            for iteration in range(1, self.max_iter + 1):
                if state.stalled or state.optimality <= self.tol:
                    status = "converged"
                elif self.stop.is_set():
                    status = "interrupted"
                elif self._out_of_time():
                    status = "max_seconds"
                else:
                    state = self.solver.step(problem, state)
                    trace.append(state.point.value)
                    self._tell(r, iteration, state, done=False)
                    continue
                break
            else:
                status = "converged" if state.stalled or state.optimality <= self.tol else "max_iter"
        except KeyboardInterrupt:  # in the main thread only
            self.interrupted = True
            self.stop.set()
            status = "interrupted"
        if state is None:
            return None
        self._tell(r, len(trace) - 1, state, done=True)
        point = state.point
        membership = self._membership(point.W)
        if not self.keep:
            self._remember(r, point.W, self.problem.total(point))
        seconds = time.perf_counter() - began
        log.info(
            "restart %d of %d from %s: objective %.6g, %s after %d iterations, %d products, %.2f s",
            *(r + 1, self.n_init, start if isinstance(start, str) else "given start"),
            *(self.problem.squared_norm + point.value, status, len(trace) - 1, problem.n_products, seconds),
        )
        return Restart(
            start=start if isinstance(start, str) else "given",
            objective=self.problem.total(point),
            status=status,
            optimality=state.optimality,
            n_iter=len(trace) - 1,
            n_products=problem.n_products,
            seconds=seconds,
            scale=point.scale,
            labels=argmax_labels(membership, rng).astype(np.int32),
            trace=np.maximum(np.array(trace) + self.problem.squared_norm, 0.0),
            membership=membership if self.keep else None,
            factor=point.W if self.keep else None,
        )

    def _membership(self, factor: Array) -> Array:
        """What the factor says as a membership; on the simplex they are one thing."""
        domain = self.problem.objective.domain
        return domain.membership(factor, domain.columns(factor, self.problem.weights))

    def _remember(self, r: int, W: Array, objective: float) -> None:
        """Where memory is short, only what may be the best membership so far is held."""
        with self.lock:
            self.held[r] = (objective, W)
            numbers = sorted(self.held)
            winner = numbers[first_best([self.held[number][0] for number in numbers])]
            least = min(objective for objective, _ in self.held.values())
            self.held = {n: held for n, held in self.held.items() if n == winner or held[0] == least}

    def _tell(self, r: int, iteration: int, state: State, *, done: bool) -> None:
        if self.callback is not None and not done:
            self.callback(r, state)
        if self.progress is not None:
            self.progress(Progressing(r, self.n_init, iteration, self.max_iter, state.optimality, done))

    def result(self, restarts: list[Restart]) -> SolveResult:
        winner = restarts[first_best([restart.objective for restart in restarts])]
        factor = winner.factor
        if factor is None:
            numbers = sorted(self.held)
            factor = self.held[numbers[first_best([self.held[number][0] for number in numbers])]][1]
        left_out = self.n_init - len(restarts)
        status: Status = "interrupted" if self.interrupted else "max_seconds" if left_out else winner.status
        notes: list[str] = []
        if left_out:
            notes.append(f"{len(restarts)} of {self.n_init} restarts were run")
        if not self.keep and self.n_init > 1:
            notes.append("only the best restart's membership was kept, to save memory")
        if winner.status == "converged" and winner.optimality > max(self.tol, PRECISE):
            notes.append(
                f"no further step lowered the objective above rounding; optimality stayed at {winner.optimality:.1e}"
            )
        if status in ("max_iter", "max_seconds"):
            if winner.status == "converged":
                message = f"max_seconds={self.max_seconds:g} were over after {len(restarts)} of {self.n_init} restarts"
            else:
                message = (
                    f"the best restart stopped at {winner.status} with optimality {winner.optimality:.1e} above "
                    f"tol={self.tol:g} after {winner.n_iter} iterations; raise max_iter or max_seconds, or accept it"
                )
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        norm = self.problem.squared_norm
        W = self._membership(factor)
        membership = Membership(W, np.random.default_rng(self.streams[self.n_init]))
        return SolveResult(
            membership=membership,
            factor=membership.matrix if W is factor else factor,
            scale=winner.scale,
            objective=winner.objective,
            misfit=float(np.sqrt(winner.objective / norm)) if norm > 0 else 0.0,
            status=status,
            optimality=winner.optimality,
            trace=winner.trace,
            n_iter=winner.n_iter,
            n_products=winner.n_products,
            seconds=time.perf_counter() - self.began,
            seed=self.seed,
            objective_name=self.problem.objective.name,
            solver_name=self.solver.name,
            restarts=tuple(restarts),
            norm_is_exact=self.problem.affinity.squared_norm_is_exact,
            notes=tuple(notes),
        )


def _sequence(start: Any) -> list[Start]:
    if isinstance(start, (str, np.ndarray)):
        return [start]
    items = list(start)
    if not items:
        raise InputError("start is an empty sequence; expected a name, an array, or several of them")
    # A nested list of numbers is one membership or one labelling, not a sequence of starts.
    return items if any(isinstance(s, (str, np.ndarray)) for s in items) else [np.asarray(items)]


def _jobs(n_jobs: int | None, n_init: int) -> int:
    if n_jobs == 0:
        raise InputError("n_jobs=0 has no meaning; expected None, a positive number, or -1 for every core")
    wanted = 1 if n_jobs is None else n_jobs if n_jobs > 0 else max(1, available_cores() + 1 + n_jobs)
    return min(wanted, n_init)
