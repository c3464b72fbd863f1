"""The figures of the report's tables, without any markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partita.ensemble import Draw
from partita.membership import Membership
from partita.report.verdict import SURE_MARGIN

__all__ = [
    "Ambiguous",
    "ClusterRow",
    "MethodRow",
    "ambiguous_items",
    "cluster_rows",
    "method_rows",
]


@dataclass(frozen=True)
class ClusterRow:
    """A cluster: `certainty` is the mean membership of its items, None when it is empty, as is `typical`."""

    cluster: int
    size: int
    share: float
    certainty: float | None
    n_boundary: int
    typical: int | None


@dataclass(frozen=True)
class Ambiguous:
    """An item between clusters, with its largest memberships as (cluster, membership)."""

    item: int
    top: tuple[tuple[int, float], ...]
    entropy: float
    margin: float


@dataclass(frozen=True)
class MethodRow:
    """A method of an ensemble: weight summed, agreements averaged over its draws; `n_clusters` as "3" or "2-4"."""

    idea: str
    n_draws: int
    n_clusters: str
    weight: float
    agreement: float
    with_result: float


def method_rows(draws: Sequence[Draw]) -> list[MethodRow]:
    """Return one row a method, in the order of their first draws."""
    rows = []
    for method in dict.fromkeys(draw.method for draw in draws):
        own = [draw for draw in draws if draw.method == method]
        low, high = min(d.n_clusters for d in own), max(d.n_clusters for d in own)
        rows.append(
            MethodRow(
                own[0].idea,
                len(own),
                str(low) if low == high else f"{low}-{high}",
                sum(d.weight for d in own),
                float(np.mean([d.agreement for d in own])),
                float(np.mean([d.agreement_with_result for d in own])),
            )
        )
    return rows


def cluster_rows(membership: Membership) -> list[ClusterRow]:
    """Return one row a cluster, empty ones included; its typical item is the surest one.

    >>> rows = cluster_rows(Membership([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]))
    >>> rows[0].size, rows[0].typical
    (2, 0)
    """
    labels, certainty = membership.labels, membership.certainty()
    unsure = membership.margin < SURE_MARGIN
    rows = []
    for k in range(membership.n_clusters):
        own = np.flatnonzero(labels == k)
        rows.append(
            ClusterRow(
                k,
                len(own),
                len(own) / membership.n_items,
                float(certainty[k]) if len(own) else None,
                int(unsure[own].sum()),
                int(own[membership.matrix[own, k].argmax()]) if len(own) else None,
            )
        )
    return rows


def ambiguous_items(membership: Membership, limit: int = 20, n_top: int = 3) -> list[Ambiguous]:
    """Return the boundary items with the smallest margins, at most `limit`.

    >>> [row.item for row in ambiguous_items(Membership([[0.9, 0.1], [0.5, 0.5]]))]
    [1]
    """
    out = []
    for i in membership.boundary(SURE_MARGIN)[:limit]:
        order = np.argsort(-membership.matrix[i], kind="stable")[:n_top]
        top = tuple((int(k), float(membership.matrix[i, k])) for k in order)
        out.append(Ambiguous(int(i), top, float(membership.entropy[i]), float(membership.margin[i])))
    return out
