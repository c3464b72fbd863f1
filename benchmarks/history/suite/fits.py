"""What a user waits for: fits, partitions of draws, new items, the first import."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from partita import SCAMS, BayesianPartition, SoF, SoftClustering


def items(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 8)) + 4 * rng.normal(size=(10, 8))[np.arange(n) % 10]


class Fits:
    """By number of items; every fit once before it is timed, for the compiler."""

    params = (500, 2_000, 20_000)
    param_names = ("items",)
    timeout = 300

    def setup(self, n: int) -> None:
        self.X = items(n)
        self.model = SoftClustering(10, random_state=0, affinity="neighbors", probabilities="fitted").fit(self.X)

    def time_soft_clustering(self, n: int) -> None:
        SoftClustering(10, random_state=0, affinity="neighbors", probabilities="fitted").fit(self.X)

    def peakmem_soft_clustering(self, n: int) -> None:
        SoftClustering(10, random_state=0, affinity="neighbors", probabilities="fitted").fit(self.X)

    def time_new_items(self, n: int) -> None:
        self.model.predict_proba(self.X[:500])

    def track_objective(self, n: int) -> float:
        """Not a time: a change of it is a change of the answer."""
        return float(self.model.objective_)


class Papers:
    """The papers' own methods on 500 items."""

    timeout = 300

    def setup(self) -> None:
        self.X = items(500)
        SoF(10, n_init=1, random_state=0).fit(self.X)
        SCAMS(random_state=0).fit(self.X)

    def time_sof(self) -> None:
        SoF(10, n_init=1, random_state=0).fit(self.X)

    def time_scams(self) -> None:
        SCAMS(random_state=0).fit(self.X)


class Draws:
    """The partition of 1,000 draws of 200 items."""

    timeout = 300

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        truth = np.arange(200) % 12
        moved = rng.random((1_000, 200)) < 0.2
        self.draws = np.where(moved, rng.integers(0, 12, (1_000, 200)), truth)
        BayesianPartition(random_state=0).fit(self.draws)

    def time_bayesian_partition(self) -> None:
        BayesianPartition(random_state=0).fit(self.draws)

    def track_expected_loss(self) -> float:
        return float(BayesianPartition(random_state=0).fit(self.draws).expected_loss_)


def time_import() -> None:
    subprocess.run([sys.executable, "-c", "import partita"], check=True)
