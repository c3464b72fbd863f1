"""Progress on standard error for anything that takes longer than two seconds, and silence for the rest."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

__all__ = ["ProgressBar", "no_stage"]

# Seconds of silence before anything is shown.
DELAY = 2.0


class ProgressBar:
    """A bar that appears when the work turns out to be long.

    Use as a context manager; `stage` names what is being done, and the object itself is a `drive` progress callback.
    """

    def __init__(self, *, delay: float = DELAY) -> None:
        self._delay = delay
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._stage = "working"
        self._done: set[int] = set()
        self._closed = False
        self._timer = threading.Timer(delay, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()
            self._bar = None

    @contextmanager
    def stage(self, what: str) -> Iterator[None]:
        """Say what is being done while inside."""
        with self._lock:
            self._stage = what
            if self._bar is not None:
                self._bar.reset(self._task, description=what, total=None)
        yield

    def __call__(self, at: Any) -> None:
        """Take a `Progressing` from the driver."""
        with self._lock:
            if at.done:
                self._done.add(at.restart)
            share = (len(self._done) + (0 if at.done else min(at.iteration / at.max_iter, 1.0))) / at.n_restarts
            self._stage = (
                f"restart {at.restart + 1} of {at.n_restarts}, iteration {at.iteration}, optimality {at.optimality:.1e}"
            )
            if self._bar is not None:
                self._bar.update(self._task, description=self._stage, total=1.0, completed=share)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._closed:
                return
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self._stage, total=None)
            self._bar.start()


@contextmanager
def no_stage(_what: str) -> Iterator[None]:
    """A stage that nobody watches."""
    yield
