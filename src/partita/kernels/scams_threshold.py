"""Steps 2 and 3 of SCAMS, and the matrix that its next step 1 takes apart, in one pass over blocks of rows.

With M = G + mu Y, cut at 0 and 1 and set to zero where that is cheaper than gamma [li2014, (12)]; v^2 >= 2 v - 1, so
the minimum there is 2 v - 1 above one, and both thresholds are one number:

    H_ij = min(M_ij, 1) where M_ij > c, else 0;    c = sqrt(2 mu gamma), or (1 + 2 mu gamma) / 2 where that is above 1
    H_ii = 1,    Y <- Y + (G - H) / mu,    S = H + mu' (A - Y)

G = V diag(v) V^T is made row by row and never kept, nor is H. Only the part on and above the diagonal is computed, and
mirrored in S and the pattern H > .5, so that both are symmetric to the bit. Of Y only that part is filled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["ThresholdSums", "threshold_step"]

Pattern = NDArray[np.bool_]

# Rows of a block: a few arrays of 64 x N stay in the cache up to some thousand items.
ROWS = 64


class ThresholdSums(NamedTuple):
    """Statistics of a step, over all ordered pairs.

    `residual` is the largest |G - H|, `changed` how many entries of H > .5 are not what they were, `nonzero` those of
    H, `inner` the sum of A o G, `squared_norm` that of S.
    """

    residual: float
    changed: int
    nonzero: int
    inner: float
    squared_norm: float


def threshold_step(
    A: Array,
    Y: Array,
    S: Array,
    values: Array,
    vectors: Array,
    before: Pattern,
    pattern: Pattern,
    mu: float,
    next_mu: float,
    gamma: float,
) -> ThresholdSums:
    """Update Y, S and the pattern in place, from the eigenpairs of G; sums are the same for any number of threads."""
    bounds = row_bounds(len(A), ROWS)
    sums: list[ThresholdSums | None] = [None] * len(bounds)
    scaled, transposed = vectors * values, np.ascontiguousarray(vectors.T)
    price = 2.0 * mu * gamma
    cut = np.sqrt(price) if price < 1.0 else (1.0 + price) / 2.0

    def work(low: int, high: int) -> None:
        m, rows, right = high - low, slice(low, high), slice(low, None)
        G = scaled[rows] @ transposed[:, right]
        G[:, :m] = (G[:, :m] + G[:, :m].T) / 2.0  # a product is symmetric up to rounding only
        y, a = Y[rows, right], A[rows, right]
        H = y * mu
        H += G
        keep = cut < H
        np.minimum(H, 1.0, out=H)
        H *= keep
        np.fill_diagonal(H, 1.0)
        now = H > 0.5
        # Pairs right of the diagonal block stand for two.
        nonzero = _both(int(np.count_nonzero(H[:, :m])), int(np.count_nonzero(H[:, m:])))
        changed = now != before[rows, right]
        n_changed = _both(int(np.count_nonzero(changed[:, :m])), int(np.count_nonzero(changed[:, m:])))
        inner = _both(np.einsum("ij,ij", a[:, :m], G[:, :m]), np.einsum("ij,ij", a[:, m:], G[:, m:]))
        G -= H
        residual = max(float(G.max()), -float(G.min()))
        G *= 1.0 / mu
        y += G
        np.subtract(a, y, out=G)
        G *= next_mu
        H += G
        squared = _both(np.einsum("ij,ij", H[:, :m], H[:, :m]), np.einsum("ij,ij", H[:, m:], H[:, m:]))
        S[rows, right] = H
        S[high:, rows] = H[:, m:].T
        pattern[rows, right] = now
        pattern[high:, rows] = now[:, m:].T
        sums[low // ROWS] = ThresholdSums(residual, int(n_changed), int(nonzero), float(inner), float(squared))

    run_chunks(work, bounds)
    done = [block for block in sums if block is not None]
    return ThresholdSums(
        residual=max(block.residual for block in done),
        changed=sum(block.changed for block in done),
        nonzero=sum(block.nonzero for block in done),
        inner=float(np.sum([block.inner for block in done])),
        squared_norm=float(np.sum([block.squared_norm for block in done])),
    )


def _both(diagonal: float, right: float) -> float:
    return diagonal + 2 * right
