"""The affinity of partition draws: P_ij = share of the draws in which i and j are together, never formed.

With Q_b the N x K_b one-hot labels (or soft membership) of draw b, P = sum_b v_b Q_b Q_b^T with weights v_b that sum to
one. For MCMC draws this is the posterior similarity matrix [bayes-nmf, section 2]; for an ensemble of clusterings it is
the co-association matrix.

Labels stay labels, one to four bytes each, in memory or on disk: a product costs 2 M N K additions
(`partita.affinity.label_products`) and holds a block of draws and their tables. Few labels are a sparse low-rank factor
instead, which needs no compiler, and so are soft memberships; with many draws of few items P itself is the smaller and
is made at first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.base import Affinity, Kind, Unobserved
from partita.affinity.checks import Missing
from partita.affinity.dense import DenseAffinity
from partita.affinity.label_blocks import LabelBlocks
from partita.affinity.label_products import comparisons_of_norm, label_product, label_rows, label_squared_norm
from partita.affinity.low_rank import LowRankAffinity
from partita.affinity.norm_estimate import estimated_squared_norm
from partita.affinity.scaled import ScaledAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds
from partita.memory import require_memory, require_pairs

__all__ = ["DrawsAffinity"]

# Labels from which a product by labels is worth the half second that its kernels take to load.
COMPILED_FROM = 500_000
# Draws and columns of a factor whose Gram matrix is made: half a second for 100,000 items, where eigenvectors by
# products take two. Of more draws the factor itself would be long.
FEW_DRAWS, FEW_COLUMNS = 50, 1_000
# Items up to which P is made, where there are at least this many draws an item.
FORMED_UP_TO, DRAWS_AN_ITEM = 2048, 2
# Comparisons of two labels that the exact squared norm may take: about two seconds of one core.
EXACT_UP_TO = 1e11
# Comparisons that take the time of one addition of a product.
ADDITION = 8
# Rows of soft memberships that are laid side by side at a time.
ROWS_AT_ONCE = 1 << 11


class DrawsAffinity(Affinity):
    """Mean of Q_b Q_b^T over draws.

    Parameters
    ----------
    draws : M x N array of labels, or sequence of N x K_b memberships and arrays of N labels
        Labels may be any integers or strings; each draw is relabelled on its own. An array of int8, int16 or int32
        whose labels lie in 0..N-1 is used as it is, and may be anything that is sliced by rows: memory-mapped, zarr,
        h5py, Dask; see `partita.affinity.label_blocks`. Do not change it afterwards.
    weights : array of M, optional
        Nonnegative weight of each draw; equal weights by default.
    missing : {"error", "unobserved"}
        "unobserved": a label that is NaN or negative says that the draw does not have the item. P_ij is then the share
        among the draws that have both, and pairs that no draw has are unobserved. That takes the N x N array:
        `partita.affinity.draws`. By default a negative number is a label like any other.

    Raises
    ------
    InputError
        For an empty set, draws of unequal length, negative or all-zero weights, rows off the simplex, or an item that
        no draw has.
    MemoryLimitError
        Where labels have to be numbered anew and the copy would not fit.

    Notes
    -----
    `squared_norm` is exact while that takes 1e11 comparisons of labels, as M = 1,000 draws of N = 14,000 items, and an
    estimate beyond (`squared_norm_is_exact` says which; `partita.affinity.norm_estimate`).

    Examples
    --------
    >>> P = DrawsAffinity(np.array([[0, 0, 1], [0, 1, 1]]))
    >>> P.to_dense().round(12).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """

    name = "draws"

    def __init__(
        self,
        draws: ArrayLike | Sequence[Array] | Any,
        weights: ArrayLike | None = None,
        *,
        missing: Missing = "error",
    ) -> None:
        self._hard, soft, is_hard = _split(draws, missing)
        v = np.ones(len(is_hard)) if weights is None else np.asarray(weights, dtype=np.float64)
        if v.shape != is_hard.shape or not np.isfinite(v).all() or (v < 0).any() or v.sum() <= 0:
            raise InputError(f"weights must be {len(is_hard)} nonnegative numbers, not all zero, one for each draw")
        v = v / v.sum()
        self.n_draws = len(is_hard)
        self._shares = v[is_hard]
        self._soft = LowRankAffinity(_side_by_side(soft, np.sqrt(v[~is_hard]))) if soft else None

    @property
    def n_items(self) -> int:
        part = self._soft if self._hard is None else self._hard
        assert part is not None
        return part.n_items

    @property
    def _lacks(self) -> bool:
        return self._hard is not None and self._hard.lacks

    @property
    def unobserved(self) -> Unobserved | None:
        return self._held.unobserved if self._lacks and self._held is not None else None

    @property
    def kind(self) -> Kind:
        return "probability"

    @cached_property
    def factor(self) -> sp.csr_array:
        """F with P = F F^T: the stacked sqrt(v_b) Q_b, N x sum K_b; 12 bytes a label.

        Raises
        ------
        InputError
            For draws that lack items: they have none.
        MemoryLimitError
            Where it would not fit.
        """
        if self._lacks:
            raise InputError("some draws lack items, and their affinity has no such factor: use products or rows")
        blocks = [] if self._soft is None else [self._soft.factor]
        if self._hard is not None:
            blocks.insert(0, _one_hot(self._hard, self._shares))
        return sp.csr_array(sp.hstack(blocks, format="csr"))

    @cached_property
    def _held(self) -> Affinity | None:
        """P, or its factor, where that is better than the labels."""
        if self._lacks:
            assert self._hard is not None
            return incomplete_affinity(self._hard, self._shares)
        if self._is_formed:
            rows = np.arange(self.n_items)
            return DenseAffinity(LowRankAffinity(self.factor).rows(rows) if self._few else self._labelled_rows(rows))
        return LowRankAffinity(self.factor) if self._few else None

    @property
    def _is_formed(self) -> bool:
        return self._lacks or (self.n_items <= FORMED_UP_TO and self.n_draws >= DRAWS_AN_ITEM * self.n_items)

    @property
    def _few(self) -> bool:
        return self._hard is None or self._hard.size < COMPILED_FROM

    @property
    def _is_narrow(self) -> bool:
        """Whether the factor has so few columns that its Gram matrix takes less than what it is asked instead of."""
        if self._hard is None or self.n_draws > FEW_DRAWS:
            return self._hard is None
        columns = int(self._hard.n_clusters.sum()) + (0 if self._soft is None else self._soft.rank)
        return columns <= FEW_COLUMNS

    @property
    def multiplications(self) -> int:
        """Additions, where labels are: a draw is two for each item."""
        soft = 0 if self._soft is None else self._soft.multiplications
        labels = 0 if self._hard is None else 2 * self._hard.size
        return self.n_items**2 if self._is_formed else labels + soft

    def as_low_rank(self) -> tuple[LowRankAffinity, Array] | None:
        if self._held is not None:
            return self._held.as_low_rank()
        return (LowRankAffinity(self.factor), np.ones(self.n_items)) if self._is_narrow else None

    def __matmul__(self, W: Array) -> Array:
        if self._held is not None:
            return self._held @ W
        assert self._hard is not None
        product = label_product(self._hard, self._shares, W)
        return product if self._soft is None else product + self._soft @ W

    def diagonal(self) -> Array:
        if self._soft is None:  # of draws that lack items too: each item is in some draw
            return np.ones(self.n_items)
        return np.asarray(self._soft.diagonal() + self._shares.sum())

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        return self._labelled_rows(index) if self._held is None else self._held.rows(index)

    def _labelled_rows(self, index: NDArray[np.intp]) -> Array:
        assert self._hard is not None
        rows = label_rows(self._hard, self._shares, index)
        return rows if self._soft is None else rows + self._soft.rows(index)

    def entries(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        if self._held is not None or self._hard is None:
            return super().entries(first, second)
        out = np.zeros(len(first)) if self._soft is None else self._soft.entries(first, second)
        for b, block in self._hard:
            for share, row in zip(self._shares[b : b + len(block)], block):
                out += share * (row[first] == row[second])
        return out

    @cached_property
    def squared_norm_is_exact(self) -> bool:
        if self._is_formed or self._few or (self._soft is not None and self._is_narrow):
            return True
        assert self._hard is not None
        cost = min(comparisons_of_norm(self._hard, self._shares))
        if self._soft is not None:
            cost += ADDITION * 2.0 * self._hard.size * self._soft.rank
        return cost <= EXACT_UP_TO

    def squared_norm(self, weights: Array | None = None) -> float:
        if self._held is not None:
            return self._held.squared_norm(weights)
        if self._soft is not None and self._is_narrow:
            return LowRankAffinity(self.factor).squared_norm(weights)
        if not self.squared_norm_is_exact:
            return estimated_squared_norm(self, weights)
        assert self._hard is not None
        total = label_squared_norm(self._hard, self._shares, weights)
        if self._soft is not None:  # ||H + S||^2 = ||H||^2 + ||S||^2 + 2 <H, F F^T>, and the last is <F, H F>
            total += self._soft.squared_norm(weights)
            d = np.ones(self.n_items) if weights is None else weights
            for low in range(0, self._soft.rank, 64):
                F = d[:, None] * self._soft.factor[:, low : low + 64].toarray()
                total += 2.0 * float(np.vdot(F, label_product(self._hard, self._shares, F)))
        return total

    def scaled(self, factors: Array) -> ScaledAffinity:
        return ScaledAffinity(self, factors)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        draws = rng.integers(0, 3, size=(7, n_items))
        return cls(draws), (draws[:, :, None] == draws[:, None, :]).mean(axis=0)

    @classmethod
    def examples(cls, rng: np.random.Generator, n_items: int) -> Iterator[tuple[Self, Array]]:
        """Yield hard, soft and mixed draws, with weights and without; of 200 items and more, many labels too."""
        yield cls.example(rng, n_items)
        many = -(-COMPILED_FROM // n_items) if n_items >= 200 else 9
        for n_hard, n_soft, weighted in ((0, 4, True), (5, 3, False), (many, 3, False), (many, 3, True)):
            hard = rng.integers(0, 4, size=(n_hard, n_items))
            soft = rng.dirichlet(np.full(3, 0.5), size=(n_soft, n_items))
            weights = rng.integers(1, 6, n_hard + n_soft).astype(float) if weighted else np.ones(n_hard + n_soft)
            matrix = np.zeros((n_items, n_items))
            for w, labels in zip(weights, hard):
                matrix += w * (labels[:, None] == labels)
            for w, Q in zip(weights[n_hard:], soft):
                matrix += w * (Q @ Q.T)
            yield cls([*hard, *soft], weights if weighted else None), matrix / weights.sum()


def _split(draws: Any, missing: Missing) -> tuple[LabelBlocks | None, list[Array], NDArray[np.bool_]]:
    """The hard draws, the soft ones, and which are hard."""
    if missing not in get_args(Missing):
        raise InputError(f"missing={missing!r}: expected 'error' or 'unobserved'")
    has_soft = isinstance(draws, Sequence) and any(np.ndim(Q) == 2 for Q in draws)
    if missing == "unobserved" and (has_soft or getattr(draws, "ndim", 2) == 3):
        raise InputError("missing='unobserved' goes with hard draws alone: a soft membership has every item")
    if has_soft:
        each = [np.asarray(Q) for Q in draws]
        n = len(each[0])
        for b, Q in enumerate(each):
            if len(Q) != n:
                raise InputError(f"draw {b} has {len(Q)} items and draw 0 has {n}: all draws must be of the same items")
        is_hard = np.array([Q.ndim == 1 for Q in each])
        soft = [_soft(b, np.asarray(Q, dtype=np.float64)) for b, Q in enumerate(each) if Q.ndim != 1]
        # Each by itself: labels of some may be strings.
        blocks = [block[0] for Q in each if Q.ndim == 1 for _, block in LabelBlocks(Q[None])]
        return LabelBlocks(np.stack(blocks)) if blocks else None, soft, is_hard
    if getattr(draws, "ndim", 2) == 3:
        stacked = np.asarray(draws, dtype=np.float64)
        return None, [_soft(b, Q) for b, Q in enumerate(stacked)], np.zeros(len(stacked), dtype=bool)
    labels = LabelBlocks(draws, missing=missing == "unobserved")
    return labels, [], np.ones(labels.n_draws, dtype=bool)


def _soft(b: int, Q: Array) -> Array:
    if not np.isfinite(Q).all() or (Q < 0).any() or np.abs(Q.sum(axis=1) - 1).max() > 1e-6:
        raise InputError(f"the rows of soft draw {b} must be nonnegative and sum to 1")
    return Q


def _side_by_side(soft: Sequence[Array], roots: Array) -> sp.csr_array:
    """sqrt(v_b) Q_b side by side, without zeros."""
    data, indices, counts = [], [], []
    for low, high in row_bounds(len(soft[0]), ROWS_AT_ONCE):
        block = np.hstack([root * Q[low:high] for root, Q in zip(roots, soft, strict=True)])
        kept = np.flatnonzero(block)
        data.append(block.ravel()[kept])
        indices.append((kept % block.shape[1]).astype(np.int32))
        counts.append(np.count_nonzero(block, axis=1))
    indptr = np.r_[0, np.cumsum(np.concatenate(counts))]
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = len(soft[0]), sum(Q.shape[1] for Q in soft)
    return sp.csr_array((np.concatenate(data), np.concatenate(indices), indptr), shape=shape)


def _one_hot(labels: LabelBlocks, shares: Array) -> sp.csr_array:
    """sqrt(v_b) Z_b side by side: every row has one entry for each draw."""
    N, M = labels.n_items, labels.n_draws
    require_memory(
        24 * labels.size, f"the factor of {M:,} draws of {N:,} items", "use products instead, `affinity @ W`"
    )
    columns = np.empty((N, M), dtype=np.int32)
    first_column = np.r_[0, np.cumsum(labels.n_clusters)]
    for b, block in labels:
        columns[:, b : b + len(block)] = (block + first_column[b : b + len(block), None]).T
    data = np.tile(np.sqrt(shares), N)
    shape = (N, int(first_column[-1]))
    return sp.csr_array((data, columns.ravel(), np.arange(0, N * M + 1, M)), shape=shape)


# Draws that lack items: P_ij is the share, among the draws that have both items, in which they are together.
#
# With o_bi = 1 where draw b has item i, P_ij = sum_b v_b o_bi o_bj [z_bi = z_bj] / C_ij, C = O^T diag(v) O. The
# numerators are low-rank like those of complete draws, but every pair has a denominator of its own, so that products
# with P need P: an N x N array, checked against the memory there is. Pairs that no draw has are unobserved.


ROWS = 256
# A share of the draws below this is a rounding error of sums of shares.
ROUNDING = 1e-12


def incomplete_affinity(labels: LabelBlocks, shares: Array) -> DenseAffinity:
    """Return P of draws whose missing labels are -1; M N^2 operations.

    Raises
    ------
    InputError
        For an item that no draw has.
    MemoryLimitError
        Where two N x N arrays would not fit.

    Examples
    --------
    >>> labels = LabelBlocks(np.array([[0, 0, 1], [0, -1, 0]]), missing=True)
    >>> incomplete_affinity(labels, np.array([0.5, 0.5])).to_dense().tolist()
    [[1.0, 1.0, 0.5], [1.0, 1.0, 0.0], [0.5, 0.0, 1.0]]
    """
    N = labels.n_items
    require_pairs(N, "draws that lack items", "leave out items that some draws lack, or the draws", copies=2)
    present = np.empty((labels.n_draws, N))
    for b, block in labels:
        present[b : b + len(block)] = block >= 0
    own = shares @ present
    if not own.all():
        raise InputError(f"item {int(own.argmin())} is in no draw that counts: leave it out")
    P = np.empty((N, N))
    pairs = []
    for low, high in row_bounds(N, ROWS):
        rows = np.arange(low, high)
        both = (present[:, rows] * shares[:, None]).T @ present
        # Equal labels are together, but two missing ones are equal too.
        together = label_rows(labels, shares, rows) - (1.0 - own[rows, None] - own + both)
        unseen = both < ROUNDING
        P[rows] = np.clip(np.divide(together, both, out=np.zeros_like(P[rows]), where=~unseen), 0.0, 1.0)
        first, second = np.nonzero(unseen)
        pairs.append((first + low, second))
    P = (P + P.T) / 2
    unobserved = Unobserved(*(np.concatenate(side) for side in zip(*pairs)))
    return DenseAffinity(P, unobserved if len(unobserved) else None)
