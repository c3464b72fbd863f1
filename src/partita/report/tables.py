"""The figures of the report's tables, without any markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.ensemble import Draw
from partita.membership import Membership
from partita.report.verdict import SURE_MARGIN

__all__ = [
    "Ambiguous",
    "ClusterRow",
    "Contrast",
    "MethodRow",
    "ambiguous_items",
    "cluster_rows",
    "contrasts",
    "method_rows",
]

Array = NDArray[np.float64]

# Memberships within this of a cluster's largest are tied for the typical item; the most central of them is it.
TIED = 1e-3


@dataclass(frozen=True)
class Contrast:
    """A column by which a cluster differs: its mean minus the mean of all, in standard deviations of all."""

    column: int
    deviations: float


@dataclass(frozen=True)
class ClusterRow:
    """A cluster: `certainty` is the mean membership of its items, None when it is empty, as is `typical`."""

    cluster: int
    size: int
    share: float
    certainty: float | None
    n_boundary: int
    typical: int | None
    contrasts: tuple[Contrast, ...]


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


def cluster_rows(membership: Membership, features: Array | None = None, n_contrasts: int = 3) -> list[ClusterRow]:
    """Return one row a cluster, empty ones included.

    >>> rows = cluster_rows(Membership([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]), np.array([[0.0], [1.0], [5.0]]))
    >>> rows[0].size, rows[0].typical, round(rows[1].contrasts[0].deviations, 2)
    (2, 0, 1.39)
    """
    labels, certainty = membership.labels, membership.certainty()
    unsure = membership.margin < SURE_MARGIN
    standard = None if features is None else _standardised(features)
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
                _typical(membership.matrix[own, k], own, standard) if len(own) else None,
                contrasts(standard[own], n_contrasts) if standard is not None and len(own) else (),
            )
        )
    return rows


def contrasts(standardised: Array, limit: int = 3) -> tuple[Contrast, ...]:
    """Return the columns on which some items of a standardised table differ most from the whole."""
    means = _nanmean(standardised)
    order = np.argsort(-np.abs(means), kind="stable")[:limit]
    return tuple(Contrast(int(j), float(means[j])) for j in order if abs(means[j]) >= 0.05)


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


def _standardised(features: Array) -> Array:
    """Columns in standard deviations from their mean; constant columns are zero, missing cells stay missing."""
    X = np.asarray(features, dtype=np.float64)
    mean = _nanmean(X)
    deviation = np.sqrt(_nanmean((X - mean) ** 2))
    varies = deviation > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    return np.asarray((X - mean) * np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies))


def _nanmean(X: Array) -> Array:
    seen = ~np.isnan(X)
    return np.asarray(np.where(seen, X, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1))


def _typical(own: Array, items: NDArray[np.intp], standardised: Array | None) -> int:
    tied = items[own >= own.max() - TIED]
    if standardised is None or len(tied) == 1:
        return int(items[own.argmax()])
    apart = standardised[tied] - _nanmean(standardised[items])
    return int(tied[_nanmean((apart**2).T).argmin()])
