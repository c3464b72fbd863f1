"""The posterior similarity matrix: for each two items the share of the draws in which they are together.

Labels are packed into bits, 64 draws to a word, and compared a word at a time (`partita.kernels.partition_planes`):
M N^2 log2(K) / 128 word operations for the upper triangle, and counts that are exact. Draws of different weights are
counted weight by weight; where nearly every draw has a weight of its own they are added up one by one instead.

What can work on the draws themselves needs no matrix: `partita.affinity.DrawsAffinity` multiplies with it, unformed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from partita.affinity.label_blocks import LabelBlocks
from partita.affinity.label_products import label_rows
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import require_pairs
from partita.partition.named_draws import stacked_draws

__all__ = ["checked_weights", "posterior_similarity", "whole_shares"]


# Comparisons of two labels up to which NumPy takes less time than loading a compiler.
PLAIN_UP_TO = 20_000_000
# Rows in a chunk of work, and how many draws must share a word for packing to be worth it.
ROWS = 32
SHARE_A_WORD = 8


def posterior_similarity(
    draws: Any,
    *,
    weights: ArrayLike | None = None,
    missing: Literal["error", "unobserved"] = "error",
    progress: Callable[[float], None] | None = None,
) -> Array:
    """Return how often each pair of items is in one cluster: the posterior similarity matrix of the draws.

    P_ij is the sum of the weights of the draws in which items i and j are together, for weights that sum to one.

    Parameters
    ----------
    draws : array-like, M x N
        Rows are draws. Labels may be any whole numbers or strings; memory-mapped arrays and stores are read a few draws
        at a time.
    weights : array of M, optional
        Nonnegative; equal by default.
    missing : {"error", "unobserved"}
        "unobserved": a negative label, or NaN, says that the draw does not have the item. P_ij is then the share among
        the draws that have both, and NaN where none has. By default a negative number is a label like any other.
    progress : callable, optional
        Told the share of the work that is done.

    Returns
    -------
    array, N x N
        Symmetric, diagonal 1, entries in [0, 1].

    Raises
    ------
    InputError
        For draws that are not M x N labels, a similarity matrix in their place, or weights that do not fit.
    MemoryLimitError
        Where N x N would not fit.

    Notes
    -----
    10,000 draws of 2,000 items take 0.3 s on one core (`benchmarks/partitions.py`).

    References
    ----------
    [bayes-nmf] section 2.2, eq. (4).

    Examples
    --------
    >>> posterior_similarity([["a", "a", "b"], ["a", "b", "b"]]).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    draws = stacked_draws(draws).labels
    refuse_similarity(draws)
    if missing not in ("error", "unobserved"):
        raise InputError(f"missing={missing!r}: expected 'error' or 'unobserved'")
    labels = LabelBlocks(draws, missing=missing == "unobserved")
    v = checked_weights(weights, labels.n_draws)
    N = labels.n_items
    require_pairs(N, "a similarity matrix", "work on the draws themselves: partita.affinity.DrawsAffinity", copies=1.5)
    apart = _weight_apart(labels, v, progress)
    if labels.lacks:
        return _of_those_present(labels, v, apart)
    total = _total(v, labels.n_draws)
    P = np.asarray((total - apart) / total)
    return P if v is None else whole_shares(P)


