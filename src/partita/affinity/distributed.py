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

from partita.affinity.base import Affinity, Array, Kind
from partita.errors import InputError, require
from partita.kernels.namespace import to_numpy
from partita.kernels.products import csr_product
from partita.kernels.rows import Work, row_pass
from partita.kernels.threads import limit_threads

require("dask.array", extra="dask", purpose="an affinity on several machines")

import dask  # noqa: E402 - only where `require` found it
import dask.array as da  # noqa: E402
from dask.delayed import Delayed, delayed  # noqa: E402

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

    def __init__(self, blocks: Sequence[Delayed], sizes: Sequence[int]) -> None:
        if not blocks or len(blocks) != len(sizes) or min(sizes) < 1:
            raise InputError(f"{len(blocks)} blocks and {len(sizes)} sizes: expected one positive size for each block")
        self._bounds = [0, *accumulate(int(size) for size in sizes)]
        parts = [_Part.of(block, self._bounds, b) for b, block in enumerate(blocks)]
        checks = dask.compute(*(part.check for part in parts))
        wrong = next((text for text in checks if text), None)
        if wrong is not None:
            raise InputError(wrong)
        self._parts: list[_Part] = parts
        needs = dask.compute(*(part.needed for part in parts))
        self._needs: list[list[int]] = [list(map(int, need)) for need in needs]

    @classmethod
    def from_matrix(cls, matrix: sp.sparray | sp.spmatrix, n_blocks: int | None = None) -> Self:
        """A matrix that the client has, cut into row blocks of about equal numbers of nonzeros.

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
        return _persisted(blocks, self.chunks, array.shape[1:], array.dtype)

    def __matmul__(self, W: Any) -> Any:
        if isinstance(W, np.ndarray):
            return to_numpy(self @ self.native(np.asarray(W, dtype=np.float64)))
        W = _in_blocks(W, self.chunks)
        sent = W.to_delayed().ravel()
        product, send = delayed(_product, pure=False), delayed(_rows_for, pure=False)
        blocks = []
        for b, (part, need) in enumerate(zip(self._parts, self._needs)):
            rows = [sent[b] if c == b else send(sent[c], part.wanted, c) for c in need]
            blocks.append(product(part.local, rows, W.shape[1]))
        return _persisted(blocks, self.chunks, W.shape[1:], np.dtype(np.float64))

    def diagonal(self) -> Array:
        lows = self._bounds[:-1]
        return np.concatenate(
            dask.compute(*(delayed(_diagonal)(part.block, low) for part, low in zip(self._parts, lows)))
        )

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        out = np.empty((len(index), self.n_items))
        places = [np.flatnonzero((index >= low) & (index < high)) for low, high in pairwise(self._bounds)]
        asked = [b for b, place in enumerate(places) if len(place)]
        found = dask.compute(
            *(delayed(_dense_rows)(self._parts[b].block, index[places[b]] - self._bounds[b]) for b in asked)
        )
        for b, rows in zip(asked, found):
            out[places[b]] = rows
        return out

    def row_sums(self) -> Array:
        return np.concatenate(self._each(lambda P: np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()))

    def squared_norm(self, weights: Array | None = None) -> float:
        w = np.ones(self.n_items) if weights is None else weights
        return float(w @ np.concatenate(self._each(lambda P: _squared(P) @ w)))

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
        """Rows of W that a product sends from one block to another: 8 K bytes each."""
        sent = dask.compute(*(delayed(_sizes, pure=False)(part.wanted) for part in self._parts))
        return sum(count for b, sizes in enumerate(sent) for c, count in sizes.items() if c != b)

    def _each(self, what: Callable[[sp.csr_array], Any]) -> list[Any]:
        """`what` of every block, computed where it lies."""
        return list(dask.compute(*(delayed(what, pure=False)(part.block) for part in self._parts)))

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        half = rng.random((n_items, n_items)) * (rng.random((n_items, n_items)) < 0.3)
        matrix = np.maximum(half, half.T)
        return cls.from_matrix(sp.csr_array(matrix), n_blocks=3), matrix


class _Part:
    """One row block: the matrix, what it needs of the others, and the same matrix over the rows that will be sent."""

    def __init__(self, block: Delayed, local: Delayed, wanted: Delayed) -> None:
        self.block, self.local, self.wanted = block, local, wanted
        self.check: Delayed | None = None
        self.needed: Delayed | None = None

    @classmethod
    def of(cls, given: Delayed, bounds: list[int], b: int) -> _Part:
        block = _held(delayed(_as_csr, pure=False)(given))
        wanted = _held(delayed(_wanted, pure=False)(block, bounds, b))
        part = cls(block, _held(delayed(_local, pure=False)(block, wanted, bounds)), wanted)
        part.check = delayed(_check, pure=False)(block, bounds, b)
        part.needed = delayed(list, pure=False)(wanted)
        return part

    def scaled(self, own: Delayed, every: Delayed) -> _Part:
        """diag(f) P diag(f): the pattern, and so what is sent, stays."""
        scale = delayed(_scaled, pure=False)
        block = _held(scale(self.block, own, every))
        return _Part(block, _held(delayed(_with_values, pure=False)(self.local, block)), self.wanted)


def _held(task: Delayed) -> Delayed:
    """Computed once and kept on its worker."""
    return task.persist()


def _persisted(blocks: list[Any], chunks: tuple[int, ...], rest: tuple[int, ...], dtype: Any) -> Any:
    arrays = [da.from_delayed(block, (size, *rest), dtype=dtype) for block, size in zip(blocks, chunks)]
    return da.concatenate(arrays, axis=0).persist()


def _in_blocks(W: Any, chunks: tuple[int, ...]) -> Any:
    return W if W.chunks[0] == chunks and W.numblocks[1] == 1 else W.rechunk((chunks, -1))


# What workers do ----------------------------------------------------------------------------------------------------


def _as_csr(block: Any) -> sp.csr_array:
    out = sp.csr_array(block)
    out.sort_indices()
    return out


def _check(P: sp.csr_array, bounds: list[int], b: int) -> str | None:
    expected = (bounds[b + 1] - bounds[b], bounds[-1])
    if P.shape != expected:
        return f"block {b} has shape {P.shape}, expected {expected}: its rows, and a column for each item"
    return None if np.isfinite(P.data).all() else f"block {b} holds NaN or infinite entries: remove or replace them"


def _wanted(P: sp.csr_array, bounds: list[int], b: int) -> dict[int, NDArray[np.intp]]:
    """For each block with a column in P: which of its rows are needed; all of the block's own."""
    columns = np.unique(P.indices)
    cuts = np.searchsorted(columns, bounds)
    out = {c: columns[low:high] - bounds[c] for c, (low, high) in enumerate(pairwise(cuts)) if high > low}
    return dict(sorted((out | {b: np.arange(bounds[b + 1] - bounds[b])}).items()))


