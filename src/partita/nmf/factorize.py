"""Nonnegative factorization of a posterior similarity matrix: restarts, the best of them, and its reading."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita.arrays import Array
from partita.errors import InputError
from partita.membership import Membership
from partita.memory import require_memory
from partita.nmf.base import Factors, NMFMethod, as_method, described, squared_distance
from partita.nmf.checks import checked_similarity
from partita.nmf.iterate import CHECK_EVERY, UNCHANGED, StoppingRule, iterate
from partita.nmf.misfit import membership_misfit
from partita.nmf.reading import FactorReading, Scaling, check_scaling, read
from partita.nmf.result import NMFRestart, NMFResult
from partita.nmf.start import Start, first_factors
from partita.pace import Progressing
from partita.partition.dendrogram import Dendrogram
from partita.runs import Runs, Status
from partita.solvers.result import first_best
from partita.solvers.start import starts_in_turn

__all__ = ["nmf"]


def nmf(
    similarity: Any,
    n_clusters: int,
    *,
    method: str | NMFMethod = "ls",
    start: Start | Sequence[Start] = ("dendrogram", "medoids"),
    n_init: int = 10,
    scaling: Scaling = "balanced",
    max_iter: int = 2000,
    unchanged: int = UNCHANGED,
    tol: float = 0.0,
    max_seconds: float | None = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    progress: Callable[[Progressing], None] | None = None,
    dendrogram: Dendrogram | None = None,
) -> NMFResult:
    """Factorize a similarity matrix, V ~ W H with W, H >= 0, and read a partition and a membership off them.

    Parameters
    ----------
    similarity : N x N array
        A posterior similarity matrix: symmetric, entries in [0, 1].
    n_clusters : int
        K, the columns of W.
    method : {"ls", "kl", "ns", "offset"} or NMFMethod
        Objective that is minimised: `LeastSquares`, `KullbackLeibler`, `Nonsmooth` or `Offset`.
    start : "dendrogram", "medoids", "random", array of N labels, or a sequence of them
        Restart r takes entry r, the last one serves the rest; see `partita.nmf.start`. "random" is the paper's.
    n_init : int
        Restarts; the best objective wins.
    scaling : {"balanced", "plain"}
        Factor that is read: the mean of W and H^T with their components on one scale, or H as it is, which is the
        paper's.
    max_iter : int
    unchanged : int
        A restart has converged when its partition is the same at so many checks, one every 10 iterations; 0 turns that
        off.
    tol : float
        It has converged, too, when the objective falls by at most this share of it between two checks; 0 turns that
        off.
    max_seconds : float, optional
        For all restarts together.
    seed : int, optional
        Restart r has a random stream of its own, spawned by its number.
    n_jobs : int, optional
        Restarts at a time, on threads; None is 1, -1 every core. The answer is the same.
    on_interrupt : {"raise", "best"}
        Effect of Ctrl-C.
    progress : callable, optional
        Told at each check.
    dendrogram : Dendrogram, optional
        Average linkage of this matrix, made before.

    Returns
    -------
    NMFResult

    Raises
    ------
    InputError
        For a matrix that is not a similarity matrix, or options out of range.
    MemoryLimitError
        Where N x N arrays would not fit.

    Notes
    -----
    An update costs 4 N^2 K multiplications (least squares) or 8 N^2 K and 2 N^2 divisions.

    References
    ----------
    [bayes-nmf] section 4.

    Examples
    --------
    >>> V = np.kron(np.eye(2), np.full((3, 3), 0.8)) + 0.2 * np.eye(6)
    >>> result = nmf(V, 2, method="kl", n_init=1)
    >>> result.labels.tolist(), result.n_clusters
    ([0, 0, 0, 1, 1, 1], 2)
    """
    chosen = as_method(method)
    check_scaling(scaling)
    V = checked_similarity(similarity)
    if not 1 <= n_clusters <= len(V):
        raise InputError(f"n_clusters={n_clusters}: expected a number from 1 to the number of items, {len(V)}")
    if n_init < 1 or max_iter < 1 or unchanged < 0 or not tol >= 0:
        raise InputError(
            f"n_init={n_init}, max_iter={max_iter}, unchanged={unchanged}, tol={tol}: expected n_init and max_iter of "
            "at least 1, unchanged and tol of at least 0"
        )
    runs = Runs(n_jobs, max_seconds, on_interrupt, progress)
    require_memory(
        16 * len(V) * n_clusters * n_init,
        f"the factors of {n_init:,} restarts with {n_clusters:,} components",
        "ask for fewer restarts or components",
    )
    starts, rule = starts_in_turn(start), StoppingRule(max_iter, unchanged, tol, scaling)
    entropy = np.random.SeedSequence(seed).entropy
    restarts = _Restarts(V, n_clusters, chosen, starts, n_init, rule, runs, entropy, dendrogram)
    with runs:
        restarts.all()
    if not restarts.found:
        raise KeyboardInterrupt
    return restarts.result(seed)


@dataclass(eq=False)
class _Restarts:
    """One call of `nmf`: the data that its restarts share, and their results."""

    V: Array
    K: int
    method: NMFMethod
    starts: Sequence[Start]
    n_init: int
    rule: StoppingRule
    runs: Runs
    entropy: Any
    dendrogram: Dendrogram | None
    found: list[tuple[NMFRestart, Factors]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def all(self) -> None:
        """Run every restart that there is time for."""
        for found in self.runs.each(self.one, range(self.n_init)):
            self.found.append(found)

    def one(self, r: int) -> tuple[NMFRestart, Factors]:
        start = self.starts[min(r, len(self.starts) - 1)]
        rng = np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(r,)))
        first = self.method.begin(self.V, first_factors(self.V, self.K, start, rng, self.tree))
        at = iterate(self.runs, self.method, self.V, first, self.rule, lambda *now: self.tell(r, *now))
        value = self.method.objective(self.V, at.factors)
        if not np.isfinite(value) or not at.factors.finite():
            raise InputError(f"restart {r} of {described(self.method)} left double precision: the objective is {value}")
        if not at.trace or at.trace[-1] != value:
            at.trace.append(value)
        self.tell(r, at.n_iter, at.optimality, done=True)
        named, trace = start if isinstance(start, str) else "given", np.array(at.trace)
        return NMFRestart(named, value, at.status, at.optimality, at.n_iter, at.seconds, at.labels, trace), at.factors

    def tree(self) -> Dendrogram:
        """Dendrogram of the matrix, made once."""
        with self.lock:
            if self.dendrogram is None:
                self.dendrogram = Dendrogram.of(self.V, "average")
            return self.dendrogram

    def tell(self, r: int, iteration: int, optimality: float, *, done: bool = False) -> None:
        self.runs.tell(Progressing(r, self.n_init, iteration, self.rule.max_iter, optimality, done))

    def result(self, seed: int | None) -> NMFResult:
        """The best restart, read."""
        restarts = tuple(restart for restart, _ in self.found)
        winner, factors = self.found[first_best([restart.objective for restart in restarts])]
        left_out = self.n_init - len(restarts)
        status: Status = "interrupted" if self.runs.interrupted else "max_seconds" if left_out else winner.status
        if status in ("max_iter", "max_seconds"):
            warnings.warn(self._not_converged(winner, status, len(restarts)), ConvergenceWarning, stacklevel=3)
        reading = read(factors, self.rule.scaling)
        residual = squared_distance(self.method, self.V, factors)
        membership = Membership(reading.membership)
        membership.labels = reading.labels  # an item whose row is tied has one cluster here and there
        return NMFResult(
            method=described(self.method),
            membership=membership,
            labels=reading.labels,
            W=factors.W,
            H=np.ascontiguousarray(factors.Ht.T),
            offset=factors.offset,
            components=reading.order,
            objective=winner.objective,
            residual=residual,
            misfit=float(np.sqrt(residual) / np.linalg.norm(self.V)),
            membership_misfit=membership_misfit(self.V, reading.membership),
            status=status,
            optimality=winner.optimality,
            n_iter=winner.n_iter,
            seconds=self.runs.seconds,
            seed=seed,
            restarts=restarts,
            notes=tuple(self._notes(reading, left_out)),
        )

    def _not_converged(self, winner: NMFRestart, status: Status, n_ended: int) -> str:
        if status == "max_seconds":
            return f"time was over after {n_ended} of {self.n_init} restarts: the best of these is returned"
        return (
            f"the partition of the best restart changed within the last {CHECK_EVERY * self.rule.unchanged} of "
            f"{winner.n_iter} iterations; raise max_iter"
            if self.rule.unchanged
            else f"the best restart stopped at max_iter={winner.n_iter}; raise max_iter or tol"
        )

    def _notes(self, reading: FactorReading, left_out: int) -> list[str]:
        notes, columns = [], reading.membership.shape[1]
        if columns < self.K:
            notes.append(f"{self.K - columns} of {self.K} components are zero and were dropped")
        if reading.n_clusters < columns:
            notes.append(
                f"{columns - reading.n_clusters} of {columns} columns are no item's largest: their clusters are empty"
            )
        if reading.n_unassigned:
            notes.append(f"{reading.n_unassigned} items are in no component; their membership is uniform")
        if left_out:
            notes.append(f"{left_out} of {self.n_init} restarts were left out")
        return notes
