"""Wade and Ghahramani's lower bound of the expected variation of information, from the similarity matrix alone.

    VI.lb = 1/N sum_i [ log n_c(i) + log sum_l p_il - 2 log sum_{l in c(i)} p_il ]      [wade2018] eq. (6)

By Jensen's inequality at most E[VI]. The logarithms of sums are no sums over pairs: the search has a state of its own
(`partita.kernels.partition_bound`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from partita.partition.losses.base import PartitionLoss, Unit

__all__ = ["LowerBound"]


class LowerBoundFormula(NamedTuple):
    """Formula with the unit, by which natural logarithms are divided."""

    per_nat: float

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the bound, of u = sum_i log n_c(i), v = sum_i log sum_l p_il, w = sum_i log sum_{l in c(i)} p_il,
        in nats.
        """
        return (u + v - 2.0 * w) / (n * self.per_nat)


@dataclass(frozen=True)
class LowerBound(PartitionLoss):
    """VI.lb, which bounds the expected variation of information from below.

    Parameters
    ----------
    unit : {"bits", "nats"}

    Examples
    --------
    >>> LowerBound().says
    'lower bound of the expected variation of information (bits)'
    """

    unit: Unit = "bits"

    name: ClassVar[str] = "vi_lb"
    title: ClassVar[str] = "lower bound of the expected variation of information"
    entropic: ClassVar[bool] = True
    by_pairs: ClassVar[bool] = True
    by_draws: ClassVar[bool] = False
    source: ClassVar[str] = "[wade2018]"

    @property
    def formula(self) -> LowerBoundFormula:
        return LowerBoundFormula(0.6931471805599453 if self.unit == "bits" else 1.0)
