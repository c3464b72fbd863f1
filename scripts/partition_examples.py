"""The two examples of docs/partitions.md: their figures, printed, and their pictures, in docs/pictures.

PARTITA_DATA=... python scripts/partition_examples.py
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from partita import BayesianPartition, DPGaussianMixture, metrics
from partita.partition import METHODS, PartitionDraws
from partita.plots.losses import LossesDisplay
from partita.plots.similarity import SimilarityDisplay
from partita.plots.strips import StripsDisplay

DATA = Path(os.environ["PARTITA_DATA"], "bayes")
OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SIZE = {"dpi": 90, "bbox_inches": "tight"}


def pictures(name: str, model: BayesianPartition) -> None:
    import matplotlib

    matplotlib.use("Agg")
    similarity = SimilarityDisplay.from_estimator(model)
    similarity.figure_.savefig(OUT / f"{name}-similarity.png", **SIZE)
    LossesDisplay.from_estimator(model).figure_.savefig(OUT / f"{name}-losses.png", **SIZE)
    strips = StripsDisplay.from_ball(model.labels_, model.credible_ball(), order=similarity.pairs.order)
    strips.figure_.savefig(OUT / f"{name}-ball.png", **SIZE)


def galaxy() -> None:
    draws = np.load(DATA / "galaxy_mcmc.npz")["draw"]
    model = BayesianPartition(random_state=0).fit(draws)
    print("galaxy:", model.n_clusters_, np.bincount(model.labels_).tolist(), f"{model.expected_loss_:.5f}")
    print(
        model.credible_ball(),
        model.modes(),
        model.certain_items(0.9),
        f"misfit {model.misfit_:.3f}",
        model.notes_,
        sep="\n",
    )
    for loss in ("binder", "pear", "omari", "nvi", "id", "nid"):
        other = BayesianPartition(loss, random_state=0).fit(draws)
        print(loss, other.n_clusters_, np.bincount(other.labels_).tolist(), f"{other.expected_loss_:.5f}")
    pictures("galaxy", model)


def crabs() -> None:
    table = np.genfromtxt(DATA / "crabs.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    X = np.column_stack([table[name] for name in ("FL", "RW", "CW", "BD")])
    truth = table["label"]
    sampled = DPGaussianMixture(prior="paper", n_chains=8, n_draws=2000, burn_in=4000, random_state=0).fit(X)
    model = BayesianPartition(random_state=0).fit(sampled.draws_, chain=sampled.chain_)
    print("crabs, 8 chains:", model.n_clusters_, model.notes_, sep="\n")
    for mode in model.modes().modes:
        print(f"mode {mode.weight:.2f}: K = {mode.n_clusters}, adjusted Rand {score(mode.labels, truth)}")
    for c in range(8):
        own = PartitionDraws.of(sampled.draws_[sampled.chain_ == c])
        found = {name: METHODS[name](own) for name in ("min_binder", "min_vi", "medvedovic")}
        words = ", ".join(f"{name} K = {f.n_clusters} {score(f.labels, truth)}" for name, f in found.items())
        print(f"chain {c}: {words}")
    pictures("crabs", model)


def score(labels: np.ndarray, truth: np.ndarray) -> str:
    rand, adjusted = metrics.rand_index(labels, truth), metrics.adjusted_rand_index(labels, truth)
    return f"{rand:.3f}/{adjusted:.3f}/{metrics.variation_of_information(labels, truth):.3f}"


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    galaxy()
    crabs()
