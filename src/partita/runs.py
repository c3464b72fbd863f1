"""One engine for everything that runs as several tasks: restarts, searches, factorizations, chains.

`Runs` owns what such calls have in common: the clock and its limit, Ctrl-C, progress, threads, the order of outcomes,
and joblib's processes. A task is a function that asks `Runs.stops` between two of its steps and ends when it is told
to. It keeps where it stands by one assignment for each step, so that Ctrl-C, wherever it comes, leaves a whole step.

Outcomes do not depend on the number of threads as long as tasks do not depend on each other: each has a random stream
of its own, spawned by its number, and products are cut into the same chunks whatever the threads (`kernels/threads`).
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

import numpy as np

from partita.errors import InputError
from partita.kernels.interrupts import call_whole
from partita.kernels.threads import available_cores, limit_threads, n_threads
from partita.pace import Progressing
from partita.scope import untold

__all__ = ["FEW", "Runs", "Status", "Stopped", "count_jobs", "outcomes_of"]

# How a run ended: a sampler has "completed" its plan, everything else has "converged" or was stopped.
Status = Literal["converged", "completed", "max_iter", "max_seconds", "interrupted"]

# Items below which threads are not worth it: most of the time is Python's then, and they would take turns.
FEW = 1000

T = TypeVar("T")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True)
class _Outcome(Generic[R]):
    """Value that a task returned, which may be None."""

    value: R


class Stopped(Exception):  # noqa: N818 - no error: time is over, or Ctrl-C was pressed
    """Raised by a task that was told to stop before it had an outcome."""


def count_jobs(n_jobs: int | None) -> int:
    """Return tasks to run at a time: None is 1, and -1 is every core that `limit_threads` allows, as joblib has it.

    >>> count_jobs(None), count_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InputError(f"n_jobs={n_jobs!r} has no meaning; expected None, a positive number, or -1 for every core")
    return int(n_jobs) if n_jobs > 0 else max(1, n_threads() + 1 + int(n_jobs))


def outcomes_of(
    work: Callable[[T], R],
    tasks: Sequence[T],
    n_items: int,
    n_jobs: int = -1,
    *,
    told: Callable[[int], None] | None = None,
) -> list[R]:
    """Return the outcomes of tasks of one thread each, on all cores, or one after the other where items are few.

    `told` is called with the number of outcomes after each; what the tasks say of their own parts is left out then.

    >>> outcomes_of(lambda x: x * x, [3, 4, 5], n_items=10)
    [9, 16, 25]
    """
    found: list[R] = []
    few = n_items < FEW
    with limit_threads(1) if few else nullcontext(), Runs(1 if few else n_jobs) as runs:
        for outcome in runs.each(work if told is None else _untold(work), tasks):
            found.append(outcome)
            if told is not None:
                told(len(found))
    return found


def _untold(work: Callable[[T], R]) -> Callable[[T], R]:
    def quiet(task: T) -> R:
        with untold():
            return work(task)

    return quiet


