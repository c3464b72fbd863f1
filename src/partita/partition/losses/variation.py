"""Variation of information: H(estimate | draw) and H(draw | estimate), weighed a and 2 - a.

    VI(a) = (a v + (2 - a) u - 2 w) / n,    f(n) = n log n      [wade2018; dahl2022]

A metric on partitions for a = 1, in bits or nats, at most log N. Of two estimates equally far by pairs it prefers fewer
and larger clusters. `a` above 1 makes parting what is together in the draw dearer and gives fewer clusters, below 1
more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from partita.partition.losses.base import PartitionLoss, Unit, check_weight
from partita.wording import percent

__all__ = ["VariationOfInformation"]


class VariationFormula(NamedTuple):
    """Formula with the weight a."""

    a: float

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the loss from the sums of n log n."""
        return (self.a * v + (2.0 - self.a) * u - 2.0 * w) / n


@dataclass(frozen=True)
class VariationOfInformation(PartitionLoss):
    """Variation of information.

    Parameters
    ----------
    a : float in [0, 2]
        Weight of H(estimate | draw), what the estimate parts; 1 is the metric.
    unit : {"bits", "nats"}

    Examples
    --------
    >>> VariationOfInformation(unit="nats").says
    'variation of information (nats)'
    """

    a: float = 1.0
    unit: Unit = "bits"

    name: ClassVar[str] = "vi"
    title: ClassVar[str] = "variation of information"
    entropic: ClassVar[bool] = True
    source: ClassVar[str] = "[meila2007], [wade2018]"

    def __post_init__(self) -> None:
        check_weight(self.a)

    @property
    def formula(self) -> VariationFormula:
        return VariationFormula(float(self.a))

    def extent(self, value: float, n_items: int) -> str:
        if n_items < 2:
            return ""
        largest = math.log2(n_items) if self.unit == "bits" else math.log(n_items)
        return f"{percent(value / largest)} of the largest possible distance"
