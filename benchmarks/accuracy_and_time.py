"""Accuracy against time: ours and peers on the same sets in one run, as a table and a picture.

    PARTITA_DATA=... python benchmarks/accuracy_and_time.py [--picture docs/pictures/accuracy-and-time.png]
    python benchmarks/accuracy_and_time.py --sizes        # seconds of growing tables, 16 columns, 20 clusters
    python benchmarks/accuracy_and_time.py --within       # the same within max_seconds of 1, 2, 4 and 8
    python benchmarks/accuracy_and_time.py --less         # what fewer draws and items cost on the development sets

Every method is given the true number of clusters where it takes one, and one setting for all sets; HDBSCAN and the last
two rows find their own. Sets of at most 6,000 rows, in the units in which the ensemble sees them. Seconds are of the
second of two fits of a process, summed over the sets; the machine is named where figures are printed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs

from partita import SoftClustering, metrics
from partita.ensemble import Ensemble
from partita.ensemble.builder import frame_of
from partita.estimators import plan
from peers import FilledHDBSCAN, GenieTree, Mixture
from quality import tables
from sets import REAL, development, load
from timing import timed

METHODS: dict[str, Callable[[int], Any]] = {
    "k-means": lambda k: KMeans(k, n_init=10, random_state=0),
    "Gaussian mixture": Mixture,
    "spectral": lambda k: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=15, assign_labels="cluster_qr", random_state=0
    ),
    "Genie": GenieTree,
    "HDBSCAN (own K)": FilledHDBSCAN,
    "Partita, graph": lambda k: SoftClustering(k, affinity="neighbors", probabilities="fitted", random_state=0),
    "Partita": lambda k: SoftClustering(k, random_state=0),
    "Partita (own K)": lambda _: SoftClustering(random_state=0),
}
MOST = 6_000
# Draws of each method and items of a draw.
LESS = (
    *(("K given", draws, 4000) for draws in (4, 3, 2, 1)),
    *(("K given", 1, items) for items in (2000, 1000, 500)),
    *(("own K", 4, 4000), ("own K", 2, 1000), ("own K", 1, 500)),
)
LARGE = 4_000
SIZES = ((2_000, 16), (20_000, 16), (100_000, 16), (1_000_000, 8))


def compare() -> dict[str, tuple[float, float]]:
    """Mean adjusted Rand index and seconds of each method."""
    names = [name for name in dict.fromkeys([*development(), *tables()]) if len(load(name)[0]) <= MOST]
    found: dict[str, tuple[float, float]] = {}
    print(f"| {len(names)} sets | mean adjusted Rand index | median | seconds |\n|---|---|---|---|")
    for method, make in METHODS.items():
        scores, seconds = [], 0.0
        for name in names:
            X, y, K = load(name)
            X = frame_of(X)(X)
            make(K).fit(X)
            took, labels = timed(lambda: make(K).fit(X).labels_)
            scores.append(metrics.adjusted_rand_index(labels, y))
            seconds += took
        found[method] = float(np.mean(scores)), seconds
        print(f"| {method} | {np.mean(scores):.3f} | {np.median(scores):.3f} | {seconds:.1f} |", flush=True)
    return found


def less() -> None:
    """Mean adjusted Rand index and CPU seconds with fewer draws and items, and of the graph in their place."""
    large = [name for name in REAL if len(load(name)[0]) > LARGE]
    print(f"| draws, items | | 29 development sets | {len(large)} larger | CPU seconds |\n|---|---|---|---|---|")
    for what, draws, items in [*LESS, ("K given", 0, 0), ("own K", 0, 0)]:
        evidence: Any = Ensemble(power=None, n_draws=draws, max_items=items) if draws else "auto"
        plan.AFFORDED = 0 if draws == 0 else plan.AFFORDED
        scores, began = [], time.process_time()
        for X, y, K in map(load, [*development(), *large]):
            model = SoftClustering(K if what == "K given" else "auto", affinity=evidence, random_state=0).fit(X)
            scores.append(metrics.adjusted_rand_index(model.labels_, y))
        small, larger = np.mean(scores[: -len(large)]), np.mean(scores[-len(large) :])
        name, took = f"{draws}, {items:,}" if draws else "graph", time.process_time() - began
        print(f"| {name} | {what} | {small:.3f} | {larger:.3f} | {took:.0f} |", flush=True)


def picture(found: dict[str, tuple[float, float]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for method, (score, seconds) in found.items():
        ours = method.startswith("Partita")
        ax.plot(seconds, score, "o" if ours else "s", color="tab:blue" if ours else "0.45")
        ax.annotate(method, (seconds, score), xytext=(6, 4), textcoords="offset points", fontsize=9)
    ax.set(xscale="log", xlabel="seconds for all sets", ylabel="mean adjusted Rand index")
    ax.margins(x=0.15)
    ax.spines[["top", "right"]].set_visible(False)
    plt.savefig(path, dpi=110)


def sizes() -> None:
    print("| rows x columns | | first fit, s | second fit, s | peak memory, GiB |\n|---|---|---|---|---|")
    for n, d in SIZES:
        X, _ = make_blobs(n, d, centers=20, cluster_std=3.0, random_state=0)
        for what, K in (("K given", 20), ("own K", "auto")):
            took = [timed(lambda: SoftClustering(K, random_state=0).fit(X))[0] for _ in range(2)]
            print(f"| {n:,} x {d} | {what} | {took[0]:.1f} | {took[1]:.1f} | {_peak():.1f} |", flush=True)


def within() -> None:
    """Seconds of the second fit, wall and CPU, and what was spent, by `max_seconds`."""
    print("| rows x columns | | max_seconds | about | second fit, s | CPU, s | spent |\n|---|---|---|---|---|---|---|")
    for n, d in ((300, 5), *SIZES[:3], (0, 64)):
        K = {0: 10, 300: 5}.get(n, 20)
        X = make_blobs(n, d, centers=K, cluster_std=3.0, random_state=0)[0] if n else load("sklearn:load_digits")[0]
        for what, asked in (("K given", K), ("own K", "auto")):
            for seconds in (1.0, 2.0, 4.0, 8.0):
                model = SoftClustering(asked, max_seconds=seconds, random_state=0).fit(X)
                cpu = time.process_time()
                wall, _ = timed(lambda: model.fit(X))
                cpu = time.process_time() - cpu
                one = model._builder_
                density = model._plan_.probabilities == "auto"
                spent = plan.Effort(one.n_draws, one.max_items, density)
                about = f"{spent.seconds(*X.shape, K if asked == K else None):.1f}"
                words = f"{one.n_draws}, {one.max_items:,}{', density' * density}"
                row = f"{len(X):,} x {d} | {what} | {seconds:g} | {about} | {wall:.1f} | {cpu:.1f} | {words}"
                print(f"| {row} |", flush=True)


def _peak() -> float:
    """The most memory that this process has had, in GiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--within", action="store_true")
    parser.add_argument("--less", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    began = time.perf_counter()
    if given.sizes:
        sizes()
    elif given.within:
        within()
    elif given.less:
        less()
    else:
        found = compare()
        if given.picture:
            picture(found, given.picture)
    print(f"<!-- {time.perf_counter() - began:.0f} s -->")


if __name__ == "__main__":
    main()
