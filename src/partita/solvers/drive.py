"""Minimise an objective: which restarts to run, best-so-far, checkpoints, the result.

The loop over iterations is in `partita.solvers.restarts`; clock, threads and Ctrl-C are the engine's (`partita.runs`).
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import limit_threads, n_threads
from partita.membership import Membership
from partita.memory import fits, require_memory
from partita.objectives import Problem
from partita.pace import Progressing
from partita.runs import Runs, Status
from partita.solvers.base import Solver, State
from partita.solvers.checkpoint import OpenCheckpoint
from partita.solvers.restarts import Task, Unfinished, run_restart
from partita.solvers.result import Restart, SolveResult, first_best
from partita.solvers.start import Start, Starts, starts_in_turn

__all__ = ["Progress", "Progressing", "Start", "drive"]

Progress = Callable[[Progressing], None]

log = logging.getLogger("partita")

# Memberships of all restarts are kept while together they take less than this share of what fits.
KEEP_SHARE = 0.05
# Optimality that rounding of the objective may leave; a stall above it is worth a note.
PRECISE = 1e-6


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
    checkpoint: OpenCheckpoint | None = None,
    progress: Progress | None = None,
    callback: Callable[[int, State], None] | None = None,
    warn: bool = True,
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
        For all restarts together; of a fit that is resumed, what this process spends on it.
    seed : int, optional
    n_jobs : int, optional
        Restarts at a time; None is 1, -1 every core. Under a joblib backend of several processes or machines
        (`joblib.parallel_config("loky", n_jobs=2)`) whole restarts are handed to it.
    on_interrupt : {"raise", "best"}
        What Ctrl-C does: raise `KeyboardInterrupt`, or return the best membership so far with status "interrupted".
        Before there is one it raises all the same, and says so.
    checkpoint : OpenCheckpoint, optional
        Of `partita.solvers.opened`: what it holds of this fit is gone on with, and restarts are written there (those
        handed to joblib when they end).
    progress : callable, optional
        Told after each iteration; of restarts handed to joblib, at their end.
    callback : callable, optional
        Given the restart's number and its state after each iteration; not of restarts handed to joblib.
    warn : bool
        Whether to warn where the best restart has not converged. To catch warnings is not safe among threads.

    Raises
    ------
    InputError
        For options out of range, an affinity that lacks what the solver requires, an objective whose factor lies where
        the solver cannot go, or a checkpoint that is corrupt or of another fit.
    MemoryLimitError
        Where the memberships alone would not fit.
    """
    check_options(problem, solver, n_clusters=starts.n_clusters, n_init=n_init, max_iter=max_iter, tol=tol)
    runs = Runs(n_jobs, max_seconds, on_interrupt, progress)
    in_turn, entropy = tuple(starts_in_turn(start)), np.random.SeedSequence(seed).entropy
    task = Task(problem, solver, starts, in_turn, n_init, max_iter, tol, entropy)
    if checkpoint is not None:
        task = replace(task, entropy=checkpoint.begin(task, seed))
    fit = _Fit(task, runs, seed, checkpoint, callback)
    with runs:
        fit.run()
    if runs.interrupted and not fit.found:
        raise KeyboardInterrupt("interrupted before the first iterate: there is no best membership so far")
    return fit.result(warn=warn)


