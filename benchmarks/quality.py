"""Accuracy on two families of sets, beside peers.

    PARTITA_DATA=... python benchmarks/quality.py [--only SUBSTRING] [--methods NAME ...] [--ensemble-only]

True K is given to every method that takes it (HDBSCAN does not); labels are used for scoring alone; one setting for all
sets. Ranks are by adjusted Rand, ties share theirs. The interval is a paired bootstrap over the sets of a family: how
far ours leads a peer on another draw of sets like these.

Some tables mix units (wine, breast cancer, breast tissue, blood transfusion), and the ensemble standardises those by
itself. The last table gives every method that advantage.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster import KMeans, SpectralClustering

from partita import SoF, SoftClustering, metrics
from partita.ensemble.builder import frame_of
from peers import FilledHDBSCAN, FuzzyCMeans, GenieTree, Mixture, ModularityAtK
from sets import REAL, development, load
from timing import timed

OURS = "ensemble"
METHODS: dict[str, Callable[[int], Any]] = {
    "k-means": lambda k: KMeans(k, n_init=10, random_state=0),
    "mixture": Mixture,
    "fuzzy c-means": FuzzyCMeans,
    "spectral": lambda k: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=15, assign_labels="cluster_qr", random_state=0
    ),
    "Genie": GenieTree,
    "HDBSCAN": FilledHDBSCAN,
    "modularity": ModularityAtK,
    "SoF()": lambda k: SoF(k, n_init=4, random_state=0),
    "SoftClustering()": lambda k: SoftClustering(k, random_state=0, affinity="neighbors", probabilities="fitted"),
    'sizes="equal"': lambda k: SoftClustering(
        k, sizes="equal", random_state=0, affinity="neighbors", probabilities="fitted"
    ),
    OURS: lambda k: SoftClustering(k, affinity="ensemble", random_state=0, probabilities="fitted"),
}
VARIANTS: dict[str, Callable[[int], Any]] = {
    "ensemble, free": lambda k: SoftClustering(
        k, affinity="ensemble", sizes="free", normalization="none", random_state=0, probabilities="fitted"
    ),
    "ensemble, equal": lambda k: SoftClustering(
        k, affinity="ensemble", sizes="equal", normalization="none", random_state=0, probabilities="fitted"
    ),
}
# SoF's own affinity is N x N.
SOF_UP_TO = 2_500
DRAWS = 10_000


def tables() -> list[str]:
    """The real tables: images, measurements, and the UCI sets among the development sets."""
    uci = [name for name in development() if name.startswith("uci/")]
    return [*REAL, "large/letter.npz", *uci]


def family(
    title: str, names: list[str], methods: dict[str, Callable[[int], Any]], *, same_units: bool = False
) -> dict[str, np.ndarray]:
    """Fit, print the table, and return the scores by set: accuracy and adjusted Rand of each method."""
    print(f"\n### {title}: accuracy (adjusted Rand)\n")
    print("| set | N | K | " + " | ".join(methods) + " |")
    print("|---|---|---|" + "---|" * len(methods))
    scores: dict[str, np.ndarray] = {}
    seconds = np.zeros(len(methods))
    for name in names:
        X, y, k = load(name)
        X = frame_of(X)(X) if same_units else X
        scores[name] = np.full((len(methods), 2), np.nan)
        for j, (method, make) in enumerate(methods.items()):
            if method == "SoF()" and len(X) > SOF_UP_TO:
                continue
            took, labels = timed(lambda: make(k).fit(X).labels_)
            seconds[j] += took
            scores[name][j] = metrics.accuracy(labels, y), metrics.adjusted_rand_index(labels, y)
        row = " | ".join("" if np.isnan(a) else f"{a:.3f} ({r:.3f})" for a, r in scores[name])
        print(f"| {name} | {len(X)} | {k} | {row} |", flush=True)
    summary(scores, list(methods))
    print("| seconds | | | " + " | ".join(f"{s:.1f}" for s in seconds) + " |")
    against(scores, list(methods))
    return scores


def summary(scores: dict[str, np.ndarray], methods: list[str]) -> None:
    """Means and mean ranks, as rows of the table."""
    table = np.array(list(scores.values()))
    mean = np.nanmean(table, axis=0)
    whole = ~np.isnan(table[:, :, 1]).any(axis=0)  # a method that some set was too large for has no mean to compare
    print(
        "| **mean** | | | " + " | ".join(f"**{a:.3f}** ({r:.3f})" if w else "" for (a, r), w in zip(mean, whole)) + " |"
    )
    print(
        "| median | | | "
        + " | ".join(f"({r:.3f})" if w else "" for r, w in zip(np.nanmedian(table[:, :, 1], axis=0), whole))
        + " |"
    )
    ranked = np.array([j for j in range(len(methods)) if whole[j]])
    ranks = np.array([rankdata(-np.round(row[ranked, 1], 6)) for row in table]).mean(axis=0)
    at = dict(zip(ranked.tolist(), ranks))
    print("| **mean rank** | | | " + " | ".join(f"{at[j]:.2f}" if j in at else "" for j in range(len(methods))) + " |")


def against(scores: dict[str, np.ndarray], methods: list[str]) -> None:
    """The lead over each peer in adjusted Rand with its paired bootstrap interval over the sets."""
    if OURS not in methods or len(scores) < 2:
        return
    table = np.array(list(scores.values()))[:, :, 1]
    ours = table[:, methods.index(OURS)]
    rng = np.random.default_rng(0)
    print(f"\n| `{OURS}` less | mean | 95% interval | won, tied, lost | sets |")
    print("|---|---|---|---|---|")
    for j, method in enumerate(methods):
        if method == OURS:
            continue
        lead = (ours - table[:, j])[~np.isnan(table[:, j])]
        means = lead[rng.integers(0, len(lead), size=(DRAWS, len(lead)))].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        counts = f"{(lead > 0.005).sum()}, {(abs(lead) <= 0.005).sum()}, {(lead < -0.005).sum()}"
        print(f"| {method} | {lead.mean():+.3f} | {low:+.3f} .. {high:+.3f} | {counts} | {len(lead)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", choices=["development", "tables", "units", "all"], default="all")
    parser.add_argument("--only", default="", help="sets whose name holds this")
    parser.add_argument("--methods", nargs="*", help="some methods only")
    parser.add_argument("--variants", action="store_true", help="the ensemble with sizes free and equal beside it")
    parser.add_argument("--sets", nargs="*", help="other sets, as one family")
    given = parser.parse_args()
    methods = METHODS | (VARIANTS if given.variants else {})
    if given.methods:
        methods = {name: make for name, make in methods.items() if name in given.methods}
    if given.sets:
        family("Given sets", given.sets, methods)
        return
    if given.family in ("development", "all"):
        family("Development sets", [name for name in development() if given.only in name], methods)
    real = [name for name in tables() if given.only in name]
    if given.family in ("tables", "all"):
        family("Real tables", real, methods)
    if given.family in ("units", "all"):
        mixed = [name for name in real if not frame_of(load(name)[0]).common]
        family("Real tables of mixed units, standardised for every method", mixed, methods, same_units=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    main()
