"""Progress on standard error for anything that takes longer than two seconds, and silence for the rest."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self

from partita.pace import Pace, Progressing, Remaining

__all__ = ["ProgressBar", "Stages", "SweepBar"]

# Seconds of silence before anything is shown.
DELAY = 2.0
# numba's event of a compilation, which reading compiled code from disk is not; and what is said while it lasts.
COMPILING, COMPILING_WORDS = "numba:compile", "compiling (first use): "


class ProgressBar:
    """A bar that appears when the work turns out to be long.

    Use as a context manager; `stage` names what is being done and starts its clock, and the object itself is a `drive`
    progress callback: iterations a second, and the time that remains. While numba compiles it says so: that takes
    seconds at the first use and none later. numba is not loaded for that.
    """

    def __init__(self, *, delay: float = DELAY, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._stage, self._began, self._first = "working", clock(), clock()
        self._pace, self._share = Pace(clock), 0.0
        self._closed = False
        self._compilations, self._compiled = _Compilations(self._describe), 0
        self._events: Any = None
        self._timer = threading.Timer(delay, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._listen()
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._events is not None:
                self._events.unregister(COMPILING, self._compilations)
                self._events = None
            if self._bar is not None:
                self._bar.stop()
            self._bar = None

    @contextmanager
    def stage(self, what: str) -> Iterator[None]:
        """Say what is being done while inside."""
        self.enter(what)
        yield

    def enter(self, what: str) -> None:
        """Say what is being done from here on, and since when."""
        self._listen()
        with self._lock:
            self._stage, self._began = what, self._clock()
            self._pace, self._share = Pace(self._clock), 0.0
            self._compiled = self._compilations.n_begun
            if self._bar is not None:
                self._bar.reset(self._task, description=self._description, total=None, pace="")
                self._bar.tasks[0].start_time = self._first

    def __call__(self, at: Progressing) -> None:
        """Take a `Progressing` from the driver."""
        with self._lock:
            self._pace.add(at)
            self._share = max(self._share, self._pace.share)
            self._stage = (
                f"restart {at.restart + 1} of {at.n_restarts}, iteration {at.iteration}, optimality {at.optimality:.1e}"
            )
            if self._bar is not None:
                self._bar.update(
                    self._task,
                    description=self._description,
                    total=1.0,
                    completed=self._share,
                    pace="" if self._has_compiled else str(self._pace),
                )

    def step(self, what: str, done: float, of: float) -> None:
        """Take how much of what is being done is done, and how much there is: its clock begins where nothing is."""
        if done == 0:
            self.enter(what)
        with self._lock:
            self._stage, self._share = what, done / of if of > 0 else 1.0
            if self._bar is not None:
                self._bar.update(
                    self._task, description=self._description, total=1.0, completed=self._share, pace=self._left
                )

    @property
    def _left(self) -> str:
        """The time that remains of a stage that goes on as it began, which one that compiles does not."""
        if self._has_compiled:
            return ""
        elapsed = self._clock() - self._began
        return f"{Remaining(elapsed / self._share - elapsed, False)} of this step" if 0 < self._share < 1 else ""

    @property
    def _has_compiled(self) -> bool:
        """Whether something was compiled since the stage began: its pace says nothing of what is left."""
        return self._compilations.n_begun > self._compiled

    @property
    def _description(self) -> str:
        """Description of the present stage, and of waiting for a compiler."""
        return (COMPILING_WORDS if self._compilations.n_running else "") + self._stage

    def _describe(self) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.update(self._task, description=self._description)

    def _listen(self) -> None:
        """Listen to numba's compilations from here on, once it is loaded."""
        events = sys.modules.get("numba.core.event")
        with self._lock:
            if events is not None and self._events is None and not self._closed:
                events.Listener.register(_Compilations)
                events.register(COMPILING, self._compilations)
                self._events = events

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        with self._lock:
            if self._closed:
                return
            # In a notebook rich draws by ipywidgets, and warns where it is missing.
            console = Console(stderr=True, force_jupyter=None if find_spec("ipywidgets") else False)
            # Of a bar in a file all that would be seen is the empty lines that it leaves.
            console.quiet = not (console.is_terminal or console.is_jupyter)
            self._bar = Progress(
                SpinnerColumn(),
                BarColumn(bar_width=20),
                TimeElapsedColumn(),
                TextColumn("elapsed"),
                TextColumn("{task.fields[pace]}"),
                # A narrow terminal cuts these words, and not the time that remains.
                TextColumn("{task.description}", table_column=Column(no_wrap=True, ratio=1)),
                console=console,
                expand=True,
                transient=True,
                get_time=self._clock,
            )
            self._task = self._bar.add_task(self._description, total=None, pace=str(self._pace))
            self._bar.tasks[0].start_time = self._first  # the clock of the whole, not of the bar or a stage
            self._bar.start()


class SweepBar(ProgressBar):
    """A `ProgressBar` for `sample_partitions(progress=...)`: sweeps of all chains together, and the time that remains.

    Examples
    --------
    >>> with SweepBar() as bar:
    ...     bar(Progressing(0, 4, 50, 200, 0.0, False))
    """

    def __init__(self) -> None:
        super().__init__()
        self._sweeps: dict[int, int] = {}

    def __call__(self, at: Progressing) -> None:
        """Take a `Progressing` from the driver."""
        with self._lock:
            self._pace.add(at)
            self._sweeps[at.restart] = at.iteration
            done, of = sum(self._sweeps.values()), at.max_iter * at.n_restarts
            self._stage = f"sampling: {done:,} of {of:,} sweeps in {at.n_restarts} chains"
            if self._bar is not None:
                self._bar.update(
                    self._task, description=self._description, total=of, completed=done, pace=str(self._pace)
                )


class _Compilations:
    """A listener of numba's events: how many compilations are running, those that others began among them, and how
    many have begun.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell = tell
        self.n_running = self.n_begun = 0

    def notify(self, event: Any) -> None:
        """Called by numba in the thread that compiles, which holds the compiler's lock."""
        self.n_running = max(self.n_running + (1 if event.is_start else -1), 0)
        self.n_begun += int(event.is_start)
        self.tell()


class Stages:
    """Stages of a fit, shown by a progress bar where there is one."""

    def __init__(self, bar: ProgressBar | None = None) -> None:
        self.bar = bar
        self.now = "preparing the items"

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        """Enter stage `what` while inside."""
        self.enter(what)
        yield

    def enter(self, what: str) -> None:
        """Enter stage `what` from here on."""
        self.now = what
        if self.bar is not None:
            self.bar.enter(what)

    def step(self, what: str, done: float, of: float) -> None:
        """Say how much of the present stage is done, and how much there is, in units of any kind."""
        self.now = what
        if self.bar is not None:
            self.bar.step(what, done, of)
