"""The affinity of partition draws: P_ij = share of the draws in which i and j are together, never formed.

With Q_b the N x K_b one-hot labels (or soft membership) of draw b, P = sum_b v_b Q_b Q_b^T with weights v_b that sum to
one: a low-rank affinity whose factor stacks sqrt(v_b) Q_b. For MCMC draws this is the posterior similarity matrix
[bayes-nmf, section 2]; for an ensemble of clusterings it is the co-association matrix. Cost of a product: M N K.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from partita.affinity.base import Array, Kind
from partita.affinity.low_rank import LowRankAffinity
from partita.errors import InputError

__all__ = ["DrawsAffinity"]


class DrawsAffinity(LowRankAffinity):
    """Mean of Q_b Q_b^T over draws.

    Parameters
    ----------
    draws : M x N array of labels, or sequence of N x K_b memberships and arrays of N labels
        Labels may be any integers or strings; each draw is relabelled on its own.
    weights : array of M, optional
        Nonnegative weight of each draw; equal weights by default.

    Raises
    ------
    InputError
        For an empty set, draws of unequal length, negative or all-zero weights, or rows off the simplex.

    Examples
    --------
    >>> P = DrawsAffinity(np.array([[0, 0, 1], [0, 1, 1]]))
    >>> P.to_dense().round(12).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """

    name = "draws"

    def __init__(self, draws: ArrayLike | Sequence[Array], weights: ArrayLike | None = None) -> None:
        blocks = _memberships(draws)
        if not blocks or not blocks[0].shape[0]:
            raise InputError("no draws were given: expected an M x N array of labels with M, N >= 1")
        v = np.ones(len(blocks)) if weights is None else np.asarray(weights, dtype=np.float64)
        if v.shape != (len(blocks),) or not np.isfinite(v).all() or (v < 0).any() or v.sum() <= 0:
            raise InputError(f"weights must be {len(blocks)} nonnegative numbers, not all zero, one for each draw")
        v = v / v.sum()
        self.n_draws = len(blocks)
        super().__init__(sp.hstack([np.sqrt(share) * Q for share, Q in zip(v, blocks)], format="csr"))

    @property
    def kind(self) -> Kind:
        return "probability"

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        draws = rng.integers(0, 3, size=(7, n_items))
        return cls(draws), (draws[:, :, None] == draws[:, None, :]).mean(axis=0)


def _memberships(draws: ArrayLike | Sequence[Array]) -> list[sp.csr_array]:
    """One sparse N x K_b membership a draw."""
    if isinstance(draws, Sequence) and any(np.ndim(Q) == 2 for Q in draws):
        each = [np.asarray(Q) for Q in draws]
        n = len(each[0])
        for b, Q in enumerate(each):
            if len(Q) != n:
                raise InputError(f"draw {b} has {len(Q)} items and draw 0 has {n}: all draws must be of the same items")
        return [_soft(b, Q.astype(np.float64)) if Q.ndim == 2 else _memberships(Q[None])[0] for b, Q in enumerate(each)]
    try:
        labels = np.asarray(draws)
    except ValueError as error:
        raise InputError(f"all draws must be of the same items: {error}") from error
    if labels.ndim == 3:
        return [_soft(b, Q) for b, Q in enumerate(labels.astype(np.float64))]
    if labels.ndim != 2:
        raise InputError(f"draws must be an M x N array of labels (rows are draws), not {labels.ndim}-dimensional")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all() or (labels != np.round(labels)).any():
            raise InputError("draws hold numbers that are not whole: labels are integers or strings")
        labels = labels.astype(np.int64)
    blocks = []
    n = labels.shape[1]
    for row in labels:
        codes = np.unique(row, return_inverse=True)[1]
        blocks.append(sp.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, int(codes.max(initial=-1)) + 1)))
    return blocks


def _soft(b: int, Q: Array) -> sp.csr_array:
    if not np.isfinite(Q).all() or (Q < 0).any() or np.abs(Q.sum(axis=1) - 1).max() > 1e-6:
        raise InputError(f"the rows of soft draw {b} must be nonnegative and sum to 1")
    return sp.csr_array(Q)
