"""Row chunks shared among threads, with the same bits for any number of them.

A product P @ W is computed in chunks of rows whose bounds depend on the input alone; threads only decide who computes
which chunk. While `limit_threads` is active BLAS runs on one thread, so a chunk's result does not depend on the number
of cores either. Threads, not numba's own parallel loops: those must not be entered from two threads at once, and
restarts do just that.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Thread

from threadpoolctl import ThreadpoolController

from partita.scope import tell

__all__ = ["available_cores", "limit_threads", "n_threads", "row_bounds", "run_chunks"]

_threads: ContextVar[int | None] = ContextVar("partita_threads", default=None)


def available_cores() -> int:
    """Return cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


def n_threads() -> int:
    """Return threads a product may use here: what `limit_threads` set, else every core."""
    return _threads.get() or available_cores()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def limit_threads(n: int) -> Iterator[None]:
    """Let products inside use `n` threads of ours, fewer inside a lower limit, each with single-threaded BLAS.

    OpenMP loops, as those of scikit-learn, get `n` too: threads of short loops wait for each other by spinning, which
    takes ten times as long where other processes want the same cores.
    """
    before = _threads.get()
    n = min(n, before or n)
    if n == before:  # which holds until the outer limit ends
        yield
        return
    token = _threads.set(n)
    try:
        with _controller().limit(limits={"blas": 1, "openmp": n}):
            yield
    finally:
        _threads.reset(token)


def row_bounds(n_rows: int, chunk: int) -> list[tuple[int, int]]:
    """Return bounds of the row chunks.

    >>> row_bounds(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(low, min(low + chunk, n_rows)) for low in range(0, n_rows, chunk)]


def run_chunks(
    work: Callable[[int, int], None], bounds: Sequence[tuple[int, int]], *, words: str | None = None
) -> None:
    """Call `work(low, high)` for every chunk, on as many threads as `n_threads` allows, this one among them.

    Each thread takes the next chunk that is left; after an error no further ones are taken. `words` say to the progress
    of a fit what is being done.
    """
    others = min(n_threads(), len(bounds)) - 1
    left, errors = deque(bounds), []

    def some(words: str | None = None) -> None:
        try:
            while left:
                try:
                    low, high = left.popleft()
                except IndexError:  # another thread took the last one
                    return
                work(low, high)
                if words is not None:
                    tell(words, len(bounds) - len(left), len(bounds))
        except BaseException as error:  # noqa: BLE001 - handed to the caller below
            left.clear()
            errors.append(error)

    threads = [Thread(target=some) for _ in range(others)]
    for thread in threads:
        thread.start()
    if words is not None:
        tell(words, 0, len(bounds))
    try:
        some(words)
    finally:
        left.clear()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
