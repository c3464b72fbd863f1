"""Verdict from traces and similarities of several chains: they agree, they do not, or there is too little to tell.

How far agreeing chains may be apart depends on how many independent draws they are worth. With n effective draws each,

    |dP_ij|  exceeds  z sqrt(1/(4 n) + 1/(4 n))           with probability CHANCE at most over all pairs, for normal z
    R-hat^2  exceeds  1 + q / (n / 2)                      with probability CHANCE, q the chi^2 quantile of 2C - 1
                                                           degrees of freedom over their number

A chain that jumps once between two partitions is worth two draws, and by that count would be excused from any
difference. So n is that of the better half of the chains, the least of them, each taken alone: a chain that is slow is
held to what the others can do. Where all are slow nothing excuses them either: what is not shown to disagree is said to
agree only where every chain is worth `ENOUGH` draws and no R-hat exceeds `R_HAT` [vehtari2021].

[vehtari2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16 (2021).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtri, ndtri

from partita.arrays import Array
from partita.metrics.convergence import effective_sample_size, r_hat

__all__ = ["FEWEST", "ChainVerdict", "Farthest", "chain_verdict"]


# Differences that matter: in the probability that two items are together, and R-hat.
DIFFERENCE, R_HAT = 0.1, 1.1
# Chance that agreeing chains exceed what chance allows, for each thing compared.
CHANCE = 0.002
# Effective draws of a chain below which nothing is told, and draws that an R-hat needs.
ENOUGH, FEWEST = 20.0, 4
# R-hats beyond this are told as such.
LARGE = 100.0

WORDS = {
    "n_clusters": "the number of clusters",
    "distance": "the distance to a central draw",
    "log_joint": "the log joint density",
}


@dataclass(frozen=True)
class Farthest:
    """Largest difference between the similarity matrices of chains, and where it is.

    Attributes
    ----------
    difference : float in [0, 1]
    chains, items : tuple of two
        As they are called.
    n_items : int
        Items of which all pairs were compared.
    """

    difference: float
    chains: tuple[Any, Any]
    items: tuple[Any, Any]
    n_items: int


@dataclass(frozen=True)
class ChainVerdict:
    """Verdict on the agreement of chains.

    Attributes
    ----------
    agree : bool
        Whether they are long enough to tell, and nothing shows that they differ.
    words : str
        The verdict; what to do where they do not agree.
    reasons : tuple of str
        Differences and traces that exceed `allowed_difference` or `allowed_r_hat`.
    allowed_difference, allowed_r_hat : float
        Values that agreeing chains may reach.
    r_hat, effective_sample_size : dict
        Statistics of each trace, over the last draws of all chains, as many as the shortest has.
    least_effective : float
        The least effective sample size of one chain alone, over the number of clusters and the distance.
    """

    agree: bool
    words: str
    reasons: tuple[str, ...]
    allowed_difference: float
    allowed_r_hat: float
    r_hat: dict[str, float]
    effective_sample_size: dict[str, float]
    least_effective: float

    @classmethod
    def of_too_few(cls, n_draws: int) -> ChainVerdict:
        """Make the verdict on chains with fewer draws than an R-hat needs.

        >>> ChainVerdict.of_too_few(2).words
        'too little to tell whether the chains agree: draws of each are 2, and at least 4 are needed; run longer'
        """
        words = (
            f"too little to tell whether the chains agree: draws of each are {n_draws}, and at least {FEWEST} are "
            "needed; run longer"
        )
        return cls(False, words, (), 1.0, R_HAT, {}, {}, float(n_draws))


def chain_verdict(traces: Mapping[str, Sequence[Array]], farthest: Farthest) -> ChainVerdict:
    """Judge whether chains agree.

    Parameters
    ----------
    traces : mapping from "n_clusters", "distance", "log_joint" to an array for each chain
        At least two chains, of at least four draws, in the order in which they were drawn. The log joint is judged by
        its R-hat only: partitions may be known well where it is not.
    farthest : Farthest

    Raises
    ------
    InputError
        For chains that are too short, or a trace that is not finite.

    References
    ----------
    [vehtari2021].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> traces = {"distance": [rng.normal(size=500), rng.normal(size=500)]}
    >>> chain_verdict(traces, Farthest(0.04, (0, 1), (3, 7), 20)).agree
    True
    >>> traces["distance"][1][250:] += 9  # it jumps
    >>> print(chain_verdict(traces, Farthest(0.5, (0, 1), (3, 7), 20)).reasons[0])
    chains 0 and 1 differ by 0.50 in the probability that items 3 and 7 are together (0.14 is what chance allows)
    """
    n_chains = len(next(iter(traces.values())))
    last = min(len(trace) for each in traces.values() for trace in each)
    together = {name: np.array([trace[-last:] for trace in each]) for name, each in traces.items()}
    hats = {name: r_hat(trace) for name, trace in together.items()}
    sizes = {name: effective_sample_size(trace) for name, trace in together.items()}
    alone = {name: np.array([_worth(trace) for trace in each]) for name, each in traces.items()}
    worth = np.min([each for name, each in alone.items() if name != "log_joint"], axis=0)
    n_items = farthest.n_items
    pairs = max(n_items * (n_items - 1) // 2, 1) * (n_chains * (n_chains - 1) // 2)
    allowed = float(-ndtri(CHANCE / (2 * pairs))) * math.sqrt(0.5 / _of_better_half(worth))
    allowed = min(max(DIFFERENCE, allowed), 1.0)
    against: list[str] = []
    if farthest.difference > allowed:
        (a, b), (i, j) = farthest.chains, farthest.items
        against.append(
            f"chains {a} and {b} differ by {farthest.difference:.2f} in the probability that items {i} and {j} are "
            f"together ({allowed:.2f} is what chance allows)"
        )
    freedom = 2 * n_chains - 1
    quantile = float(chdtri(freedom, CHANCE)) / freedom
    doubts: list[str] = []
    for name, hat in hats.items():
        if hat > R_HAT:
            by_chance = hat**2 <= 1 + quantile / (_of_better_half(alone[name]) / 2)
            (doubts if by_chance else against).append(_of_r_hat(name, hat))
    least = float(worth.min())
    agree = not against and not doubts and least >= ENOUGH
    words = _in_words(against, doubts, farthest.difference, least)
    return ChainVerdict(agree, words, (*against, *doubts), allowed, R_HAT, hats, sizes, least)


def _worth(trace: Array) -> float:
    """Effective draws of one chain, at most as many as it has."""
    return min(effective_sample_size(trace[None]), float(len(trace)))


def _of_better_half(worth: Array) -> float:
    """The least of the better half of the chains."""
    return float(np.sort(worth)[len(worth) // 2])


def _of_r_hat(name: str, hat: float) -> str:
    """An R-hat that is too large, in words.

    >>> _of_r_hat("n_clusters", 1.104)
    'R-hat of the number of clusters is 1.104 (above 1.1)'
    """
    what = WORDS.get(name, name)
    if math.isinf(hat):
        return f"{what} stays the same within each half of a chain, and differs between them"
    told = f"{hat:.3f}" if hat < LARGE else f"more than {LARGE:.0f}"
    return f"R-hat of {what} is {told} (above {R_HAT})"


def _in_words(against: list[str], doubts: list[str], largest: float, least: float) -> str:
    if against:
        return (
            f"the chains disagree: {'; '.join((*against, *doubts))}; do not pool them: run longer, start from "
            "elsewhere, or look at the modes"
        )
    if doubts or least < ENOUGH:
        size = f"effective sample size {least:.0f} of a chain alone" + (f", below {ENOUGH:.0f}" * (least < ENOUGH))
        return (
            f"too little to tell whether the chains agree: {'; '.join((size, *doubts))}; they differ by at most "
            f"{largest:.2f} in the probability that two items are together; run longer"
        )
    return f"the chains agree: they differ by at most {largest:.2f} in the probability that two items are together"
