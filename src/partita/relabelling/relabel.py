"""Membership shares from draws: the clusters of every draw are matched to those of a pivot, and counted.

The classical way from label-switching draws to a soft membership [stephens2000, papastamoulis2010], here a check of the
memberships that come from the similarity matrix: these need no matching.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from partita.affinity import DrawsAffinity
from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.membership import Membership
from partita.memory import require_memory
from partita.metrics.central_distance import candidates, most_central, whole_entropies
from partita.nmf.misfit import membership_misfit
from partita.partition.named_draws import named_draws
from partita.relabelling.base import Relabelling, as_relabelling
from partita.relabelling.draws import Draws, SoftDraws, draws_of

__all__ = ["Extra", "RelabelResult", "relabel"]

Extra = Literal["join", "other"]


@dataclass(frozen=True, eq=False)
class RelabelResult:
    """Shares of the draws in which each item is in each column.

    Attributes
    ----------
    membership : Membership
        N x K, or N x (K + 1) where clusters without a match have a column of their own, the last.
    columns : array, M x L
        The column that each cluster of each draw became; -1 for a number that the draw does not use.
    objective : float
        Mean score of an item where the last match put it: for ECR the share of items that agree with the pivot, for
        Stephens a mean log likelihood ratio, to a column that no draw has visited. Larger is better.
    status : {"converged", "max_iter"}
    n_iter : int
        Passes over the draws.
    share_unmatched : float
        Weight of the draws with more clusters than the pivot.
    """

    method: str
    membership: Membership
    columns: NDArray[np.int32]
    objective: float
    status: Literal["converged", "max_iter"]
    n_iter: int
    share_unmatched: float
    draws: Any
    weights: Array

    @property
    def labels(self) -> NDArray[np.int64]:
        """Most frequent column of each item."""
        return self.membership.labels

    @cached_property
    def misfit(self) -> float:
        """||P - W W^T|| / ||P|| over the pairs of two different items, P the similarity of the draws."""
        return membership_misfit(DrawsAffinity(self.draws, self.weights), self.membership.matrix)


def relabel(
    draws: Any,
    pivot: ArrayLike | None = None,
    *,
    method: str | Relabelling = "ecr-iterative",
    weights: ArrayLike | None = None,
    extra: Extra = "join",
    max_iter: int = 100,
) -> RelabelResult:
    """Match the clusters of every draw to those of a pivot, and say how often each item is in each.

    Parameters
    ----------
    draws : M x N array of labels, or M x N x L array of classification probabilities (for "stephens")
        Rows are draws; the number of clusters may differ from draw to draw.
    pivot : array of N labels, optional
        A partition to begin with, such as the one of least expected loss: its clusters, in the order of their labels,
        are the K columns. By default a draw in the middle, of 64 or fewer spread evenly. (`ecr.iterative.1` of R's
        label.switching begins with the draws as they are numbered; where labels switch all the time that start can
        leave two clusters in one column.)
    method : {"ecr", "ecr-iterative", "stephens"} or Relabelling
        `ECR` to the pivot as it is; the other two go on from it.
    weights : array of M, optional
        Nonnegative weight of each draw.
    extra : {"join", "other"}
        Treatment of the clusters of a draw with more than K, after K of them are matched, one to a column: each
        joins the column of its highest score, or all are counted in a further column.
    max_iter : int
        Passes over the draws.

    Returns
    -------
    RelabelResult

    Raises
    ------
    InputError
        For draws, a pivot or weights that do not fit, or a method that cannot take such draws.
    MemoryLimitError
        Where the columns of all clusters, M x L numbers, would not fit.

    Notes
    -----
    A pass costs M N K additions and M assignment problems: half a second for 10,000 draws of 200 items.

    References
    ----------
    [stephens2000]; [papastamoulis2010]; [papastamoulis2014].

    Examples
    --------
    >>> result = relabel([[0, 0, 1, 1], [1, 1, 0, 0], [5, 7, 7, 7]], [0, 0, 1, 1])
    >>> result.membership.matrix.round(3).tolist()
    [[1.0, 0.0], [0.667, 0.333], [0.0, 1.0], [0.0, 1.0]]
    >>> relabel([[0, 0, 1, 1], [1, 1, 0, 0], [5, 7, 7, 7]]).labels.tolist()
    [0, 0, 1, 1]
    """
    chosen = as_relabelling(method)
    if extra not in get_args(Extra):
        raise InputError(f"extra={extra!r}: expected 'join' or 'other'")
    if max_iter < 1:
        raise InputError(f"max_iter={max_iter}: expected at least 1")
    draws = named_draws(draws).labels
    given = draws_of(draws, weights)
    if isinstance(given, SoftDraws) and not chosen.takes_soft:
        raise InputError(f"{chosen.name!r} matches labels: pass M x N labels, or method='stephens' for probabilities")
    labels = _central(draws, given.weights) if pivot is None else np.asarray(pivot)
    if labels.shape != (given.n_items,):
        raise InputError(f"pivot has shape {labels.shape}: expected {given.n_items} labels, one for each item")
    codes = np.unique(labels, return_inverse=True)[1].reshape(-1)
    K = int(codes.max()) + 1
    require_memory(
        8 * given.n_draws * given.most,
        f"the columns of {given.n_draws:,} draws of up to {given.most:,} clusters",
        "pass fewer draws, thinned or the last ones",
    )
    other = extra == "other"
    shares = np.eye(K)[codes]
    columns = np.empty((0, 0), dtype=np.int32)
    status: Literal["converged", "max_iter"] = "max_iter"
    n_iter, value, unmatched = 0, 0.0, 0.0
    while n_iter < max_iter and status == "max_iter":
        scores, before = chosen.scores(shares[:, :K], given.n_draws), columns
        columns, value, unmatched = _matched(given, scores, other=other)
        shares = given.shares(np.where(columns < 0, 0, columns), K + other)
        n_iter += 1
        if not chosen.iterative or np.array_equal(before, columns):
            status = "converged"
    if status == "max_iter":
        warnings.warn(
            f"clusters still changed their columns after {n_iter} passes; raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    membership = Membership(shares / shares.sum(axis=1, keepdims=True))
    return RelabelResult(chosen.name, membership, columns, value, status, n_iter, unmatched, draws, given.weights)


def _central(draws: Any, weights: Array) -> NDArray[np.int64]:
    """The labels of a draw in the middle, of those that count; of probabilities the likeliest labels."""
    counted = np.flatnonzero(weights > 0)
    rows = counted[candidates(len(counted))]
    if getattr(draws, "ndim", None) == 3 or np.ndim(draws) == 3:
        some = np.asarray(draws)[rows].argmax(axis=2)
    else:
        wanted = set(rows.tolist())
        some = np.array(
            [row for first, block in LabelBlocks(draws) for b, row in enumerate(block, first) if b in wanted]
        )
    return np.asarray(some[most_central(some, whole_entropies(some.shape[1])[0])], dtype=np.int64)


def _matched(draws: Draws, scores: Array, *, other: bool) -> tuple[NDArray[np.int32], float, float]:
    """The column of each cluster of each draw, the mean score of the match, and the weight of draws with too many."""
    K = scores.shape[1]
    columns = np.full((draws.n_draws, draws.most), -1, dtype=np.int32)
    value = unmatched = 0.0
    for first, block, present in draws.scores(scores):
        for b, (own, some) in enumerate(zip(block, present), first):
            used = np.flatnonzero(some)
            table = own[used]
            rows, found = linear_sum_assignment(table, maximize=True)
            if len(used) > K:
                place = np.full(len(used), K) if other else table.argmax(axis=1)
                place[rows] = found
                unmatched += draws.weights[b]
            else:
                place = found  # every row has its column, in order
            columns[b, used] = place
            kept = place < K
            value += draws.weights[b] * float(table[kept, place[kept]].sum())
    return columns, value / draws.n_items, unmatched
