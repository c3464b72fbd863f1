"""Contents of a report on a partition from draws, and the figures of its tables, without any markup."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity, DenseAffinity, DrawsAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.estimators.explaining import any_table
from partita.estimators.frames import row_names
from partita.estimators.mixed_table import MixedTable
from partita.io import versions
from partita.partition.certainty import ItemCertainty
from partita.partition.cores import PartialPartition
from partita.partition.credible_ball import CredibleBall
from partita.partition.modes import Modes
from partita.report.fit_report import parameters_of, untouched
from partita.report.item_columns import ItemColumns
from partita.wording import first_words

__all__ = [
    "SEEN",
    "PartitionCluster",
    "PartitionReport",
    "UnsureItem",
    "partition_clusters",
    "sizes_said",
    "unsure_items",
]


# Comparisons of labels up to which cores are looked for: a few seconds of one core.
CORES_UP_TO = 5e9
# An item is ambiguous when it is not so much more often with its own cluster's items than with another's.
AMBIGUOUS = 0.5
# A similarity below this is 0.000 in a table, and says of no cluster that it is the next.
SEEN = 0.0005


@dataclass(frozen=True, eq=False)
class PartitionReport:
    """A partition from draws and what to say about it.

    Attributes
    ----------
    title : str
    source : str
        Name of the file or of the data set.
    ids : sequence of str
        One an item; empty for item numbers.
    estimator
        A fitted `BayesianPartition`.
    ball : CredibleBall or None
        None where the draws lack items.
    parameters : dict
        As the reader would set them.
    seconds : float or None
        Duration of the whole run, where it was measured.
    versions : dict
        Versions of Partita and its dependencies.
    command : str or None
        The command line that makes this again.
    table : MixedTable or None
        What is known of the items beside the draws: a row for each.
    notes : sequence of str
        Notes on how that table was read.
    untouched : sequence of str
        Parameters that have their defaults.

    Modes, certainties and cores are found out when they are first asked for.

    Raises
    ------
    InputError
        Where ids, ball or table do not fit the number of items.
    """

    title: str
    source: str
    ids: Sequence[str]
    estimator: BayesianPartition
    ball: CredibleBall | None
    parameters: dict[str, Any]
    seconds: float | None
    versions: dict[str, str]
    command: str | None
    table: MixedTable | None = None
    notes: Sequence[str] = ()
    untouched: Collection[str] = ()

    def __post_init__(self) -> None:
        n = len(self.estimator.labels_)
        if len(self.ids) not in (0, n):
            raise InputError(f"ids has {len(self.ids)} entries, the partition {n} items")
        if self.ball is not None and len(self.ball.horizontal[0].labels) != n:
            raise InputError(f"ball is of {len(self.ball.horizontal[0].labels)} items, the partition of {n}")
        if self.table is not None and self.table.shape[0] != n:
            raise InputError(f"the table of the items has {self.table.shape[0]} rows, the partition {n} items")

    @classmethod
    def of(cls, model: BayesianPartition, *, names: Sequence[Any] | None = None, X: Any = None) -> Self:
        """Return the report of a fitted estimator, from what it kept of its draws and a table of the items, if any.

        Names are those that are given, those of the draws, or those of the rows of a frame.
        """
        found = model.items_ if names is None else names
        if found is None and X is not None:
            found = row_names(X)
        return cls(
            title=type(model).__name__,
            source="",
            ids=[] if found is None else [str(name) for name in found],
            estimator=model,
            ball=None if model.draws_ is None else model.credible_ball(),
            parameters=parameters_of(model),
            seconds=None,
            versions=versions(),
            command=None,
            table=None if X is None else any_table(X),
            untouched=untouched(model),
        )

    def id_of(self, item: int) -> str:
        """Return the id of an item, of a text its first words; its number where none were given."""
        return first_words(str(self.ids[item])) if len(self.ids) else str(item)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.estimator.labels_)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Items of each cluster."""
        return np.bincount(self.estimator.labels_, minlength=self.estimator.n_clusters_)

    @cached_property
    def certainty(self) -> ItemCertainty | None:
        """Certainty of each item; None where the draws lack items."""
        return None if self.estimator.draws_ is None else self.estimator.certainty()

    @cached_property
    def modes(self) -> Modes | None:
        """Modes of the posterior; None where the draws lack items."""
        return None if self.estimator.draws_ is None else self.estimator.modes()

    @cached_property
    def cores(self) -> PartialPartition | None:
        """Items whose relations hold all at once; None where that would take long or the draws lack items."""
        draws = self.estimator.draws_
        if draws is None or float(draws.n_draws) * draws.n_items**2 > CORES_UP_TO:
            return None
        return self.estimator.certain_items(self.level)

    @property
    def level(self) -> float:
        """Level of the credible ball."""
        return 0.95 if self.ball is None else self.ball.level

    @cached_property
    def affinity(self) -> Affinity:
        """The posterior similarity, which is never formed where the draws have all items."""
        draws = self.estimator.draws_
        return DenseAffinity(self.estimator.psm()) if draws is None else DrawsAffinity(draws.labels, draws.counts)

    @cached_property
    def closeness(self) -> Array:
        """N x K: mean similarity of an item to the other items of each cluster. O(M N K).

        For an item that is alone in its cluster, the share of the draws in which it is alone; where the draws lack
        items what its largest similarity leaves of 1, which is at least that.
        """
        model, labels, n = self.estimator, self.estimator.labels_, self.sizes
        Z = np.eye(model.n_clusters_)[labels]
        sums = self.affinity @ Z
        item = np.arange(len(labels))
        close = np.asarray(sums / n, dtype=np.float64)
        others = n[labels] > 1
        close[item, labels] = np.where(others, (sums[item, labels] - 1.0) / np.maximum(n[labels] - 1, 1), 0.0)
        for i in np.flatnonzero(~others):
            if self.certainty is not None:
                close[i, labels[i]] = self.certainty.together[i]
            else:
                close[i, labels[i]] = 1.0 - np.delete(self.affinity.rows(i)[0], i).max(initial=0.0)
        return np.clip(close, 0.0, 1.0)

    @cached_property
    def columns(self) -> ItemColumns | None:
        """The table of the items beside their clusters; None where there is none."""
        if self.table is None:
            return None
        return ItemColumns(self.table, self.estimator.labels_, self.closeness)

    @cached_property
    def within(self) -> Array:
        """Similarity of each item to its own cluster."""
        return np.asarray(self.closeness[np.arange(self.n_items), self.estimator.labels_])

    @cached_property
    def beyond(self) -> tuple[NDArray[np.int64], Array]:
        """Other cluster that each item is most similar to, and how similar; -1 and 0 with one cluster."""
        if self.estimator.n_clusters_ == 1:
            return np.full(self.n_items, -1), np.zeros(self.n_items)
        rest = self.closeness.copy()
        item = np.arange(self.n_items)
        rest[item, self.estimator.labels_] = -1.0
        other = rest.argmax(axis=1).astype(np.int64)
        return other, np.asarray(rest[item, other])


