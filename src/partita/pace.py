"""Speed of a fit and the time it may still take: from its iterations, their stationarity (`optimality`), and a clock.

Optimality falls about geometrically near a minimum, so the slope of its logarithm over the latest third of the
iterations says when it meets the tolerance: within a factor of two in three of five cases, of four in four of five
(157 runs of four solvers, at every iteration). Where it does not fall yet, all that is known is the number of
iterations allowed, and the time they would take is said to be "at most". Restarts that have not begun are taken to last
as long as those that have ended, or as those that run.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Pace", "Progressing", "Remaining", "in_words"]

# Iterations that rate and line are taken from: of the line the latest third, but at least so many.
LATEST, FEWEST, THIRD = 100, 8, 3
# Share of the variation of log optimality that the line must explain to be believed.
EXPLAINED = 0.5


@dataclass(frozen=True)
class Progressing:
    """Report to a progress callback after each iteration.

    `seconds_left` are those of `max_seconds`; `n_earlier` restarts were finished by earlier processes.
    """

    restart: int
    n_restarts: int
    iteration: int
    max_iter: int
    optimality: float
    done: bool
    tol: float = 0.0
    seconds_left: float | None = None
    n_earlier: int = 0


@dataclass(frozen=True)
class Remaining:
    """Seconds still to come: an estimate, or, with `at_most`, no more than a bound."""

    seconds: float
    at_most: bool

    def __str__(self) -> str:
        return f"{'at most' if self.at_most else 'about'} {in_words(self.seconds)} left"


@dataclass
class _Course:
    """A restart that runs: when, how far, how near a stationary point."""

    began: float
    latest: deque[tuple[float, int, float]] = field(default_factory=lambda: deque(maxlen=LATEST))

    def rate(self) -> float | None:
        """Iterations a second."""
        (first, low, _), (last, high, _) = self.latest[0], self.latest[-1]
        elapsed = float(last - first)
        return (high - low) / elapsed if high > low and elapsed > 0 else None

    def to_go(self, tol: float) -> float | None:
        """Iterations until the line through log optimality meets log tol; None where there is no falling line."""
        window = max(FEWEST, self.latest[-1][1] // THIRD)
        points = [(n, math.log(value)) for _, n, value in list(self.latest)[-window:] if value > 0]
        if len(points) < FEWEST or tol <= 0:
            return None
        x0, y0 = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
        xx = sum((x - x0) ** 2 for x, _ in points)
        xy = sum((x - x0) * (y - y0) for x, y in points)
        yy = sum((y - y0) ** 2 for _, y in points)
        if xy >= 0 or xy * xy < EXPLAINED * xx * yy:
            return None
        return max((math.log(tol) - points[-1][1]) * xx / xy, 0.0)


class Pace:
    """Estimator of speed and remaining time, from the driver's reports.

    Parameters
    ----------
    clock : callable
        Seconds; any zero.

    Examples
    --------
    >>> seconds = iter(range(100))
    >>> pace = Pace(clock=lambda: float(next(seconds)))
    >>> for n in range(1, 11):  # an iteration a second, each halving the optimality
    ...     pace.add(Progressing(0, 1, n, 1000, 2.0**-n, False, tol=2.0**-30))
    >>> pace.rate, str(pace.remaining)
    (1.0, 'about 20 s left')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._now = 0.0
        self._running: dict[int, _Course] = {}
        self._ended: set[int] = set()
        self._lasted: list[float] = []
        self._at: Progressing | None = None

    def add(self, at: Progressing) -> None:
        """Take a `Progressing` from the driver."""
        self._now, self._at = self._clock(), at
        if self._began is None:
            self._began = self._now
        if at.done:
            course = self._running.pop(at.restart, None)
            self._ended.add(at.restart)
            if course is not None:
                self._lasted.append(self._now - course.began)
            return
        course = self._running.setdefault(at.restart, _Course(self._now))
        course.latest.append((self._now, at.iteration, at.optimality))

    @property
    def rate(self) -> float | None:
        """Iterations a second, of all restarts that run together; None before there are two."""
        rates = [rate for course in self._running.values() if (rate := course.rate()) is not None]
        return sum(rates) if rates else None

    @property
    def remaining(self) -> Remaining | None:
        """Estimated time that remains; None before anything can be said."""
        if self._at is None:
            return None
        waiting = self._at.n_restarts - self._at.n_earlier - len(self._ended) - len(self._running)
        if not self._running and waiting == 0:
            return Remaining(0.0, False)
        left, lasting, at_most = [], [], False
        for course in self._running.values():
            rate = course.rate()
            if rate is None:
                return self._in_time(None)
            allowed = self._at.max_iter - course.latest[-1][1]
            to_go = course.to_go(self._at.tol)
            bounded = to_go is None or to_go > allowed
            at_most |= bounded
            left.append((allowed if to_go is None else min(to_go, allowed)) / rate)
            lasting.append(self._now - course.began + left[-1])
        if waiting == 0:
            return self._in_time(Remaining(max(left), at_most))
        if self._lasted:
            typical = sum(self._lasted) / len(self._lasted)
        elif lasting:
            typical = max(lasting)
        else:
            return self._in_time(self._by_restarts(waiting))
        return self._in_time(Remaining((sum(left) + waiting * typical) / max(1, len(left)), at_most))

    @property
    def share(self) -> float:
        """Estimated fraction of the time that has elapsed."""
        remaining = self.remaining
        if remaining is None or self._began is None:
            return 0.0
        spent = self._now - self._began
        return spent / (spent + remaining.seconds) if spent + remaining.seconds > 0 else 1.0

    def __str__(self) -> str:
        rate, remaining, words = self.rate, self.remaining, []
        if rate is not None:
            words.append(f"{rate:.3g} iterations/s" if rate >= 1 else f"{1 / rate:.3g} s/iteration")
        if remaining is not None:
            words.append(str(remaining))
        return ", ".join(words)

    def _by_restarts(self, waiting: int) -> Remaining | None:
        """Estimate the remaining time where only the ends of restarts are told, as from other machines."""
        assert self._began is not None
        told = len(self._ended) - 1  # since the first one ended
        return Remaining((self._now - self._began) / told * waiting, False) if told > 0 else None

    def _in_time(self, remaining: Remaining | None) -> Remaining | None:
        """Cap the remaining time at what `max_seconds` leaves."""
        left = None if self._at is None else self._at.seconds_left
        if left is None or (remaining is not None and remaining.seconds <= left):
            return remaining
        return Remaining(max(left, 0.0), True)


def in_words(seconds: float) -> str:
    """Return a duration as a person says it.

    >>> in_words(42.4), in_words(200), in_words(7800)
    ('42 s', '3 min', '2 h 10 min')
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
