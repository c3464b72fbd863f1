"""Products with the affinity of draws, by labels and by the sparse factor they used to be; and its squared norm.

    PARTITA_DATA=... python benchmarks/draws.py

Least of several runs; ns are for one label and one column of W, both halves of the product. "read" is what it takes to
go over the labels twice (two passes of `max`), which no product can be faster than.
"""

from __future__ import annotations

import numpy as np

from partita.affinity import DrawsAffinity, LowRankAffinity, draws
from partita.affinity.norm_estimate import estimated_squared_norm
from partita.kernels.threads import available_cores, limit_threads
from sets import data_home
from timing import least

K = 10
MADE = ((1_000, 400), (10_000, 400), (1_000, 5_000), (10_000, 5_000), (1_000, 100_000), (10_000, 100_000))
REAL = ("galaxy_mcmc.npz", "ex1_mcmc.npz", "synth_n200_k20.npz", "synth_n1000_k20.npz")
# Labels up to which the sparse factor, at 12 bytes and more a label, is made to compare with.
FACTOR_UP_TO = 60_000_000


def posterior(M: int, N: int, n_clusters: int = 15) -> np.ndarray:
    """Draws about a truth, each item with a doubt of its own."""
    rng = np.random.default_rng(0)
    truth, doubt = rng.integers(0, n_clusters, N), rng.beta(1, 3, N)
    out = np.empty((M, N), dtype=np.int8)
    for b in range(M):
        out[b] = np.where(rng.random(N) < doubt, rng.integers(0, n_clusters, N), truth)
    return out


def products() -> None:
    cores = available_cores()
    print(f"K = {K}, {cores} cores\n")
    print("| M | N | factor ms (ns) | labels, 1 thread ms (ns) | all cores ms (ns) | P formed ms | read ms |")
    print("|---|---|---|---|---|---|---|")
    for M, N in MADE:
        labels, W = posterior(M, N), np.random.default_rng(1).random((N, K))
        runs = 3 if labels.size > 2e8 else 9

        def said(seconds: float, size: int = labels.size) -> str:
            return f"{seconds * 1e3:.1f} ({seconds / (size * K) * 1e9:.2f})"

        row = [f"{M:,}", f"{N:,}"]
        with limit_threads(1):
            draws.COMPILED_FROM, draws.FORMED_UP_TO = 0, 0
            P = DrawsAffinity(labels)
            factor = LowRankAffinity(P.factor) if labels.size <= FACTOR_UP_TO else None
            row.append("-" if factor is None else said(least(lambda: factor @ W, min(runs, 5))))
            row.append(said(least(lambda: P @ W, runs)))
        with limit_threads(cores):
            row.append(said(least(lambda: P @ W, runs)))
            draws.FORMED_UP_TO = 2048
            formed = DrawsAffinity(labels)
            row.append(f"{least(lambda: formed @ W, runs) * 1e3:.2f}" if formed.multiplications == N**2 else "-")
        row.append(f"{least(lambda: (labels.max(), labels.max()), runs) * 1e3:.1f}")
        print("| " + " | ".join(row) + " |", flush=True)


def norms() -> None:
    print("\n| draws | M | N | exact s | estimate s | estimate / exact - 1 |\n|---|---|---|---|---|---|")
    given = {}
    for name in REAL:
        with np.load(data_home() / "bayes" / name) as file:
            given[name] = max((file[key] for key in file.files if file[key].ndim == 2), key=np.size)
    given |= {"made": posterior(500, 5_000), "made, larger": posterior(300, 20_000), "pure noise": None}
    rng = np.random.default_rng(0)
    given["pure noise"] = rng.integers(0, 15, size=(300, 5_000)).astype(np.int8)
    draws.COMPILED_FROM, draws.FORMED_UP_TO, draws.EXACT_UP_TO = 0, 0, np.inf
    for name, labels in given.items():
        P = DrawsAffinity(labels)
        exact, estimate = P.squared_norm(), estimated_squared_norm(P)
        slow, fast = least(P.squared_norm, 1), least(lambda: estimated_squared_norm(P), 1)
        M, N = labels.shape
        print(f"| {name} | {M:,} | {N:,} | {slow:.2f} | {fast:.2f} | {estimate / exact - 1:+.1e} |", flush=True)


if __name__ == "__main__":
    products()
    norms()
