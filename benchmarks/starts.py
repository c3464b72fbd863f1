"""The spectral start coarse to fine against Lanczos: seconds, quality of the start, and of the fit from it.

    PARTITA_DATA=... python benchmarks/starts.py [set ...]

Least of two runs each. Below 8,000 items a fit takes Lanczos; both are shown for all sets.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from partita.affinity import DiffusedAffinity, NeighborGraph
from partita.affinity.normalise import normalise
from partita.estimators.items import merge_identical
from partita.kernels.threads import available_cores, limit_threads
from partita.metrics import adjusted_rand_index
from partita.objectives import PerClusterObjective, Problem
from partita.solvers import ProjectedGradient, Starts, cluster_qr, drive, leading_eigenvectors
from sets import anisotropic_blobs, load
from timing import timed

SETS = (
    "sklearn:load_digits",
    "images/optdigits.npz",
    "uci/satimage_train.csv",
    "images/usps_9298.npz",
    "uci/pendigits.csv",
    "images/mnist_t10k.npz",
    "large/letter.npz",
    "large/shuttle.npz",
    "blobs 20000",
    "blobs 100000",
)
WAYS = {"Lanczos": 10**9, "coarse to fine": 0}


def features(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    if name.startswith("blobs"):
        return *anisotropic_blobs(int(name.split()[1]), 8, 20, 0), 20
    return load(name)


def starts(name: str) -> None:
    X, y, K = features(name)
    items = merge_identical(X)
    search = "exact" if len(X) < 30_000 else "auto"
    S = normalise(NeighborGraph(search=search).build(items.features, n_clusters=K).affinity).affinity
    with limit_threads(available_cores()):
        for way, coarse_from in WAYS.items():
            runs = [timed(lambda: leading_eigenvectors(S, K, coarse_from=coarse_from)[1]) for _ in range(2)]
            took, labels = min(took for took, _ in runs), cluster_qr(runs[-1][1])
            problem = Problem(DiffusedAffinity(S, 4), PerClusterObjective(), items.weights)
            found = drive(problem, ProjectedGradient(), Starts(problem.affinity, K), start=labels, seed=0)
            scores = [adjusted_rand_index(y, each[items.of_row]) for each in (labels, found.membership.labels)]
            print(
                f"| {name} | {len(items.features):,} | {K} | {way} | {took:.2f} | {scores[0]:.3f} | "
                f"{scores[1]:.3f} | {found.objective:.7g} | {found.n_iter} |",
                flush=True,
            )


def means(n: int) -> None:
    X, y = anisotropic_blobs(n, 8, 20, 0)
    ways = {
        "k-means": lambda seed: KMeans(20, n_init=1, random_state=seed).fit(X).labels_,
        "mini-batch": lambda seed: MiniBatchKMeans(20, n_init=3, random_state=seed).fit(X).labels_,
        "k-means of 100,000": lambda seed: (
            Starts(None, 20, X).make("kmeans", 0, np.random.default_rng(seed)).argmax(axis=1)  # type: ignore[arg-type]
        ),
    }
    for way, run in ways.items():
        took, scores = timed(lambda: [adjusted_rand_index(y, run(seed)) for seed in range(3)])
        print(f"| {n:,} | {way} | {took / 3:.1f} | {' '.join(f'{score:.3f}' for score in scores)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(f"{available_cores()} cores\n")
    print("| set | items | K | way | s | start: ARI | fit: ARI | objective | iterations |\n" + "|---" * 9 + "|")
    for name in sys.argv[1:] or SETS:
        starts(name)
    if not sys.argv[1:]:
        print("\n| items | means | s | ARI of three seeds |\n|---|---|---|---|")
        for n in (300_000, 1_000_000):
            means(n)
