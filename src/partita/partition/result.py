"""Results of a partition search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from partita.partition.evidence import PartitionEvidence
from partita.partition.losses import PartitionLoss
from partita.runs import Status
from partita.wording import Printed, aligned, count

__all__ = ["EXHAUSTIVE", "SEARCHED", "MethodResult", "PartitionResult", "Run", "Tried"]

# Name under which the best of all partitions is among those tried.
EXHAUSTIVE = "exhaustive"
# How the name of a run's end begins; the name of its start follows.
SEARCHED = "search from "

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Tried:
    """A partition that was scored: how it was found, its clusters and its loss as reported."""

    method: str
    n_clusters: int
    loss: float

    @property
    def is_end(self) -> bool:
        """Return whether a run of the search ended there; the others are starts, or the best of all partitions."""
        return self.method.startswith(SEARCHED)


@dataclass(frozen=True, eq=False)
class Run:
    """One run of the search: from which start, where it began and ended; losses as reported."""

    start: str
    n_clusters: int
    loss: float
    labels: Codes
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class PartitionResult(Printed):
    """The best partition found.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    n_clusters : int
    expected_loss : float
        As it is reported in the field: larger is better where `loss.is_score`. Computed afresh from the labels.
    loss : PartitionLoss
    status : {"converged", "max_seconds", "interrupted"}
    runs : tuple of Run
        Every run, in the order of their starts.
    tried : tuple of Tried
        Every start that was scored, of few items the best of all partitions ("exhaustive"), and where each run ended.
    cap_bound : bool
        Whether `max_clusters` kept a better partition from being found.
    gap : float
        How much worse than the best the worst run ended; 0 when all runs agree.
    n_agreeing : int
        Runs that ended as good as the best.
    seconds : float
    seed : int or None
    notes : tuple of str
    """

    labels: Codes
    n_clusters: int
    expected_loss: float
    loss: PartitionLoss
    status: Status
    runs: tuple[Run, ...]
    tried: tuple[Tried, ...]
    cap_bound: bool
    gap: float
    n_agreeing: int
    seconds: float
    seed: int | None
    notes: tuple[str, ...] = ()

    @property
    def exhaustive(self) -> bool:
        """Return whether all partitions were scored, so that no other is better."""
        return any(tried.method == EXHAUSTIVE for tried in self.tried)

    def __repr__(self) -> str:
        n, K = count(len(self.labels), "item"), count(self.n_clusters, "cluster")
        return f"<PartitionResult of {n} in {K}: {self.status}, {self.loss.name} {self.expected_loss:.6g}>"

    def __str__(self) -> str:
        return aligned(
            [
                ("items", f"{len(self.labels):,}"),
                ("clusters", f"{self.n_clusters:,}"),
                ("status", self.status),
                ("loss", repr(self.loss)),
                ("expected loss", f"{self.expected_loss:.6g}"),
                ("runs", f"{len(self.runs):,}, {self.n_agreeing:,} as good as the best"),
                ("seconds", f"{self.seconds:.2f}"),
                ("seed", str(self.seed)),
                ("notes", f"{len(self.notes):,}"),
            ]
        )


@dataclass(frozen=True, eq=False)
class MethodResult:
    """Result of a named method: labels 0..K-1 in order of appearance, and their expected loss as reported."""

    method: str
    labels: Codes
    n_clusters: int
    loss: PartitionLoss
    expected_loss: float

    @classmethod
    def of(cls, method: str, evidence: PartitionEvidence, codes: Codes) -> Self:
        """Make the result, with the loss computed afresh."""
        from partita.partition.dendrogram import numbered

        codes = numbered(codes)
        value = float(evidence.loss.reported(evidence.value(codes)))
        return cls(method, codes, int(codes.max()) + 1, evidence.loss, value)
