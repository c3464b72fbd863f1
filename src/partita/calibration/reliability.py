"""Reliability: do items that are said to be together with probability p come out together that often?

The probability that items i and j are together is w_i . w_j. What it is held against is v_i . v_j of a fit that has
seen neither of them. Pairs are binned by the first; in a well-calibrated fit the two means agree in every bin.
Co-membership needs no names of clusters, so nothing is aligned. A sample of pairs is used, never all N^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = ["Reliability", "co_membership_pairs", "reliability"]


PAIRS = 50_000
BINS = 10


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of the predicted probability that two items are together; empty ones are left out.

    Attributes
    ----------
    predicted, observed : array of B
        Mean prediction, and mean of what it is held against.
    count : array of B
        Pairs in each bin.
    """

    predicted: Array
    observed: Array
    count: NDArray[np.int64]

    @property
    def error(self) -> float:
        """Mean distance of the two over all pairs: the expected calibration error of co-membership, in [0, 1].

        >>> reliability(np.array([0.5, 0.5]), np.array([0.0, 1.0])).error
        0.0
        """
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.count))


def reliability(predicted: Array, observed: Array, n_bins: int = BINS) -> Reliability:
    """Return bins of equal width, over pairs."""
    which = np.minimum((predicted * n_bins).astype(np.intp), n_bins - 1)
    count = np.bincount(which, minlength=n_bins)
    seen = count > 0
    mean = [np.bincount(which, weights=v, minlength=n_bins)[seen] / count[seen] for v in (predicted, observed)]
    return Reliability(mean[0], mean[1], count[seen].astype(np.int64))


def co_membership_pairs(W: Array, V: Array, part: NDArray[np.intp], rng: np.random.Generator) -> tuple[Array, Array]:
    """Return w_i . w_j and v_i . v_j over a sample of pairs of different items of one part. Cost: its size times K."""
    first, second = rng.integers(len(part), size=(2, PAIRS))
    first, second = (part[side[first != second]] for side in (first, second))
    return np.einsum("nk,nk->n", W[first], W[second]), np.einsum("nk,nk->n", V[first], V[second])
