"""The adjusted Rand index over draws: of the averages (PEAR), or averaged over the draws (omARI).

With B, C, A the pairs joined by the estimate, by the draw and by both, of T pairs in all [hubert1985],

    1 - ARI = ((B + C)/2 - A) / ((B + C)/2 - B C / T) = ((B - A) + (C - A)) T / (B (T - C) + C (T - B)),

the second without differences of large numbers. It is 0 / 0 where both partitions are single items, or both are one
cluster: they are equal, and the loss is 0.

PEAR puts in the expectations of A and C [fritsch2009], so that the similarity matrix is enough; omARI is the mean of
the formula itself [dahl2022]. PEAR is known as a score and reported as the index, larger being better; omARI, whose
name is "one minus ARI", is reported as that, smaller being better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from partita.partition.losses.base import NOTHING, PartitionLoss

__all__ = ["AdjustedRand", "PosteriorExpectedRand"]


class AdjustedRandFormula(NamedTuple):
    """Formula without numbers; `unused`, since a compiled tuple has at least one."""

    unused: float = 0.0

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return one minus the index, from sums of n (n - 1), which are whole numbers."""
        middle = u * (t - v) + v * (t - u)
        return ((u - w) + (v - w)) * t / (middle + (middle <= 0.0))


class ExpectedRandFormula(NamedTuple):
    """Formula without numbers; `unused`, since a compiled tuple has at least one."""

    unused: float = 0.0

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return one minus the index, from means: 0 where no draw joins a pair, and t up to rounding where all join
        all.
        """
        differ = (u + v > 0.0) & (u + v < (2.0 - NOTHING) * t)
        return differ * ((u - w) + (v - w)) * t / (differ * (u * (t - v) + v * (t - u)) + (1 - differ))


@dataclass(frozen=True)
class PosteriorExpectedRand(PartitionLoss):
    """PEAR, the adjusted Rand index of the expectations; larger is better.

    Examples
    --------
    >>> float(PosteriorExpectedRand().reported(0.25))
    0.75
    """

    name: ClassVar[str] = "pear"
    title: ClassVar[str] = "posterior expected adjusted Rand"
    entropic: ClassVar[bool] = False
    by_pairs: ClassVar[bool] = True
    with_itself: ClassVar[bool] = False
    is_score: ClassVar[bool] = True
    source: ClassVar[str] = "[fritsch2009]"

    @property
    def formula(self) -> ExpectedRandFormula:
        return ExpectedRandFormula()


@dataclass(frozen=True)
class AdjustedRand(PartitionLoss):
    """omARI, the mean over draws of one minus the adjusted Rand index; smaller is better.

    Examples
    --------
    >>> AdjustedRand().says
    'one minus adjusted Rand'
    """

    name: ClassVar[str] = "omari"
    title: ClassVar[str] = "one minus adjusted Rand"
    entropic: ClassVar[bool] = False
    per_draw: ClassVar[bool] = True
    with_itself: ClassVar[bool] = False
    source: ClassVar[str] = "[hubert1985], [dahl2022]"

    @property
    def formula(self) -> AdjustedRandFormula:
        return AdjustedRandFormula()
