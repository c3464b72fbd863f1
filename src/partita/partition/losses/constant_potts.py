"""The constant Potts model with a price for each cluster: what correlation clustering and SCAMS minimise.

    J = resolution u - w + price K
      = sum over ordered pairs of one cluster (resolution - A_ij) + price K,    f(n) = n^2      [traag2011; li2015, (3)]

w is the affinity within clusters, the diagonal included. With G = Z Z^T of the indicators Z of a partition it is SCAMS'
tr(-A^T G) + lambda rank(G) + gamma ||G||_0. An affinity takes the place of the similarity matrix; nothing asks that its
entries be probabilities. Where they are, `resolution = (2 - a) / 2` and no price give half of Binder's loss times N^2,
but for a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from partita.errors import InputError
from partita.partition.losses.base import PartitionLoss

__all__ = ["ConstantPotts"]


class PottsFormula(NamedTuple):
    """Formula with the resolution and the price of a cluster."""

    resolution: float
    price: float

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the objective from the sums of n^2 and the affinity within clusters."""
        return self.resolution * u - w + self.price * K


@dataclass(frozen=True)
class ConstantPotts(PartitionLoss):
    """The constant Potts model with a price for each cluster.

    It has no name as a loss of draws: its zero is not where partitions agree.

    Parameters
    ----------
    resolution : float
        gamma, at least 0: affinities above it pull together, those below it push apart.
    price : float
        lambda, at least 0: what a cluster costs.

    Examples
    --------
    >>> ConstantPotts(0.5, price=1.0).says
    'constant Potts model'
    """

    resolution: float
    price: float = 0.0

    title: ClassVar[str] = "constant Potts model"
    entropic: ClassVar[bool] = False
    by_pairs: ClassVar[bool] = True
    source: ClassVar[str] = "[traag2011]"

    def __post_init__(self) -> None:
        for name in ("resolution", "price"):
            value = getattr(self, name)
            if not 0.0 <= value < float("inf"):
                raise InputError(f"{name}={value!r}: expected a finite number of at least 0")

    @property
    def formula(self) -> PottsFormula:
        return PottsFormula(float(self.resolution), float(self.price))