@dataclass(frozen=True)
class PartitionCluster:
    """A cluster: `within` is the mean similarity of its pairs, `next` the cluster it is most similar to (None where
    there is one only, or hardly a draw has items of both together) with `across`, the mean similarity between the two;
    `least` its items that are least certain.
    """

    cluster: int
    size: int
    share: float
    within: float
    next: int | None
    across: float
    least: tuple[int, ...]


@dataclass(frozen=True)
class UnsureItem:
    """An item, its similarity to its own cluster and to the next, and how often it is in its own."""

    item: int
    cluster: int
    within: float
    next: int
    across: float
    matched: float | None


def partition_clusters(report: PartitionReport, limit: int = 100, n_least: int = 3) -> list[PartitionCluster]:
    """Return one row a cluster, the largest first; of more than `limit` the largest."""
    labels, K = report.estimator.labels_, report.estimator.n_clusters_
    largest = np.argsort(-report.sizes, kind="stable")[:limit]
    rows = []
    for k in largest.tolist():
        own = np.flatnonzero(labels == k)
        across = report.closeness[own].mean(axis=0)
        across[k] = -1.0
        other = int(across.argmax())
        least = own[np.argsort(report.within[own], kind="stable")[:n_least]]
        rows.append(
            PartitionCluster(
                k,
                len(own),
                len(own) / len(labels),
                float(report.within[own].mean()),
                other if K > 1 and across[other] >= SEEN else None,
                float(across[other]) if K > 1 and across[other] >= SEEN else 0.0,
                tuple(int(i) for i in least) if len(own) > 1 else (),
            )
        )
    return rows


def unsure_items(report: PartitionReport, limit: int = 20) -> tuple[list[UnsureItem], int]:
    """Return the most ambiguous items, at most `limit`, and how many there are in all."""
    if report.estimator.n_clusters_ == 1:
        return [], 0
    other, across = report.beyond
    margin = report.within - across
    order = np.argsort(margin, kind="stable")
    order = order[margin[order] < AMBIGUOUS]
    sure = report.certainty
    rows = [
        UnsureItem(
            int(i),
            int(report.estimator.labels_[i]),
            float(report.within[i]),
            int(other[i]),
            float(across[i]),
            None if sure is None else float(sure.matched[i]),
        )
        for i in order[:limit]
    ]
    return rows, len(order)


def sizes_said(labels: NDArray[np.int64], limit: int = 8) -> str:
    """Return sizes of the clusters, the largest first.

    >>> sizes_said(np.array([0, 1, 1, 2])), sizes_said(np.arange(12), limit=3)
    ('2, 1, 1', '1, 1, 1, ... (12 clusters)')
    """
    sizes = np.sort(np.bincount(labels))[::-1]
    said = ", ".join(f"{size:,}" for size in sizes[:limit])
    return said if len(sizes) <= limit else f"{said}, ... ({len(sizes)} clusters)"
