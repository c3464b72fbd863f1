"""A progress bar that counts sweeps: what `ProgressBar` shows of iterations, in a sampler's words."""

from __future__ import annotations

from partita.pace import Progressing
from partita.progress import ProgressBar

__all__ = ["SweepBar"]


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
