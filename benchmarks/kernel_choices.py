"""What the choices inside the kernels are worth: vectors, the order of the items, the size of row blocks.

    python benchmarks/kernel_choices.py [N]

N items, a million by default: the normalised graph of `benchmarks/scale.py`, K = 20. Least of several runs; ratios are
within one run.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numba import njit

from partita.affinity import LowRankAffinity
from partita.kernels import rows
from partita.kernels.csr_vectors import csr_product_kernel
from partita.kernels.lanes import LANES, add_four
from partita.kernels.products import csr_product
from partita.kernels.threads import available_cores, limit_threads, run_chunks
from partita.objectives import PerClusterObjective, Problem
from partita.solvers import ProjectedGradient
from scale import K, graph_of, parallel_copy
from timing import least

CHUNKS = 64
# Items that a neighbour is away at most in the matrix that shows what perfect locality is worth.
NEAR = 64


def plain_product(P: sp.csr_array, W: np.ndarray) -> np.ndarray:
    """P @ W by the loop over columns inside the loop over nonzeros, in as many chunks as the product itself."""
    out = np.empty((P.shape[0], W.shape[1]))
    cuts = np.unique(np.searchsorted(P.indptr, np.linspace(0, P.nnz, CHUNKS + 1)))
    cuts[0], cuts[-1] = 0, P.shape[0]

    def work(low: int, high: int) -> None:
        csr_product_kernel(P.indptr, P.indices, P.data, W, out, low, high)

    run_chunks(work, [(int(low), int(high)) for low, high in pairwise(cuts)])
    return out


def near(P: sp.csr_array) -> sp.csr_array:
    """As many nonzeros in every row, in columns at most `NEAR` away."""
    n = P.shape[0]
    row = np.repeat(np.arange(n), np.diff(P.indptr))
    away = np.random.default_rng(0).integers(-NEAR, NEAR + 1, P.nnz)
    columns = np.clip(row + away, 0, n - 1).astype(P.indices.dtype)
    return sp.csr_array((P.data, columns, P.indptr), P.shape)


def products(n: int) -> None:
    P = graph_of(n).matrix
    W = np.random.default_rng(0).random((n, K))
    moved = [P.data, P.indices, W, np.zeros_like(W)]
    into = [np.empty_like(array) for array in moved]
    local = near(P)
    print("| threads | copy ms | vectors ms | plain loop ms | vectors / plain | neighbours near ms | near / copy |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for threads in sorted({1, available_cores()}):
        with limit_threads(threads), ThreadPoolExecutor(threads) as pool:
            copy = least(lambda: parallel_copy(moved, into, pool), 7)
            ours, plain = least(lambda: csr_product(P, W), 7), least(lambda: plain_product(P, W), 4)
            best = least(lambda: csr_product(local, W), 7)
        print(
            f"| {threads} | {copy * 1e3:.0f} | {ours * 1e3:.0f} | {plain * 1e3:.0f} | {ours / plain:.2f} | "
            f"{best * 1e3:.0f} | {best / copy:.2f} |",
            flush=True,
        )


@njit(nogil=True)
def add_plain(tables: np.ndarray, at: np.ndarray, W: np.ndarray, width: int) -> None:
    for i in range(len(at)):
        for k in range(width):
            tables[at[i] * width + k] += W[i * width + k]


@njit(nogil=True)
def add_vectors(tables: np.ndarray, at: np.ndarray, W: np.ndarray, width: int) -> None:
    for i in range(len(at)):
        for k in range(0, width, LANES):
            add_four(tables, at[i] * width + k, W, i * width + k)


def sums(n: int) -> None:
    """Rows of W added to the rows of a table, as the draws' kernel does it."""
    print("\n| columns | added by fours ms | plain loop ms | ratio |\n|---|---|---|---|")
    rng = np.random.default_rng(0)
    for width in (4, 12, 20):
        at, W, tables = rng.integers(0, 15, n), rng.random(n * width), np.zeros(15 * width)
        ours = least(lambda: add_vectors(tables, at, W, width), 9)
        plain = least(lambda: add_plain(tables, at, W, width), 9)
        print(f"| {width} | {ours * 1e3:.1f} | {plain * 1e3:.1f} | {ours / plain:.2f} |", flush=True)


def blocks(n: int) -> None:
    """Steps of the default solver on evidence whose product costs next to nothing: passes over rows and little else."""
    print("\n| numbers in a block | step ms | to the default |\n|---|---|---|")
    rng = np.random.default_rng(0)
    problem, solver = Problem(LowRankAffinity(rng.random((n, 1))), PerClusterObjective()), ProjectedGradient()
    default, took = rows.BLOCK_NUMBERS, {}
    with limit_threads(available_cores()):
        state = solver.step(problem, solver.start(problem, rng.dirichlet(np.ones(K), size=n)))
        for share in (1, 0.25, 4, 16):
            rows.BLOCK_NUMBERS = int(default * share)
            took[rows.BLOCK_NUMBERS] = least(lambda: solver.step(problem, state), 5)
    rows.BLOCK_NUMBERS = default
    for numbers, seconds in sorted(took.items()):
        print(f"| {numbers:,} | {seconds * 1e3:.0f} | {seconds / took[default]:.2f} |", flush=True)


if __name__ == "__main__":
    n = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    print(f"N = {n:,}, K = {K}, {available_cores()} cores\n")
    products(n)
    sums(n)
    blocks(n)
