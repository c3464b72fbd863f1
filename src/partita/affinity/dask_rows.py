"""Passes over the rows of Dask arrays: a task for each block of rows, and the K x K sums on the client."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import require
from partita.kernels.rows import Work, row_pass
from partita.kernels.threads import limit_threads

require("dask.array", extra="dask", purpose="an affinity on several machines")

import dask  # noqa: E402 - only where `require` found it
import dask.array as da  # noqa: E402
from dask.delayed import Delayed, delayed  # noqa: E402

__all__ = ["Delayed", "dask", "delayed", "held", "in_blocks", "persisted"]


def held(task: Delayed) -> Delayed:
    """Return a task that is computed once and kept on its worker."""
    return task.persist()


def persisted(blocks: list[Any], chunks: tuple[int, ...], rest: tuple[int, ...], dtype: Any) -> Any:
    """Return a Dask array of row blocks of `chunks` rows that tasks make; computed once, and kept where it is."""
    arrays = [da.from_delayed(block, (size, *rest), dtype=dtype) for block, size in zip(blocks, chunks)]
    return da.concatenate(arrays, axis=0).persist()


def in_blocks(W: Any, chunks: tuple[int, ...]) -> Any:
    """Return W cut into blocks of `chunks` rows and all of its columns."""
    return W if W.chunks[0] == chunks and W.numblocks[1] == 1 else W.rechunk((chunks, -1))


@row_pass.register
def _dask(first: da.Array, work: Work, *others: Any) -> tuple[list[Any], list[Array]]:
    chunks = first.chunks[0]
    arrays = [first, *(None if array is None else in_blocks(array, chunks) for array in others)]
    split = [[None] * len(chunks) if array is None else array.to_delayed().ravel() for array in arrays]
    function = delayed(work, pure=False, traverse=False)
    results = [delayed(_one_block, pure=False)(function, *blocks).persist() for blocks in zip(*split)]
    told = dask.compute(*(delayed(_summary, pure=False)(result) for result in results))
    shapes, sums = told[0][0], [part for _, part in told]
    pick = delayed(_output, pure=False)
    outputs = [
        persisted([pick(result, k) for result in results], chunks, rest, dtype)
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
