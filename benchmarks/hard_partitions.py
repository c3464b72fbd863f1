"""The defaults of `SpectralRelaxation` and `KernelKMeans`: normalisation, how labels are read off, and the start.

    PARTITA_DATA=... python benchmarks/hard_partitions.py

Mean accuracy and adjusted Rand index over the development sets, and over sets that no default was chosen on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partita import KernelKMeans, SpectralRelaxation
from partita.kernels.cluster_qr import cluster_qr
from partita.metrics import accuracy, adjusted_rand_index
from sets import development, load

OTHERS = (
    "images/optdigits.npz",
    "images/mnist_1000.npz",
    "uci/satimage_train.csv",
    "sklearn:load_wine",
    "sklearn:load_breast_cancer",
    "shapes/cluto-t4-8k.csv",
)
# Items up to which a matrix of all relative distances is made here.
DENSE = 6_000


def spectral(normalization: str, rounding: str) -> Callable[[np.ndarray, int, str], np.ndarray]:
    def labels(X: np.ndarray, K: int, affinity: str) -> np.ndarray:
        model = SpectralRelaxation(K, affinity=affinity, normalization=normalization).fit(X)
        if rounding == "k-means":
            return model.labels_
        factor = model.result_.factor
        own = cluster_qr(factor)
        return own if len(own) == len(X) else own[model.item_index_]

    return labels


def kernel(normalization: str, start: str) -> Callable[[np.ndarray, int, str], np.ndarray]:
    def labels(X: np.ndarray, K: int, affinity: str) -> np.ndarray:
        model = KernelKMeans(K, affinity=affinity, normalization=normalization, start=start, random_state=0)
        return model.fit(X).labels_

    return labels


WAYS = {
    f"spectral, {normalization}, {rounding}": spectral(normalization, rounding)
    for normalization in ("none", "symmetric")
    for rounding in ("cluster_qr", "k-means")
} | {
    f"kernel k-means, {normalization}, {start}": kernel(normalization, start)
    for normalization in ("none", "symmetric")
    for start in ("dirichlet", "spectral")
}


def main() -> None:
    print("| evidence | sets | " + " | ".join(WAYS) + " |\n" + "|---" * (len(WAYS) + 2) + "|", flush=True)
    for affinity in ("neighbors", "relative"):
        for title, names in (("development", development()), ("other", OTHERS)):
            rows = []
            for name in names:
                X, y, K = load(name)
                if affinity == "relative" and len(X) > DENSE:
                    continue
                found = [way(X, K, affinity) for way in WAYS.values()]
                rows.append([(accuracy(y, labels), adjusted_rand_index(y, labels)) for labels in found])
            means = np.mean(rows, axis=0)
            cells = " | ".join(f"{a:.3f}, {r:.3f}" for a, r in means)
            print(f"| {affinity} | {title}, {len(rows)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