class Runs:
    """The limits, clock and threads that the tasks of one call share; its clock starts when it is made.

    Use as a context manager around the tasks: Ctrl-C ends the block and is remembered, and is raised at its end where
    `on_interrupt` is "raise".

    Parameters
    ----------
    n_jobs : int, optional
        Tasks at a time; see `count_jobs`.
    max_seconds : float, optional
        For all tasks together.
    on_interrupt : {"raise", "best"}
        What Ctrl-C does at the end of the block: raise `KeyboardInterrupt`, or leave the best so far to the caller.
    progress : callable, optional
        Given what `tell` is given.

    Attributes
    ----------
    interrupted, out_of_time : bool
        Whether Ctrl-C was pressed, and whether a task was told that time is over.

    Raises
    ------
    InputError
        For an option out of range.

    Examples
    --------
    >>> with Runs(n_jobs=2) as runs:
    ...     list(runs.each(lambda x: x * x, [3, 4, 5]))
    [9, 16, 25]
    """

    def __init__(
        self,
        n_jobs: int | None = None,
        max_seconds: float | None = None,
        on_interrupt: Literal["raise", "best"] = "raise",
        progress: Callable[[Any], None] | None = None,
    ) -> None:
        if max_seconds is not None and not max_seconds > 0:
            raise InputError(f"max_seconds={max_seconds!r}: expected a positive number of seconds, or None")
        if on_interrupt not in ("raise", "best"):
            raise InputError(f"on_interrupt={on_interrupt!r}: expected 'raise' or 'best'")
        self.asked_jobs, self.n_jobs = n_jobs, count_jobs(n_jobs)
        self.max_seconds, self.on_interrupt, self.progress = max_seconds, on_interrupt, progress
        self.began = time.perf_counter()
        self.interrupted = self.out_of_time = False
        self._stopping = False  # running tasks should end: Ctrl-C, an error, or the caller has enough

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> bool:
        if isinstance(value, KeyboardInterrupt):
            self.interrupt()
        elif value is not None:
            return False
        if self.interrupted and self.on_interrupt == "raise":
            raise KeyboardInterrupt
        return True

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Seconds of `max_seconds` that are left; None without a limit."""
        return None if self.max_seconds is None else max(self.max_seconds - self.seconds, 0.0)

    def stops(self) -> Status | None:
        """Return why a running task should end before it is done, if it should."""
        if self._stopping:
            return "interrupted"
        if self.seconds_left == 0.0:
            self.out_of_time = True
        return "max_seconds" if self.out_of_time else None

    @property
    def cut_short(self) -> Status | None:
        """Why tasks were told to stop, if they were."""
        return "interrupted" if self.interrupted else "max_seconds" if self.out_of_time else None

    def interrupt(self) -> None:
        """Take note of Ctrl-C, which a task heard in the midst of a step: all others end too."""
        self.interrupted = True
        self._stopping = True

    def tell(self, at: Progressing | str) -> None:
        """Call the progress callback, with the seconds that are left."""
        if self.progress is None:
            return
        self.progress(at if isinstance(at, str) else dataclasses.replace(at, seconds_left=self.seconds_left))

    def each(self, work: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        """Call `work` for each task on threads, and yield the outcomes in the order of the tasks.

        The first `n_jobs` tasks begin whatever the time, the others only while there is some. Outcomes end at the first
        task that did not begin or raised `Stopped`. After Ctrl-C running tasks are told to stop, and their outcomes
        still come; a caller that has enough breaks off, and running tasks are told to stop too. An error in a task is
        raised here, and stops the others.
        """
        jobs = max(1, min(self.n_jobs, len(tasks)))
        share = max(1, n_threads() // jobs)

        def outcome(place: int) -> _Outcome[R] | None:
            if self._stopping or (place >= jobs and self.stops() is not None):
                return None
            try:
                with limit_threads(share):
                    return _Outcome(work(tasks[place]))
            except Stopped:
                return None

        if jobs > 1:
            with limit_threads(n_threads()):  # of BLAS for the whole process: the first task to end must not lift it
                yield from self._on_threads(outcome, len(tasks), jobs)
            return
        for place in range(len(tasks)):
            found = outcome(place)
            if found is None:
                return
            yield found.value

    def _on_threads(self, outcome: Callable[[int], _Outcome[R] | None], n_tasks: int, n_threads: int) -> Iterator[R]:
        """Outcomes in order; each thread takes the next task that waits.

        Ctrl-C may come between any two operations of the main thread, which therefore takes no lock that others need.
        """
        waiting = deque(range(n_tasks))
        ended: dict[int, _Outcome[R] | BaseException | None] = {}
        news: SimpleQueue[int] = SimpleQueue()

        contexts = [copy_context() for _ in range(n_tasks)]  # what is shared where the tasks were made, and the limits

        def worker() -> None:
            while waiting:
                try:
                    place = waiting.popleft()
                except IndexError:  # another thread took the last one
                    return
                try:
                    ended[place] = contexts[place].run(outcome, place)
                except BaseException as error:  # noqa: BLE001 - raised below, in the thread of the caller
                    self._stopping = True
                    ended[place] = error
                news.put(place)

        def wait_for(condition: Callable[[], bool]) -> None:
            try:
                while not condition():
                    with suppress(Empty):  # Ctrl-C may lose a piece of news
                        news.get(timeout=1.0)
            except KeyboardInterrupt:
                self.interrupt()
                wait_for(condition)

        try:
            try:
                for _ in range(n_threads):
                    call_whole(threading.Thread(target=worker).start)
            except KeyboardInterrupt:
                self.interrupt()
                call_whole(worker)  # no task begins any more, and where there is no thread nobody else would say so
            for place in range(n_tasks):
                wait_for(lambda place=place: place in ended)  # type: ignore[misc]
                found = ended[place]
                if not isinstance(found, _Outcome):
                    break
                yield found.value
        finally:
            self._stopping = True
            wait_for(lambda: len(ended) == n_tasks)
            self._stopping = self.interrupted
        for place in range(n_tasks):
            found = ended[place]
            if isinstance(found, BaseException):
                raise found

    @property
    def spreads(self) -> bool:
        """Return whether `joblib.parallel_config` asks for several processes or machines, as with "loky".

        >>> Runs(n_jobs=2).spreads
        False
        """
        from joblib import effective_n_jobs
        from joblib.parallel import get_active_backend

        # Threads are preferred here, so that anything else comes from the context.
        backend, _ = get_active_backend(prefer="threads")
        return not getattr(backend, "supports_sharedmem", False) and effective_n_jobs(self.asked_jobs) > 1

    def spread(self, work: Callable[..., R], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, R]]:
        """Hand `work(runs, *task)` for each task to joblib's active backend; place and outcome as they come in.

        `runs` is another one there, with the seconds that are left and nobody to tell. Time is told by the clocks of
        the machines, which should agree. Tasks that did not begin or raised `Stopped` are left out.
        """
        from joblib import delayed, effective_n_jobs

        until = None if self.seconds_left is None else time.time() + self.seconds_left
        at_once = effective_n_jobs(self.asked_jobs)
        calls = (
            delayed(_elsewhere)(work, place, task, until, at_once, may_drop=place >= at_once)
            for place, task in enumerate(tasks)
        )
        for place, outcome in _parallel(self.asked_jobs)(calls):
            if outcome is not None:
                yield place, outcome.value


def _parallel(n_jobs: int | None) -> Any:
    from joblib import Parallel

    try:
        return Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except (TypeError, ValueError):  # an older joblib, or a backend that only knows lists
        return Parallel(n_jobs=n_jobs)


def _elsewhere(
    work: Callable[..., R], place: int, task: tuple[Any, ...], until: float | None, at_once: int, *, may_drop: bool
) -> tuple[int, _Outcome[R] | None]:
    """One task in another process; its outcome is None where it has none."""
    left = None if until is None else max(until - time.time(), np.finfo(float).tiny)
    runs = Runs(max_seconds=left)
    if may_drop and runs.stops() is not None:
        return place, None
    with limit_threads(max(1, available_cores() // at_once)):
        try:
            return place, _Outcome(work(runs, *task))
        except Stopped:
            return place, None
