"""Stephens' relabelling: the columns from whose shares the draws diverge least.

min over relabellings and Q of sum_b sum_i sum_k p_bik log(p_bik / q_ik), p_b the classification probabilities of draw
b. Given the relabelling, Q is the mean of the relabelled p_b; given Q, each draw is an assignment problem.

Where a sampler leaves labels only, p_b are their indicators: each draw is then matched by the likelihood of its labels
under Q. That is the algorithm on allocations, noisier than the one on probabilities; it differs from `IterativeECR` in
that an item whose column is doubtful counts less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.relabelling.base import Relabelling

__all__ = ["Stephens"]


@dataclass(frozen=True)
class Stephens(Relabelling):
    """Least Kullback-Leibler divergence from the shares.

    Parameters
    ----------
    pseudo_draws : float > 0
        Weight, in draws, of a uniform draw that is added to the shares: without it an item that was never in a column
        could never come there. What is minimised then has this draw among the others; it never rises while no draw has
        more clusters than the pivot.

    Raises
    ------
    InputError
        For a weight that is not positive.

    Examples
    --------
    >>> Stephens().scores(np.array([[1.0, 0.0]]), 10).round(3).tolist()
    [[3.045, 0.0]]
    """

    name = "stephens"
    idea = "the most likely labels under each item's shares"
    source = "[stephens2000] algorithm of section 4.1"

    takes_soft: ClassVar[bool] = True

    pseudo_draws: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.pseudo_draws < np.inf:
            raise InputError(f"pseudo_draws={self.pseudo_draws}: expected a positive number")

    def scores(self, shares: Array, n_draws: int) -> Array:
        share = self.pseudo_draws / n_draws
        return np.asarray(np.log1p(shares * shares.shape[1] / share))  # log q_ik less that of a column never visited
