"""Landmarks, Nystrom and random features beside the neighbour graph: quality, seconds, and the error to the kernel.

    PARTITA_DATA=... python benchmarks/low_rank.py [--errors]

Adjusted Rand index and seconds of `SoftClustering(K, affinity=...)`, everything at its default and every row of the
set: mean and least of three seeds. "new": 10,000 rows scored by the fit (repeated where the set has fewer), in
seconds. --errors: the relative error of low-rank kernels on 2,000 items, ||P - k|| / ||k||, mean of three seeds.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace

import numpy as np
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from partita import SoF, SoftClustering
from partita.affinity import Builder, Landmarks, NeighborGraph, Nystrom, RandomFeatures
from partita.metrics import adjusted_rand_index
from sets import load
from timing import timed

SETS = (
    "sklearn:load_digits",
    "uci/pendigits.csv",
    "uci/satimage_train.csv",
    "images/usps_9298.npz",
    "large/shuttle.npz",
    "shapes/cluto-t4-8k.csv",
    "shapes/smile1.csv",
    "blobs",
)
BUILDERS: dict[str, Builder] = {
    "neighbors": NeighborGraph(),
    "landmarks": Landmarks(),
    "landmarks, m = 1000": Landmarks(n_landmarks=1000),
    "landmarks, uniform": Landmarks(selection="uniform"),
    "nystrom": Nystrom(),
    "nystrom, uniform": Nystrom(selection="uniform"),
    "random features": RandomFeatures(),
}


def blobs(n: int = 100_000, d: int = 8, n_clusters: int = 20) -> tuple[np.ndarray, np.ndarray, int]:
    """Anisotropic blobs, overlapping."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_clusters, n)
    shape = rng.normal(size=(n_clusters, d, d)) * 0.5
    centre = rng.normal(size=(n_clusters, d)) * 3
    return centre[y] + np.einsum("nij,nj->ni", shape[y], rng.normal(size=(n, d))), y, n_clusters


def quality() -> None:
    print("| set | N | K | affinity | ARI | seconds | new |\n|---|---|---|---|---|---|---|")
    for name in SETS:
        X, y, K = blobs() if name == "blobs" else load(name)
        new = X[np.arange(10_000) % len(X)]
        for title, builder in BUILDERS.items():
            seeds = range(1 if isinstance(builder, NeighborGraph) or len(X) > 50_000 else 3)
            scores, seconds, scoring = [], [], []
            for seed in seeds:
                unfitted = SoftClustering(
                    K, affinity=replace(builder, seed=seed), random_state=0, probabilities="fitted"
                )
                took, model = timed(lambda: unfitted.fit(X))
                seconds.append(took)
                scores.append(adjusted_rand_index(model.labels_, y))
                scoring.append(timed(lambda: model.predict_proba(new))[0])
            print(
                f"| {name} | {len(X):,} | {K} | {title} | {np.mean(scores):.3f} | {min(seconds):.1f} | "
                f"{min(scoring):.2f} |",
                flush=True,
            )


def sof() -> None:
    print("\n`SoF(K, affinity=..., start='spectral', n_init=1)`\n\n| set | affinity | ARI |\n|---|---|---|")
    for name in SETS[:4]:
        X, y, K = load(name)
        for title in ("landmarks", "nystrom", "random features"):
            model = SoF(K, affinity=BUILDERS[title], start="spectral", n_init=1, random_state=0).fit(X)
            print(f"| {name} | {title} | {adjusted_rand_index(model.labels_, y):.3f} |", flush=True)


def errors() -> None:
    counts = (50, 100, 300, 1000)
    print("\n| set | kernel | affinity | " + " | ".join(f"m = {m}" for m in counts) + " |\n" + "|---" * 7 + "|")
    for name in SETS[:4]:
        X, _, K = load(name)
        X = np.unique(X, axis=0)
        X = X[np.random.default_rng(0).permutation(len(X))[:2000]]
        for kernel, exact in (("gaussian", rbf_kernel), ("laplacian", laplacian_kernel)):
            c = Nystrom(kernel=kernel).build(X, n_clusters=K).scale
            true = exact(X, gamma=c)
            for title in ("nystrom", "nystrom, uniform", "random features"):
                row = []
                for m in counts:
                    option = {"n_features" if title == "random features" else "n_landmarks": m}
                    off = []
                    for seed in range(3):
                        builder = replace(BUILDERS[title], kernel=kernel, scale=c, seed=seed, **option)
                        P = builder.build(X, n_clusters=K).affinity.to_dense()
                        off.append(np.linalg.norm(P - true) / np.linalg.norm(true))
                    row.append(f"{np.mean(off):.3f}")
                print(f"| {name} | {kernel} | {title} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--errors", action="store_true")
    warnings.simplefilter("ignore")
    if parser.parse_args().errors:
        errors()
    else:
        quality()
        sof()
