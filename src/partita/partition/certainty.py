"""Certainty of the assignment of each item of an estimate to its cluster.

Three answers for item i of cluster k, each a mean over the draws, with n_kj the items that cluster k of the estimate
and cluster j of a draw share, and z the cluster of i in the draw:

- `together`: the share of its cluster's other items that are with it, (n_kz - 1) / (n_k - 1), which is the mean of its
  row of the posterior similarity matrix over them. An item that is alone in the estimate has no others: then the share
  of draws in which it is alone.
- `matched`: how often z and k stand for each other: of all clusters of the draw z is the most like k, and of all
  clusters of the estimate k the most like z, by the Jaccard index n_kz / (n_k + m_z - n_kz) [hennig2007]. Unlike
  `together` it sees that a draw has merged the cluster into a larger one. Clusters that tie share the draw among them.
- `loss`: the item's part of the expected variation of information, 1/N E[log(n_k / n_kz) + log(m_z / n_kz)]; the parts
  of all items sum to the whole.

[hennig2007] C. Hennig, Cluster-wise assessment of cluster stability, Computational Statistics & Data Analysis 52
(2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.metrics.checks import codes_of
from partita.partition.distances import given_draws
from partita.partition.losses import Unit

__all__ = ["ItemCertainty", "certainty_of", "item_certainty"]


# Labels in a chunk of work, and chunks of a block at most: each holds three numbers for every item.
LABELS, CHUNKS = 1 << 18, 32


@dataclass(frozen=True, eq=False)
class ItemCertainty:
    """Certainty of each item.

    Attributes
    ----------
    together, matched : array of N, in [0, 1]
    loss : array of N, nonnegative
        Sums to the expected variation of information.
    unit : {"bits", "nats"}
        Unit of the loss.
    """

    together: Array
    matched: Array
    loss: Array
    unit: Unit


def item_certainty(
    labels: ArrayLike, draws: Any, *, unit: Unit = "bits", weights: ArrayLike | None = None
) -> ItemCertainty:
    """Return the certainty of each item's assignment to its cluster of the estimate, from the draws alone.

    Parameters
    ----------
    labels : array-like of N
        The estimate: any whole numbers or strings.
    draws : array-like, M x N
        Rows are draws; memory-mapped arrays and stores are read a few draws at a time.
    unit : {"bits", "nats"}
        Unit of the loss.
    weights : array of M, optional
        Nonnegative weight of each draw; equal by default.

    Raises
    ------
    InputError
        For labels and draws that do not fit together, a similarity matrix in the place of draws, an unknown unit, or
        weights that do not fit.

    Notes
    -----
    Time O(M N), memory O(N) beside a block of draws: the N x N similarity matrix is not made.

    References
    ----------
    [hennig2007] for `matched`; [wade2018] for the expected loss.

    Examples
    --------
    >>> found = item_certainty([0, 0, 0, 1], [[0, 0, 0, 1], [0, 0, 1, 1]])
    >>> found.together.tolist(), found.matched.tolist()
    ([0.75, 0.75, 0.5, 0.5], [1.0, 1.0, 0.5, 1.0])
    """
    blocks, counts = given_draws(draws, weights)
    codes = codes_of(labels, "labels")
    if len(codes) != blocks.n_items:
        raise InputError(
            f"labels have {len(codes)} items and the draws {blocks.n_items}: rows are draws, columns items; are the "
            "draws transposed?"
        )
    return certainty_of(codes, blocks, counts, unit)


def certainty_of(codes: NDArray[np.intp], blocks: LabelBlocks, counts: Array, unit: Unit = "bits") -> ItemCertainty:
    """Return the certainty as in `item_certainty`, of an estimate 0..K-1 and draws that are ready."""
    from partita.kernels.partition_certainty import add_certainties
    from partita.kernels.partition_distances import by_cluster

    if unit not in get_args(Unit):
        raise InputError(f"unit={unit!r} is unknown; pass 'bits' or 'nats'")
    per_nat = 1.0 if unit == "nats" else float(np.log(2))
    N, K = blocks.n_items, int(codes.max()) + 1
    order, starts = np.empty(N, dtype=np.int64), np.empty(K + 1, dtype=np.int64)
    by_cluster(codes, K, order, starts)
    most = int(blocks.n_clusters.max())
    total = np.zeros((3, N))
    for first, block in blocks:
        rows = max(1, LABELS // N, -(-len(block) // CHUNKS))
        bounds = row_bounds(len(block), rows)
        parts = np.zeros((len(bounds), 3, N))
        shares = counts[first : first + len(block)]

        def work(low: int, high: int) -> None:
            part = parts[low // rows]  # noqa: B023 - runs at once
            add_certainties(block, most, order, starts, shares, low, high, part)  # noqa: B023

        run_chunks(work, bounds)
        total += parts.sum(axis=0)
    total /= counts.sum()
    return ItemCertainty(total[0], total[1], total[2] / (per_nat * N), unit)
