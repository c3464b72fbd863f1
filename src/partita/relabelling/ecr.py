"""Equivalence classes representatives (ECR): as many items as possible where the pivot has them [papastamoulis2010].

Iterated, the pivot then is each item's most frequent column [papastamoulis2014].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from partita.arrays import Array
from partita.relabelling.base import Relabelling, modal

__all__ = ["ECR", "IterativeECR"]


@dataclass(frozen=True)
class ECR(Relabelling):
    """Most items in the same column as in the pivot; one pass over the draws.

    Examples
    --------
    >>> import numpy as np
    >>> ECR().scores(np.array([[0.9, 0.1], [0.2, 0.8]]), 10).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    name = "ecr"
    idea = "most items where the pivot has them"
    source = "[papastamoulis2010]"
    iterative: ClassVar[bool] = False

    def scores(self, shares: Array, n_draws: int) -> Array:
        return modal(shares)


@dataclass(frozen=True)
class IterativeECR(ECR):
    """`ECR` whose pivot becomes each item's most frequent column, until nothing changes (its first iterative version).

    Items that differ from the pivot, summed over the draws, never become more.
    """

    name = "ecr-iterative"
    idea = "most items where most draws have them"
    source = "[papastamoulis2014] ECR, iterative version 1"
    iterative: ClassVar[bool] = True
