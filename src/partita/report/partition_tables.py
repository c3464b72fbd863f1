"""The figures of the tables about a partition from draws, without any markup."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.report.partition_report import PartitionReport

__all__ = [
    "SEEN",
    "PartitionCluster",
    "UnsureItem",
    "partition_clusters",
    "sizes_said",
    "unsure_items",
]

# An item is ambiguous when it is not so much more often with its own cluster's items than with another's.
AMBIGUOUS = 0.5
# A similarity below this is 0.000 in a table, and says of no cluster that it is the next.
SEEN = 0.0005


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
    """Return one row a cluster; of more than `limit` the largest."""
    labels, K = report.estimator.labels_, report.estimator.n_clusters_
    largest = np.argsort(-report.sizes, kind="stable")[:limit]
    rows = []
    for k in np.sort(largest).tolist():
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
