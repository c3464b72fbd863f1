"""How far the estimate of ||S^t||^2 is from the exact value, on neighbour graphs of thousands of items.

PARTITA_DATA=... python benchmarks/diffused_norm.py
"""

from __future__ import annotations

import numpy as np

from partita.affinity import Affinity, DiffusedAffinity, NeighborGraph, normalise
from partita.affinity.norm_estimate import estimated_squared_norm
from sets import anisotropic_blobs, load

SETS = (
    "sklearn:load_digits",
    "uci/satimage_train.csv",
    "uci/pendigits.csv",
    "images/optdigits.npz",
    "images/usps_9298.npz",
    "shapes/cluto-t4-8k.csv",
)
# Items, features and clusters of further ones.
DRAWN = ((1_100, 2, 2), (2_000, 2, 20), (4_000, 5, 3), (4_000, 20, 10), (8_000, 2, 5), (8_000, 10, 30), (12_000, 3, 10))


def measured(name: str, X: np.ndarray) -> list[float]:
    """Print a row for every number of steps; the errors."""
    S = normalise(NeighborGraph().build(X, n_clusters=2).affinity).affinity
    errors = []
    for steps in (2, 4, 8, 16):
        affinity = DiffusedAffinity(S, steps)
        exact = Affinity.squared_norm(affinity)  # by rows, whatever the size
        errors.append(estimated_squared_norm(affinity) / exact - 1)
        print(f"| {name} | {len(X):,} | {steps} | {exact:.3f} | {errors[-1]:+.1e} |", flush=True)
    return errors


if __name__ == "__main__":
    print("| set | items | t | exact | estimate / exact - 1 |\n|---|---|---|---|---|")
    found = [error for name in SETS for error in measured(name, np.unique(load(name)[0], axis=0))]
    for n, d, K in DRAWN:
        found += measured(f"{K} clusters in {d}-d", anisotropic_blobs(n, d, K, 0)[0])
    print(
        f"\nOff by {100 * np.sqrt(np.mean(np.square(found))):.2f}% (root mean square), "
        f"{100 * np.abs(found).max():.2f}% at most."
    )
