"""Expected loss of given partitions: the mean of a loss over draws, or from the similarity matrix; in plain NumPy.

From draws the sums u, v, w of `partita.partition.losses` are taken from contingency tables, many draws at a time:
O(M (N + K K_b)) a partition, or O(M N log N) where the tables would be large. It shares no line with the compiled
tables of the search, whose results it recomputes at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.metrics.checks import codes_of, require_same_length
from partita.partition.draws import PartitionDraws, label_blocks
from partita.partition.losses import PartitionLoss, Unit, loss_of
from partita.partition.similarity import checked_weights, posterior_similarity, whole_shares

__all__ = ["expected_loss", "expected_loss_from_similarity", "partition_distance"]

Codes = NDArray[np.intp]

# Numbers held at a time, and cells of a table for each item from which sorting is the cheaper.
AT_ONCE = 1 << 22
SORT_FROM = 16


def expected_loss(
    labels: ArrayLike,
    draws: Any,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Return how far a partition is from the draws on average, by a loss: its posterior expected loss.

    Parameters
    ----------
    labels : array-like of N, or R x N
        The estimate, or several: any whole numbers or strings.
    draws : array-like, M x N
        Rows are draws.
    loss : str or PartitionLoss
        "binder", "pear", "omari", "vi", "vi_lb", "nvi", "id", "nid", or a loss with options of its own, such as
        `Binder(a=0.5, normalize="pairs")`. "pear" is a score, larger being better: the adjusted Rand index of the
        expectations. "omari" is one minus the adjusted Rand index, averaged.
    unit : {"bits", "nats"}, optional
        Unit of "vi", "vi_lb" and "id"; bits by default. The others have none.
    weights : array of M, optional
        Nonnegative weight of each draw; equal by default.

    Returns
    -------
    float, or array of R

    Raises
    ------
    InputError
        For labels and draws that do not fit together, a similarity matrix in the place of draws, an unknown loss or
        unit, or nats of a loss without a unit.
    MemoryLimitError
        For "vi_lb" and more items than an N x N array fits for.

    Notes
    -----
    Time O(M (N + K K_b)) a partition; "vi_lb" makes the similarity matrix first.

    References
    ----------
    [bayes-nmf] eq. (6); the losses name theirs.

    Examples
    --------
    >>> expected_loss([0, 0, 1, 1], [[0, 0, 1, 1], [0, 1, 0, 1]])
    1.0
    >>> expected_loss([[0, 0, 1], [0, 0, 0]], [["a", "a", "b"]], loss="binder", weights=[2.0]).round(4).tolist()
    [0.0, 0.4444]
    """
    chosen = loss_of(loss, unit)
    codes, single = _partitions(labels)
    if not chosen.by_draws:
        P = draws.similarity if isinstance(draws, PartitionDraws) else posterior_similarity(draws, weights=weights)
        _require_items(codes, len(P))
        values = [minimised_by_pairs(each, P, chosen) for each in codes]
    else:
        given = LabelBlocks(draws.labels) if isinstance(draws, PartitionDraws) else label_blocks(draws)
        v = checked_weights(weights, given.n_draws)
        if isinstance(draws, PartitionDraws):
            v = draws.counts
        _require_items(codes, given.n_items)
        shares = np.full(given.n_draws, 1.0 / given.n_draws) if v is None else v / v.sum()
        values = [_by_draws(each, given, shares, chosen) for each in codes]
    reported = [float(chosen.reported(value)) for value in values]
    return reported[0] if single else np.array(reported)


