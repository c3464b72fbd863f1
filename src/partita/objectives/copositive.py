"""Copositive (completely positive) factorization [zass2005], as [rotabulo2010] eq. (4) prints it: a doubly stochastic F
by G G^T with G >= 0.

The printed update leaves the item's own entry F_ii out of its sums: what it minimises is the sum over pairs of two
different items. That is said by the affinity, whose diagonal is then unobserved (`CopositiveFactorization` does so);
with an observed diagonal the objective is SymNMF's, on F.
"""

from __future__ import annotations

from partita.objectives.domain import NONNEGATIVE
from partita.objectives.sof import SoFObjective

__all__ = ["CopositiveObjective"]


class CopositiveObjective(SoFObjective):
    """||F - G G^T||^2 over G >= 0, F doubly stochastic.

    >>> CopositiveObjective().domain.name
    'nonnegative'
    """

    name = "copositive"
    equation = "||F - W W^T||^2, F doubly stochastic, without its diagonal"
    source = "[zass2005], [rotabulo2010] eq. (4)"
    domain = NONNEGATIVE
