"""Neighbour searches: SciPy's tree in its own order against scikit-learn's choice, and what the order is worth.

    PARTITA_DATA=... python benchmarks/neighbors.py

Least of two runs each, ten neighbours (fifteen at a million items), every core.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from sklearn.neighbors import NearestNeighbors

from partita.affinity import NeighborGraph
from partita.affinity.neighbor_search import TreeSearch
from partita.affinity.normalise import normalise
from partita.affinity.order import distinct_share
from partita.estimators.items import merge_identical
from partita.kernels.products import csr_product
from partita.kernels.threads import available_cores, limit_threads
from sets import anisotropic_blobs, load
from timing import least, timed


def searches() -> None:
    print("| set | items | features | SciPy's tree s | scikit-learn s | ratio |\n|---|---|---|---|---|---|")
    sets = [(f"blobs {n:,}", anisotropic_blobs(n, d, 20, 0)[0]) for n in (5_000, 60_000) for d in (2, 4, 8, 12, 15)]
    sets += [(name, load(name)[0]) for name in ("large/shuttle.npz", "large/letter.npz", "uci/pendigits.csv")]
    sets.append(("blobs 1,000,000", anisotropic_blobs(1_000_000, 8, 20, 0)[0]))
    for name, X in sets:
        X, k = merge_identical(X).features, 15 if len(X) == 1_000_000 else 10
        ours = least(lambda: TreeSearch(X, 2.0).among_themselves(k), 2, warm=False)
        theirs = least(
            lambda: NearestNeighbors(n_jobs=available_cores()).fit(X).kneighbors(X, k + 1),
            1 if len(X) > 1e5 else 2,
            warm=False,
        )
        print(f"| {name} | {len(X):,} | {X.shape[1]} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.1f} |", flush=True)


def orders(n: int) -> None:
    X = merge_identical(anisotropic_blobs(n, 8, 20, 0)[0]).features
    S = normalise(NeighborGraph(n_neighbors=15).build(X, n_clusters=20).affinity).affinity.matrix  # type: ignore[attr-defined]
    W = np.random.default_rng(0).random((n, 20))

    def told(name: str, order: np.ndarray | None, made: float) -> None:
        matrix = S if order is None else sp.csr_array(S[order][:, order])
        matrix.sort_indices()
        with limit_threads(available_cores()):
            took = least(lambda: csr_product(matrix, W), 6)
        print(f"| {n:,} | {name} | {distinct_share(matrix):.2f} | {took * 1e3:.0f} | {made:.2f} |", flush=True)

    shuffle = np.random.default_rng(0).permutation(n)
    scattered = sp.csr_array(S[shuffle][:, shuffle])
    made, order = timed(lambda: reverse_cuthill_mckee(scattered, symmetric_mode=True))
    told("leaves of a tree", None, 0.0)
    told("at random", shuffle, 0.0)
    told("by the widest feature", np.argsort(X[:, np.ptp(X, axis=0).argmax()]), 0.0)
    told("reverse Cuthill-McKee", shuffle[order], made)


if __name__ == "__main__":
    print(f"{available_cores()} cores\n")
    searches()
    print("\n| items | order | distinct columns an entry | product ms | made in s |\n|---|---|---|---|---|")
    for n in (100_000, 1_000_000):
        orders(n)