def expected_loss_from_similarity(
    labels: ArrayLike, similarity: ArrayLike, *, loss: str | PartitionLoss = "vi_lb", unit: Unit | None = None
) -> Any:
    """Return the expected loss from the posterior similarity matrix, for the losses that it determines.

    Parameters
    ----------
    labels : array-like of N, or R x N
    similarity : array, N x N
        `posterior_similarity` of the draws.
    loss : "binder", "pear", "vi_lb", or a loss of these kinds
    unit : {"bits", "nats"}, optional
        Unit of "vi_lb".

    Returns
    -------
    float, or array of R

    Raises
    ------
    InputError
        For a loss that needs the draws, or a matrix that is not a similarity of these items.

    Notes
    -----
    O(N^2) a partition.

    References
    ----------
    [bayes-nmf] eq. (7); [wade2018] eq. (6).

    Examples
    --------
    >>> P = posterior_similarity([[0, 0, 1], [0, 1, 1]])
    >>> round(expected_loss_from_similarity([0, 0, 1], P, loss="binder"), 4)
    0.2222
    """
    chosen = loss_of(loss, unit)
    if not chosen.by_pairs:
        able = [name for name, kind in PartitionLoss.registry.items() if kind.by_pairs]
        raise InputError(
            f"{chosen.title} is not determined by the similarity matrix: pass the draws to `expected_loss`; from the "
            f"matrix alone there are {', '.join(able)}"
        )
    codes, single = _partitions(labels)
    P = checked_similarity(similarity)
    _require_items(codes, len(P))
    reported = [float(chosen.reported(minimised_by_pairs(each, P, chosen))) for each in codes]
    return reported[0] if single else np.array(reported)


def partition_distance(
    a: ArrayLike, b: ArrayLike, *, loss: str | PartitionLoss = "vi", unit: Unit | None = None
) -> float:
    """Return how far apart two partitions are, by a loss such as the variation of information.

    Parameters
    ----------
    a, b : array-like of N
        Any whole numbers or strings. Where a loss weighs its two errors apart, `a` is the estimate.
    loss, unit
        As in `expected_loss`.

    Raises
    ------
    InputError
        For partitions of different items, or an unknown loss or unit.

    Examples
    --------
    >>> partition_distance([0, 0, 1, 1], ["x", "x", "x", "x"])
    1.0
    >>> partition_distance([0, 0, 1, 1], [5, 5, 2, 2], loss="pear")
    1.0
    """
    chosen = loss_of(loss, unit)
    first, second = codes_of(a, "a"), codes_of(b, "b")
    require_same_length(len(first), len(second), ("a", "b"))
    if chosen.by_draws:
        return float(chosen.reported(_by_draws(first, LabelBlocks(second[None]), np.ones(1), chosen)))
    together = (second[:, None] == second[None, :]).astype(np.float64)
    return float(chosen.reported(minimised_by_pairs(first, together, chosen)))


def checked_similarity(similarity: ArrayLike) -> Array:
    """Return a similarity matrix as float64: square, symmetric up to rounding, in [0, 1], diagonal 1.

    See `whole_shares`.

    Raises
    ------
    InputError
        Saying which entry is not so.
    """
    P = np.asarray(similarity, dtype=np.float64)
    if P.ndim != 2 or P.shape[0] != P.shape[1] or P.size == 0:
        raise InputError(
            f"similarity must be N x N, made by `posterior_similarity`; its shape is {P.shape}. For draws there is "
            "`expected_loss`"
        )
    bad = ~((P >= -ROUNDING) & (P <= 1.0 + ROUNDING)) | (np.abs(P - P.T) > ROUNDING)
    bad |= np.eye(len(P), dtype=bool) & (np.abs(P - 1.0) > ROUNDING)
    if bad.any():
        i, j = (int(at) for at in np.argwhere(bad)[0])
        raise InputError(
            f"similarity[{i}, {j}] = {P[i, j]:g} and [{j}, {i}] = {P[j, i]:g}: expected a symmetric matrix in [0, 1] "
            "with ones on its diagonal, as `posterior_similarity` makes"
        )
    return whole_shares(P)


# Rounding error of float32 arithmetic in a share of draws.
ROUNDING = 1e-6


def _partitions(labels: ArrayLike) -> tuple[list[Codes], bool]:
    """Partitions as codes 0..K-1, and whether there was one alone."""
    array = np.asarray(labels)
    if array.ndim == 1:
        return [codes_of(array, "labels")], True
    if array.ndim != 2 or array.size == 0:
        raise InputError(f"labels must be one partition of N items, or R x N for several; their shape is {array.shape}")
    return [codes_of(row, f"labels[{r}]") for r, row in enumerate(array)], False


def _require_items(codes: list[Codes], n_items: int) -> None:
    if len(codes[0]) != n_items:
        raise InputError(
            f"labels have {len(codes[0])} items and the draws {n_items}: rows are draws, columns items; are the draws "
            "transposed?"
        )


