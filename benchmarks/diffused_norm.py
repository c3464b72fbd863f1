"""How far the estimate of ||S^t||^2 is from the exact value, on neighbour graphs of thousands of items.

PARTITA_DATA=... python benchmarks/diffused_norm.py
"""

from __future__ import annotations

import numpy as np

from partita.affinity import Affinity, DiffusedAffinity, NeighborGraph, normalise
from partita.affinity.norm_estimate import estimated_squared_norm
from sets import load

SETS = (
    "uci/satimage_train.csv",
    "uci/pendigits.csv",
    "images/optdigits.npz",
    "images/usps_9298.npz",
    "shapes/cluto-t4-8k.csv",
)

if __name__ == "__main__":
    print("| set | items | t | exact | estimate / exact - 1 |\n|---|---|---|---|---|")
    for name in SETS:
        X = np.unique(load(name)[0], axis=0)
        S = normalise(NeighborGraph().build(X, n_clusters=2).affinity).affinity
        for steps in (4, 8):
            affinity = DiffusedAffinity(S, steps)
            exact = Affinity.squared_norm(affinity)  # by rows, whatever the size
            error = estimated_squared_norm(affinity) / exact - 1
            print(f"| {name} | {len(X):,} | {steps} | {exact:.3f} | {error:+.1e} |", flush=True)
