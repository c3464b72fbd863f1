"""Information distances beside the variation of information [vinh2010].

With H the entropies of estimate and draw, H(., .) their joint entropy and I the mutual information,

    NVI = 1 - I / H(., .) = (u + v - 2 w) / (t - w)
    ID  = max(H) - I      = (u + v - w - min(u, v)) / n
    NID = 1 - I / max(H)  = 1 - (t + w - u - v) / (t - min(u, v)),    f(n) = n log n.

NVI and NID are shares in [0, 1] without a unit; ID is in bits or nats. All are metrics. Where both partitions are one
cluster, NVI and NID are 0 / 0 in exact arithmetic and here, since u, v, w and t are then one entry of the table of f or
sums of its differences without rounding (`dyadic`); the loss is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from partita.partition.losses.base import PartitionLoss, Unit

__all__ = ["InformationDistance", "NormalizedInformationDistance", "NormalizedVariation"]


class NormalizedVariationFormula(NamedTuple):
    """Formula without numbers; `unused`, since a compiled tuple has at least one."""

    unused: float = 0.0

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the loss from the sums of n log n; 0 where both are one cluster."""
        joint = t - w
        return (u + v - 2.0 * w) / (joint + (joint <= 0.0))


class DistanceFormula(NamedTuple):
    """Formula without numbers; `unused`, since a compiled tuple has at least one."""

    unused: float = 0.0

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the loss from the sums of n log n: the larger of u and v, less w."""
        return (0.5 * (u + v + abs(u - v)) - w) / n


class NormalizedDistanceFormula(NamedTuple):
    """Formula without numbers; `unused`, since a compiled tuple has at least one."""

    unused: float = 0.0

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the loss from the sums of n log n: ID over the larger entropy; 0 where both are one cluster."""
        gap = abs(u - v)
        larger = t - 0.5 * (u + v - gap)
        return (0.5 * (u + v + gap) - w) / (larger + (larger <= 0.0))


@dataclass(frozen=True)
class NormalizedVariation(PartitionLoss):
    """NVI, the variation of information over the joint entropy.

    Examples
    --------
    >>> NormalizedVariation().says
    'normalized variation of information'
    """

    name: ClassVar[str] = "nvi"
    title: ClassVar[str] = "normalized variation of information"
    entropic: ClassVar[bool] = True
    per_draw: ClassVar[bool] = True
    source: ClassVar[str] = "[vinh2010]"

    @property
    def formula(self) -> NormalizedVariationFormula:
        return NormalizedVariationFormula()


@dataclass(frozen=True)
class InformationDistance(PartitionLoss):
    """ID, the larger entropy less the mutual information.

    Parameters
    ----------
    unit : {"bits", "nats"}

    Examples
    --------
    >>> InformationDistance().says
    'information distance (bits)'
    """

    unit: Unit = "bits"

    name: ClassVar[str] = "id"
    title: ClassVar[str] = "information distance"
    entropic: ClassVar[bool] = True
    per_draw: ClassVar[bool] = True
    source: ClassVar[str] = "[vinh2010]"

    @property
    def formula(self) -> DistanceFormula:
        return DistanceFormula()


@dataclass(frozen=True)
class NormalizedInformationDistance(PartitionLoss):
    """NID, the information distance over the larger entropy.

    Examples
    --------
    >>> NormalizedInformationDistance().says
    'normalized information distance'
    """

    name: ClassVar[str] = "nid"
    title: ClassVar[str] = "normalized information distance"
    entropic: ClassVar[bool] = True
    per_draw: ClassVar[bool] = True
    source: ClassVar[str] = "[vinh2010]"

    @property
    def formula(self) -> NormalizedDistanceFormula:
        return NormalizedDistanceFormula()