def _by_draws(codes: Codes, draws: LabelBlocks, shares: Array, loss: PartitionLoss) -> float:
    """The value that is minimised, from the tables of all draws."""
    N, K = len(codes), int(codes.max()) + 1
    f = loss.counts(N)
    u = float(f[np.bincount(codes)].sum())
    v, w = np.empty(draws.n_draws), np.empty(draws.n_draws)
    for first, block in draws:
        J = int(draws.n_clusters[first : first + len(block)].max())
        by_sorting = K * J > SORT_FROM * N
        step = max(1, AT_ONCE // (N if by_sorting else max(N, K * J)))
        for low in range(0, len(block), step):
            part = block[low : low + step].astype(np.intp)
            own = slice(first + low, first + low + len(part))
            v[own] = _sums_of_f(part, J, f)
            joint = part * K + codes
            w[own] = _sums_by_sorting(joint, f) if by_sorting else _sums_of_f(joint, K * J, f)
    formula = loss.formula
    if loss.per_draw:
        return float(shares @ formula.evaluate(u, v, w, f[N], float(N), float(K)))
    return float(formula.evaluate(u, float(shares @ v), float(shares @ w), f[N], float(N), float(K)))


def _sums_of_f(codes: NDArray[np.intp], n_codes: int, f: Array) -> Array:
    """Sum of f over the counts of the codes, for each row."""
    rows = len(codes)
    shifted = codes + n_codes * np.arange(rows)[:, None]
    counts = np.bincount(shifted.ravel(), minlength=rows * n_codes).reshape(rows, n_codes)
    return np.asarray(f[counts].sum(axis=1))


def _sums_by_sorting(codes: NDArray[np.intp], f: Array) -> Array:
    """Sums of `_sums_of_f`, from the lengths of runs of equal codes."""
    codes = np.sort(codes, axis=1)
    rows, N = codes.shape
    begins = np.ones((rows, N), dtype=bool)
    begins[:, 1:] = codes[:, 1:] != codes[:, :-1]
    at = np.flatnonzero(begins)
    lengths = np.diff(np.append(at, rows * N))
    return np.asarray(np.bincount(at // N, weights=f[lengths], minlength=rows), dtype=np.float64)


def minimised_by_pairs(codes: Codes, P: Any, loss: PartitionLoss) -> float:
    """Return the value that is minimised, from each item's summed similarities with its cluster; P an array, or CSR."""
    N, K = len(codes), int(codes.max()) + 1
    sizes, within = np.bincount(codes), _within(codes, P, loss.with_itself)
    if loss.by_draws:
        f, v = loss.counts(N), pairs_in_all(P, loss.with_itself)
        return float(loss.formula.evaluate(float(f[sizes].sum()), v, float(within.sum()), f[N], float(N), float(K)))
    u, total = float((sizes * np.log(sizes)).sum()), P.sum(axis=1)
    return float(loss.formula.evaluate(u, float(np.log(total).sum()), float(np.log(within).sum()), 0.0, float(N), K))


def pairs_in_all(P: Any, with_itself: bool) -> float:
    """Return the sum of all similarities; without the diagonal it is 0 where no two items are ever together, not
    nearly.
    """
    if with_itself:
        return float(P.sum())
    if sp.issparse(P):
        return float(P.sum() - P.diagonal().sum())
    N = len(P)
    # Of the entries in a row but the last, every (N + 1)-th is on the diagonal.
    return float(np.ascontiguousarray(P).ravel()[:-1].reshape(N - 1, N + 1)[:, 1:].sum())


def _within(codes: Codes, P: Any, with_itself: bool) -> Array:
    """Sums of similarities within clusters: of each item, or of sparse similarities of each cluster."""
    N = len(codes)
    if sp.issparse(P):
        rows = np.repeat(np.arange(N), np.diff(P.indptr))
        joined = (codes[rows] == codes[P.indices]) & (with_itself | (rows != P.indices))
        return np.asarray(np.bincount(codes[rows], weights=P.data * joined), dtype=np.float64)
    order = np.argsort(codes, kind="stable")
    ordered = P[:, order]
    if not with_itself:
        ordered[order, np.arange(N)] = 0.0
    begins = np.append(0, np.cumsum(np.bincount(codes))[:-1])
    return np.asarray(np.add.reduceat(ordered, begins, axis=1)[np.arange(N), codes])
