"""The data sets that the benchmarks share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from partita.io import read_features

SKLEARN = {"load_digits": load_digits, "load_wine": load_wine, "load_breast_cancer": load_breast_cancer}
REAL = (
    "sklearn:load_digits",
    "images/optdigits.npz",
    "uci/pendigits.csv",
    "uci/satimage_train.csv",
    "images/usps_9298.npz",
    "images/mnist_1000.npz",
    "sklearn:load_wine",
    "sklearn:load_breast_cancer",
)


def data_home() -> Path:
    home = os.environ.get("PARTITA_DATA")
    if home is None:
        sys.exit("set PARTITA_DATA to the folder of the shared data sets")
    return Path(home)


def development() -> list[str]:
    """The development sets: the ones settings were chosen on."""
    return (data_home() / "development.txt").read_text().split()


def load(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Features, labels and the true number of clusters."""
    if name.startswith("sklearn:"):
        X, y = SKLEARN[name.removeprefix("sklearn:")](return_X_y=True)
    elif name.endswith(".npz"):
        with np.load(data_home() / name) as file:
            X, y = file["X"].astype(float), file["y"]
    else:
        table = read_features(data_home() / name, label_column="label")
        X, y = table.features, table.labels
    return X, np.unique(y, return_inverse=True)[1], len(np.unique(y))


def anisotropic_blobs(n: int, d: int, n_clusters: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clusters of equal probability, each stretched and turned by its own matrix, some of them overlapping.

    Items, and the cluster that each was drawn from, in random order. With d = 8 and 20 clusters the density itself
    would get 99% right, mini-batch k-means .55 to .8.
    """
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-7, 7, (n_clusters, d))
    stretch = rng.normal(size=(n_clusters, d, d)) * rng.uniform(0.5, 2.0, (n_clusters, 1, 1))
    labels = rng.integers(0, n_clusters, n)
    X = rng.normal(size=(n, d))
    for k in range(n_clusters):
        own = labels == k
        X[own] = X[own] @ stretch[k] + centres[k]
    return X, labels
