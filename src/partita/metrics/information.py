"""Entropies: how unsure each item's membership is, and how much one partition leaves unsaid about another.

The variation of information H(A|B) + H(B|A) is a metric on partitions [meila2007]; it is at most log N, and 2 log K for
partitions into at most K clusters. Divided by the joint entropy it lies in [0, 1] and still is a metric [vinh2010].
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from partita.errors import InputError
from partita.metrics.checks import counts_of_pairs, membership_of

__all__ = ["entropy", "normalized_variation_of_information", "variation_of_information"]

Unit = Literal["bits", "nats"]


def variation_of_information(a: ArrayLike, b: ArrayLike, *, unit: Unit = "bits") -> float:
    """Return the variation of information between two partitions, H(a|b) + H(b|a) [meila2007].

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Labels: any whole numbers or strings.
    unit : {"bits", "nats"}
        Base of the logarithm: 2 or e.

    Returns
    -------
    float
        In [0, log N]; 0 exactly when the partitions are equal.

    Raises
    ------
    InputError
        For different lengths, no items, missing labels, or an unknown unit.

    References
    ----------
    [meila2007] Meila: Comparing clusterings, an information based distance. J. Multivariate Analysis 98, 2007.

    Examples
    --------
    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    2.0
    """
    return _variation_and_joint_entropy(a, b)[0] / _nats_per(unit)


def normalized_variation_of_information(a: ArrayLike, b: ArrayLike) -> float:
    """Return the variation of information divided by the joint entropy, 1 - I(a; b) / H(a, b) [vinh2010].

    It is 0 for equal partitions, also when both are a single cluster (where the joint entropy is 0), and 1 for
    independent ones.

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Labels: any whole numbers or strings.

    Raises
    ------
    InputError
        For different lengths, no items, or labels that are missing.

    References
    ----------
    [vinh2010] Vinh, Epps, Bailey: Information theoretic measures for clusterings comparison. JMLR 11, 2010.

    Examples
    --------
    >>> normalized_variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    variation, joint = _variation_and_joint_entropy(a, b)
    return min(variation / joint, 1.0) if joint > 0 else 0.0


def entropy(membership: ArrayLike, *, unit: Unit = "nats") -> NDArray[np.float64]:
    """Return the entropy of each row of a membership: 0 for a sure item, log K for one that could be anywhere.

    Parameters
    ----------
    membership : array-like of shape (N, K)
        Rows on the simplex.
    unit : {"bits", "nats"}
        Base of the logarithm: 2 or e.

    Raises
    ------
    InputError
        For rows that are not probabilities, an empty array, or an unknown unit.

    Examples
    --------
    >>> entropy([[1, 0], [0.5, 0.5]], unit="bits")
    array([0., 1.])
    """
    nats: NDArray[np.float64] = entr(membership_of(membership, "membership")).sum(axis=1)
    return nats / _nats_per(unit)


def _variation_and_joint_entropy(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
    counts = counts_of_pairs(a, b, ("a", "b"))
    n = counts.count
    share = n / counts.n_items
    # A cell adds n_ij log(n_i / n_ij) + n_ij log(n_j / n_ij). No term is negative: equal partitions give exactly 0.
    unsaid = np.log(counts.row_total[counts.row] / n) + np.log(counts.column_total[counts.column] / n)
    return float(share @ unsaid), float(entr(share).sum())


def _nats_per(unit: str) -> float:
    if unit == "nats":
        return 1.0
    if unit == "bits":
        return float(np.log(2))
    raise InputError(f"unit={unit!r} is unknown; pass 'bits' or 'nats'")
