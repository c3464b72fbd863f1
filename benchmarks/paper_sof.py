"""SoF on the paper's sets through the command line, beside the paper's figures (its Tables 3 to 5).

    PARTITA_DATA=... python benchmarks/paper_sof.py

One setting for all: raw features, Euclidean, Laplacian, n = 10, c = 1; 20 random starts, or a k-means start on the two
large sets. The best start by objective is scored, and the mean over all starts, which is what the paper averages.
"""

from __future__ import annotations

import numpy as np

from partita import SoF, SoftClustering, metrics
from sets import load

PAPER = {
    "uci/blood_transfusion.csv": (0.76, 0.64, 0.76),
    "uci/breast_tissue.csv": (0.51, 0.79, 0.48),
    "uci/glass.csv": (0.64, 0.73, 0.47),
    "uci/iris.csv": (0.95, 0.93, 0.94),
    "uci/ecoli.csv": (0.85, 0.85, 0.74),
    "uci/satimage_train.csv": (0.75, 0.86, 0.71),
    "uci/pendigits.csv": (0.82, 0.94, 0.82),
}
LARGE = ("uci/satimage_train.csv", "uci/pendigits.csv")


def three(labels: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    return metrics.purity(labels, y), metrics.rand_index(labels, y), metrics.accuracy(labels, y)


def text(scores: object) -> str:
    return "/".join(f"{s:.3f}".removeprefix("0") for s in scores)


if __name__ == "__main__":
    print("| set | paper | best of the starts | mean of the starts | iterations | products | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name, paper in PAPER.items():
        X, y, k = load(name)
        start = {"start": "kmeans", "n_init": 2} if name in LARGE else {"n_init": 20}
        model = SoF(k, random_state=0, **start).fit(X)
        result = model.result_
        mean = np.mean([three(restart.labels, y) for restart in result.restarts], axis=0)
        print(
            f"| {name} | {text(paper)} | {text(three(model.labels_, y))} | {text(mean)} | {model.n_iter_} "
            f"| {model.n_products_} | {result.seconds:.1f} |",
            flush=True,
        )
    print('\n| set | SoftClustering(sizes="equal") accuracy | mark |')
    print("|---|---|---|")
    for name, mark in (("sklearn:load_digits", 0.86), ("uci/pendigits.csv", 0.88)):
        X, y, k = load(name)
        labels = SoftClustering(k, sizes="equal").fit(X).labels_
        print(f"| {name} | {metrics.accuracy(labels, y):.4f} | {mark} |")
