"""Accuracy on the development sets and on real tables, beside k-means and scikit-learn's spectral clustering.

    PARTITA_DATA=... python benchmarks/quality.py

True K is given to every method; labels are used for scoring alone. One setting for all sets.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

from partita import SoF, SoftClustering, metrics
from sets import REAL, development, load

METHODS: dict[str, Callable[[int], object]] = {
    "k-means": lambda k: KMeans(k, n_init=10, random_state=0),
    "spectral": lambda k: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=15, assign_labels="cluster_qr", random_state=0
    ),
    "SoftClustering()": SoftClustering,
    'sizes="equal"': lambda k: SoftClustering(k, sizes="equal"),
    "SoF()": lambda k: SoF(k, n_init=4, random_state=0),
}


def family(title: str, names: list[str], methods: dict[str, Callable[[int], object]]) -> None:
    print(f"\n### {title}: accuracy (adjusted Rand)\n")
    print("| set | N | K | " + " | ".join(methods) + " |")
    print("|---|---|---|" + "---|" * len(methods))
    scores = np.zeros((len(names), len(methods), 2))
    seconds = np.zeros(len(methods))
    for i, name in enumerate(names):
        X, y, k = load(name)
        for j, make in enumerate(methods.values()):
            began = time.perf_counter()
            labels = make(k).fit(X).labels_
            seconds[j] += time.perf_counter() - began
            scores[i, j] = metrics.accuracy(labels, y), metrics.adjusted_rand_index(labels, y)
        row = " | ".join(f"{accuracy:.3f} ({ari:.3f})" for accuracy, ari in scores[i])
        print(f"| {name} | {len(X)} | {k} | {row} |", flush=True)
    print("| **mean** | | | " + " | ".join(f"**{a:.3f}** ({r:.3f})" for a, r in scores.mean(axis=0)) + " |")
    print("| seconds, all sets | | | " + " | ".join(f"{s:.1f}" for s in seconds) + " |")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    family("Development sets", development(), METHODS)
    large = {name: make for name, make in METHODS.items() if name != "SoF()"}
    family("Real tables", list(REAL), large)