def whole_shares(P: Array) -> Array:
    """Return shares that are 0 or 1 up to the rounding of sums of weights as 0 or 1.

    The same array where none is nearly so.

    "Never together" is a statement of its own: the adjusted Rand index, for one, is 0 of a partition into single items
    unless no two are ever together.

    >>> whole_shares(np.array([[1.0, -1e-17], [1e-17, 1.0 - 1e-16]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    nearest = np.rint(P) + 0.0  # no negative zeros
    off = np.abs(P - nearest)
    nearly = (off > 0.0) & (off < ROUNDING)
    return np.where(nearly, nearest, P) if nearly.any() else P


def checked_weights(weights: ArrayLike | None, n_draws: int) -> Array | None:
    """Return weights of draws as an array; None where they are all equal.

    Raises
    ------
    InputError
        Unless they are M nonnegative numbers, not all zero.
    """
    if weights is None:
        return None
    v = np.asarray(weights, dtype=np.float64)
    if v.shape != (n_draws,) or not np.isfinite(v).all() or (v < 0).any() or v.sum() <= 0:
        raise InputError(
            f"weights must be {n_draws} nonnegative numbers, not all zero, one for each draw; their shape is {v.shape}"
        )
    return None if (v == v[0]).all() else v


def refuse_similarity(draws: Any) -> None:
    """Raise `InputError` where a similarity matrix was given for draws."""
    if isinstance(draws, list | tuple) and {_width([row]) for row in draws} == {len(draws)}:
        draws = np.asarray(draws)
    if not isinstance(draws, np.ndarray) or draws.dtype.kind != "f":
        return
    shape = draws.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        return
    if (np.diagonal(draws) == 1.0).all() and draws.min() >= 0.0 and draws.max() <= 1.0 and (draws == draws.T).all():
        raise InputError(
            f"draws are a symmetric {shape[0]} x {shape[1]} matrix in [0, 1] with ones on its diagonal, which looks "
            "like a similarity matrix: pass the draws themselves (M x N labels); from the matrix alone there are "
            "min_binder, max_pear, min_vi, medvedovic, best_cut and search_partition with similarity=..., and "
            "expected_loss_from_similarity; if they are draws after all, pass the labels as integers"
        )


def _width(rows: Any) -> int:
    return len(rows[0]) if len(rows) and isinstance(rows[0], list | tuple | np.ndarray) else -1


def _total(v: Array | None, n_draws: int) -> float:
    return float(n_draws) if v is None else float(v.sum())


def _weight_apart(labels: LabelBlocks, v: Array | None, progress: Callable[[float], None] | None) -> Array:
    """The weight of the draws in which two items are apart; equal weights are 1. A missing label differs from none."""
    N, M = labels.n_items, labels.n_draws
    if M * N * N <= PLAIN_UP_TO:
        return _plain(labels, v)
    if v is not None and not labels.lacks and len(np.unique(v)) * SHARE_A_WORD > M:
        return _one_by_one(labels, v, progress)
    return _packed(labels, np.ones(M) if v is None else v, progress)


def _plain(labels: LabelBlocks, v: Array | None) -> Array:
    N = labels.n_items
    out = np.zeros((N, N))
    step = max(1, PLAIN_UP_TO // (N * N))
    for first, block in labels:
        for low in range(0, len(block), step):
            part = block[low : low + step]
            differ = part[:, :, None] != part[:, None, :]
            if v is None:
                out += differ.sum(axis=0)
            else:
                at = first + low
                out += np.tensordot(v[at : at + len(part)], differ, axes=1)
    return _mirrored(out)


def _packed(labels: LabelBlocks, v: Array, progress: Callable[[float], None] | None) -> Array:
    """Weight by weight, in words of 64 draws."""
    from partita.kernels.partition_planes import WORD, count_apart, pack_planes

    N, M = labels.n_items, labels.n_draws
    n_digits = max(1, int(labels.n_clusters.max()).bit_length())  # a missing label is 0 and the others from 1
    out = np.zeros((N, N))
    for first, block in labels:
        own = v[first : first + len(block)]
        values = np.unique(own)
        for nth, weight in enumerate(values):
            rows = np.flatnonzero(own == weight)
            words = [rows[low : low + WORD] for low in range(0, len(rows), WORD)]
            planes = np.empty((len(words), n_digits, N), dtype=np.uint64)
            for word, those in enumerate(words):
                pack_planes(block[those].astype(np.int32) + 1, planes[word])
            done = 0

            def work(low: int, high: int, planes: Any = planes, weight: float = float(weight)) -> None:
                nonlocal done
                count_apart(planes, weight, low, high, out)
                done += high - low
                if progress is not None:
                    share = (nth + done / N) / len(values)  # noqa: B023 - runs at once
                    progress((first + share * len(block)) / M)  # noqa: B023 - runs at once

            run_chunks(work, row_bounds(N, ROWS))
    return _mirrored(out)


def _mirrored(out: Array) -> Array:
    """The upper triangle copied below the diagonal, in blocks that stay in the cache: threads of BLAS round unlike."""
    for low, high in row_bounds(len(out), 256):
        upper = np.triu(out[low:high, low:high])
        out[low:high, low:high] = upper + np.triu(upper, 1).T
        for left, right in row_bounds(low, 256):
            out[low:high, left:right] = out[left:right, low:high].T
    return out


def _one_by_one(labels: LabelBlocks, v: Array, progress: Callable[[float], None] | None) -> Array:
    """Each draw's weight added where two items are together."""
    N = labels.n_items
    out = np.empty((N, N))
    for low, high in row_bounds(N, 256):
        out[low:high] = 1.0 - label_rows(labels, v / v.sum(), np.arange(low, high))
        if progress is not None:
            progress(high / N)
    np.fill_diagonal(out, 0.0)
    out *= v.sum()
    return _mirrored(np.maximum(out, 0.0, out=out))


def _of_those_present(labels: LabelBlocks, v: Array | None, apart: Array) -> Array:
    """Similarities where draws lack items: of the draws that have both items of a pair, the share that joins them."""
    N = labels.n_items
    w = np.ones(labels.n_draws) if v is None else v
    has = np.concatenate([np.asarray(block >= 0, dtype=np.float64) for _, block in labels])
    both = np.zeros((N, N))
    for low, high in row_bounds(labels.n_draws, 1024):
        both += (has[low:high] * w[low:high, None]).T @ has[low:high]
    both = _mirrored(both)
    present = both.diagonal()
    total = _total(v, labels.n_draws)
    lack_both = total - present[:, None] - present[None, :] + both
    together = total - apart - lack_both
    with np.errstate(invalid="ignore", divide="ignore"):
        P = np.where(both > ROUNDING * total, np.clip(together / both, 0.0, 1.0), np.nan)
    np.fill_diagonal(P, np.where(present > 0, 1.0, np.nan))
    return whole_shares(P)


# Weights below this share of their sum are what rounding leaves of zero.
ROUNDING = 1e-12
