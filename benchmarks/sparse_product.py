"""Where threads and the compiled kernel pay for P @ W, sparse and dense.

    python benchmarks/sparse_product.py

Least of twenty runs each; the ratio is SciPy's (or one BLAS thread's) time over ours.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from partita.kernels import products, simplex
from partita.kernels.threads import available_cores, limit_threads
from timing import least

RUNS = 20

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    products.COMPILED_FROM = products.PARALLEL_FROM = 0
    print(f"{available_cores()} cores\n")
    print("| N | nnz per row | K | multiplications | SciPy ms | ours ms | ratio |\n|---|---|---|---|---|---|---|")
    for n, k in ((2_000, 12), (10_000, 12), (50_000, 16), (100_000, 18), (300_000, 18)):
        P = sp.csr_array(sp.random_array((n, n), density=k / n, rng=rng, format="csr"))
        for K in (3, 10, 20):
            W = rng.random((n, K))
            with limit_threads(available_cores()):
                theirs, ours = least(lambda: P @ W, RUNS), least(lambda: products.csr_product(P, W), RUNS)
            print(
                f"| {n:,} | {k} | {K} | {P.nnz * K:.1e} | {theirs * 1e3:.2f} | {ours * 1e3:.2f} | {theirs / ours:.2f} |"
            )
    print("\n| N (dense) | K | one thread ms | row chunks ms | ratio |\n|---|---|---|---|---|")
    for n in (500, 1_000, 4_000, 8_000):
        P, W = rng.random((n, n)), rng.random((n, 10))
        with limit_threads(available_cores()):
            theirs, ours = least(lambda: P @ W, RUNS), least(lambda: products.dense_product(P, W), RUNS)
        print(f"| {n:,} | 10 | {theirs * 1e3:.2f} | {ours * 1e3:.2f} | {theirs / ours:.2f} |")
    print("\n| N | K | projection NumPy ms | compiled ms | ratio |\n|---|---|---|---|---|")
    for n, K in ((10_000, 10), (100_000, 10), (300_000, 20)):
        V = rng.normal(size=(n, K))
        with limit_threads(available_cores()):
            theirs = least(lambda: simplex.project_rows_numpy(V), RUNS)
            ours = least(lambda: simplex.project_rows_compiled(V), RUNS)
        print(f"| {n:,} | {K} | {theirs * 1e3:.2f} | {ours * 1e3:.2f} | {theirs / ours:.2f} |")
