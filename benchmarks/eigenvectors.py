"""How exact eigenvectors must be for their partition: seconds, and items that change cluster, by the residual.

    PARTITA_DATA=... python benchmarks/eigenvectors.py [set ...]

`SpectralRelaxation` on a neighbour graph at the true K, normalised and as it is; moved: the share of items in another
cluster than with a residual of 1e-9.
"""

from __future__ import annotations

import sys

import numpy as np

from partita import SpectralRelaxation
from partita.affinity import NeighborGraph
from partita.metrics import accuracy
from partita.solvers import LeadingEigenvectors
from sets import load
from timing import timed

SETS = (
    "images/usps_9298.npz",
    "images/mnist_t10k.npz",
    "uci/pendigits.csv",
    "large/letter.npz",
    "large/shuttle.npz",
)
RESIDUALS = (1e-3, 1e-4, 1e-5, 1e-6)
EXACT = 1e-9


def main(names: list[str]) -> None:
    heads = " | ".join(f"{residual:.0e}: s | moved" for residual in RESIDUALS)
    print(f"| set | items | K | normalization | {heads} |\n" + "|---" * (4 + 2 * len(RESIDUALS)) + "|")
    for name in names:
        X, y, _ = load(name)
        K = len(np.unique(y))
        P = NeighborGraph().build(X, n_clusters=K).affinity
        for normalization in ("symmetric", "none"):

            def labels(residual: float, how: str = normalization) -> np.ndarray:
                model = SpectralRelaxation(
                    K, affinity="precomputed", normalization=how, solver=LeadingEigenvectors(residual)
                )
                return model.fit(P).labels_

            exact, told = labels(EXACT), []
            for residual in RESIDUALS:
                took, found = timed(lambda: labels(residual))
                told.append(f"{took:.2f} | {1 - accuracy(exact, found):.5f}")
            print(f"| {name} | {len(X):,} | {K} | {normalization} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SETS))
