"""Wall-clock seconds, as the benchmarks take them: of one run with its result, or the least of several."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds of one run, and what it returned."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def least(work: Callable[[], object], runs: int = 5, *, warm: bool = True) -> float:
    """The least of several runs: others on the machine only ever add to it. `warm`: after one that does not count."""
    if warm:
        work()
    return min(timed(work)[0] for _ in range(runs))
