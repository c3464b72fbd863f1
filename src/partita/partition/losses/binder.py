"""Binder's loss: the share of pairs of items that one partition joins and the other parts.

    Binder(a) = (a v + (2 - a) u - 2 w) / n^2,    f(n) = n^2      [binder1978; wade2018]

Parting a pair that is together in the draw costs l1 = a, joining one that is apart l2 = 2 - a. Over all n^2 ordered
pairs, the diagonal among them, or over the n(n - 1) of different items (`normalize="pairs"`), where it is one minus the
Rand index. It tends to leave doubtful items as clusters of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from partita.errors import InputError
from partita.partition.losses.base import PartitionLoss, check_weight
from partita.wording import percent

__all__ = ["Binder"]

Normalize = Literal["n2", "pairs"]


class BinderFormula(NamedTuple):
    """Formula with the weight a, and 1 where the pairs of an item with itself are not counted, else 0."""

    a: float
    apart: float

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the loss from the sums of n^2; a single item has no pairs, and none are wrong."""
        pairs = t - self.apart * n
        return (self.a * v + (2.0 - self.a) * u - 2.0 * w) / (pairs + (pairs <= 0.0))


@dataclass(frozen=True)
class Binder(PartitionLoss):
    """Binder's loss.

    Parameters
    ----------
    a : float in [0, 2]
        l1 = a for parting a pair that is together, l2 = 2 - a for joining one that is not.
    normalize : {"n2", "pairs"}
        Divide by N^2, or by the number of ordered pairs of different items.

    Examples
    --------
    >>> Binder(normalize="pairs").says
    'Binder loss'
    """

    a: float = 1.0
    normalize: Normalize = "n2"

    name: ClassVar[str] = "binder"
    title: ClassVar[str] = "Binder loss"
    entropic: ClassVar[bool] = False
    by_pairs: ClassVar[bool] = True
    source: ClassVar[str] = "[binder1978]"

    def __post_init__(self) -> None:
        check_weight(self.a)
        if self.normalize not in get_args(Normalize):
            raise InputError(f"normalize={self.normalize!r}: expected 'n2' or 'pairs'")

    @property
    def formula(self) -> BinderFormula:
        return BinderFormula(float(self.a), 1.0 if self.normalize == "pairs" else 0.0)

    def extent(self, value: float, n_items: int) -> str:
        if self.normalize == "n2":  # of which an item with itself is no pair that may be told otherwise
            value *= n_items / max(n_items - 1, 1)
        return f"as far as {percent(value)} of the pairs of items told otherwise"
