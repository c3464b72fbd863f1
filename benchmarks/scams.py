"""SCAMS: the settings for motions, and its two searches beside each other.

    PARTITA_DATA=... OMP_NUM_THREADS=1 python benchmarks/scams.py choose|objective [--quick]

choose      the settings for motions, on every eighth sequence of Hopkins 155
objective   J and CPU seconds of the local search and of ADMM, by size, and a sparse graph of 3 million edges

The tests of its paper are experiments: `partita reproduce scams-figure2`, `scams-table1` and `scams-figure3`.

--quick takes sizes to 1,000; --affinities part of the rows.

[li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: Simultaneous clustering and model selection, CVPR 2014.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import Builder, LowRankRepresentation, SparseSubspace
from partita.datasets import load_sequences, union_of_subspaces
from partita.datasets.subspaces import LOW_NOISE
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index, rand_index
from partita.n_clusters import ConductanceJump, KEvidence
from partita.reproduce.scams.affinities import CHOSEN, affinities
from partita.scams import ADMM, LocalSearch, boolean_factorization, partition_objective, scams_admm, scams_local

PLAIN = SparseSubspace(alpha=20.0, ridge=0.0, per_item=False)
AFFINE = LowRankRepresentation(affine=True, price=1e3, n_neighbors=None)
ERRORS = LowRankRepresentation(errors="outliers", n_neighbors=None)
SHARES = (0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08, 0.14)

Items = tuple[NDArray[np.float64], NDArray[np.int64]]


def choose(_: argparse.Namespace) -> None:
    """Mean and median Rand of the local search on every eighth sequence, by share, and of spectral clustering with the
    number that the jump of conductance finds, and with the true one."""
    sequences = list(load_sequences())[CHOSEN]
    print(
        "| affinity | "
        + " | ".join([*(f"share {share:g}" for share in SHARES), "conductance", "K known"])
        + " |\n"
        + "|---" * (len(SHARES) + 3)
        + "|"
    )
    for name, builder in CANDIDATES.items():
        rows: dict[float | str, list[float]] = {key: [] for key in (*SHARES, "conductance", "K known")}
        for _, X, truth in sequences:
            affinity = builder.build(X, n_clusters=2).affinity
            for share in SHARES:
                rows[share].append(rand_index(scams_local(affinity, LocalSearch(share=share), seed=0).labels, truth))
            bare = KEvidence(affinity=affinity).without_own_pairs()
            found = ConductanceJump().judge(bare).n_clusters or 1
            rows["conductance"].append(rand_index(bare.partition(found), truth))
            rows["K known"].append(rand_index(bare.partition(int(truth.max()) + 1), truth))
        cells = [f"{np.mean(row):.3f} {np.median(row):.3f}" for row in rows.values()]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


CANDIDATES: dict[str, Builder] = {
    "ssc affine, alpha 20, no ridge": replace(PLAIN, affine=True),
    "ssc affine, alpha 800, no ridge": replace(PLAIN, affine=True, alpha=800.0),
    "ssc affine, alpha 20, no ridge, power 1.5": replace(PLAIN, affine=True, power=1.5),
    "ssc affine, alpha 20, no ridge, power 2": replace(PLAIN, affine=True, power=2.0),
    "ssc affine, alpha 10, ridge 5": SparseSubspace(affine=True),
    "lrr tau 1e4": LowRankRepresentation(price=1e4, n_neighbors=None),
    "lrr tau 1e5": LowRankRepresentation(price=1e5, n_neighbors=None),
    "lrr tau 1e6": LowRankRepresentation(price=1e6, n_neighbors=None),
    "lrr gross errors, lambda .18": ERRORS,
    "lrr gross errors, lambda 4": replace(ERRORS, price=4.0),
    "lrr gross errors, lambda 4, items as they are": replace(ERRORS, price=4.0, unit_length=False),
    "lrr affine, tau 1e3": AFFINE,
    "lrr affine, tau 1e4": replace(AFFINE, price=1e4),
    "lrr affine, tau 1e5": replace(AFFINE, price=1e5),
    "lrr tau 1e5, alpha 4": LowRankRepresentation(price=1e5, alpha=4, n_neighbors=None),
}


def objective(options: argparse.Namespace) -> None:
    print("\n#### J at the gamma of the local search, and CPU seconds of one thread\n")
    print("| affinity | N | J local | J ADMM | seconds local | seconds ADMM | adjusted Rand local | ADMM |")
    print("|---" * 8 + "|")
    sizes = (250, 600, 1000) if options.quick else (250, 600, 1000, 2000)
    for kind in options.affinities or ["SSC", "LRR"]:
        for n in sizes:
            X, truth = union(n)
            affinity = affinities("ours")[kind].builder.build(X, n_clusters=1).affinity
            scams_local(affinity, seed=0)  # compiles
            took, local = cpu(lambda A=affinity: scams_local(A, seed=0))
            settings = ADMM(gamma=local.gamma, lam=local.lam)
            A = settings.prepare(affinity)
            both, labels = cpu(lambda A=A, a=affinity, s=settings: by_admm(A, a, s))
            values = [partition_objective(each, A, local.gamma, local.lam) for each in (local.labels, labels)]
            scores = [adjusted_rand_index(each, truth) for each in (local.labels, labels)]
            print(
                f"| {kind} | {n:,} | {values[0]:.3f} | {values[1]:.3f} | {took:.2f} | {both:.2f} | {scores[0]:.3f} | "
                f"{scores[1]:.3f} |",
                flush=True,
            )
    scams_local(planted(1_000, 5, 60, 0.8)[0], seed=0)
    n, degree = (20_000, 60) if options.quick else (100_000, 60)
    print("\n| planted graph | edges | CPU seconds | K (truth) | adjusted Rand |\n|---|---|---|---|---|")
    for n_clusters, within in ((20, 0.8), (100, 0.8), (100, 0.5)):
        A, truth = planted(n, n_clusters, degree, within)
        seconds, found = cpu(lambda A=A: scams_local(A, seed=0))
        score = adjusted_rand_index(found.labels, truth)
        print(
            f"| {n:,} items, {within:g} within | {A.nnz // 2:,} | {seconds:.1f} | {found.n_clusters} ({n_clusters}) | "
            f"{score:.4f} |",
            flush=True,
        )


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one run, and what it returned: others on the machine do not add to them."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def union(n: int) -> Items:
    """n items of at most twelve groups as in section 5.1.2."""
    k = min(12, n // 50)
    X, truth = union_of_subspaces(tuple(range(2, 2 * k + 1, 2)), LOW_NOISE, np.random.default_rng(n), points=-(-n // k))
    kept = np.sort(np.random.default_rng(0).permutation(len(X))[:n])
    return X[kept], truth[kept]


def by_admm(A: NDArray[np.float64], affinity: Any, settings: ADMM) -> NDArray[np.int64]:
    result = scams_admm(affinity, settings)
    return boolean_factorization(result.pattern, A, max_clusters=result.max_clusters).labels


def planted(
    n: int, n_clusters: int, degree: int, within: float, seed: int = 0
) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """A graph of n degree / 2 random pairs, the share `within` of them within clusters; weights between .5 and 1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=n)
    order, sizes = np.argsort(truth, kind="stable"), np.bincount(truth, minlength=n_clusters)
    starts = np.cumsum(sizes) - sizes
    m = n * degree // 2
    i = rng.integers(n, size=m)
    inside = order[starts[truth[i]] + (rng.random(m) * sizes[truth[i]]).astype(np.int64)]
    j = np.where(rng.random(m) < within, inside, rng.integers(n, size=m))
    half = sp.csr_array(sp.coo_array((0.5 + 0.5 * rng.random(m), (i, j)), shape=(n, n)))
    A = sp.csr_array(half + half.T)
    A.setdiag(0.0)
    A.eliminate_zeros()
    return A, truth


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {"choose": choose, "objective": objective}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--affinities", nargs="+", choices=["SSC", "LRR"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with limit_threads(1):
        PARTS[given.part](given)
