"""Agreement of chains on which items are together: differences between their posterior similarity matrices.

R-hat of a number such as K does not see two chains with as many clusters but others. Here every chain has its own
matrix of shares P^c_ij, and what is reported is max |P^c_ij - P^e_ij| over pairs of items and of chains, and the mean.
Cost: M n^2 comparisons of labels for M draws of n items; beyond `COMPARISONS` of them a random sample of the items is
compared, pair by pair, and the maximum is one over those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.metrics.chain_similarity import similarity_differences

__all__ = ["ChainAgreement", "chain_agreement"]

# Comparisons of labels that may be made: about two seconds of one core. And items that are compared in any case.
COMPARISONS, FEWEST = 1e10, 100


@dataclass(frozen=True)
class ChainAgreement:
    """Agreement of chains on which items belong together, on a sample of the items where they are many.

    Attributes
    ----------
    max_difference, mean_difference : float in [0, 1]
        Over pairs of items and of chains.
    farthest : tuple of two chains
        Where the maximum is.
    n_items : int
        Items compared: all of them where `exact`, else a random sample.
    exact : bool
    """

    max_difference: float
    mean_difference: float
    farthest: tuple[int, int]
    n_items: int
    exact: bool


def chain_agreement(draws: NDArray[np.integer], chain: ArrayLike) -> ChainAgreement:
    """Compare chains.

    Parameters
    ----------
    draws : M x N array of int16 or int32 labels
    chain : array of M
        Which chain each draw is of: numbers 0..C-1, at least two.

    Raises
    ------
    InputError
        For lengths that differ, or fewer than two chains.

    Examples
    --------
    >>> draws = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=np.int16)
    >>> found = chain_agreement(draws, [0, 0, 1, 1])
    >>> found.max_difference, round(found.mean_difference, 3), found.exact
    (1.0, 0.667, True)
    """
    numbers = np.asarray(chain)
    if numbers.shape != (len(draws),):
        raise InputError(f"chain has shape {numbers.shape}, expected one number for each of the {len(draws)} draws")
    chains = np.unique(numbers)
    if len(chains) < 2:
        raise InputError("agreement is between chains, and there is one: run at least two")
    M, N = draws.shape
    n = min(N, max(FEWEST, int((COMPARISONS / M) ** 0.5)))
    items = np.arange(N) if n == N else np.sort(np.random.default_rng(0).choice(N, n, replace=False))
    compared = similarity_differences([draws[numbers == c][:, items] for c in chains])
    a, b = compared.chains
    return ChainAgreement(compared.largest, compared.mean, (int(chains[a]), int(chains[b])), n, n == N)