@dataclass(eq=False)
class _Fit:
    """One call of `drive`: what its restarts led to, and the checkpoint that they are written to."""

    task: Task
    runs: Runs
    seed: int | None
    checkpoint: OpenCheckpoint | None
    callback: Callable[[int, State], None] | None
    found: dict[int, Restart] = field(default_factory=dict)
    held: dict[int, tuple[float, Array]] = field(default_factory=dict)
    n_earlier: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        n, K = self.task.problem.affinity.n_items, self.task.starts.n_clusters
        self.keeps_all = fits(int(8 * n * K * self.task.n_init / KEEP_SHARE))

    def run(self) -> None:
        """Run every restart that is not finished yet."""
        numbers = self._pending()
        spreads = len(numbers) > 1 and self.runs.spreads
        if spreads or min(self.runs.n_jobs, len(numbers)) > 1:
            with limit_threads(n_threads()):
                self.task.prepare(r for r in numbers if self.checkpoint is None or not self.checkpoint.stands(r))
        if spreads:
            for place, outcome in self.runs.spread(run_restart, ((self.task, r, self._standing(r)) for r in numbers)):
                self._collect(numbers[place], *outcome)
        else:
            for _ in self.runs.each(self._one, numbers):
                pass

    def _pending(self) -> list[int]:
        """Load finished restarts; return the rest."""
        if self.checkpoint is not None:
            for r in range(self.task.n_init):
                restart = self.checkpoint.finished(r)
                if restart is not None:
                    self._hold(r, restart)
        self.n_earlier = len(self.found)
        return [r for r in range(self.task.n_init) if r not in self.found]

    def _standing(self, r: int) -> Unfinished | None:
        return None if self.checkpoint is None else self.checkpoint.unfinished(r, self.task.problem)

    def _one(self, r: int) -> None:
        self._collect(r, *run_restart(self.runs, self.task, r, self._standing(r), self._watch))

    def _watch(self, r: int, iteration: int, state: State, standing: Callable[[], Unfinished]) -> None:
        """Tell of a state, and keep it in the checkpoint when that is due."""
        if iteration > 0:
            if self.callback is not None:
                self.callback(r, state)
            self._tell(r, iteration, state.optimality, done=False)
        if self.checkpoint is not None:
            if iteration == 0:
                self.checkpoint.begun(r, state)
            elif self.checkpoint.due(r):
                self.checkpoint.keep_restart(r, standing())

    def _collect(self, r: int, restart: Restart, left: Unfinished | None) -> None:
        log.info(
            "restart %d of %d from %s: objective %.6g, %s after %d iterations, %d products, %.2f s",
            *(r + 1, self.task.n_init, restart.start if restart.start != "given" else "given start"),
            *(restart.objective, restart.status, restart.n_iter, restart.n_products, restart.seconds),
        )
        if self.checkpoint is not None and left is None:
            self.checkpoint.finish(r, restart)
        elif self.checkpoint is not None and left is not None:
            self.checkpoint.keep_restart(r, left)
        self._hold(r, restart)
        self._tell(r, restart.n_iter, restart.optimality, done=True)

    def _hold(self, r: int, restart: Restart) -> None:
        """Where memory is short, only what may be the best membership so far is held."""
        with self.lock:
            if not self.keeps_all:
                assert restart.factor is not None
                self.held[r] = (restart.objective, restart.factor)
                winner = self._best(self.held, lambda held: held[0])
                least = min(objective for objective, _ in self.held.values())
                self.held = {n: held for n, held in self.held.items() if n == winner or held[0] == least}
                restart = replace(restart, membership=None, factor=None)
            self.found[r] = restart

    @staticmethod
    def _best(entries: dict[int, Any], objective: Callable[[Any], float]) -> int:
        numbers = sorted(entries)
        return numbers[first_best([objective(entries[number]) for number in numbers])]

    def _tell(self, r: int, iteration: int, optimality: float, *, done: bool) -> None:
        n_init, max_iter, tol = self.task.n_init, self.task.max_iter, self.task.tol
        self.runs.tell(Progressing(r, n_init, iteration, max_iter, optimality, done, tol, n_earlier=self.n_earlier))

    def result(self, *, warn: bool) -> SolveResult:
        task, problem = self.task, self.task.problem
        restarts = [self.found[r] for r in sorted(self.found)]
        winner = restarts[first_best([restart.objective for restart in restarts])]
        factor = winner.factor
        if factor is None:
            factor = self.held[self._best(self.held, lambda held: held[0])][1]
        left_out = task.n_init - len(restarts)
        status: Status = "interrupted" if self.runs.interrupted else "max_seconds" if left_out else winner.status
        if warn and status in ("max_iter", "max_seconds"):
            warnings.warn(self._not_converged(winner, len(restarts)), ConvergenceWarning, stacklevel=4)
        earlier, seconds = 0.0, self.runs.seconds
        notes = self._notes(restarts, winner)
        if self.checkpoint is not None:
            earlier, seconds = self.checkpoint.earlier_seconds, self.checkpoint.spent()
            ended = all(restart.status in ("converged", "max_iter") for restart in restarts)
            self.checkpoint.complete = ended and not left_out and not self.runs.interrupted
            if not self.checkpoint.complete:
                notes.append("the checkpoint is kept: the same fit goes on from it")
        norm = problem.squared_norm
        W = task.membership(factor) if winner.membership is None else winner.membership
        membership = Membership(W, task.generator(task.n_init))
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
            seconds=seconds,
            earlier_seconds=earlier,
            seed=self.seed,
            objective_name=problem.objective.name,
            solver_name=task.solver.name,
            restarts=tuple(restarts),
            norm_is_exact=problem.affinity.squared_norm_is_exact,
            notes=tuple(notes),
        )

    def _notes(self, restarts: list[Restart], winner: Restart) -> list[str]:
        n_init = self.task.n_init
        notes = [] if self.checkpoint is None else list(self.checkpoint.notes)
        if len(restarts) < n_init:
            notes.append(f"{len(restarts)} of {n_init} restarts were run")
        if not self.keeps_all and n_init > 1:
            notes.append("only the best restart's membership was kept, to save memory")
        if winner.status == "converged" and winner.optimality > max(self.task.tol, PRECISE):
            notes.append(
                f"no further step lowered the objective above rounding; optimality stayed at {winner.optimality:.1e}"
            )
        return notes

    def _not_converged(self, winner: Restart, n_run: int) -> str:
        if winner.status == "converged":
            limit = f"the limit of {self.runs.max_seconds:g} s (max_seconds)"
            return f"{limit} was reached after {n_run} of {self.task.n_init} restarts"
        return (
            f"the best restart stopped at {winner.status} with optimality {winner.optimality:.1e} above "
            f"tol={self.task.tol:g} after {winner.n_iter} iterations; raise max_iter or max_seconds, or accept it"
        )


# Checks by the driver before the first step: options in range, and a solver that can do this problem.


# N x K arrays that the leanest solver holds at once.
FACTORS = 6


def check_options(
    problem: Problem,
    solver: Solver,
    *,
    n_clusters: int,
    n_init: int,
    max_iter: int,
    tol: float,
) -> None:
    """Raise `InputError` for options out of range, and for a solver that cannot do the problem, with those that can.

    Raises
    ------
    InputError, MemoryLimitError
    """
    if n_init < 1 or max_iter < 1 or not tol >= 0:
        raise InputError(
            f"n_init={n_init}, max_iter={max_iter}, tol={tol}: expected n_init and max_iter of at least 1 and tol of "
            "at least 0"
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
    n = problem.affinity.n_items
    require_memory(
        FACTORS * 8 * n * n_clusters,
        f"{n:,} items in {n_clusters:,} clusters, and what a step needs beside their membership,",
        "ask for fewer clusters, or fit a sample and predict the rest",
    )
    missing = sorted(name for name in solver.requires if not hasattr(problem.affinity, name))
    if missing:
        raise InputError(f"solver {solver.name!r} needs {', '.join(missing)} of the affinity, which it does not offer")
