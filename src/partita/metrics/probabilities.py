"""Correctness of memberships as probabilities: distance to the true ones, and calibration.

The columns of a membership carry no names, so both scores first align them with the truth's by the assignment that
maximizes the shared mass; label switching is never taken for an error. Among one-to-one matchings this is also the one
with the least Brier score, because ||p - q||^2 differs between matchings only by -2 p.q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from partita.errors import InputError
from partita.metrics.checks import codes_of, membership_of, require_same_length

__all__ = ["align", "brier_score", "expected_calibration_error"]


def align(membership: ArrayLike, truth: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Put the columns of a membership into the order of the truth's.

    Parameters
    ----------
    membership : array-like of shape (N, K), or labels of shape (N,)
        The estimate. Labels are read as memberships of 0 and 1.
    truth : array-like of shape (N, L), or labels of shape (N,)
        Columns of labels are in sorted order of the labels.

    Returns
    -------
    tuple of two arrays of shape (N, max(K, L))
        The estimate, permuted, and the truth; the one with fewer columns has zeros for the ones it lacks.

    Raises
    ------
    InputError
        For different lengths, no items, or rows that are not probabilities.

    Examples
    --------
    >>> estimate, truth = align([[0.1, 0.9], [0.7, 0.3]], ["a", "b"])
    >>> estimate
    array([[0.9, 0.1],
           [0.3, 0.7]])
    """
    estimate, true = _probabilities(membership, "membership"), _probabilities(truth, "truth")
    require_same_length(len(estimate), len(true), ("membership", "truth"))
    width = max(estimate.shape[1], true.shape[1])
    estimate, true = _widened(estimate, width), _widened(true, width)
    own, theirs = linear_sum_assignment(estimate.T @ true, maximize=True)
    aligned = np.empty_like(estimate)
    aligned[:, theirs] = estimate[:, own]
    return aligned, true


def brier_score(membership: ArrayLike, truth: ArrayLike) -> float:
    """Return the mean over items of the squared distance between estimated and true probabilities [brier1950].

    mean_i sum_k (w_ik - t_ik)^2 after the best alignment of the columns; in [0, 2], smaller is better.

    Parameters
    ----------
    membership : array-like of shape (N, K)
        Rows on the simplex.
    truth : array-like of shape (N, L), or labels of shape (N,)
        Known probabilities, or the true labels.

    Raises
    ------
    InputError
        For different lengths, no items, or rows that are not probabilities.

    References
    ----------
    [brier1950] Brier: Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, 1950.

    Examples
    --------
    >>> brier_score([[1.0, 0.0], [0.5, 0.5]], [0, 1])
    0.25
    """
    estimate, true = align(membership, truth)
    return float(((estimate - true) ** 2).sum(axis=1).mean())


def expected_calibration_error(membership: ArrayLike, truth: ArrayLike, *, n_bins: int = 10) -> float:
    """Return the mean distance between confidence and accuracy, over bins of the confidence [naeini2015].

    The confidence of an item is its largest membership. Items fall into `n_bins` bins of equal width by it; the result
    is the mean over bins, weighted by their items, of |mean confidence - mean true probability of the predicted class|,
    in [0, 1]. With few items per bin it is biased upwards.

    Parameters
    ----------
    membership : array-like of shape (N, K)
        Rows on the simplex.
    truth : array-like of shape (N, L), or labels of shape (N,)
        Known probabilities, or the true labels.
    n_bins : int
        At least 1.

    Raises
    ------
    InputError
        For different lengths, no items, rows that are not probabilities, or no bins.

    References
    ----------
    [naeini2015] Naeini, Cooper, Hauskrecht: Obtaining well calibrated probabilities using Bayesian binning. AAAI 2015.

    Examples
    --------
    >>> expected_calibration_error([[0.75, 0.25]] * 4, [0, 0, 0, 1])
    0.0
    """
    if n_bins < 1:
        raise InputError(f"n_bins={n_bins} should be at least 1")
    estimate, true = align(membership, truth)
    predicted = estimate.argmax(axis=1)[:, np.newaxis]
    confidence = np.take_along_axis(estimate, predicted, axis=1)[:, 0]
    correct = np.take_along_axis(true, predicted, axis=1)[:, 0]
    bins = np.minimum((confidence * n_bins).astype(np.intp), n_bins - 1)
    # The items of a bin cancel out of weight times mean: |bin| / N * |mean gap| = |sum of gaps| / N.
    gap = np.bincount(bins, weights=confidence - correct)
    return float(np.abs(gap).sum() / len(confidence))


def _probabilities(value: ArrayLike, name: str) -> NDArray[np.float64]:
    if np.ndim(value) == 1:
        codes = codes_of(value, name)
        return np.eye(int(codes.max()) + 1)[codes]
    return membership_of(value, name)


def _widened(array: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    return np.pad(array, ((0, 0), (0, width - array.shape[1])))
