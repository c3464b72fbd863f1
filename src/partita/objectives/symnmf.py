"""Symmetric nonnegative matrix factorization [kuang2012]: SoF without the constraint that rows sum to one, so that the
size of a row follows the size of the item's affinities. On D^-1/2 P D^-1/2 it relaxes normalised cut the other way than
eigenvectors do: it keeps W >= 0 and gives up W^T W = I.
"""

from __future__ import annotations

from partita.objectives.domain import NONNEGATIVE
from partita.objectives.sof import SoFObjective

__all__ = ["SymNMFObjective"]


class SymNMFObjective(SoFObjective):
    """||P - H H^T||^2 over H >= 0.

    >>> SymNMFObjective().domain.equation
    'W >= 0'
    """

    name = "symnmf"
    equation = "||P - W W^T||^2"
    source = "[kuang2012]"
    domain = NONNEGATIVE
