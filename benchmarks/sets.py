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