def _sizes(wanted: dict[int, NDArray[np.intp]]) -> dict[int, int]:
    return {c: len(rows) for c, rows in wanted.items()}


def _local(P: sp.csr_array, wanted: dict[int, NDArray[np.intp]], bounds: list[int]) -> sp.csr_array:
    """P over the rows that come, one block after the other."""
    columns = np.concatenate([rows + bounds[c] for c, rows in wanted.items()])
    place = np.searchsorted(columns, P.indices).astype(np.int32)
    return sp.csr_array((P.data, place, P.indptr), shape=(P.shape[0], len(columns)))


def _rows_for(W: Array, wanted: dict[int, NDArray[np.intp]], c: int) -> Array:
    return W[wanted[c]]


def _product(P: sp.csr_array, rows: list[Array], width: int) -> Array:
    with limit_threads(1):  # the workers are the threads
        return csr_product(P, np.concatenate(rows) if rows else np.empty((0, width)))


def _scaled(P: sp.csr_array, own: Array, every: Array) -> sp.csr_array:
    values = P.data * np.repeat(own, np.diff(P.indptr)) * every[P.indices]
    return sp.csr_array((values.astype(P.dtype, copy=False), P.indices, P.indptr), shape=P.shape)


def _with_values(local: sp.csr_array, block: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((block.data, local.indices, local.indptr), shape=local.shape)


def _diagonal(P: sp.csr_array, low: int) -> Array:
    return np.asarray(P.diagonal(k=low), dtype=np.float64)[: P.shape[0]]


def _squared(P: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((np.square(P.data, dtype=np.float64), P.indices, P.indptr), shape=P.shape)


def _dense_rows(P: sp.csr_array, index: NDArray[np.intp]) -> Array:
    return np.asarray(P[index].toarray(), dtype=np.float64)


# Passes over rows ---------------------------------------------------------------------------------------------------


@row_pass.register
def _dask(first: da.Array, work: Work, *others: Any) -> tuple[list[Any], list[Array]]:
    chunks = first.chunks[0]
    arrays = [first, *(None if array is None else _in_blocks(array, chunks) for array in others)]
    split = [[None] * len(chunks) if array is None else array.to_delayed().ravel() for array in arrays]
    function = delayed(work, pure=False, traverse=False)
    results = [delayed(_one_block, pure=False)(function, *blocks).persist() for blocks in zip(*split)]
    told = dask.compute(*(delayed(_summary, pure=False)(result) for result in results))
    shapes, sums = told[0][0], [part for _, part in told]
    pick = delayed(_output, pure=False)
    outputs = [
        _persisted([pick(result, k) for result in results], chunks, rest, dtype)
        for k, (rest, dtype) in enumerate(shapes)
    ]
    return outputs, [np.sum([part[k] for part in sums], axis=0) for k in range(len(sums[0]))]


def _one_block(work: Work, *blocks: Any) -> tuple[list[Any], list[Any]]:
    with limit_threads(1):
        outputs, sums = work(*blocks)
    return list(outputs), [np.asarray(part) for part in sums]


def _summary(result: tuple[list[Any], list[Any]]) -> tuple[list[Any], list[Any]]:
    return [(output.shape[1:], output.dtype) for output in result[0]], result[1]


def _output(result: tuple[list[Any], list[Any]], k: int) -> Any:
    return result[0][k]
