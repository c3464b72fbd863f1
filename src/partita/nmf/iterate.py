"""One restart: updates until the partition has stood still, or the engine stops them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.nmf.base import Factors, NMFMethod
from partita.nmf.reading import Scaling, partition_of
from partita.runs import Runs, Status

__all__ = ["CHECK_EVERY", "UNCHANGED", "Iterate", "StoppingRule", "iterate"]

# [bayes-nmf]: a run ends when the connectivity of the items has been the same for 40 checks, one every 10 iterations.
CHECK_EVERY, UNCHANGED = 10, 40


@dataclass(frozen=True)
class StoppingRule:
    """When a restart stops: `unchanged` checks (0: never for that reason), `max_iter`, a relative tolerance."""

    max_iter: int
    unchanged: int
    tol: float
    scaling: Scaling


@dataclass
class Iterate:
    """State of a restart; changed in place, so that it can be read whenever it is stopped."""

    factors: Factors
    labels: NDArray[np.int64]
    status: Status = "max_iter"
    n_iter: int = 0
    optimality: float = np.inf
    seconds: float = 0.0
    trace: list[float] = field(default_factory=list)


def iterate(
    runs: Runs, method: NMFMethod, V: Array, first: Factors, rule: StoppingRule, tell: Callable[[int, float], None]
) -> Iterate:
    """Update from `first` until the rule or the engine says so; `tell` is given iteration and optimality at each check.

    Equal partitions have equal connectivity matrices: two N-vectors are compared in the place of two N x N ones.
    """
    began = time.perf_counter()
    at = Iterate(first, partition_of(first, rule.scaling))
    same = 0
    try:
        if rule.tol > 0:
            at.trace.append(method.objective(V, first))
        while at.n_iter < rule.max_iter:
            status = runs.stops()
            if status is not None:
                at.status = status
                break
            before = at.factors
            at.factors, at.n_iter = method.update(V, before), at.n_iter + 1
            if at.n_iter % CHECK_EVERY and at.n_iter < rule.max_iter:
                continue
            at.optimality = _moved(before, at.factors)
            labels = partition_of(at.factors, rule.scaling)
            same = same + 1 if np.array_equal(labels, at.labels) else 0
            at.labels = labels
            tell(at.n_iter, at.optimality)
            if rule.unchanged and same >= rule.unchanged:
                at.status = "converged"
                break
            if rule.tol > 0:
                at.trace.append(method.objective(V, at.factors))
                if at.trace[-2] - at.trace[-1] <= rule.tol * abs(at.trace[-2]):
                    at.status = "converged"
                    break
    except KeyboardInterrupt:  # in the main thread only
        runs.interrupt()
        at.status = "interrupted"
    at.labels = partition_of(at.factors, rule.scaling)
    at.seconds = time.perf_counter() - began
    return at


def _moved(before: Factors, after: Factors) -> float:
    """Relative change of the factors in an update; the larger of the two factors' own."""
    pairs = [(before.W, after.W), (before.Ht, after.Ht)]
    return max(float(np.linalg.norm(new - old) / np.linalg.norm(new)) for old, new in pairs)
