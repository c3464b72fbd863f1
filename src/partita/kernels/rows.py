"""One pass over the rows of N x K arrays: everything a step does to them, block by block.

A solver's step is a dozen operations on N x K arrays between two products with P. Done one after another, each reads
and writes main memory; done block by block, what is between stays in the cache. A pass takes a function of matching
row blocks,

    work(*blocks) -> (row blocks of the outputs, what is to be summed over all blocks)

and is the same for every kind of array: rows of NumPy arrays are cut into blocks that threads share (bounds depend on
the shapes alone and sums are added in order, so the bits do not depend on the number of threads); an array on an
accelerator is one block, and only the sums, K x K at most, come to the host; other kinds register themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partita.kernels.aligned import aligned_empty
from partita.kernels.namespace import to_numpy
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["Work", "row_pass"]

# Given matching row blocks: the outputs' blocks, and the sums.
Work: TypeAlias = Callable[..., tuple[Sequence[Any], Sequence[Any]]]

# Numbers of a block of one array (1 MiB of doubles): smaller ones pay for Python's calls, larger ones leave the cache.
# At N = 1e6, K = 20 a quarter or four times as many cost a tenth more (`benchmarks/kernel_choices.py`). One block up
# to twice that.
BLOCK_NUMBERS = 1 << 17


@singledispatch
def row_pass(first: Any, work: Work, *others: Any) -> tuple[list[Any], list[NDArray[np.float64]]]:
    """Call `work` on matching row blocks of `first` and `others`.

    Parameters
    ----------
    first : array
        N rows; what kind of array it is decides how the pass runs.
    work : callable
        Given one block of rows of each array; returns a sequence of output blocks with as many rows, and a sequence of
        arrays or numbers to be summed over the blocks. It does not write into its arguments.
    *others : arrays with N rows, or None
        None is handed on as None.

    Returns
    -------
    outputs : list of arrays with N rows, of the kind of `first`
    sums : list of NumPy arrays

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> (twice,), (total,) = row_pass(X, lambda x: ([2 * x], [x.sum(axis=0)]))
    >>> twice.tolist(), total.tolist()
    ([[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]], [6.0, 9.0])
    """
    outputs, sums = work(first, *others)
    return list(outputs), [to_numpy(part) for part in sums]


@row_pass.register
def _numpy(first: np.ndarray, work: Work, *others: Any) -> tuple[list[Any], list[NDArray[np.float64]]]:
    n = len(first)
    size = max(1, BLOCK_NUMBERS // max(1, first[:1].size))
    if n <= 2 * size:
        outputs, sums = work(first, *others)
        return list(outputs), [np.asarray(part) for part in sums]
    bounds = row_bounds(n, size)
    whole: list[Any] = []
    parts: dict[int, Sequence[Any]] = {}

    def block(low: int, high: int) -> Sequence[Any]:
        outputs, parts[low] = work(first[low:high], *(array if array is None else array[low:high] for array in others))
        return outputs

    low, high = bounds[0]
    for output in block(low, high):
        whole.append(aligned_empty((n, *output.shape[1:]), output.dtype))
        whole[-1][low:high] = output

    def rest(low: int, high: int) -> None:
        for array, output in zip(whole, block(low, high)):
            array[low:high] = output

    run_chunks(rest, bounds[1:])
    return whole, [np.sum([parts[low][k] for low, _ in bounds], axis=0) for k in range(len(parts[0]))]
