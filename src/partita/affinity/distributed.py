"""An affinity whose row blocks lie on the workers of Dask: several processes, or several machines.

Memberships are Dask arrays in the same row blocks. A product sends to each block the rows of W that its columns need
and no others, worked out once; everything else of an iteration is a pass over the blocks whose K x K sums are added up
on the client (`partita.kernels.rows`). The client holds nothing of N rows between start and end.

What a lost worker held is computed again: Dask keeps how every array came about as long as it is used. For that the
blocks must be such that Dask can make them again: built or read by tasks, or held in the task graph, which is what
`from_matrix` does; it suits matrices that the scheduler's memory takes.

With b blocks of nnz_b nonzeros each, a product moves 8 K bytes for each distinct column that a block needs of another,
and takes nnz_b K multiplications a block. Items in an order that keeps neighbours together (`partita.affinity.order`)
keep both small.

Needs the extra "dask".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity import block_tasks as tasks
from partita.affinity.base import Affinity, Kind
from partita.affinity.dask_rows import Delayed, dask, delayed, held, in_blocks, persisted
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.namespace import to_numpy

__all__ = ["DistributedAffinity"]

# Blocks that a matrix is cut into unless told, at most; each has at least so many rows.
BLOCKS, BLOCK_ROWS = 16, 1024


class DistributedAffinity(Affinity):
    """A symmetric sparse matrix in row blocks on Dask workers.

    Parameters
    ----------
    blocks : sequence of dask.delayed.Delayed
        Each the next rows of P: an n_b x N scipy.sparse matrix, made by a task.
    sizes : sequence of int
        n_b, the rows of each.

    Raises
    ------
    InputError
        Where the blocks are not those of a symmetric N x N matrix of finite numbers.
    MissingExtraError
        Without Dask.

    Examples
    --------
    >>> P = DistributedAffinity.from_matrix(sp.eye_array(6, format="csr"), n_blocks=2)
    >>> (P @ np.ones((6, 1))).ravel().tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    name = "distributed"
    can_be_resampled = False

    def __init__(self, blocks: Sequence[Delayed], sizes: Sequence[int]) -> None:
        if not blocks or len(blocks) != len(sizes) or min(sizes) < 1:
            raise InputError(f"{len(blocks)} blocks and {len(sizes)} sizes: expected one positive size for each block")
        self._bounds = [0, *accumulate(int(size) for size in sizes)]
        parts = [_Part.of(block, self._bounds, b) for b, block in enumerate(blocks)]
        wrong = next((text for text in dask.compute(*(wrong for _, wrong in parts)) if text), None)
        if wrong is not None:
            raise InputError(wrong)
        self._parts = [part for part, _ in parts]
        self._needs: list[list[int]] = self._told(list)

    @classmethod
    def from_matrix(cls, matrix: sp.sparray | sp.spmatrix, n_blocks: int | None = None) -> Self:
        """Return a matrix that the client has, cut into row blocks of about equal numbers of nonzeros.

        Parameters
        ----------
        matrix : N x N scipy.sparse
            Symmetric; checked input comes from `partita.affinity.checks.as_affinity`.
        n_blocks : int, optional
            At most 16 by default, each of at least 1,024 rows; twice the number of workers is a good choice.
        """
        P = sp.csr_array(matrix)
        n = P.shape[0]
        wanted = min(BLOCKS, -(-n // BLOCK_ROWS)) if n_blocks is None else n_blocks
        if not 1 <= wanted <= n:
            raise InputError(f"n_blocks={n_blocks}: expected 1 to {n}, the number of items")
        ideal = np.searchsorted(P.indptr, np.linspace(0, P.nnz, wanted + 1))
        # Each block has a row at least, whatever rows the nonzeros are in.
        cuts = np.maximum(np.minimum(ideal, n - np.arange(wanted, -1, -1)), np.arange(wanted + 1))
        cuts[0], cuts[-1] = 0, n
        bounds = list(pairwise(cuts.tolist()))
        return cls([delayed(P[low:high], pure=False) for low, high in bounds], [high - low for low, high in bounds])

    @classmethod
    def _of_parts(cls, parts: list[_Part], bounds: list[int], needs: list[list[int]]) -> Self:
        out = cls.__new__(cls)
        out._parts, out._bounds, out._needs = parts, bounds, needs
        return out

    @property
    def n_items(self) -> int:
        return self._bounds[-1]

    @property
    def n_blocks(self) -> int:
        """Row blocks."""
        return len(self._parts)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(high - low for low, high in pairwise(self._bounds))

    @property
    def foreign(self) -> bool:
        return True

    @property
    def multiplications(self) -> int:
        return int(sum(self._each(lambda P: P.nnz)))

    @property
    def kind(self) -> Kind:
        inside = self._each(lambda P: not P.nnz or (P.data.min() >= 0 and P.data.max() <= 1))
        return "probability" if all(inside) else "similarity"

    def native(self, array: Array) -> Any:
        if len(array) != self.n_items:
            return array
        array = array.copy()  # tasks run later, and the caller keeps its array
        blocks = [delayed(array[low:high], pure=False) for low, high in pairwise(self._bounds)]
        return persisted(blocks, self.chunks, array.shape[1:], array.dtype)

    def __matmul__(self, W: Any) -> Any:
        if isinstance(W, np.ndarray):
            return to_numpy(self @ self.native(np.asarray(W, dtype=np.float64)))
        W = in_blocks(W, self.chunks)
        sent = W.to_delayed().ravel()
        product, send = delayed(tasks.product, pure=False), delayed(tasks.rows_for, pure=False)
        blocks = []
        for b, (part, need) in enumerate(zip(self._parts, self._needs)):
            rows = [sent[b] if c == b else send(sent[c], part.wanted, c) for c in need]
            blocks.append(product(part.local, rows, W.shape[1]))
        return persisted(blocks, self.chunks, W.shape[1:], np.dtype(np.float64))

    def diagonal(self) -> Array:
        lows = self._bounds[:-1]
        return np.concatenate(
            dask.compute(*(delayed(tasks.diagonal_of)(part.block, low) for part, low in zip(self._parts, lows)))
        )

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        out = np.empty((len(index), self.n_items))
        places = [np.flatnonzero((index >= low) & (index < high)) for low, high in pairwise(self._bounds)]
        asked = [b for b, place in enumerate(places) if len(place)]
        found = dask.compute(
            *(delayed(tasks.dense_rows)(self._parts[b].block, index[places[b]] - self._bounds[b]) for b in asked)
        )
        for b, rows in zip(asked, found):
            out[places[b]] = rows
        return out

    def row_sums(self) -> Array:
        return np.concatenate(self._each(lambda P: np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()))

    def squared_norm(self, weights: Array | None = None) -> float:
        w = np.ones(self.n_items) if weights is None else weights
        return float(w @ np.concatenate(self._each(lambda P: tasks.squared(P) @ w)))

    def density(self) -> float:
        return float(sum(self._each(lambda P: np.count_nonzero(P.data)))) / self.n_items**2

    def scaled(self, factors: Array) -> DistributedAffinity:
        factors = np.array(factors, dtype=np.float64)  # tasks run later, and the caller keeps its array
        every = delayed(factors, pure=False)
        parts = [
            part.scaled(delayed(factors[low:high], pure=False), every)
            for part, (low, high) in zip(self._parts, pairwise(self._bounds))
        ]
        return DistributedAffinity._of_parts(parts, self._bounds, self._needs)

    def rows_moved(self) -> int:
        """Return rows of W that a product sends from one block to another: 8 K bytes each."""
        sent = self._told(tasks.sizes)
        return sum(count for b, sizes in enumerate(sent) for c, count in sizes.items() if c != b)

    def _told(self, what: Callable[[dict[int, NDArray[np.intp]]], Any]) -> list[Any]:
        """`what` of the rows that each block needs of the others."""
        return list(dask.compute(*(delayed(what, pure=False)(part.wanted) for part in self._parts)))

    def _each(self, what: Callable[[sp.csr_array], Any]) -> list[Any]:
        """`what` of every block, computed where it lies."""
        return list(dask.compute(*(delayed(what, pure=False)(part.block) for part in self._parts)))

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        half = rng.random((n_items, n_items)) * (rng.random((n_items, n_items)) < 0.3)
        matrix = np.maximum(half, half.T)
        return cls.from_matrix(sp.csr_array(matrix), n_blocks=3), matrix


class _Part:
    """One row block, over the rows of W that will be sent to it: 8 or 12 bytes a nonzero, on one worker."""

    def __init__(self, local: Delayed, wanted: Delayed, bounds: list[int]) -> None:
        self.local, self.wanted, self._bounds = local, wanted, bounds

    @classmethod
    def of(cls, given: Delayed, bounds: list[int], b: int) -> tuple[_Part, Delayed]:
        """The part, and what is wrong with the block that was given."""
        block = delayed(tasks.as_csr, pure=False)(given)
        wanted = delayed(tasks.wanted_by, pure=False)(block, bounds, b)
        local = delayed(tasks.local_form, pure=False)(block, wanted, bounds)
        local, wanted, wrong = dask.persist(local, wanted, delayed(tasks.wrong_with, pure=False)(block, bounds, b))
        return cls(local, wanted, bounds), wrong

    @property
    def block(self) -> Delayed:
        """The rows over all N columns, made when asked for."""
        return delayed(tasks.whole_form, pure=False)(self.local, self.wanted, self._bounds)

    def scaled(self, own: Delayed, every: Delayed) -> _Part:
        """diag(f) P diag(f): the pattern, and so what is sent, stays."""
        local = delayed(tasks.scaled_form, pure=False)(self.local, self.wanted, self._bounds, own, every)
        return _Part(held(local), self.wanted, self._bounds)
