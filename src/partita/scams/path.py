"""The path over gamma: SCAMS' partitions from one cluster to many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.partition.dendrogram import numbered
from partita.runs import Runs
from partita.scams.local import Search, Tell
from partita.scams.local_result import PathPoint, mean_size
from partita.scams.local_settings import LocalSearch

__all__ = ["scams_path"]

# First theta, the factor by which it grows, and the number of points.
FIRST, GROWTH, POINTS = 0.02, 1.25, 40


def scams_path(
    affinity: Any,
    settings: LocalSearch | None = None,
    *,
    thetas: Sequence[float] | None = None,
    start: ArrayLike | None = None,
    seed: int | None = None,
    max_seconds: float | None = None,
    progress: Tell | None = None,
) -> tuple[PathPoint, ...]:
    """Return partitions at every gamma = theta / N, from the coarsest to the finest.

    Each begins at the one before, too.

    Parameters
    ----------
    affinity, settings, start, seed, progress
        As in `scams_local`; of the settings `lam`, 1 by default, and `scale` count.
    thetas : sequence of float, optional
        Ascending. By default 40 from .02 on, each a quarter larger than the one before, and no further than where
        clusters have fewer than two items on average.
    max_seconds : float, optional
        The path ends there.

    Raises
    ------
    InputError, MemoryLimitError

    Examples
    --------
    >>> A = np.kron(np.eye(4), np.ones((15, 15))) + np.kron(np.eye(2), np.full((30, 30), 0.1)) + 0.001
    >>> sorted({point.n_clusters for point in scams_path(A, seed=0)})[:3]
    [1, 2, 4]
    """
    runs = Runs(max_seconds=max_seconds, progress=progress)
    chosen = settings or LocalSearch()
    chosen = replace(chosen, lam=chosen.price)  # at the coarse end pieces are joined
    A = chosen.prepare(affinity)
    asked = None if thetas is None else np.asarray(thetas, dtype=np.float64)
    if asked is not None and (asked.ndim != 1 or len(asked) == 0 or (asked < 0).any() or (np.diff(asked) <= 0).any()):
        raise InputError("thetas: expected one ascending sequence of numbers of at least 0")
    search = Search(A, chosen, seed, runs)
    points: list[PathPoint] = []
    begun = {} if start is None else {"start": numbered(np.asarray(start))}
    for theta in FIRST * GROWTH ** np.arange(POINTS) if asked is None else asked:
        if points and search.out_of_time():
            break
        given = begun if not points else {**begun, "the one before": points[-1].labels}
        points.append(search.step(float(theta) / A.shape[0], given))
        if asked is None and mean_size(points[-1].labels) < 2.0:
            break
    return tuple(points)
