"""Convergence of chains to one distribution: rank-normalized split R-hat, and bulk effective sample size.

Both split every chain in two, replace values by the normal quantiles of their ranks over all chains, and compare the
variance between half-chains with that within [vehtari2021]. R-hat is the larger of that of the values and that of their
distances from the median, near 1 where chains agree; above 1.01 they should run longer, above 1.1 they disagree.

[vehtari2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16 (2021).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

from partita.arrays import Array
from partita.errors import InputError

__all__ = ["effective_sample_size", "r_hat"]


def r_hat(trace: ArrayLike) -> float:
    """Return the rank-normalized split R-hat [vehtari2021, section 4].

    Parameters
    ----------
    trace : chains x draws, at least one chain of four draws
        One chain is compared with itself, first half against second.

    Returns
    -------
    At least about 1. 1 where all values are equal, infinite where each half-chain has one value and they differ.

    Raises
    ------
    InputError
        For a trace that is not chains x draws, too short, or not finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bool(r_hat(rng.normal(size=(4, 500))) < 1.01), bool(r_hat(rng.normal(size=(2, 500)) + [[0], [3]]) > 1.5)
    (True, True)
    """
    values = _checked(trace)
    if np.ptp(values) == 0:
        return 1.0
    halves = _split(values)
    folded = np.abs(halves - np.median(halves))
    return max(_basic(_normal_scores(halves)), _basic(_normal_scores(folded)) if np.ptp(folded) > 0 else 1.0)


def effective_sample_size(trace: ArrayLike) -> float:
    """Return the bulk effective sample size: how many independent draws would tell the centre as well [vehtari2021,
    section 3].

    Autocorrelations are summed up to the first pair whose sum is negative, made monotone [geyer1992].

    Parameters
    ----------
    trace : chains x draws, at least one chain of four draws

    Returns
    -------
    At most S log10(S) for S draws; S itself where all values are equal.

    Raises
    ------
    InputError

    Examples
    --------
    >>> trace = np.random.default_rng(0).normal(size=(4, 500))
    >>> round(effective_sample_size(trace), -2)  # independent: as many as there are
    2000.0
    >>> for t in range(1, 500):  # each near the one before
    ...     trace[:, t] += 0.9 * trace[:, t - 1]
    >>> round(effective_sample_size(trace), -1)
    80.0
    """
    values = _checked(trace)
    halves = _split(values)
    if np.ptp(values) == 0:
        return float(halves.size)
    z = _normal_scores(halves)
    M, n = z.shape
    covariance = _autocovariance(z)
    within = float(covariance[:, 0].mean()) * n / (n - 1)
    total = within * (n - 1) / n + (float(z.mean(axis=1).var(ddof=1)) if M > 1 else 0.0)
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs: list[float] = []
    for t in range(0, n - 2, 2):
        pair = float(rho[t] + rho[t + 1])
        if pair < 0:
            break
        pairs.append(min(pair, pairs[-1]) if pairs else pair)
    else:  # none is negative, as where chains are apart: the last one counts as if it were
        del pairs[-1:]
    after = 2 * len(pairs)
    tail = max(float(rho[after]), 0.0) if after < n - 1 else 0.0
    size = M * n
    return float(size) / max(-1 + 2 * sum(pairs) + tail, 1 / math.log10(size))


def _checked(trace: ArrayLike) -> Array:
    values = np.asarray(trace, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 4:
        raise InputError(f"a trace is chains x draws with at least four draws; got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InputError("the trace holds NaN or infinite values: leave those draws out")
    return values


def _split(values: Array) -> Array:
    """Half-chains as rows; the middle draw of an odd number is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _normal_scores(values: Array) -> Array:
    """Normal quantiles of the ranks (r - 3/8) / (S + 1/4), ties at their average."""
    ranks = rankdata(values, method="average").reshape(values.shape)
    return np.asarray(ndtri((ranks - 0.375) / (values.size + 0.25)))


def _basic(z: Array) -> float:
    """Sqrt of the total variance over that within [gelman1992]."""
    n = z.shape[1]
    if not np.ptp(z, axis=1).any():  # a variance would be what rounding leaves of zero
        return math.inf
    within, between = float(z.var(axis=1, ddof=1).mean()), float(z.mean(axis=1).var(ddof=1))
    return math.sqrt((n - 1) / n + between / within)


def _autocovariance(z: Array) -> Array:
    """Autocovariance of each row at every lag, divided by the number of draws."""
    n = z.shape[1]
    length = next_fast_len(2 * n)
    transform = rfft(z - z.mean(axis=1, keepdims=True), n=length, axis=1)
    return np.asarray(irfft(np.abs(transform) ** 2, n=length, axis=1)[:, :n] / n, dtype=np.float64)
