"""AssoCBMF: a 0/1 matrix that is nearly blocks, as groups of items [li2014, Algorithm 2].

    minimise  |G xor Z o Z^T|,    Z an N x K 0/1 matrix with one 1 in each row,    K <= K0

For thresholds tau = .1, .2, ..., 1 the candidate columns are D(:, j) = {i : <G_i, G_j> / <G_j, G_j> >= tau}. Columns
are chosen greedily, and those that overlap a chosen one (cosine above .1) are dropped. Let C be the cover, the pairs
that chosen columns explain. A column d explains, of what is not covered, ones rightly and zeros wrongly: it lowers the
error by d^T B d, B = (2 G - 1) o (1 - C). For the first choice one product scores every candidate; covering the rows of
z takes the entries B[z, z] away, so that later scores need those rows only.

What is printed does not work, and is mended so:

- Z is reset for each tau. Printed, columns chosen for one tau stay for the next.
- "> tau" reads ">= tau": at tau = 1 nothing passes ">".
- A column is kept only if it lowers the error. Printed, the one that does not lower it is kept, and ends the loop.
- Z* is updated before the loop is left. Printed, "D is empty" leaves it before the last column is compared: that loses
  the last cluster, a whole block of 50 items in one case.
- Of candidates that are the same set one is looked at, and tau whose candidates are those of the last are passed over.
- The best tau is the one with the least |G xor Z o Z^T| once every item is in one cluster (`assignment`), since the
  constraint holds only then; the smallest tau of several.

Cost: for each tau a product of G with its candidates, 2 N^3 at most (single precision, exact: counts), less where rows
of G coincide; memory some 24 bytes for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernels.threads import limit_threads, n_threads, row_bounds, run_chunks
from partita.memory import require_memory
from partita.scams.assignment import assign

__all__ = ["BooleanFactorization", "boolean_factorization"]

Boolean = NDArray[np.bool_]
Single = NDArray[np.float32]

# tau, in tenths: i / 10 compared as 10 <G_i, G_j> >= i <G_j, G_j>, in whole numbers.
TENTHS = range(1, 11)
# t_b: entries of G above it are ones. t_d: candidates with a larger cosine to a chosen column are dropped.
ROUNDING, OVERLAP = 0.5, 0.1
# Bytes for each pair: G, overlaps, candidates, their product and B in single precision, and 0/1 matrices.
BYTES_A_PAIR = 24
# Columns of a chunk of products.
CHUNK = 256


@dataclass(frozen=True, eq=False)
class BooleanFactorization:
    """Groups and clusters found in a 0/1 matrix.

    Attributes
    ----------
    labels : array of N
        0..K-1 in order of appearance.
    n_clusters : int
    error : int
        |G xor Z o Z^T| of the labels, over ordered pairs.
    groups : N x groups array of bool
        The columns chosen, before items in several or none of them were assigned, in the order of choice.
    groups_error : int
        |G xor Z o Z^T| of the groups.
    threshold : float
        tau.
    n_conflicting, n_empty : int
        Items in several groups, and in none.
    """

    labels: NDArray[np.int64]
    n_clusters: int
    error: int
    groups: Boolean
    groups_error: int
    threshold: float
    n_conflicting: int
    n_empty: int


def boolean_factorization(G: Any, affinity: Any = None, *, max_clusters: int | None = None) -> BooleanFactorization:
    """Return groups Z with Z o Z^T as near as a greedy choice gets to the 0/1 matrix G, and one cluster for each item.

    Minimises |G xor Z o Z^T|, the number of ordered pairs that the groups get wrong. Blocks are found exactly, and five
    of 50 with a fifth of all pairs wrong; a block of 10 beside one of 50 was lost with so many, found with a tenth. On
    few items the best partition is missed by less than one pair on average (`tests/oracle`).

    Parameters
    ----------
    G : N x N array
        Bool, or numbers that are ones above .5: `ADMMResult.pattern`. Symmetric; its diagonal counts as ones.
    affinity : N x N array or scipy.sparse, optional
        Decides where items in several groups or in none go, by their largest total; G itself by default.
    max_clusters : int, optional
        K0, the most groups that are chosen (`ADMMResult.max_clusters`); any number by default. An item in no group that
        has no affinity to the others becomes a cluster of its own beyond it.

    Raises
    ------
    InputError
        For a G that is not square, symmetric or finite, an affinity of another size, or max_clusters < 1.
    MemoryLimitError
        Where some 24 bytes for each pair do not fit.

    Notes
    -----
    Cost: 20 N^3 flops in single precision where all rows of G differ, 2 N^3 where it is blocks. [li2014, Algorithm 2],
    after the Asso algorithm of Miettinen et al. (2008), with the mends that this module's text lists.

    Examples
    --------
    >>> G = np.kron(np.eye(2), np.ones((3, 3)))
    >>> G[0, 5] = G[5, 0] = 1
    >>> found = boolean_factorization(G)
    >>> found.labels.tolist(), found.error
    ([0, 0, 0, 1, 1, 1], 2)
    """
    ones = _checked(G)
    N = len(ones)
    if affinity is None:
        affinity = ones
    elif np.shape(affinity) != (N, N):
        raise InputError(
            f"affinity has shape {np.shape(affinity)} and G is {N} x {N}: pass the affinity of the same items"
        )
    if max_clusters is not None and max_clusters < 1:
        raise InputError(f"max_clusters={max_clusters}: expected at least 1, or None")
    cap = N if max_clusters is None else max_clusters
    # Items with the same row have the same candidate: one of them stands for all.
    _, leaders = np.unique(np.packbits(ones, axis=1), axis=0, return_index=True)
    leaders = np.sort(leaders)
    matrix = ones.astype(np.float32)
    with limit_threads(n_threads()):
        overlaps = _product(matrix, matrix[:, leaders])  # <G_i, G_j>: whole numbers up to N, exact
        sizes = overlaps[leaders, np.arange(len(leaders))]
        best: BooleanFactorization | None = None
        last: Boolean | None = None
        for tenth in TENTHS:
            candidates = _distinct(10 * overlaps >= tenth * sizes)
            if last is not None and last.shape == candidates.shape and (last == candidates).all():
                continue
            last = candidates
            groups, fewer = _choose(matrix, candidates, cap)
            labels = assign(groups, affinity)
            error = _partition_error(ones, labels)
            if best is None or error < best.error:
                count = groups.sum(axis=1)
                best = BooleanFactorization(
                    labels=labels,
                    n_clusters=int(labels.max()) + 1,
                    error=error,
                    groups=groups,
                    groups_error=int(np.count_nonzero(ones)) - fewer,
                    threshold=tenth / 10,
                    n_conflicting=int((count > 1).sum()),
                    n_empty=int((count == 0).sum()),
                )
    assert best is not None
    return best


def _checked(G: Any) -> Boolean:
    values = np.asarray(G)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) == 0:
        raise InputError(f"G must be square (items x items) with at least one item, not of shape {values.shape}")
    require_memory(
        BYTES_A_PAIR * values.size, "a Boolean factorization", "search the objective of SCAMS locally instead"
    )
    if values.dtype.kind not in "biuf":
        raise InputError(f"G holds {values.dtype}, expected booleans or real numbers")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("G holds NaN or infinite entries: pass the pattern or G of an ADMMResult")
    ones = values.copy() if values.dtype.kind == "b" else values > ROUNDING
    np.fill_diagonal(ones, True)
    different = ones != ones.T
    if different.any():
        i, j = map(int, np.argwhere(different)[0])
        raise InputError(f"G[{i}, {j}] and G[{j}, {i}] are not on the same side of {ROUNDING}: pass a symmetric matrix")
    return np.asarray(ones)


def _product(left: Single, right: Single) -> Single:
    out = np.empty((left.shape[0], right.shape[1]), dtype=np.float32)

    def work(low: int, high: int) -> None:
        np.matmul(left[low:high], right, out=out[low:high])

    run_chunks(work, row_bounds(len(left), CHUNK))
    return out


def _distinct(candidates: Boolean) -> Boolean:
    """Columns without those that are there already, in the order of the first of each."""
    _, first = np.unique(np.packbits(candidates, axis=0), axis=1, return_index=True)
    return candidates[:, np.sort(first)]


def _choose(G: Single, candidates: Boolean, cap: int) -> tuple[Boolean, int]:
    """Columns by falling gain, and by how much all of them lower the error."""
    D = candidates.astype(np.float32)
    sizes = D.sum(axis=0, dtype=np.float64)
    # d^T (2 G - 1) d; single precision holds the counts of G d exactly, their sum is taken in double.
    gains = 2.0 * np.einsum("ij,ij->j", D, _product(G, D), dtype=np.float64) - sizes**2
    # B shrinks in place, from 2 G - 1 on.
    B = 2.0 * G - np.float32(1.0)
    there, fewer = np.arange(D.shape[1]), 0.0
    chosen: list[int] = []
    while len(there) and len(chosen) < cap:
        best = int(np.argmax(gains[there]))
        column = int(there[best])
        if gains[column] <= 0:
            break
        rows = np.flatnonzero(candidates[:, column])
        chosen.append(column)
        fewer += gains[column]
        shared = D[np.ix_(rows, there)]
        apart = shared.sum(axis=0, dtype=np.float64) <= OVERLAP * np.sqrt(sizes[column] * sizes[there])
        there, shared = there[apart], shared[:, apart]
        meeting = shared.any(axis=0)
        block = np.ix_(rows, rows)
        if meeting.any():
            d = shared[:, meeting]
            gains[there[meeting]] -= np.einsum("ij,ij->j", d, B[block] @ d, dtype=np.float64)
        B[block] = 0.0
    return candidates[:, chosen], round(fewer)


def _partition_error(G: Boolean, labels: NDArray[np.int64]) -> int:
    """|G xor Z Z^T| = |G| + sum n_k^2 - 2 (ones of G inside clusters)."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    inside = sum(int(np.count_nonzero(G[np.ix_(g, g)])) for g in np.split(order, np.cumsum(sizes)[:-1]))
    return int(np.count_nonzero(G)) + int(sizes @ sizes) - 2 * inside
